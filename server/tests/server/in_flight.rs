//! Calls about one match that are in flight at the same time.

use std::{
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
};

use serde_json::json;
use server::{Config, kind_with};

use crate::{fixture::Server, puppet::Puppet};

#[test]
fn the_fifth_is_refused_at_once_and_nobody_else_is() {
    // A slow game and no other limits: an act is in flight for up to a fifth of a second, so four callers who never pause
    // fill the four places nearly all the time.
    let settings = "[contract]\ncalls_per_second = 1000000\ncalls_per_second_per_address = 1000000";
    let server = Server::of_kind(Config::parse(settings).expect("legal"), kind_with::<Puppet>(()));
    let code = |key: &str| server.agent(key).observe()["error"]["code"].clone();
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for caller in 0..4 {
            let (server, is_over) = (&server, &is_over);
            scope.spawn(move || {
                // Never the same call again: that would be answered at once.
                for at in (0..200).take_while(|_| !is_over.load(Relaxed)) {
                    let action = json!({ "type": "take_seat", "name": format!("Nova {caller} {at}") });
                    server.agent("busy").call(&json!({ "type": "act", "action": action }));
                }
            });
        }
        server.until("the fifth call is refused", |_| code("busy") == "too_many_in_flight");
        assert_eq!(code("calm"), json!(null), "another match is not affected");
        is_over.store(true, Relaxed);
    });
    assert_eq!(code("busy"), json!(null), "places come back");
}
