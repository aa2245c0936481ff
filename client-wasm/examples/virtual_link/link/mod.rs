//! A match of people and bots over links with virtual time: the simulation, the messages and the pages are the real
//! ones, the sockets are queues, the clock is a number.

mod client;
mod measure;
mod noise;
mod people;
mod server;
mod wire;

pub(crate) use measure::{Figures, percentile};

use client::Client;
use contract::{SeatId, games::kickabout::Setup};
use server::Server;

/// Milliseconds per tick.
const TICK_MS: f64 = 1000.0 / 60.0;
/// People play these seats of eight, bots the others.
const PEOPLE: [SeatId; 4] = [SeatId(0), SeatId(1), SeatId(4), SeatId(5)];

/// How a link is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Conditions {
    /// Round trip without jitter.
    pub(crate) rtt_ms: f64,
    /// The round trip is longer or shorter by up to this.
    pub(crate) jitter_ms: f64,
    /// Part of the time in which nothing gets through, in stalls of 200 ms each way.
    pub(crate) stalled: f64,
}

/// Plays a match for so many seconds and tells how it went, once everybody has settled.
pub(crate) fn play(conditions: Conditions, seconds: u32, seed: u32) -> Figures {
    let setup = Setup { team_size: 4, duration_s: 3600 };
    let mut server = Server::new(setup, &PEOPLE, u64::from(seed));
    let mut clients: Vec<Client> =
        (1..).zip(PEOPLE).map(|(n, seat)| Client::new(setup, seat, conditions, seed * 16 + n, server.tick())).collect();
    let mut ticked_ms = 0.0;
    for ms in 0..seconds * 1000 {
        let now_ms = f64::from(ms);
        for (index, client) in clients.iter_mut().enumerate() {
            while let Some(said) = client.up.arrived(now_ms) {
                server.hear(index, said, |answer| client.down.send(now_ms, answer));
            }
        }
        while ticked_ms <= now_ms {
            ticked_ms += TICK_MS;
            server.run_tick();
            for (index, client) in clients.iter_mut().enumerate() {
                server.tell(index, |message| client.down.send(now_ms, message));
            }
        }
        for client in &mut clients {
            client.live(now_ms);
        }
    }
    let mut figures = Figures::default();
    for (index, client) in clients.into_iter().enumerate() {
        let (late, inputs) = server.lateness(index);
        figures.add(client.finish(&server.history), late, inputs);
    }
    figures
}
