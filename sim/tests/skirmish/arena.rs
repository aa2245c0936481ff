//! A match under test, and play that looks random and is the same every time.

use contract::{
    Audience, SeatId, Tick, WireInput as _, WireView as _,
    agent::{OrderId, OrderStatus},
    games::skirmish::{Craft, Input, Instruction, Order, Route, Setup, Spot, Stance, View, Zone},
};
use sim::{Game, SeatOrder, games::skirmish::Skirmish};

/// 32 bits that look random and depend on all three numbers: the finaliser of SplitMix64.
pub(crate) fn noise(seed: u64, seat: u64, period: u64) -> u32 {
    let mut x = (seed << 40) ^ (seat << 32) ^ period;
    x = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    u32::try_from((x ^ (x >> 31)) >> 32).expect("32 bits")
}

/// Inputs of a tick: some seats are persons who press at random, the others are left to mechanics. Changes hands now and
/// then.
pub(crate) fn random_inputs(seed: u64, tick: u32, inputs: &mut [Option<Input>]) {
    let tick = u64::from(tick);
    for (seat, input) in (0..).zip(inputs) {
        let is_person = noise(seed, seat + 64, tick / 400).is_multiple_of(2);
        *input = is_person.then(|| Input::sample(noise(seed, seat, tick / 9)));
    }
}

/// An order now and then.
pub(crate) fn random_orders(seed: u64, tick: u32, seats: usize) -> Option<SeatOrder<Order>> {
    let noise = noise(seed, 200, u64::from(tick));
    if !noise.is_multiple_of(30) {
        return None;
    }
    let [_, a, b, c] = noise.to_le_bytes();
    let count = u8::try_from(seats).expect("few seats");
    let seat = SeatId(a % count);
    let zone = |noise: u8| Zone::ALL[usize::from(noise % 9)];
    let order = match c % 8 {
        0 | 1 => Order::Attack { player: SeatId(b % count) },
        2 => Order::Evade,
        3 => Order::Hold { zone: zone(b) },
        4 => Order::Patrol { zones: Route::new(&[zone(a), zone(b), zone(c)]).expect("3 zones") },
        5 => Order::SetPlan { stance: Stance::ALL[usize::from(b % 3)] },
        6 => Order::Stop,
        _ => return Some(SeatOrder::Reset { seat }),
    };
    Some(give(seat, order, Tick(tick)))
}

/// An order under an id that no other of that tick has, with the game's own time to hold.
pub(crate) fn give(seat: SeatId, order: Order, tick: Tick) -> SeatOrder<Order> {
    SeatOrder::Give { seat, id: OrderId::new(tick, seat.0.into()), order, expires_in: None }
}

/// A match with its newest view.
pub(crate) struct Match {
    pub(crate) game: Skirmish,
    pub(crate) view: View,
}

impl Match {
    /// A fresh match.
    pub(crate) fn new(seats: u8, seed: u64) -> Self {
        let mut fresh = Self { game: Skirmish::new(&Setup { seats }, seed), view: View::default() };
        fresh.look();
        fresh
    }

    /// A match with every craft at its place, guns ready.
    pub(crate) fn with(places: &[(u16, u16)]) -> Self {
        let mut fresh = Self::new(u8::try_from(places.len()).expect("few"), 1);
        fresh.arrange(|view| {
            for (craft, (x, y)) in view.craft.iter_mut().zip(places) {
                *craft = Craft { at: at(*x, *y), ..Craft::default() };
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
        let mut all = vec![Some(Input::default()); self.view.craft.len()];
        for (seat, input) in inputs {
            all[usize::from(*seat)] = Some(*input);
        }
        self.game.step(&all, &[]);
        self.look();
    }

    /// Steps with mechanics in these seats; other seats stand still.
    pub(crate) fn step_mechanics(&mut self, seats: &[u8]) {
        self.step_with(seats, &[]);
    }

    /// Gives an order that takes effect with this step, which has mechanics in these seats.
    pub(crate) fn order_and_step(&mut self, seat: u8, order: Order, mechanics: &[u8]) {
        self.step_with(mechanics, &[give(SeatId(seat), order, self.view.tick)]);
    }

    /// Steps with mechanics in these seats and with orders; other seats stand still.
    pub(crate) fn step_with(&mut self, seats: &[u8], orders: &[SeatOrder<Order>]) {
        let mut all = vec![Some(Input::default()); self.view.craft.len()];
        for seat in seats {
            all[usize::from(*seat)] = None;
        }
        self.game.step(&all, orders);
        self.look();
    }

    /// What a seat was told.
    pub(crate) fn instruction(&self, seat: u8) -> Instruction {
        self.view.instructions[usize::from(seat)]
    }

    /// How the newest order of a seat went.
    pub(crate) fn status(&self, seat: u8) -> OrderStatus {
        self.instruction(seat).order.expect("an order was given").status
    }

    /// A seat's craft.
    pub(crate) fn craft(&self, seat: u8) -> Craft {
        self.view.craft[usize::from(seat)]
    }

    /// Where a craft is, in units.
    pub(crate) fn place(&self, seat: u8) -> (f32, f32) {
        let Spot { x, y } = self.craft(seat).at;
        (f32::from(x) / 30.0, f32::from(y) / 30.0)
    }

    /// Distance of two craft, in units.
    pub(crate) fn distance(&self, a: u8, b: u8) -> f32 {
        let ((ax, ay), (bx, by)) = (self.place(a), self.place(b));
        ((ax - bx) * (ax - bx) + (ay - by) * (ay - by)).sqrt()
    }

    fn look(&mut self) {
        self.game.view(Audience(0), &mut self.view);
    }
}

/// A place in whole units.
pub(crate) fn at(x: u16, y: u16) -> Spot {
    Spot { x: x * Spot::STEPS, y: y * Spot::STEPS }
}

/// Moving with a speed in units per second.
pub(crate) fn moving(vx: i16, vy: i16) -> Input {
    Input { vx, vy, ..Input::default() }
}

/// Checksum of a world.
pub(crate) fn checksum(game: &Skirmish, view: &mut View, scratch: &mut Vec<u8>) -> u64 {
    game.view(Audience(0), view);
    view.checksum(scratch)
}
