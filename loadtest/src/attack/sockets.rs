//! Attacks on the sync path.

use std::time::Duration;

use contract::{ClientMessage, ServerMessage, Tick};
use rand_pcg::rand_core::Rng as _;
use tokio::{
    io::Interest,
    time::{Instant, interval, timeout},
};

use super::Attacker;
use crate::{
    player::sample_input,
    tally::Timing,
    wire::{Wire, ending},
};

/// A flood is sent in bursts so far apart.
const BURST_GAP: Duration = Duration::from_millis(5);

/// A reader that has stopped is given up by its own side after this: by then the server has failed to do it.
const STALL_MAX: Duration = Duration::from_secs(60);

/// How long somebody who had stopped reading waits for the last word.
const LAST_WORD: Duration = Duration::from_secs(2);

/// A socket in a match, seated when there is a seat, its game, and the first tick an input may name.
async fn enter(attacker: &Attacker) -> anyhow::Result<(Wire, String, Tick)> {
    let (mut wire, welcome) = Wire::open_uncounted(&attacker.play, &attacker.key).await?;
    wire.set_mode(true).await?;
    // Without a seat the rest works just as well.
    let first = wire.join(&attacker.name).await.map_or(welcome.tick, |(_, first)| first);
    Ok((wire, welcome.game, first))
}

/// Sends far more inputs than there are ticks.
pub(super) async fn flood(attacker: &mut Attacker) {
    let result = async {
        let (mut wire, game, mut tick) = enter(attacker).await?;
        let mut clock = interval(BURST_GAP);
        let mut owed = 0.0;
        loop {
            tokio::select! {
                _ = clock.tick() => {
                    owed += attacker.per_second * BURST_GAP.as_secs_f64();
                    while owed >= 1.0 {
                        owed -= 1.0;
                        let input = sample_input(&game, attacker.random.next_u32())?;
                        wire.say(&ClientMessage::Input { tick, input }).await?;
                    }
                }
                message = wire.hear() => {
                    if let ServerMessage::Snapshot(contract::Snapshot { tick: newest, .. })
                        | ServerMessage::Steps(contract::Steps { tick: newest, .. }) = message?
                    {
                        tick = newest.plus(5);
                    }
                }
            }
        }
    };
    let ended: anyhow::Result<()> = result.await;
    if let Err(error) = ended {
        attacker.tally.answer(&ending(&error));
    }
}

/// Goes on sending inputs but stops reading, until the server has had enough.
pub(super) async fn stop_reading(attacker: &mut Attacker) {
    let Ok((mut wire, game, first)) = enter(attacker).await else {
        attacker.tally.answer("no connection");
        return;
    };
    let stopped = Instant::now();
    let mut clock = interval(attacker.gap());
    while stopped.elapsed() < STALL_MAX {
        clock.tick().await;
        let late = (stopped.elapsed().as_secs_f64() * attacker.per_second) as u32;
        let Ok(input) = sample_input(&game, attacker.random.next_u32()) else { break };
        if wire.say(&ClientMessage::Input { tick: first.plus(late), input }).await.is_err() || is_cut_off(&wire).await {
            break;
        }
    }
    let took = stopped.elapsed();
    attacker.tally.record(Timing::CutOff, took);
    // Now it looks at what it has missed, and finds the reason at the end.
    let last_word =
        timeout(LAST_WORD, async { while wire.hear().await.map_err(|error| note(attacker, &error)).is_ok() {} });
    if last_word.await.is_err() {
        attacker.tally.answer("socket left open");
    }
}

fn note(attacker: &Attacker, error: &anyhow::Error) {
    attacker.tally.answer(&ending(error));
}

/// Whether the other side has ended the connection. The system knows even while nobody reads.
async fn is_cut_off(wire: &Wire) -> bool {
    let Some(stream) = wire.stream() else { return true };
    match timeout(Duration::ZERO, stream.ready(Interest::READABLE)).await {
        Ok(Ok(ready)) => ready.is_read_closed() || ready.is_error(),
        Ok(Err(_)) => true,
        Err(_) => false,
    }
}

/// Sends what is no message, on one socket after the other.
pub(super) async fn send_noise(attacker: &mut Attacker) {
    let mut clock = interval(attacker.gap());
    loop {
        clock.tick().await;
        let Ok((mut wire, _)) = Wire::open_uncounted(&attacker.play, &attacker.key).await else {
            attacker.tally.answer("no connection");
            return;
        };
        let length = attacker.random.next_u32() % 900;
        // The first byte is one that MessagePack never uses.
        let noise = std::iter::once(0xc1).chain((0..length).map(|_| attacker.random.next_u32().to_le_bytes()[0]));
        if let Err(error) = wire.send(noise.collect()).await {
            attacker.tally.answer(&ending(&error));
            continue;
        }
        let error = loop {
            if let Err(error) = wire.hear().await {
                break error;
            }
        };
        attacker.tally.answer(&ending(&error));
    }
}

/// Connects, says hello and is gone without a word.
pub(super) async fn come_and_go(attacker: &mut Attacker) {
    let mut clock = interval(attacker.gap());
    loop {
        clock.tick().await;
        match Wire::open_uncounted(&attacker.play, &attacker.key).await {
            Ok(_) => attacker.tally.answer("came and went"),
            Err(error) => attacker.tally.answer(&ending(&error)),
        }
    }
}
