//! Whoever means harm, one kind at a time. What they are answered is counted; an answer they should never get is a
//! failure of the run.

mod calls;
mod sockets;

use std::{sync::Arc, time::Duration};

use contract::MatchKey;
use rand_pcg::Pcg32;
use serde::Deserialize;
use tokio::time::sleep;

use crate::{crowd::Leave, tally::Tally};

/// After an attacker was thrown out it comes back, but not at once: that would be another attack.
const PAUSE: Duration = Duration::from_secs(1);

/// Somebody who had stopped reading comes back later: coming is what costs most, and not what is to be measured.
const STALL_PAUSE: Duration = Duration::from_secs(30);

/// What an attacker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AttackKind {
    /// Takes a seat and sends far more inputs than there are ticks; `per_second` is how many.
    Flood,
    /// Takes a seat and stops reading, though its inputs go on; `per_second` is how many.
    SlowReader,
    /// Sends what is no message; `per_second` is how many sockets it tries.
    MalformedMessages,
    /// Connects, says hello and is gone; `per_second` is how often.
    ReconnectStorm,
    /// Calls with what is no request; `per_second` is how many.
    MalformedCalls,
    /// Calls with bodies that take forever; `per_second` is how many bytes.
    SlowBody,
    /// Calls with the largest body there may be, and a larger one; `per_second` is how many.
    HugeBody,
    /// Calls with tokens of no seat; `per_second` is how many.
    WrongToken,
}

impl AttackKind {
    /// What the report calls it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Flood => "flooders",
            Self::SlowReader => "slow readers",
            Self::MalformedMessages => "senders of noise",
            Self::ReconnectStorm => "reconnecting",
            Self::MalformedCalls => "malformed calls",
            Self::SlowBody => "slow bodies",
            Self::HugeBody => "huge bodies",
            Self::WrongToken => "wrong tokens",
        }
    }

    /// What it does so many times a second, if nothing else is wanted.
    pub(crate) const fn per_second(self) -> f64 {
        match self {
            Self::Flood => 6000.0,
            Self::MalformedMessages | Self::ReconnectStorm | Self::MalformedCalls | Self::WrongToken => 10.0,
            Self::SlowBody => 5.0,
            Self::SlowReader | Self::HugeBody => 2.0,
        }
    }
}

/// Somebody who means harm.
#[derive(Debug)]
pub(crate) struct Attacker {
    pub(crate) kind: AttackKind,
    pub(crate) play: String,
    pub(crate) contract: String,
    pub(crate) key: MatchKey,
    pub(crate) name: String,
    pub(crate) per_second: f64,
    pub(crate) random: Pcg32,
    pub(crate) tally: Arc<Tally>,
}

impl Attacker {
    /// Does harm until told to leave.
    ///
    /// # Errors
    /// When it gets what it never should.
    pub(crate) async fn live(mut self, mut leave: Leave) -> anyhow::Result<()> {
        tokio::select! {
            result = self.attack_forever() => result,
            () = leave.told() => Ok(()),
        }
    }

    async fn attack_forever(&mut self) -> anyhow::Result<()> {
        loop {
            match self.kind {
                AttackKind::Flood => sockets::flood(self).await,
                AttackKind::SlowReader => sockets::stop_reading(self).await,
                AttackKind::MalformedMessages => sockets::send_noise(self).await,
                AttackKind::ReconnectStorm => sockets::come_and_go(self).await,
                AttackKind::MalformedCalls => calls::malformed(self).await?,
                AttackKind::SlowBody => calls::slow_body(self).await,
                AttackKind::HugeBody => calls::huge_body(self).await?,
                AttackKind::WrongToken => calls::wrong_token(self).await?,
            }
            sleep(if self.kind == AttackKind::SlowReader { STALL_PAUSE } else { PAUSE }).await;
        }
    }

    fn gap(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.per_second)
    }
}
