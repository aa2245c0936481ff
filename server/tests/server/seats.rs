//! Taking seats and giving them back.

use contract::{Holder, Refusal, RosterEntry, SeatId};
use serde_json::json;

use crate::fixture::{Page, Server};

fn held_by(roster: &[RosterEntry], holder: Holder) -> usize {
    roster.iter().filter(|entry| entry.holder == holder).count()
}

#[test]
fn a_person_takes_a_bots_place_and_gives_it_back() {
    let server = Server::start();
    let (mut ada, mut bob) = (server.watch("seats"), server.watch("seats"));
    let before = bob.roster(|_| true);
    assert_eq!(held_by(&before, Holder::Bot), 6);
    let seat = ada.join(" Ada\u{202e}  Lovelace ", None);
    let seen = bob.roster(|roster| held_by(roster, Holder::Person) == 1);
    assert_eq!(seen[seat.index()].name.as_str(), "Ada Lovelace");
    assert_eq!(seen[seat.index()].holder, Holder::Person);
    ada.leave();
    let after = bob.roster(|roster| held_by(roster, Holder::Person) == 0);
    assert_eq!(after, before, "the bot is back under its name");
    // At once again, under the same name.
    assert_eq!(ada.join("Ada", None), seat);
}

#[test]
fn without_grace_a_lost_socket_gives_its_seat_back() {
    let server = Server::with("[matches]\ngrace_ms = 0");
    let (mut ada, mut bob) = (server.watch("lost"), server.watch("lost"));
    ada.join("Ada", None);
    bob.roster(|roster| held_by(roster, Holder::Person) == 1);
    drop(ada);
    bob.roster(|roster| held_by(roster, Holder::Person) == 0);
}

#[test]
fn two_people_and_two_agents_play_on_either_side() {
    for sides in [[0, 0, 0, 0], [0, 1, 0, 1], [1, 0, 0, 1], [1, 1, 1, 1]] {
        let server = Server::with("[game.setup]\nteam_size = 4");
        let mut watcher = server.watch("four");
        let mut pages: Vec<Page> = (0..2).map(|_| server.watch("four")).collect();
        let mut agents = [server.agent("four"), server.agent("four")];
        let people = pages.iter_mut().zip(["Ada", "Bob"]).zip(sides);
        let mut seats: Vec<SeatId> = people.map(|((page, name), side)| page.join(name, Some(side))).collect();
        for (at, agent) in agents.iter_mut().enumerate() {
            let team = ["red", "blue"][usize::from(sides[2 + at])];
            let answer = agent.take_seat(&format!("Agent {at}"), Some(team));
            assert_eq!((&answer["ok"], &answer["result"]["team"]), (&json!(true), &json!(team)), "{answer}");
            let seat = answer["result"]["seat"].as_str().and_then(SeatId::parse).expect("a seat");
            assert_eq!(agent.observe()["result"]["you"], json!(seat.to_string()));
            seats.push(seat);
        }
        let roster =
            watcher.roster(|roster| (held_by(roster, Holder::Person), held_by(roster, Holder::Agent)) == (2, 2));
        for (seat, side) in seats.iter().zip(sides) {
            assert_eq!(roster[seat.index()].team.0, side);
        }
        seats.sort_unstable();
        seats.dedup();
        assert_eq!(seats.len(), 4, "four different seats");
    }
}

#[test]
fn a_full_side_and_a_full_match_refuse() {
    let server = Server::with("[game.setup]\nteam_size = 1");
    let mut pages: Vec<Page> = (0..3).map(|_| server.watch("full")).collect();
    pages[0].join("Ada", Some(0));
    assert_eq!(pages[1].try_join("Bob", Some(0)), Err(Refusal::Full));
    let mut agent = server.agent("full");
    let answer = agent.take_seat("Nova", Some("red"));
    assert_eq!(answer["error"]["code"], "full");
    assert_eq!(answer["error"]["legal"], json!(["blue"]));
    pages[1].join("Bob", None);
    assert_eq!(pages[2].try_join("Eve", None), Err(Refusal::Full));
    assert_eq!(pages[2].try_join("Eve", Some(7)), Err(Refusal::NoSuchTeam));
    pages[0].leave();
    pages[2].join("Eve", None);
}

#[test]
fn a_taken_name_is_refused_to_people_and_agents() {
    let server = Server::start();
    let (mut ada, mut other) = (server.watch("names"), server.watch("names"));
    ada.join("Ada", None);
    assert_eq!(other.try_join(" aDa ", None), Err(Refusal::NameTaken));
    let answer = server.agent("names").take_seat("ADA", None);
    assert_eq!((&answer["error"]["code"], &answer["error"]["field"]), (&json!("name_taken"), &json!("action.name")));
    assert_eq!(ada.try_join("Ada again", None), Err(Refusal::AlreadySeated));
    other.join("Bob", None);
    assert!(server.watch("elsewhere").try_join("Ada", None).is_ok(), "names are a match's own");
}
