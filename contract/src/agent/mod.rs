//! The Agent contract: `describe`, `observe`, `act`.
//!
//! One JSON object in, one JSON object out. A refusal is an answer too: `ok` is then false and `error` names the field
//! and the legal values. Nothing that a caller sent is ever repeated in an error.

mod describe;
mod fault;
mod fields;
mod glance;
mod outcome;
mod request;
mod schema;

pub use describe::describe;
pub use fault::{Fault, FaultCode};
pub use fields::Fields;
pub use glance::{Detail, Glance};
pub use outcome::{OUTCOMES_MAX, Obstacle, OrderId, OrderStatus, Outcome, OutcomeSeen, Outcomes};
pub use request::{ActKey, Action, Request, SeatToken, parse_request};
pub use schema::{request_schema, schema};

use schemars::JsonSchema;
use serde::Serialize;

use crate::{SeatId, Tick};

/// Version of the Agent contract; it changes when a call that worked stops working.
pub const CONTRACT_VERSION: u32 = 2;

/// Answer to any call.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Reply<R> {
    /// Whether the call did what it asked for.
    pub ok: bool,
    /// Always [`CONTRACT_VERSION`].
    pub contract_version: u32,
    /// The match's newest tick; absent when no match was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<Tick>,
    /// What was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<R>,
    /// Why it was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

/// What came of an act.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Acted {
    /// The first tick that shows it.
    pub takes_effect: Tick,
    /// The order's name, under which `observe` tells how it went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order_id: Option<OrderId>,
    /// The seat that was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatId>,
    /// The side of the seat that was taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team: Option<&'static str>,
    /// The secret that later calls for the seat must carry. Told once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<SeatToken>,
}

impl Acted {
    /// An act that takes effect at this tick.
    #[must_use]
    pub const fn at(takes_effect: Tick) -> Self {
        Self { takes_effect, order_id: None, seat: None, team: None, token: None }
    }
}

impl<R> Reply<R> {
    /// A call that did what it asked for.
    pub const fn done(tick: Option<Tick>, result: R) -> Self {
        Self { ok: true, contract_version: CONTRACT_VERSION, tick, result: Some(result), error: None }
    }

    /// A call that was refused and changed nothing.
    pub const fn refused(tick: Option<Tick>, fault: Fault) -> Self {
        Self { ok: false, contract_version: CONTRACT_VERSION, tick, result: None, error: Some(fault) }
    }
}
