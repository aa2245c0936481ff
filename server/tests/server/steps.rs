//! Snapshots as steps, whole views when they are needed, and hardly anything for a page nobody looks at.

use contract::{Audience, ClientMessage, Mode, ServerMessage, Tick};
use sim::{Follower, games::kickabout::Kickabout};

use crate::fixture::{Page, Server};

const STEPPER: Mode = Mode { can_step: true, is_hidden: false };
const HIDDEN: Mode = Mode { can_step: true, is_hidden: true };

/// A page that follows the match.
struct Watcher {
    page: Page,
    follower: Follower<Kickabout>,
}

/// A snapshot as it came.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Came {
    Whole(Tick, Audience),
    Steps(Tick),
}

impl Watcher {
    fn new(server: &Server, key: &str, mode: Mode) -> Self {
        let mut page = server.watch(key);
        page.send(&ClientMessage::Mode(mode));
        Self { page, follower: Follower::new(&contract::games::kickabout::Setup::default()) }
    }

    fn next(&mut self) -> Came {
        let Self { page, follower } = self;
        page.wait(|message| match message {
            ServerMessage::Snapshot(whole) => {
                follower.take_view(whole.audience, whole.checksum, &whole.body).expect("a view");
                Some(Came::Whole(whole.tick, whole.audience))
            }
            ServerMessage::Steps(steps) => {
                let followed = follower.take_steps(steps.tick, steps.ticks, steps.checksum, &steps.body);
                followed.expect("steps that fit what came before");
                Some(Came::Steps(steps.tick))
            }
            _ => None,
        })
    }

    fn until_steps(&mut self) {
        while !matches!(self.next(), Came::Steps(_)) {}
    }
}

#[test]
fn a_page_that_can_step_gets_steps_and_follows_exactly() {
    let server = Server::start();
    let mut watcher = Watcher::new(&server, "steps", STEPPER);
    let mut agent = server.agent("steps");
    agent.take_seat("Nova", None);
    watcher.until_steps();
    let mut steps = 0;
    for round in 0..240 {
        if round == 60 {
            agent.act(&serde_json::json!({ "type": "order", "order": "press" }));
        }
        steps += u32::from(matches!(watcher.next(), Came::Steps(_)));
    }
    assert!(steps > 120, "{steps} of 240; a busy machine makes this page miss some");
}

#[test]
fn a_change_of_audience_begins_with_a_whole_view() {
    let server = Server::start();
    let mut watcher = Watcher::new(&server, "seat", STEPPER);
    watcher.until_steps();
    watcher.page.join("Ada", Some(1));
    let first = watcher.next();
    assert!(matches!(first, Came::Whole(_, Audience(1))), "{first:?}");
    watcher.until_steps();
}

#[test]
fn whoever_is_lost_asks_for_a_whole_view() {
    let server = Server::start();
    let mut watcher = Watcher::new(&server, "resync", STEPPER);
    watcher.until_steps();
    watcher.page.send(&ClientMessage::Resync);
    while !matches!(watcher.next(), Came::Whole(..)) {}
    watcher.until_steps();
}

#[test]
fn a_page_that_cannot_step_gets_whole_views_only() {
    let server = Server::start();
    let mut watcher = Watcher::new(&server, "plain", Mode::default());
    for _ in 0..30 {
        assert!(matches!(watcher.next(), Came::Whole(..)));
    }
}

#[test]
fn a_hidden_page_gets_a_view_a_second_and_all_of_it_on_return() {
    let server = Server::start();
    let mut watcher = Watcher::new(&server, "hidden", STEPPER);
    watcher.until_steps();
    watcher.page.send(&ClientMessage::Mode(HIDDEN));
    // What was on its way may still come.
    let whole = |watcher: &mut Watcher| loop {
        if let Came::Whole(tick, _) = watcher.next() {
            break tick;
        }
    };
    let first = whole(&mut watcher);
    let second = whole(&mut watcher);
    assert!(second.since(first) >= 60, "{first:?} {second:?}");
    watcher.page.send(&ClientMessage::Mode(STEPPER));
    let back = whole(&mut watcher);
    assert!(back.since(second) < 60, "at once: {second:?} {back:?}");
    watcher.until_steps();
}
