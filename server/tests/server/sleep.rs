//! Matches nobody needs cost nothing and go away.

use std::{thread, time::Duration};

use crate::fixture::Server;

#[test]
fn nothing_is_ticked_while_nobody_is_there() {
    let server = Server::start();
    server.until("the demo match is there", |server| server.metric("matchd_matches{state=\"asleep\"}") == 1.0);
    thread::sleep(Duration::from_millis(300));
    assert_eq!(server.metric("matchd_ticks_total"), 0.0);
}

fn until_asleep(server: &Server) {
    server.until("the socket is gone", |server| server.metric("matchd_sockets") == 0.0);
    server.until("the match sleeps", |server| server.metric("matchd_matches{state=\"awake\"}") == 0.0);
}

#[test]
fn a_match_sleeps_after_the_last_has_left_and_wakes_for_the_next() {
    let server = Server::with("[matches]\nsleep_after_ms = 100");
    let page = server.watch("demo");
    server.until("ticks run", |server| server.metric("matchd_ticks_total") > 5.0);
    drop(page);
    until_asleep(&server);
    let ticks = server.metric("matchd_ticks_total");
    thread::sleep(Duration::from_millis(200));
    assert_eq!(server.metric("matchd_ticks_total"), ticks);
    let mut page = server.watch("demo");
    let first = page.snapshot().tick;
    page.wait(|_| (server.metric("matchd_ticks_total") > ticks + 5.0).then_some(()));
    let next = page.snapshot().tick;
    assert!(next.since(first) > 0, "it goes on where it was");
    assert!(f64::from(first.0) <= ticks);
    // A call wakes it, too.
    drop(page);
    until_asleep(&server);
    let ticks = server.metric("matchd_ticks_total");
    server.agent("demo").observe();
    server.until("ticks run", |server| server.metric("matchd_ticks_total") > ticks);
}

#[test]
fn a_match_ends_when_nobody_comes_back_but_the_demo_stays() {
    let server = Server::with("[matches]\nsleep_after_ms = 100\nend_after_ms = 1000");
    for at in 0..20 {
        server.agent(&format!("brief-{at}")).observe();
    }
    let count = |server: &Server| {
        server.metric("matchd_matches{state=\"awake\"}") + server.metric("matchd_matches{state=\"asleep\"}")
    };
    assert_eq!(server.metric("matchd_matches_made_total"), 21.0);
    server.until("only the demo match is left", |server| count(server) == 1.0);
    server.watch("demo").snapshot();
    server.watch("brief-0").snapshot();
    assert_eq!(server.metric("matchd_matches_made_total"), 22.0, "the key makes a new match");
}

#[test]
fn matches_that_have_ended_leave_no_task_behind() {
    let server = Server::with("[matches]\nsleep_after_ms = 100\nend_after_ms = 1000");
    let tasks = |server: &Server| server.metric("matchd_tasks{path=\"play\"}");
    let base = tasks(&server);
    for round in 0..4 {
        let mut pages: Vec<_> = (0..25).map(|at| server.watch(&format!("brief-{round}-{at}"))).collect();
        for page in &mut pages {
            page.join("Ada", None);
        }
        assert!(tasks(&server) >= base + 50.0, "a connection and a broadcast for each");
    }
    assert_eq!(server.metric("matchd_matches_made_total"), 101.0);
    server.until("all tasks are gone", |server| tasks(server) == base);
    server.until("only the demo match is left", |server| {
        server.metric("matchd_matches{state=\"awake\"}") + server.metric("matchd_matches{state=\"asleep\"}") == 1.0
    });
}
