//! What an audience sees of one tick, and its bits.
//!
//! Numbers are integers on the grid the world is rounded to at the end of each tick, so a world restored from a view
//! is exactly the world that was seen.
//!
//! ```text
//! public   tick 32 | phase 2 + team 1 + winner 2 | phase_ticks 16 | clock_ticks 18 | golden 1 | score 2 x 8
//!          players - 1: 4
//!          ball   x 16 | y 16 | vx 16 | vy 16 | last touch 1 + 4 | last kick 1 + 4
//!          player x 16 | y 16 | vx 16 | vy 16 | stamina 10 | charge 6 | armed 2 | window 5 | input 11 | goals 4   (each)
//! private  instruction 1, and if seen: role 2 | with_ball 3 | without_ball 3 + argument | order 1 + state | outcomes (each)
//! show     happenings 4, then each: age 6 | kind 4 | seat 1 + 4
//! state    id 32 | order | age 16 | status 3 | and while active: ticks left 16
//! ```

use serde::{Deserialize, Serialize};

use super::{Input, Order, PLAYERS_MAX, Role, Team, WithBall, WithoutBall};
use crate::{
    BitReader, BitWriter, DecodeError, SeatId, Tick, WireInput as _, WireView,
    agent::{OrderId, OrderStatus, Outcomes},
};

/// Most happenings a view keeps; older ones give way. Agents, who look every few seconds, are told all of them.
pub const HAPPENINGS_MAX: usize = 32;

/// Most happenings that are sent, the newest ones: pages look many times a second.
const HAPPENINGS_SENT_MAX: usize = 8;

/// A happening older than this many ticks is not sent any more.
const HAPPENING_AGE_MAX: i32 = 63;

/// A place, in 1/32 units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridPosition {
    /// Towards blue's goal.
    pub x: i16,
    /// Downwards.
    pub y: i16,
}

impl GridPosition {
    /// Grid steps per unit.
    pub const STEPS: i16 = 32;
}

/// A velocity, in 1/1024 units per tick.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GridVelocity {
    /// Towards blue's goal.
    pub x: i16,
    /// Downwards.
    pub y: i16,
}

impl GridVelocity {
    /// Grid steps per unit per tick.
    pub const STEPS: i16 = 1024;
}

/// What stage the match is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Players stand in their halves; this team may play the ball.
    KickOff(Team),
    /// The ball is in play.
    Play,
    /// This team has scored and rejoices; a kick-off follows.
    Goal(Team),
    /// The match is over; nobody has won only when both sides were level and the golden goal's time ran out.
    Ended(Option<Team>),
}

impl Default for Phase {
    fn default() -> Self {
        Self::KickOff(Team::Red)
    }
}

/// The ball.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ball {
    /// Where its centre is.
    pub position: GridPosition,
    /// How it moves.
    pub velocity: GridVelocity,
    /// Who touched it last since the kick-off.
    pub last_touch: Option<SeatId>,
    /// Who kicked or passed it last since the kick-off. A goal is theirs even if an opponent touched the ball after.
    pub last_kick: Option<SeatId>,
}

/// What a player's kick button has set up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Armed {
    /// Nothing.
    #[default]
    No,
    /// A kick, played at the first touch within the window.
    Kick,
    /// A pass, likewise.
    Pass,
}

/// A player, with everything the next tick depends on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// Where its centre is.
    pub position: GridPosition,
    /// How it moves.
    pub velocity: GridVelocity,
    /// What is left for sprinting, below 1024.
    pub stamina: u16,
    /// Ticks the kick button was held, below 64.
    pub charge: u8,
    /// What is played at the next touch of the ball.
    pub armed: Armed,
    /// Ticks for which `armed` still counts, below 32. With nothing armed: ticks until a player who has just played the
    /// ball controls it again.
    pub window: u8,
    /// What the player did in this tick.
    pub input: Input,
    /// Goals scored in this match, at most 15.
    pub goals: u8,
}

/// How a player behaves as long as no order says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Place in the formation.
    pub role: Role,
    /// What to do with the ball.
    pub with_ball: WithBall,
    /// What to do without it.
    pub without_ball: WithoutBall,
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

/// What a seat was told, seen by its own team and by spectators.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Standing behaviour.
    pub plan: Plan,
    /// The newest order that holds.
    pub order: Option<OrderState>,
    /// How orders ended lately.
    pub outcomes: Outcomes,
}

/// Something worth a sound or a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Happening {
    /// When.
    pub tick: Tick,
    /// What.
    pub kind: HappeningKind,
    /// Whose doing, if anybody's. For a goal: the scorer, or whoever put the ball into their own.
    pub seat: Option<SeatId>,
}

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum HappeningKind {
    /// A kick-off was given.
    Whistle,
    /// The ball was kicked.
    Kick,
    /// The ball was passed.
    Pass,
    /// Another player came to the ball.
    Touch,
    /// The ball hit a post or a wall.
    Bounce,
    /// Red scored.
    GoalRed,
    /// Blue scored.
    GoalBlue,
    /// Time is up and the score is level: the next goal wins.
    GoldenGoal,
    /// The match is over.
    FullTime,
}

impl HappeningKind {
    const ALL: [Self; 9] = [
        Self::Whistle,
        Self::Kick,
        Self::Pass,
        Self::Touch,
        Self::Bounce,
        Self::GoalRed,
        Self::GoalBlue,
        Self::GoldenGoal,
        Self::FullTime,
    ];
}

/// What an audience sees at one tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The tick it shows.
    pub tick: Tick,
    /// Stage of the match.
    pub phase: Phase,
    /// Ticks since the phase began, at most `u16::MAX`.
    pub phase_ticks: u16,
    /// Ticks left of regular time, or of the golden goal's time once that has begun; below 2^18.
    pub clock_ticks: u32,
    /// Whether the next goal wins.
    pub golden_goal: bool,
    /// Goals of red and of blue.
    pub score: [u8; 2],
    /// The ball.
    pub ball: Ball,
    /// How many of `players` take part.
    pub player_count: usize,
    /// The players by seat.
    pub players: [Player; PLAYERS_MAX],
    /// What seats were told, where this audience may know.
    pub instructions: [Option<Instruction>; PLAYERS_MAX],
    /// What happened lately, oldest first.
    pub happenings: [Option<Happening>; HAPPENINGS_MAX],
}

impl View {
    /// The players who take part.
    #[must_use]
    pub fn players(&self) -> &[Player] {
        &self.players[..self.player_count]
    }
}

impl WireView for View {
    type Input = Input;

    fn tick(&self) -> Tick {
        self.tick
    }

    fn pack_public(&self, bits: &mut BitWriter<'_>) {
        bits.unsigned(self.tick.0, 32);
        write_phase(bits, self.phase);
        bits.unsigned(u32::from(self.phase_ticks), 16);
        bits.unsigned(self.clock_ticks, 18);
        bits.flag(self.golden_goal);
        for goals in self.score {
            bits.unsigned(u32::from(goals), 8);
        }
        bits.unsigned(u32::try_from(self.player_count.max(1) - 1).unwrap_or(0), 4);
        write_body(bits, self.ball.position, self.ball.velocity);
        write_seat(bits, self.ball.last_touch);
        write_seat(bits, self.ball.last_kick);
        for player in self.players() {
            write_body(bits, player.position, player.velocity);
            bits.unsigned(u32::from(player.stamina), 10);
            bits.unsigned(u32::from(player.charge), 6);
            bits.unsigned(player.armed as u32, 2);
            bits.unsigned(u32::from(player.window), 5);
            player.input.write(bits);
            bits.unsigned(u32::from(player.goals), 4);
        }
    }

    fn pack_private(&self, bits: &mut BitWriter<'_>) {
        for instruction in &self.instructions[..self.player_count] {
            bits.flag(instruction.is_some());
            if let Some(instruction) = instruction {
                write_instruction(bits, instruction, self.tick);
            }
        }
    }

    fn unpack_private(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        for instruction in &mut self.instructions[..self.player_count] {
            *instruction = if bits.flag()? { Some(read_instruction(bits, self.tick)?) } else { None };
        }
        Ok(())
    }

    fn same_private(&self, before: &Self) -> bool {
        self.instructions == before.instructions
    }

    fn keep_private(&mut self, before: &Self) {
        self.instructions = before.instructions;
    }

    fn seats(&self) -> usize {
        self.player_count
    }

    fn input(&self, seat: SeatId) -> Input {
        self.players[seat.index()].input
    }

    fn pack_show(&self, bits: &mut BitWriter<'_>) {
        let is_fresh = |h: &&Happening| (0..=HAPPENING_AGE_MAX).contains(&self.tick.since(h.tick));
        let fresh = || self.happenings.iter().flatten().filter(is_fresh);
        let count = fresh().count();
        let sent = count.min(HAPPENINGS_SENT_MAX);
        bits.unsigned(u32::try_from(sent).unwrap_or(0), 4);
        for happening in fresh().skip(count - sent) {
            bits.unsigned(self.tick.since(happening.tick).unsigned_abs(), 6);
            bits.unsigned(happening.kind as u32, 4);
            write_seat(bits, happening.seat);
        }
    }

    fn unpack_show(&mut self, bits: &mut BitReader<'_>) -> Result<(), DecodeError> {
        let count: usize = bits.number(4, "happenings")?;
        if count > HAPPENINGS_SENT_MAX {
            return Err(DecodeError::OutOfRange("happenings"));
        }
        for slot in &mut self.happenings[..count] {
            let tick = Tick(self.tick.0.wrapping_sub(bits.unsigned(6)?));
            let kind = bits.pick(&HappeningKind::ALL, 4, "happening")?;
            *slot = Some(Happening { tick, kind, seat: read_seat(bits)? });
        }
        Ok(())
    }

    fn unpack_public(bits: &mut BitReader<'_>) -> Result<Self, DecodeError> {
        let mut view = Self { tick: Tick(bits.unsigned(32)?), phase: read_phase(bits)?, ..Self::default() };
        view.phase_ticks = bits.number(16, "phase_ticks")?;
        view.clock_ticks = bits.unsigned(18)?;
        view.golden_goal = bits.flag()?;
        for goals in &mut view.score {
            *goals = bits.number(8, "score")?;
        }
        view.player_count = bits.number::<usize>(4, "players")? + 1;
        if view.player_count > PLAYERS_MAX {
            return Err(DecodeError::OutOfRange("players"));
        }
        (view.ball.position, view.ball.velocity) = read_body(bits)?;
        view.ball.last_touch = read_seat(bits)?;
        view.ball.last_kick = read_seat(bits)?;
        for player in &mut view.players[..view.player_count] {
            *player = read_player(bits)?;
        }
        Ok(view)
    }
}

fn write_body(bits: &mut BitWriter<'_>, position: GridPosition, velocity: GridVelocity) {
    for number in [position.x, position.y, velocity.x, velocity.y] {
        bits.signed(i32::from(number), 16);
    }
}

fn read_body(bits: &mut BitReader<'_>) -> Result<(GridPosition, GridVelocity), DecodeError> {
    let mut number =
        || -> Result<i16, DecodeError> { i16::try_from(bits.signed(16)?).map_err(|_| DecodeError::OutOfRange("body")) };
    Ok((GridPosition { x: number()?, y: number()? }, GridVelocity { x: number()?, y: number()? }))
}

fn read_player(bits: &mut BitReader<'_>) -> Result<Player, DecodeError> {
    let (position, velocity) = read_body(bits)?;
    Ok(Player {
        position,
        velocity,
        stamina: bits.number(10, "stamina")?,
        charge: bits.number(6, "charge")?,
        armed: bits.pick(&[Armed::No, Armed::Kick, Armed::Pass], 2, "armed")?,
        window: bits.number(5, "window")?,
        input: Input::read(bits)?,
        goals: bits.number(4, "goals")?,
    })
}

fn write_phase(bits: &mut BitWriter<'_>, phase: Phase) {
    let (kind, team, winner) = match phase {
        Phase::KickOff(team) => (0, team as u32, 0),
        Phase::Play => (1, 0, 0),
        Phase::Goal(team) => (2, team as u32, 0),
        Phase::Ended(winner) => (3, 0, winner.map_or(0, |team| team as u32 + 1)),
    };
    bits.unsigned(kind, 2);
    bits.unsigned(team, 1);
    bits.unsigned(winner, 2);
}

fn read_phase(bits: &mut BitReader<'_>) -> Result<Phase, DecodeError> {
    let kind = bits.unsigned(2)?;
    let team = bits.pick(&Team::ALL, 1, "team")?;
    let winner = bits.unsigned(2)?;
    Ok(match kind {
        0 => Phase::KickOff(team),
        1 => Phase::Play,
        2 => Phase::Goal(team),
        _ => Phase::Ended(if winner == 0 {
            None
        } else {
            Some(*Team::ALL.get(winner as usize - 1).ok_or(DecodeError::OutOfRange("winner"))?)
        }),
    })
}

/// A present bit, then the seat.
pub(super) fn write_seat(bits: &mut BitWriter<'_>, seat: Option<SeatId>) {
    bits.flag(seat.is_some());
    if let Some(seat) = seat {
        bits.unsigned(u32::from(seat.0), 4);
    }
}

/// Reads what [`write_seat`] wrote.
pub(super) fn read_seat(bits: &mut BitReader<'_>) -> Result<Option<SeatId>, DecodeError> {
    if !bits.flag()? {
        return Ok(None);
    }
    let seat = SeatId(bits.number(4, "seat")?);
    if seat.index() < PLAYERS_MAX { Ok(Some(seat)) } else { Err(DecodeError::OutOfRange("seat")) }
}

fn write_instruction(bits: &mut BitWriter<'_>, instruction: &Instruction, now: Tick) {
    let Plan { role, with_ball, without_ball } = instruction.plan;
    bits.unsigned(role as u32, 2);
    bits.unsigned(with_ball as u32, 3);
    without_ball.write(bits);
    bits.flag(instruction.order.is_some());
    if let Some(state) = &instruction.order {
        state.id.write(bits);
        state.order.write(bits);
        // Ages fit 16 bits for 18 minutes; older ones are shown as that old.
        bits.unsigned(now.since(state.given).clamp(0, 0xffff).unsigned_abs(), 16);
        bits.unsigned(state.status as u32, 3);
        if state.status == OrderStatus::Active {
            bits.unsigned(state.expires.since(now).clamp(0, 0xffff).unsigned_abs(), 16);
        }
    }
    instruction.outcomes.write(bits, now);
}

fn read_instruction(bits: &mut BitReader<'_>, now: Tick) -> Result<Instruction, DecodeError> {
    let plan = Plan {
        role: bits.pick(&Role::ALL, 2, "role")?,
        with_ball: bits.pick(&WithBall::ALL, 3, "with_ball")?,
        without_ball: WithoutBall::read_bits(bits)?,
    };
    let order = if bits.flag()? {
        let id = OrderId::read(bits)?;
        let order = Order::read_bits(bits)?;
        let given = Tick(now.0.wrapping_sub(bits.unsigned(16)?));
        let status = bits.pick(&OrderStatus::ALL, 3, "status")?;
        let expires = if status == OrderStatus::Active { now.plus(bits.unsigned(16)?) } else { given };
        Some(OrderState { id, order, given, expires, status })
    } else {
        None
    };
    Ok(Instruction { plan, order, outcomes: Outcomes::read(bits, now)? })
}
