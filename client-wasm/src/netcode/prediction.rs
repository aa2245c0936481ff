//! Playing ahead of the server with the server's own rules.
//!
//! ```text
//!   view of tick 40 arrives        own inputs sent for 41 42 43 44
//!   restore(40) -> step 41 -> step 42 -> step 43 -> step 44     this is what the player sees
//! ```
//!
//! Own inputs are known; the other seats are taken to go on with what the view says they did last.

use contract::{Audience, GameData as _, SeatId, Tick, WireView as _};
use sim::{Input, Setup, View};

use super::Pictured;

/// Most ticks predicted, and run again at once: a second, enough for a round trip of 300 ms with stalls of 200 ms each
/// way on top. Beyond it the picture stands still instead of wandering off.
pub const REPLAY_TICKS_MAX: u32 = 60;

/// Ticks whose inputs are kept. More than any replay needs.
const TICKS_KEPT: usize = 64;
const _: () = assert!(REPLAY_TICKS_MAX as usize <= TICKS_KEPT);

/// What came of a view from the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reconciled {
    /// What had been predicted for its tick was right to the last bit.
    Exact,
    /// Somebody did something else than predicted, and the ticks since were run again.
    Mispredicted,
    /// Everybody did what was predicted and yet the worlds differ: the rules here are not the server's. Never happens.
    Wrong,
    /// Nothing was predicted for its tick, or too much was: the page goes on from the view itself.
    Snapped,
}

/// The predicted world of one seat.
pub struct Prediction<G: Pictured> {
    world: G,
    seat: SeatId,
    audience: Audience,
    /// Tick of the last view from the server.
    confirmed: Tick,
    newest: View<G>,
    before: View<G>,
    own: [Option<(Tick, Input<G>)>; TICKS_KEPT],
    /// What was predicted for a tick.
    guesses: [Option<Guess>; TICKS_KEPT],
    /// What each seat was taken to do in each of those ticks, a row per slot.
    guessed: Vec<Input<G>>,
    inputs: Vec<Option<Input<G>>>,
    scratch: Vec<u8>,
}

/// A predicted tick.
#[derive(Clone, Copy)]
struct Guess {
    tick: Tick,
    /// Low half of the world's checksum.
    sum: u32,
}

impl<G: Pictured> Prediction<G> {
    /// Begins at a view that `seat` may see.
    #[must_use]
    pub fn new(setup: &Setup<G>, seat: SeatId, view: &View<G>) -> Self {
        let mut world = G::new(setup, 0);
        world.restore(view);
        let seats = G::Data::seats(setup);
        Self {
            world,
            seat,
            audience: G::Data::audience_of(setup, Some(seat)),
            confirmed: view.tick(),
            newest: view.clone(),
            before: view.clone(),
            own: [None; TICKS_KEPT],
            guesses: [None; TICKS_KEPT],
            guessed: vec![Input::<G>::default(); seats * TICKS_KEPT],
            inputs: vec![None; seats],
            scratch: Vec::new(),
        }
    }

    /// This seat does this in that tick.
    pub fn give(&mut self, tick: Tick, input: Input<G>) {
        self.own[slot(tick)] = Some((tick, input));
    }

    /// Plays on to a tick, as far as prediction may reach.
    pub fn run_to(&mut self, tick: Tick) {
        let farthest = self.confirmed.plus(REPLAY_TICKS_MAX);
        let target = if tick.since(farthest) > 0 { farthest } else { tick };
        while target.since(self.newest.tick()) > 0 {
            self.run_tick();
        }
    }

    /// The server's view arrived: from it, plays again what this page has played since. `rows` says what the seats did
    /// in the ticks since the view before, as far as the server has told.
    pub fn reconcile(&mut self, view: &View<G>, rows: &[Input<G>]) -> Reconciled {
        let ahead = self.newest.tick().since(view.tick());
        let verdict = self.judge(view, rows);
        self.confirmed = view.tick();
        // What was predicted since stands on the very world that the view shows.
        if verdict == Reconciled::Exact {
            return verdict;
        }
        self.world.restore(view);
        self.newest.clone_from(view);
        if verdict == Reconciled::Snapped {
            self.before.clone_from(view);
            return verdict;
        }
        for _ in 0..ahead {
            self.run_tick();
        }
        verdict
    }

    /// The newest predicted view.
    #[must_use]
    pub fn newest(&self) -> &View<G> {
        &self.newest
    }

    /// The view one tick before the newest.
    #[must_use]
    pub fn before(&self) -> &View<G> {
        &self.before
    }

    fn judge(&mut self, view: &View<G>, rows: &[Input<G>]) -> Reconciled {
        let ahead = self.newest.tick().since(view.tick());
        let guess = self.guesses[slot(view.tick())].filter(|guess| guess.tick == view.tick());
        let Some(guess) = guess.filter(|_| (0..=REPLAY_TICKS_MAX.cast_signed()).contains(&ahead)) else {
            return Reconciled::Snapped;
        };
        if guess.sum == view.checksum(&mut self.scratch) as u32 {
            return Reconciled::Exact;
        }
        let since = view.tick().since(self.confirmed);
        let seats = self.inputs.len();
        let is_told = since > 0 && rows.len() == since.unsigned_abs() as usize * seats;
        let as_guessed = |(tick, row): (u32, &[Input<G>])| row == self.row(self.confirmed.plus(tick));
        if is_told && (1..).zip(rows.chunks_exact(seats)).all(as_guessed) {
            return Reconciled::Wrong;
        }
        Reconciled::Mispredicted
    }

    fn run_tick(&mut self) {
        let tick = self.newest.tick().next();
        for (index, input) in self.inputs.iter_mut().enumerate() {
            let seat = SeatId(u8::try_from(index).unwrap_or(u8::MAX));
            *input = Some(self.newest.input(seat));
        }
        // An input that was never given is what the server makes of it too: the last one goes on.
        if let Some((_, input)) = self.own[slot(tick)].filter(|(known, _)| *known == tick) {
            self.inputs[self.seat.index()] = Some(input);
        }
        self.world.step(&self.inputs, &[]);
        std::mem::swap(&mut self.before, &mut self.newest);
        self.world.view(self.audience, &mut self.newest);
        let start = slot(tick) * self.inputs.len();
        for (guessed, input) in self.guessed[start..].iter_mut().zip(&self.inputs) {
            *guessed = input.unwrap_or_default();
        }
        self.guesses[slot(tick)] = Some(Guess { tick, sum: self.newest.checksum(&mut self.scratch) as u32 });
    }

    fn row(&self, tick: Tick) -> &[Input<G>] {
        let seats = self.inputs.len();
        &self.guessed[slot(tick) * seats..][..seats]
    }
}

const fn slot(tick: Tick) -> usize {
    tick.0 as usize % TICKS_KEPT
}
