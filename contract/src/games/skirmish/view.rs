//! What everybody sees of one tick, and its bits.
//!
//! The world is integers through and through, so a world restored from a view is exactly the world that was seen. That
//! includes the generator that respawn places are drawn from: whoever steps the world must draw the same ones.
//!
//! ```text
//! public   tick 32 | chance 32 | craft - 1: 6
//!          craft  x 16 | y 16 | input 29 | hp 7 | cooldown 4 | score 16                                   (each)
//!          shots 8
//!          shot   owner 6 | age 6 | aim 10 | from x 16 | from y 16                  (each, the oldest first)
//! private  instruction: stance 2 | order 1 + state | outcomes                                             (each)
//! show     happenings 4, then each: age 6 | kind 1 | by 6 | to 6
//! state    id 32 | order | age 16 | status 3 | and while active: ticks left 16
//! ```
//!
//! Nothing is secret here, so there is one audience. Orders are in the private part because the next tick does not
//! depend on them: they act through inputs.

use serde::{Deserialize, Serialize};

use super::{Aim, CRAFT_MAX, Input, Order, Stance};
use crate::{
    BitReader, BitWriter, DecodeError, SeatId, Tick, WireInput as _, WireView,
    agent::{OrderId, OrderStatus, Outcomes},
};

/// Most shots of one gun that can be under way.
pub const SHOTS_OF_A_GUN: usize = 3;

/// Most shots that can be under way.
pub const SHOTS_MAX: usize = SHOTS_OF_A_GUN * CRAFT_MAX;

/// Most happenings a view keeps; older ones give way. Agents, who look every few seconds, are told all of them.
pub const HAPPENINGS_MAX: usize = 32;

/// Most happenings that are sent, the newest ones: pages look many times a second.
const HAPPENINGS_SENT_MAX: usize = 8;

/// A happening older than this many ticks is not sent any more.
const HAPPENING_AGE_MAX: i32 = 63;

/// Full health.
pub const HP_MAX: u8 = 100;

/// A place in the arena, in 1/30 units: what a speed in units per second covers in a tick is a whole number of these.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spot {
    /// To the right, at most [`Spot::SIDE`].
    pub x: u16,
    /// Downwards, at most [`Spot::SIDE`].
    pub y: u16,
}

impl Spot {
    /// Steps per unit.
    pub const STEPS: u16 = 30;
    /// Steps along each side of the arena.
    pub const SIDE: u16 = 2000 * Self::STEPS;
}

/// A craft, with everything the next tick depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Craft {
    /// Where its middle is.
    pub at: Spot,
    /// What it did in this tick.
    pub input: Input,
    /// Health, 1 to [`HP_MAX`].
    pub hp: u8,
    /// Ticks until the gun is ready, at most 15.
    pub cooldown: u8,
    /// Craft it has shot down, at most `u16::MAX`.
    pub score: u16,
}

impl Default for Craft {
    fn default() -> Self {
        Self { at: Spot::default(), input: Input::default(), hp: HP_MAX, cooldown: 0, score: 0 }
    }
}

/// A shot under way. It flies straight and evenly, so where it is follows from where it was fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shot {
    /// Who fired it.
    pub owner: SeatId,
    /// Ticks it has flown, below 64.
    pub age: u8,
    /// Where it flies.
    pub aim: Aim,
    /// Where it was fired.
    pub from: Spot,
}

impl Shot {
    /// What fills the places of shots that are not there.
    pub const NONE: Self = Self { owner: SeatId(0), age: 0, aim: Aim::point(0), from: Spot { x: 0, y: 0 } };
}

/// How a craft behaves as long as no order says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// How to fight.
    pub stance: Stance,
}

/// The newest one-shot order of a seat and how it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderState {
    /// Its name.
    pub id: OrderId,
    /// The order.
    pub order: Order,
    /// The tick it took effect.
    pub given: Tick,
    /// The tick it ends at, if nothing ends it before. Equals `given` once it has ended.
    pub expires: Tick,
    /// How it went so far.
    pub status: OrderStatus,
}

/// What a seat was told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Standing behaviour.
    pub plan: Plan,
    /// The newest order that holds.
    pub order: Option<OrderState>,
    /// How orders ended lately.
    pub outcomes: Outcomes,
}

impl Instruction {
    /// The order that is being carried out.
    #[must_use]
    pub fn active(&self) -> Option<Order> {
        self.order.filter(|state| state.status == OrderStatus::Active).map(|state| state.order)
    }
}

/// Something worth a sound or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// When.
    pub tick: Tick,
    /// What.
    pub kind: HappeningKind,
    /// Who fired.
    pub by: SeatId,
    /// Who was hit.
    pub to: SeatId,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HappeningKind {
    /// A shot hit a craft.
    Hit,
    /// A shot brought a craft down; it starts again somewhere else.
    Down,
}

impl HappeningKind {
    const ALL: [Self; 2] = [Self::Hit, Self::Down];
}

/// What everybody sees at one tick.
///
/// Lists are as long as the match is large: the largest has eight times the craft of a common one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The tick it shows.
    pub tick: Tick,
    /// State of the generator that respawn places are drawn from.
    pub chance: u32,
    /// The craft by seat, at most [`CRAFT_MAX`].
    pub craft: Vec<Craft>,
    /// The shots under way, the oldest first; those fired in the same tick by seat. At most [`SHOTS_OF_A_GUN`] for each
    /// craft.
    pub shots: Vec<Shot>,
    /// What seats were told, by seat.
    pub instructions: Vec<Instruction>,
    /// What happened lately, oldest first.
    pub happenings: [Option<Happening>; HAPPENINGS_MAX],
}

impl WireView for View {
    type Input = Input;

    fn tick(&self) -> Tick {
        self.tick
    }

    fn pack_public(&self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.tick.0, 32);
        bits.unsigned(self.chance, 32);
        bits.unsigned(u32::try_from(self.craft.len().max(1) - 1).unwrap_or(0), 6);
        for craft in &self.craft {
            write_spot(bits, craft.at);
            craft.input.write(bits);
            bits.unsigned(u32::from(craft.hp), 7);
            bits.unsigned(u32::from(craft.cooldown), 4);
            bits.unsigned(u32::from(craft.score), 16);
        }
        bits.unsigned(u32::try_from(self.shots.len()).unwrap_or(0), 8);
        for shot in &self.shots {
            write_seat(bits, shot.owner);
            bits.unsigned(u32::from(shot.age), 6);
            shot.aim.write(bits);
            write_spot(bits, shot.from);
        }
    }

    fn unpack_public(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let mut view = Self { tick: Tick(bits.unsigned(32)?), chance: bits.unsigned(32)?, ..Self::default() };
        let craft = bits.number::<usize>(6, "craft")? + 1;
        view.craft = (0..craft).map(|_| read_craft(bits)).collect::<Result<_, _>>()?;
        view.instructions = vec![Instruction::default(); craft];
        let shots: usize = bits.number(8, "shots")?;
        if shots > SHOTS_OF_A_GUN * craft {
            return Err(DecodeError::OutOfRange("shots"));
        }
        view.shots = (0..shots).map(|_| read_shot(bits, craft)).collect::<Result<_, _>>()?;
        Ok(view)
    }

    fn pack_private(&self, bits: &mut BitWriter<'_>) {
        for instruction in &self.instructions {
            write_instruction(bits, instruction, self.tick);
        }
    }

    fn unpack_private(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        for instruction in &mut self.instructions {
            *instruction = read_instruction(bits, self.tick)?;
        }
        Ok(())
    }

    fn same_private(&self, before: &Self) -> bool {
        self.instructions == before.instructions
    }

    fn keep_private(&mut self, before: &Self) {
        self.instructions.clone_from(&before.instructions);
    }

    fn pack_show(&self, bits: &mut BitWriter<'_>) {
        let is_fresh = |h: &&Happening| (0..=HAPPENING_AGE_MAX).contains(&self.tick.since(h.tick));
        let fresh = || self.happenings.iter().flatten().filter(is_fresh);
        let count = fresh().count();
        let sent = count.min(HAPPENINGS_SENT_MAX);
        bits.unsigned(u32::try_from(sent).unwrap_or(0), 4);
        for happening in fresh().skip(count - sent) {
            bits.unsigned(self.tick.since(happening.tick).unsigned_abs(), 6);
            bits.unsigned(happening.kind as u32, 1);
            write_seat(bits, happening.by);
            write_seat(bits, happening.to);
        }
    }

    fn unpack_show(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        let count: usize = bits.number(4, "happenings")?;
        if count > HAPPENINGS_SENT_MAX {
            return Err(DecodeError::OutOfRange("happenings"));
        }
        for slot in &mut self.happenings[..count] {
            let tick = Tick(self.tick.0.wrapping_sub(bits.unsigned(6)?));
            let kind = bits.pick(&HappeningKind::ALL, 1, "happening")?;
            *slot = Some(Happening { tick, kind, by: read_seat(bits)?, to: read_seat(bits)? });
        }
        Ok(())
    }

    fn seats(&self) -> usize {
        self.craft.len()
    }

    fn input(&self, seat: SeatId) -> Input {
        self.craft[seat.index()].input
    }
}

fn read_craft(bits: &mut BitReader<'_>) -> Result<Craft, DecodeError> {
    let (at, input) = (read_spot(bits)?, Input::read(bits)?);
    let (hp, cooldown) = (bits.number(7, "hp")?, bits.number(4, "cooldown")?);
    if !(1..=HP_MAX).contains(&hp) {
        return Err(DecodeError::OutOfRange("hp"));
    }
    Ok(Craft { at, input, hp, cooldown, score: bits.number(16, "score")? })
}

fn read_shot(bits: &mut BitReader<'_>, craft: usize) -> Result<Shot, DecodeError> {
    let (owner, age) = (read_seat(bits)?, bits.number(6, "age")?);
    if owner.index() >= craft {
        return Err(DecodeError::OutOfRange("owner"));
    }
    Ok(Shot { owner, age, aim: Aim::read(bits)?, from: read_spot(bits)? })
}

fn write_spot(bits: &mut BitWriter<'_>, spot: Spot) {
    bits.unsigned(u32::from(spot.x), 16);
    bits.unsigned(u32::from(spot.y), 16);
}

fn read_spot(bits: &mut BitReader<'_>) -> Result<Spot, DecodeError> {
    let spot = Spot { x: bits.number(16, "place")?, y: bits.number(16, "place")? };
    if spot.x.max(spot.y) <= Spot::SIDE { Ok(spot) } else { Err(DecodeError::OutOfRange("place")) }
}

pub(super) fn write_seat(bits: &mut BitWriter<'_>, seat: SeatId) {
    bits.unsigned(u32::from(seat.0), 6);
}

/// Reads what [`write_seat`] wrote. Six bits hold no other seats than there can be.
pub(super) fn read_seat(bits: &mut BitReader<'_>) -> Result<SeatId, DecodeError> {
    const { assert!(CRAFT_MAX == 1 << 6, "the wire's width") };
    Ok(SeatId(bits.number(6, "seat")?))
}

fn write_instruction(bits: &mut BitWriter<'_>, instruction: &Instruction, now: Tick) {
    bits.unsigned(instruction.plan.stance as u32, 2);
    bits.flag(instruction.order.is_some());
    if let Some(state) = &instruction.order {
        state.id.write(bits);
        state.order.write(bits);
        bits.unsigned(now.since(state.given).clamp(0, 0xffff).unsigned_abs(), 16);
        bits.unsigned(state.status as u32, 3);
        if state.status == OrderStatus::Active {
            bits.unsigned(state.expires.since(now).clamp(0, 0xffff).unsigned_abs(), 16);
        }
    }
    instruction.outcomes.write(bits, now);
}

fn read_instruction(bits: &mut BitReader<'_>, now: Tick) -> Result<Instruction, DecodeError> {
    let plan = Plan { stance: bits.pick(&Stance::ALL, 2, "stance")? };
    let order = if bits.flag()? {
        let (id, order) = (OrderId::read(bits)?, Order::read_bits(bits)?);
        let given = Tick(now.0.wrapping_sub(bits.unsigned(16)?));
        let status = bits.pick(&OrderStatus::ALL, 3, "status")?;
        let expires = if status == OrderStatus::Active { now.plus(bits.unsigned(16)?) } else { given };
        Some(OrderState { id, order, given, expires, status })
    } else {
        None
    };
    Ok(Instruction { plan, order, outcomes: Outcomes::read(bits, now)? })
}
