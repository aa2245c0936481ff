//! A match under test, and play that looks random and is the same every time.

#![allow(dead_code, clippy::allow_attributes, reason = "every test file uses its own part of this")]

use contract::{
    Audience, SeatId, Tick, WireInput as _, WireView as _,
    agent::{OrderId, OrderStatus},
    games::kickabout::{
        Direction, GridPosition, GridVelocity, Input, Instruction, Order, OrderState, Phase, Role, Setup, View,
        WithBall, WithoutBall, Zone,
    },
};
use sim::{Game, SeatOrder, games::kickabout::Kickabout};

/// 32 bits that look random and depend on all three numbers: the finaliser of SplitMix64.
#[must_use]
pub(crate) fn noise(seed: u64, seat: u64, period: u64) -> u32 {
    let mut x = (seed << 40) ^ (seat << 32) ^ period;
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    u32::try_from((x ^ (x >> 31)) >> 32).expect("32 bits")
}

/// Inputs of a tick: some seats are persons who press at random, the others are left to mechanics. Changes hands now and
/// then; persons ask for a rematch now and then.
pub(crate) fn random_inputs(seed: u64, tick: u32, inputs: &mut [Option<Input>]) {
    let tick = u64::from(tick);
    for (seat, input) in (0..).zip(inputs) {
        let is_person = noise(seed, seat + 64, tick / 400).is_multiple_of(2);
        let mut pressed = Input::sample(noise(seed, seat, tick / 9));
        pressed.rematch = noise(seed, seat + 32, tick / 60).is_multiple_of(8);
        *input = is_person.then_some(pressed);
    }
}

/// An order now and then.
#[must_use]
pub(crate) fn random_orders(seed: u64, tick: u32, seats: usize) -> Option<SeatOrder<Order>> {
    let noise = noise(seed, 200, u64::from(tick));
    if !noise.is_multiple_of(40) {
        return None;
    }
    let [_, a, b, c] = noise.to_le_bytes();
    let count = u8::try_from(seats).expect("few seats");
    let seat = SeatId(a % count);
    let player = SeatId(b % count);
    let order = match c % 12 {
        0 => Order::Press,
        1 => Order::Mark { player },
        2 => Order::PassTo { player },
        3 => Order::Shoot,
        4 => Order::Clear,
        5 => Order::HoldZone { zone: Zone::ALL[usize::from(b % 9)] },
        6 => Order::TakeRole { role: Role::ALL[usize::from(b % 4)] },
        7 => Order::Stop,
        8 => Order::SetPlan { with_ball: Some(WithBall::ALL[usize::from(b % 5)]), without_ball: None },
        9 => Order::SetPlan { with_ball: None, without_ball: Some(WithoutBall::Mark { player }) },
        10 => Order::SetPlan { with_ball: None, without_ball: Some(WithoutBall::Support) },
        _ => return Some(SeatOrder::Reset { seat }),
    };
    let expires_in = c.is_multiple_of(5).then(|| 12 + 10 * u32::from(b));
    Some(SeatOrder::Give { seat, id: OrderId::new(Tick(tick), 0), order, expires_in })
}

/// A match with its newest view, as a spectator sees it.
pub(crate) struct Match {
    pub(crate) game: Kickabout,
    pub(crate) view: View,
    pub(crate) setup: Setup,
}

impl Match {
    /// A fresh match.
    #[must_use]
    pub(crate) fn new(team_size: u8, duration_s: u16, seed: u64) -> Self {
        let setup = Setup { team_size, duration_s };
        let mut fresh = Self { game: Kickabout::new(&setup, seed), view: View::default(), setup };
        fresh.look();
        fresh
    }

    /// A match in play, everybody far from the ball, which lies in the middle.
    #[must_use]
    pub(crate) fn in_play(team_size: u8) -> Self {
        let mut fresh = Self::new(team_size, 180, 1);
        fresh.arrange(|view| {
            view.phase = Phase::Play;
            for (seat, player) in (0_i16..).zip(&mut view.players[..usize::from(team_size) * 2]) {
                let side = if seat < i16::from(team_size) { -1 } else { 1 };
                player.position = at(side * 250, -120 + 40 * (seat % i16::from(team_size)));
                player.velocity = GridVelocity::default();
            }
        });
        fresh
    }

    /// Changes the world through its view.
    pub(crate) fn arrange(&mut self, change: impl FnOnce(&mut View)) {
        change(&mut self.view);
        self.game.restore(&self.view);
        self.look();
    }

    /// Steps with these inputs; other seats stand still.
    pub(crate) fn step(&mut self, inputs: &[(u8, Input)]) {
        let mut all = vec![Some(Input::default()); self.view.player_count];
        for (seat, input) in inputs {
            all[usize::from(*seat)] = Some(*input);
        }
        self.game.step(&all, &[]);
        self.look();
    }

    /// Steps with mechanics in these seats; other seats stand still.
    pub(crate) fn step_mechanics(&mut self, seats: &[u8]) {
        let mut all = vec![Some(Input::default()); self.view.player_count];
        for seat in seats {
            all[usize::from(*seat)] = None;
        }
        self.game.step(&all, &[]);
        self.look();
    }

    /// Gives an order without a step: it takes effect with the next one.
    pub(crate) fn order_and_step(&mut self, seat: u8, order: Order, mechanics: &[u8]) {
        let mut all = vec![Some(Input::default()); self.view.player_count];
        for seat in mechanics {
            all[usize::from(*seat)] = None;
        }
        let id = OrderId::new(self.view.tick.next(), 0);
        self.game.step(&all, &[SeatOrder::Give { seat: SeatId(seat), id, order, expires_in: None }]);
        self.look();
    }

    /// The newest order of a seat.
    #[must_use]
    pub(crate) fn order(&self, seat: u8) -> OrderState {
        self.instruction(seat).order.expect("an order was given")
    }

    /// How the newest order of a seat went.
    #[must_use]
    pub(crate) fn status(&self, seat: u8) -> OrderStatus {
        self.order(seat).status
    }

    /// What a seat was told.
    #[must_use]
    pub(crate) fn instruction(&self, seat: u8) -> Instruction {
        self.view.instructions[usize::from(seat)].expect("a spectator sees it")
    }

    /// Where a player is, in units.
    #[must_use]
    pub(crate) fn place(&self, seat: u8) -> (f32, f32) {
        units(self.view.players[usize::from(seat)].position)
    }

    /// Where the ball is, in units.
    #[must_use]
    pub(crate) fn ball(&self) -> (f32, f32) {
        units(self.view.ball.position)
    }

    /// Distance of a player to the ball.
    #[must_use]
    pub(crate) fn ball_distance(&self, seat: u8) -> f32 {
        distance(self.place(seat), self.ball())
    }

    fn look(&mut self) {
        self.game.view(Audience(2), &mut self.view);
    }
}

/// A place in whole units.
#[must_use]
pub(crate) fn at(x: i16, y: i16) -> GridPosition {
    GridPosition { x: x * GridPosition::STEPS, y: y * GridPosition::STEPS }
}

/// A velocity in hundredths of a unit per tick.
#[must_use]
pub(crate) fn moving(x: i16, y: i16) -> GridVelocity {
    let steps = |hundredths: i16| i16::try_from(i32::from(hundredths) * 1024 / 100).expect("a possible speed");
    GridVelocity { x: steps(x), y: steps(y) }
}

/// A place on the grid in units.
#[must_use]
pub(crate) fn units(position: GridPosition) -> (f32, f32) {
    (f32::from(position.x) / 32.0, f32::from(position.y) / 32.0)
}

/// Distance between two places.
#[must_use]
pub(crate) fn distance(a: (f32, f32), b: (f32, f32)) -> f32 {
    ((a.0 - b.0) * (a.0 - b.0) + (a.1 - b.1) * (a.1 - b.1)).sqrt()
}

/// Running in one of the compass points.
#[must_use]
pub(crate) fn run(point: u8) -> Input {
    Input { direction: Direction::point(point), ..Input::default() }
}

/// Checksum of a world.
pub(crate) fn checksum(game: &Kickabout, view: &mut View, scratch: &mut Vec<u8>) -> u64 {
    game.view(Audience(2), view);
    view.checksum(scratch)
}
