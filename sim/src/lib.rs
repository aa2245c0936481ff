//! The worlds: fixed tick, rules, mechanics, views.
//!
//! A world is a pure function of its setup, its seed and what was given to each step; it gives the same result natively
//! and in wasm. There is no clock, no I/O, no thread and no platform-dependent arithmetic here: `clippy.toml` beside
//! this crate's manifest forbids them.

mod follower;
pub mod games;
mod luck;
mod vector;

pub use follower::{FollowError, Follower};

use contract::{
    Audience, GameData, SeatId, Tick, WireView,
    agent::{Fault, Glance, OrderId},
};

/// The game's setup.
pub type Setup<G> = <<G as Game>::Data as GameData>::Setup;
/// The game's input.
pub type Input<G> = <<G as Game>::Data as GameData>::Input;
/// The game's order.
pub type Order<G> = <<G as Game>::Data as GameData>::Order;
/// What the game lets an act depend on.
pub type Fact<G> = <<G as Game>::Data as GameData>::Fact;
/// The game's view.
pub type View<G> = <<G as Game>::Data as GameData>::View;
/// The game's observation.
pub type Observation<G> = <<G as Game>::Data as GameData>::Observation;

/// A world of one match.
///
/// At the end of each step every number a view carries is rounded to the grid the view is sent on. So a world restored
/// from a view is, as far as the next step can tell, the world the view was made of: with the same inputs for all seats
/// it steps to the same checksum.
pub trait Game: Sized + Send + 'static {
    /// The game's side in the contract.
    type Data: GameData;

    /// A fresh match.
    fn new(setup: &Setup<Self>, seed: u64) -> Self;

    /// Runs one tick.
    ///
    /// `inputs` has one entry per seat: what its person did, or `None` for a seat that mechanics play (a bot, an Agent, a
    /// person who is away). `orders` take effect before the step. Cannot fail, and allocates nothing in a steady match.
    fn step(&mut self, inputs: &[Option<Input<Self>>], orders: &[SeatOrder<Order<Self>>]);

    /// Writes what an audience sees of the newest tick. The one place that decides who sees what.
    fn view(&self, audience: Audience, into: &mut View<Self>);

    /// Makes this world the one a view shows. What the view does not tell (orders of others, the random generator) keeps
    /// its old value; it matters only to seats that mechanics play.
    fn restore(&mut self, view: &View<Self>);

    /// Appends the whole world, secrets included, in MessagePack.
    fn save(&self, out: &mut Vec<u8>);

    /// Reads a saved world.
    ///
    /// # Errors
    /// When the bytes are not a saved world of this build.
    fn load(bytes: &[u8]) -> Result<Self, LoadError>;

    /// The newest tick.
    fn tick(&self) -> Tick;

    /// Checksum of everything that all audiences see and the next tick depends on.
    fn checksum(&self) -> u64 {
        let mut view = View::<Self>::default();
        self.view(Audience(0), &mut view);
        view.checksum(&mut Vec::new())
    }

    /// Tells a view in the Agent's words, from a seat's side, from the view alone: the same view and glance give the
    /// same words.
    ///
    /// `view` must be one that the seat may see. What `glance` may not be told must not be told, whatever the view shows,
    /// and texts that people typed only in fields named `untrusted`.
    fn observe(setup: &Setup<Self>, view: &View<Self>, glance: &Glance<'_>) -> Observation<Self>;

    /// Whether something is so in what a seat sees; without a seat, in what everybody sees. Runs on the match's thread:
    /// allocates nothing.
    fn holds(setup: &Setup<Self>, view: &View<Self>, seat: Option<SeatId>, fact: &Fact<Self>) -> bool;

    /// Checks that an order makes sense for a seat, given what it sees.
    ///
    /// # Errors
    /// A fault at `action.order…` that names the legal values.
    fn check_order(setup: &Setup<Self>, view: &View<Self>, seat: SeatId, order: &Order<Self>) -> Result<(), Fault>;
}

/// Something about a seat's standing intent that takes effect at the start of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum SeatOrder<O> {
    /// The seat's Agent gives an order.
    Give {
        /// The seat.
        seat: SeatId,
        /// Its name, which no other order of the match has.
        id: OrderId,
        /// The order.
        order: O,
        /// Ticks after which it expires, counted from the tick that shows it first; `None` for the game's own time.
        expires_in: Option<u32>,
    },
    /// The seat changes hands: back to the default plan, no order.
    Reset {
        /// The seat.
        seat: SeatId,
    },
}

/// Why bytes are not a saved world.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Not MessagePack of the expected shape.
    #[error("not a saved world: {0}")]
    Malformed(#[from] rmp_serde::decode::Error),
    /// A value no world can have.
    #[error("not a saved world: {0} is out of range")]
    OutOfRange(&'static str),
}

/// Identifies this build's simulation: a hash of this crate's sources and of the contract's.
#[must_use]
pub const fn sim_hash() -> u64 {
    match u64::from_str_radix(env!("SIM_SOURCE_HASH"), 10) {
        Ok(hash) => hash ^ contract::wire_hash(),
        Err(_) => panic!("the build script writes a number"),
    }
}
