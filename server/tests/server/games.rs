//! Matches of several games beside each other, by their keys.

use contract::{
    Cadence, ClientMessage, WireInput as _, WireView as _,
    games::skirmish::{Aim, Input, Setup, View},
};
use serde_json::json;

use crate::fixture::Server;

#[test]
fn a_key_that_names_a_game_makes_a_match_of_it() {
    let server = Server::with("[games.skirmish]\nseats = 12");
    for key in ["skirmish", "skirmish.den"] {
        let welcome = server.connect().hello(key);
        assert_eq!(welcome.game, "skirmish", "{key}");
        assert_eq!(welcome.cadence, Cadence::new(30, 30));
        assert_eq!(contract::decode::<Setup>(&welcome.setup).expect("a setup"), Setup { seats: 12 });
    }
    assert_eq!(server.connect().hello("den").game, "kickabout");
    assert_eq!(server.connect().hello("demo").game, "kickabout");
}

#[test]
fn a_person_flies_and_fires_and_an_agent_attacks() {
    let server = Server::start();
    let mut page = server.watch("skirmish.duel");
    let seat = page.join("Ada", None);
    let view = |body: &[u8]| View::from_bytes(body).expect("a view");
    let mut agent = server.agent("skirmish.duel");
    assert_eq!(agent.call(&json!({ "type": "describe" }))["result"]["game"], "skirmish");
    assert_eq!(agent.take_seat("Nova", None)["result"]["team"], "all");
    let order = agent.act(&json!({ "type": "order", "order": format!("attack:{seat}") }));
    let order = &order["result"]["order_id"];
    assert!(order.is_string());
    let seen = agent.observe();
    assert_eq!(
        (&seen["result"]["own"]["order"]["id"], &seen["result"]["players"][0]["id"]),
        (order, &seen["result"]["you"])
    );

    let mut bytes = Vec::new();
    Input { vx: 200, vy: -200, aim: Aim::point(300), fire: true }.pack(&mut bytes);
    let fired = |view: &View| view.shots.iter().any(|shot| shot.owner == seat && shot.aim == Aim::point(300));
    loop {
        let snapshot = page.snapshot();
        let seen = view(&snapshot.body);
        if fired(&seen) && seen.craft[seat.index()].input.vx == 200 {
            break;
        }
        assert!(snapshot.tick.0 < 600, "within twenty seconds");
        for ahead in 2..6 {
            page.send(&ClientMessage::Input { tick: snapshot.tick.plus(ahead), input: bytes.clone() });
        }
    }
}
