//! The games, seen as data. One module each and a line in [`IDS`] and [`visit`].

use std::fmt::Debug;

use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Audience, BitReader, BitWriter, DecodeError, SeatId, TeamId, Tick,
    agent::{Fault, Fields},
};

pub mod kickabout;
pub mod skirmish;
pub(crate) mod words;

/// Ids of all games.
pub const IDS: &[&str] = &[kickabout::Kickabout::ID, skirmish::Skirmish::ID];

/// What a game puts on the wire and into the Agent contract.
pub trait GameData: Sized + Send + Sync + 'static {
    /// Short name, used in keys and messages.
    const ID: &'static str;
    /// Ticks per second.
    const TICKS_PER_SECOND: u16;
    /// Names of the teams; a [`TeamId`] is an index into it.
    const TEAMS: &'static [&'static str];
    /// How many different views one tick has.
    const AUDIENCES: usize;
    /// Whether every audience sees everything the next tick depends on. If so, snapshots may be coded as steps
    /// ([`crate::steps`]).
    const IS_OPEN: bool;

    /// What is fixed for the whole match: size, length, variants.
    type Setup: Clone + Debug + Default + Serialize + DeserializeOwned + Send + Sync;
    /// What a seat does in one tick.
    type Input: WireInput;
    /// A standing intent, given by an Agent.
    type Order: WireOrder;
    /// Something that an Agent's act may require to be so.
    type Fact: WireFact;
    /// What an audience sees at one tick.
    type View: WireView<Input = Self::Input>;
    /// A view in the Agent's words.
    type Observation: Serialize + JsonSchema;

    /// Checks a setup that came from outside.
    ///
    /// # Errors
    /// A sentence that names the field and its legal values.
    fn check_setup(setup: &Self::Setup) -> Result<(), String>;

    /// How many seats a match has, at most [`crate::limits::SEATS_MAX`].
    fn seats(setup: &Self::Setup) -> usize;

    /// The side a seat plays on.
    fn team_of(setup: &Self::Setup, seat: SeatId) -> TeamId;

    /// Which view a seat sees; without a seat, what a spectator sees.
    fn audience_of(setup: &Self::Setup, seat: Option<SeatId>) -> Audience;

    /// Whether one audience sees everything that another one does. What an Agent is told through a person's browser must
    /// be within what that browser's audience sees.
    fn includes(audience: Audience, other: Audience) -> bool {
        audience == other
    }

    /// The static part of `describe`: rules in a paragraph, vocabulary, every order with an example.
    fn describe() -> serde_json::Value;
}

/// A seat's doing in one tick, as integers.
pub trait WireInput: Copy + Debug + Default + PartialEq + Send + Sync + 'static {
    /// Writes the input.
    fn write(self, bits: &mut BitWriter<'_>);

    /// Reads what [`WireInput::write`] wrote.
    ///
    /// # Errors
    /// When the bits end early or are not a legal input.
    fn read(bits: &mut BitReader<'_>) -> Result<Self, DecodeError>;

    /// Appends the packed input.
    fn pack(self, out: &mut Vec<u8>) {
        let mut bits = BitWriter::new(out);
        self.write(&mut bits);
        bits.finish();
    }

    /// Reads a packed input, to the last byte.
    ///
    /// # Errors
    /// When the bytes are not a legal input.
    fn unpack(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut bits = BitReader::new(bytes);
        let input = Self::read(&mut bits)?;
        bits.finish()?;
        Ok(input)
    }

    /// A legal input for any number: what load players and fuzzers send.
    fn sample(noise: u32) -> Self;
}

/// A standing intent, read from an Agent's JSON and kept in the match log.
pub trait WireOrder:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Reads an order.
    ///
    /// # Errors
    /// A fault that names the field and the legal values.
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault>;

    /// Reads an order from its canonical id, as listed by `observe`.
    fn from_id(id: &str) -> Option<Self>;

    /// Whether it holds until it is done or its time is up; others are done at once.
    fn holds(&self) -> bool;
}

/// Something that is so or not in what a seat sees, by ids: what an act may be made to depend on.
pub trait WireFact:
    Clone + Debug + PartialEq + Serialize + DeserializeOwned + JsonSchema + Send + Sync + 'static
{
    /// Reads a fact.
    ///
    /// # Errors
    /// A fault that names the field and the legal values.
    fn read(fields: &mut Fields<'_>) -> Result<Self, Fault>;

    /// The word for its kind, for refusals.
    fn word(&self) -> &'static str;

    /// Whether everybody can see if it holds. If not, it cannot be asked through the browser of somebody who may not know.
    fn is_public(&self) -> bool {
        false
    }
}

/// One audience's sight of one tick. Plain data; writing one over an earlier one of the same match allocates nothing.
pub trait WireView: Clone + Debug + Default + PartialEq + Send + Sync + 'static {
    /// What a seat does in one tick.
    type Input: WireInput;

    /// The tick it shows.
    fn tick(&self) -> Tick;

    /// Writes the part that every audience sees and that the next tick depends on. The world's checksum is taken over
    /// these bits.
    fn pack_public(&self, out: &mut BitWriter<'_>);

    /// Reads what [`WireView::pack_public`] wrote, into a view whose other parts are empty.
    ///
    /// # Errors
    /// When the bits end early or a field is out of range.
    fn unpack_public(bits: &mut BitReader<'_>) -> Result<Self, DecodeError>;

    /// Writes what only this audience sees.
    fn pack_private(&self, out: &mut BitWriter<'_>);

    /// Reads what [`WireView::pack_private`] wrote for this view's tick.
    ///
    /// # Errors
    /// When the bits end early or a field is out of range.
    fn unpack_private(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError>;

    /// Whether only this audience sees the same as before.
    fn same_private(&self, before: &Self) -> bool;

    /// Takes over what only this audience sees from the view before.
    fn keep_private(&mut self, before: &Self);

    /// Writes what is merely for show.
    fn pack_show(&self, out: &mut BitWriter<'_>);

    /// Reads what [`WireView::pack_show`] wrote for this view's tick.
    ///
    /// # Errors
    /// When the bits end early or a field is out of range.
    fn unpack_show(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError>;

    /// How many seats it shows.
    fn seats(&self) -> usize;

    /// What a seat did in the tick it shows.
    fn input(&self, seat: SeatId) -> Self::Input;

    /// Appends the packed view.
    fn pack(&self, out: &mut Vec<u8>) {
        let mut bits = BitWriter::new(out);
        self.pack_public(&mut bits);
        self.pack_private(&mut bits);
        self.pack_show(&mut bits);
        bits.finish();
    }

    /// Reads a packed view, to the last byte.
    ///
    /// # Errors
    /// When the bytes are not one view.
    fn from_bytes(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut bits = BitReader::new(bytes);
        let mut view = Self::unpack_public(&mut bits)?;
        view.unpack_private(&mut bits)?;
        view.unpack_show(&mut bits)?;
        bits.finish()?;
        Ok(view)
    }

    /// Checksum of the public part. `scratch` is cleared and reused.
    fn checksum(&self, scratch: &mut Vec<u8>) -> u64 {
        scratch.clear();
        let mut bits = BitWriter::new(scratch);
        self.pack_public(&mut bits);
        bits.finish();
        xxhash_rust::xxh3::xxh3_64(scratch)
    }
}

/// Something to do with a game that is known by its id only.
pub trait Visitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<G: GameData>(self) -> Self::Output;
}

/// Does something with the game of this id; `None` when there is no such game.
pub fn visit<V: Visitor>(id: &str, visitor: V) -> Option<V::Output> {
    match id {
        kickabout::Kickabout::ID => Some(visitor.visit::<kickabout::Kickabout>()),
        skirmish::Skirmish::ID => Some(visitor.visit::<skirmish::Skirmish>()),
        _ => None,
    }
}
