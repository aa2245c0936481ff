//! Writes around the picture. Texts of people only ever become text, never markup.

use contract::{Holder, RelayedBy, RosterEntry};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::HtmlElement;

use super::page::{Page, show};
use crate::{
    games::{Banner, Finish, Furniture, ScoreLine, Words},
    netcode::{Figures, Phase, Session},
    room::{Participant, Room, Standing},
};

const TEAM_NAMES: [&str; 2] = ["red", "blue"];

/// Makes the page that of a game.
pub(super) fn write_game(page: &Page, furniture: &Furniture) {
    page.mark("game", furniture.id);
    page.document.set_title(furniture.name);
    page.title.set_text_content(Some(furniture.name));
}

/// Writes score, clock, standings, health, banner and result.
pub(super) fn write_words(page: &Page, words: &Words) {
    for (element, points) in page.scores.iter().zip(words.score) {
        element.set_text_content(Some(&points.to_string()));
    }
    page.clock.set_text_content(Some(&words.clock));
    page.remark.set_text_content(Some(words.remark));
    show(&page.remark, !words.remark.is_empty());
    page.mark("score", &format!("{}-{}", words.score[0], words.score[1]));
    write_standings(page, &words.standings);
    write_health(page, words.health);
    write_banner(page, words.banner.as_ref());
    write_finish(page, words.finish.as_ref());
}

fn write_standings(page: &Page, standings: &[ScoreLine]) {
    page.standings.set_text_content(None);
    for line in standings {
        // A line that the browser will not make is only a line less.
        let _ = append_score_line(page, line);
    }
}

fn append_score_line(page: &Page, score: &ScoreLine) -> Result<(), JsValue> {
    let line = page.document.create_element("li")?;
    if score.is_own {
        line.set_attribute("data-own", "")?;
    }
    for (class, text) in
        [("rank", score.rank.to_string()), ("who", score.name.clone()), ("points", score.points.to_string())]
    {
        let part: HtmlElement = page.document.create_element("span")?.dyn_into()?;
        part.set_class_name(class);
        part.set_text_content(Some(&text));
        if class == "who" {
            part.style().set_property("color", score.colour)?;
        }
        line.append_child(&part)?;
    }
    page.standings.append_child(&line).map(drop)
}

fn write_health(page: &Page, health: Option<u8>) {
    show(&page.health, health.is_some());
    let Some(health) = health else { return };
    let level = match health {
        61.. => "good",
        31.. => "fair",
        _ => "poor",
    };
    page.health_text.set_text_content(Some(&health.to_string()));
    // Fail only for malformed names.
    let _ = page.health.set_attribute("aria-valuenow", &health.to_string());
    let _ = page.health.set_attribute("data-level", level);
    let _ = page.health.style().set_property("--part", &format!("{health}%"));
}

fn write_banner(page: &Page, banner: Option<&Banner>) {
    show(&page.banner, banner.is_some());
    if let Some(banner) = banner {
        page.banner_title.set_text_content(Some(&banner.title));
        page.banner_line.set_text_content(Some(&banner.line));
        set_team(&page.banner, banner.team);
    }
}

fn write_finish(page: &Page, finish: Option<&Finish>) {
    show(&page.finish, finish.is_some());
    page.mark("finished", if finish.is_some() { "yes" } else { "no" });
    let Some(finish) = finish else { return };
    page.finish_title.set_text_content(Some(&finish.title));
    page.finish_lines.set_text_content(Some(&finish.lines.join("\n")));
    set_team(&page.finish, finish.team);
    page.rematch.set_text_content(Some(if finish.asked_again { "Getting ready…" } else { "Rematch" }));
    page.rematch.set_disabled(finish.asked_again);
}

fn set_team(element: &HtmlElement, team: Option<u8>) {
    let name = team.and_then(|team| TEAM_NAMES.get(usize::from(team))).unwrap_or(&"none");
    let _ = element.set_attribute("data-team", name);
}

/// Writes who is there.
pub(super) fn write_crowd(page: &Page, roster: &[RosterEntry]) {
    let count = |holder: Holder| roster.iter().filter(|entry| entry.holder == holder).count();
    let kinds = [
        (count(Holder::Person), "person", "people"),
        (count(Holder::Agent), "Agent", "Agents"),
        (count(Holder::Bot), "bot", "bots"),
    ];
    let words: Vec<String> = kinds
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, more)| format!("{count} {}", if *count == 1 { one } else { more }))
        .collect();
    let carriers = carriers(roster);
    let through =
        if carriers.is_empty() { String::new() } else { format!(" · Agents through {}", carriers.join(", ")) };
    page.crowd.set_text_content(Some(&(words.join(" · ") + &through)));
}

/// Through whose browsers Agents play, each once.
fn carriers(roster: &[RosterEntry]) -> Vec<&str> {
    let name = |by: RelayedBy| match by {
        RelayedBy::Watcher => "a watcher",
        RelayedBy::Player(seat) => {
            roster.iter().find(|entry| entry.seat == seat).map_or("?", |entry| entry.name.as_str())
        }
    };
    let mut names: Vec<&str> = roster.iter().filter_map(|entry| entry.relayed_by).map(name).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Shows what belongs to where the conversation with the server stands.
pub(super) fn write_phase(page: &Page, session: &Session, welcomed: bool) {
    let phase = session.phase();
    let state = match phase {
        Phase::Apart | Phase::Greeting | Phase::Returning if welcomed => "reconnecting",
        Phase::Apart | Phase::Greeting | Phase::Returning => "connecting",
        Phase::Watching => "watching",
        Phase::Joining => "joining",
        Phase::Playing(_) => "playing",
        Phase::Over => "over",
    };
    page.mark("state", state);
    match phase {
        Phase::Playing(seat) => page.mark("seat", &seat.to_string()),
        // The seat is about to be had again: nothing on the page moves until that is sure.
        Phase::Apart | Phase::Greeting | Phase::Returning if session.secret().is_some() => {}
        _ => page.mark("seat", ""),
    }
    show(&page.panel, matches!(phase, Phase::Watching | Phase::Joining));
    page.join.set_disabled(phase == Phase::Joining);
    page.join.set_text_content(Some(if phase == Phase::Joining { "Joining…" } else { "Join" }));
    show(&page.leave, matches!(phase, Phase::Playing(_)));
    show(&page.rematch, matches!(phase, Phase::Playing(_)));
}

/// What a person can do about a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Remedy {
    /// Nothing, or nothing is needed.
    None,
    /// Load the page anew.
    Reload,
    /// Connect again.
    Again,
}

/// Says something calmly at the top, or nothing.
pub(super) fn write_notice(page: &Page, text: &str, remedy: Remedy) {
    show(&page.notice, !text.is_empty());
    page.notice_text.set_text_content(Some(text));
    show(&page.reload, remedy == Remedy::Reload);
    show(&page.again, remedy == Remedy::Again);
}

/// Writes who is in the Room, and what of it concerns the match.
pub(super) fn write_room(page: &Page, room: &Room) {
    let roster = room.roster();
    show(&page.room, !roster.participants().is_empty());
    page.mark("room", standing_word(room.standing()));
    page.room_count.set_text_content(Some(&roster.participants().len().to_string()));
    page.room_list.set_text_content(None);
    for one in roster.participants() {
        // Fails only for a malformed tag.
        let _ = write_participant(page, one, roster.is_own(one));
    }
    let calls = match room.requests() {
        0 => "",
        1 => " One request of an Agent came through this page.",
        _ => " Requests of Agents come through this page.",
    };
    page.room_note.set_text_content(Some(&format!("{}{calls}", standing_text(room.standing()))));
}

fn write_participant(page: &Page, one: &Participant, is_own: bool) -> Result<(), JsValue> {
    let [line, name, kind] = ["li", "span", "small"].map(|tag| page.document.create_element(tag));
    let (line, name, kind) = (line?, name?, kind?);
    name.set_text_content(Some(one.name.as_ref().map_or("Somebody", |name| name.as_str())));
    kind.set_text_content(Some(match (one.is_agent, is_own) {
        (true, _) => "Agent",
        (_, true) => "you",
        _ => "person",
    }));
    line.append_child(&name)?;
    line.append_child(&kind)?;
    page.room_list.append_child(&line)?;
    Ok(())
}

const fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Looking => "looking",
        Standing::Made => "made",
        Standing::Kept => "kept",
        Standing::Given => "given",
        Standing::Moved => "moved",
    }
}

const fn standing_text(standing: Standing) -> &'static str {
    match standing {
        Standing::Looking => "Asking the others which match is this Room's…",
        _ => "Everybody who opens the game in this Room is in the same match.",
    }
}

/// Writes how the link does.
pub(super) fn write_network(page: &Page, figures: &Figures, snapshots_per_second: f64, bytes_per_second: f64) {
    let margin = figures.margin_ticks.map_or_else(|| "–".to_owned(), |margin| margin.to_string());
    page.network.set_text_content(Some(&format!(
        "round trip {:>6.0} ms\nlead       {:>6.1} ticks\nmargin     {margin:>6} ticks\nsnapshots  {:>6.0} /s\n\
         received   {:>6.1} kB/s\nexact      {:>6}\nmistaken   {:>6}\nsnapped    {:>6}\nwrong      {:>6}\n\
         corrected  {:>6}\nlate       {:>6}\nresyncs    {:>6}",
        figures.rtt_ms,
        figures.lead_ticks,
        snapshots_per_second,
        bytes_per_second / 1000.0,
        figures.exact,
        figures.mispredicted,
        figures.snapped,
        figures.wrong,
        figures.corrected,
        figures.late,
        figures.resyncs,
    )));
}
