//! A running match and its tick.

use std::sync::{Arc, atomic::Ordering};

use contract::{Audience, GameData, Holder, Pace, Refusal, RosterEntry, SeatId, Tick, WireView as _, agent::OrderId};
use sim::{Game, Input, Order, SeatOrder};
use tokio::sync::oneshot;

use super::{
    commands::{Basis, COMMANDS_PER_TICK_MAX, Command, Lease, NotTaken, Taken, Tenure},
    jitter::{Fate, JitterBuffer},
    port::Port,
    presence::Presence,
    published::{Published, Publisher},
    seats::{Epoch, Seats, Wish},
    worker::Ticked,
};

/// How often in a second players are told how their inputs arrive.
const PACES_PER_SECOND: u16 = 4;

/// A match in the hands of its worker.
pub(crate) struct Live<G: Game> {
    world: G,
    port: Arc<Port<G>>,
    seats: Seats,
    /// Inputs waiting for their tick, by seat.
    jitter: Vec<JitterBuffer<Input<G>>>,
    publisher: Publisher<G>,
    roster: Arc<[RosterEntry]>,
    roster_version: u32,
    paces: Vec<Option<Pace>>,
    pace_version: u32,
    skipped: u32,
    /// What every seat did in each tick since the last snapshot, a row per tick.
    done: Vec<Input<G>>,
    /// The tick of the last snapshot.
    snapshot: Tick,
    // Kept only so that a tick need not allocate them.
    inputs: Vec<Option<Input<G>>>,
    orders: Vec<SeatOrder<Order<G>>>,
    /// How many orders of Agents the tick has taken so far.
    orders_taken: u32,
    answers: Vec<Answer>,
}

/// What somebody waits for until the tick is published.
enum Answer {
    Seated(oneshot::Sender<Result<Lease, Refusal>>, Lease),
    Resumed(oneshot::Sender<Result<Lease, Refusal>>, Lease),
    Done(oneshot::Sender<Option<Tick>>),
    Taken(oneshot::Sender<Result<Taken, NotTaken>>, OrderId),
}

impl<G: Game> Live<G> {
    pub(super) fn new(world: G, port: Arc<Port<G>>, seats: Seats, publisher: Publisher<G>) -> Self {
        let count = seats.ids().count();
        Self {
            jitter: (0..count).map(|_| JitterBuffer::new(G::Data::TICKS_PER_SECOND)).collect(),
            publisher,
            roster: seats.roster(),
            roster_version: 1,
            paces: vec![None; count],
            pace_version: 0,
            skipped: 0,
            done: Vec::with_capacity(count * usize::from(port.cadence.ticks_apart_max())),
            snapshot: world.tick(),
            inputs: vec![None; count],
            orders: Vec::with_capacity(count + COMMANDS_PER_TICK_MAX),
            orders_taken: 0,
            answers: Vec::with_capacity(COMMANDS_PER_TICK_MAX),
            world,
            port,
            seats,
        }
    }

    fn take_leavers(&mut self, next: Tick) {
        for seat in self.seats.ids() {
            let (holder, epoch) = self.seats.held(seat);
            if holder == Holder::Bot {
                continue;
            }
            match self.port.releases.tenure(seat, epoch) {
                Tenure::Kept => {}
                Tenure::Lost if self.seats.is_away(seat) && !self.seats.is_overdue(seat, next) => {}
                Tenure::Lost if !self.seats.is_away(seat) && self.seats.lose(seat, epoch, self.grace_from(next)) => {
                    self.renew_roster();
                }
                Tenure::Left | Tenure::Lost => {
                    self.vacate(seat, epoch);
                }
            }
        }
    }

    fn take_commands(&mut self) {
        for _ in 0..COMMANDS_PER_TICK_MAX {
            let Some(command) = self.port.inbox.pop() else { return };
            self.obey(command);
        }
    }

    fn obey(&mut self, command: Command<G>) {
        match command {
            Command::Join { wish, reply } => match self.join(wish) {
                Ok((seat, epoch)) => {
                    self.change_hands(seat);
                    let lease = self.lease(seat, epoch);
                    self.answers.push(Answer::Seated(reply, lease));
                }
                Err(refusal) => drop(reply.send(Err(refusal))),
            },
            Command::Resume { by, next, reply } => match self.seats.resume(&by, next) {
                Ok((seat, epoch)) => {
                    self.start_afresh(seat);
                    let lease = self.lease(seat, epoch);
                    self.answers.push(Answer::Resumed(reply, lease));
                }
                Err(refusal) => drop(reply.send(Err(refusal))),
            },
            Command::Leave { seat, epoch, reply } => {
                if self.vacate(seat, epoch) {
                    self.answers.push(Answer::Done(reply));
                } else {
                    let _ = reply.send(None);
                }
            }
            Command::Order { seat, epoch, order, expires_in, basis, reply } => {
                if let Err(not_taken) = self.may_order(seat, epoch, &basis) {
                    let _ = reply.send(Err(not_taken));
                    return;
                }
                let id = OrderId::new(self.world.tick().next(), self.orders_taken);
                self.orders_taken += 1;
                self.orders.push(SeatOrder::Give { seat, id, order, expires_in });
                self.answers.push(Answer::Taken(reply, id));
            }
        }
    }

    /// Whether the seat is still the caller's, and what the order depends on still so.
    fn may_order(&self, seat: SeatId, epoch: Epoch, basis: &Basis<G>) -> Result<(), NotTaken> {
        if self.seats.held(seat) != (Holder::Agent, epoch) {
            return Err(NotTaken::SeatGone);
        }
        // The world has not moved since this was published.
        let newest = self.port.board.newest.load();
        let view = newest.view(G::Data::audience_of(&self.port.setup, Some(seat)));
        basis.check(&self.port.setup, newest.tick, view, Some(seat)).map_err(NotTaken::Unfounded)
    }

    fn join(&mut self, wish: Wish) -> Result<(SeatId, Epoch), Refusal> {
        // Whoever asks may know already that a seat or a name was given back, this very moment.
        self.take_leavers(self.world.tick().next());
        self.seats.join(wish)
    }

    /// Tells the room, at most once a second, through whose browsers Agents play.
    fn take_relays(&mut self, tick: Tick) {
        if !tick.0.is_multiple_of(u32::from(G::Data::TICKS_PER_SECOND)) {
            return;
        }
        let mut is_news = false;
        for seat in self.seats.ids() {
            is_news |= self.seats.set_relay(seat, self.port.relays.of(seat));
        }
        if is_news {
            self.renew_roster();
        }
    }

    fn grace_from(&self, tick: Tick) -> Tick {
        tick.plus(self.port.grace_ticks)
    }

    fn lease(&self, seat: SeatId, epoch: Epoch) -> Lease {
        Lease {
            seat,
            epoch,
            team: self.seats.team(seat),
            audience: G::Data::audience_of(&self.port.setup, Some(seat)),
            since: self.world.tick().next(),
            releases: self.port.releases.clone(),
        }
    }

    fn vacate(&mut self, seat: SeatId, epoch: Epoch) -> bool {
        let left = self.seats.leave(seat, epoch);
        if left {
            self.change_hands(seat);
        }
        left
    }

    fn change_hands(&mut self, seat: SeatId) {
        self.orders.push(SeatOrder::Reset { seat });
        self.port.relays.note(seat, None);
        self.start_afresh(seat);
    }

    /// Forgets what came in for a seat before.
    fn start_afresh(&mut self, seat: SeatId) {
        self.jitter[seat.index()] = JitterBuffer::new(G::Data::TICKS_PER_SECOND);
        self.paces[seat.index()] = None;
        self.port.doors[seat.index()].dropped.store(0, Ordering::Relaxed);
        self.renew_roster();
    }

    fn renew_roster(&mut self) {
        self.roster = self.seats.roster();
        self.roster_version = self.roster_version.wrapping_add(1);
    }

    /// Sorts what arrived into the jitter buffers, and takes one input per seat out of them.
    fn take_inputs(&mut self, next: Tick) {
        let metrics = &self.port.metrics;
        for seat in self.seats.ids() {
            let at = seat.index();
            let (holder, epoch) = self.seats.held(seat);
            let arrivals = &self.port.doors[at].inputs;
            // A bound on the turns, because the other side may push meanwhile.
            for _ in 0..arrivals.capacity() {
                let Some(arrived) = arrivals.pop() else { break };
                if arrived.epoch != epoch {
                    metrics.inputs_unseated.inc();
                    continue;
                }
                self.seats.confirm(seat);
                match self.jitter[at].insert(arrived.tick, arrived.input, next) {
                    Fate::Kept => metrics.inputs_on_time.inc(),
                    Fate::Late => metrics.inputs_late.inc(),
                    Fate::Dropped => metrics.inputs_dropped.inc(),
                }
            }
            self.inputs[at] =
                if holder == Holder::Person && !self.seats.is_away(seat) { self.jitter[at].take(next) } else { None };
        }
    }

    fn report_paces(&mut self, tick: Tick) {
        if !tick.0.is_multiple_of(u32::from((G::Data::TICKS_PER_SECOND / PACES_PER_SECOND).max(1))) {
            return;
        }
        self.pace_version = self.pace_version.wrapping_add(1);
        for (at, pace) in self.paces.iter_mut().enumerate() {
            *pace = self.jitter[at].report(self.port.doors[at].dropped.load(Ordering::Relaxed));
        }
    }

    fn publish(&mut self, tick: Tick) {
        let is_snapshot = self.port.cadence.is_snapshot(tick);
        let Self { world, seats, roster, roster_version, paces, pace_version, skipped, port, done, snapshot, .. } =
            self;
        self.publisher.publish(&port.board, is_snapshot, |published| {
            write_views(world, published);
            published.inputs.clear();
            if G::Data::IS_OPEN {
                done.extend(seats.ids().map(|seat| published.views[0].input(seat)));
                if is_snapshot {
                    published.inputs.extend_from_slice(done);
                    published.inputs_since = *snapshot;
                    done.clear();
                }
            }
            published.roster.clone_from(roster);
            published.roster_version = *roster_version;
            published.paces.clone_from_slice(paces);
            published.pace_version = *pace_version;
            published.skipped = *skipped;
            for (epoch, seat) in published.epochs.iter_mut().zip(seats.ids()) {
                *epoch = seats.held(seat).1;
            }
        });
        if is_snapshot {
            self.snapshot = tick;
            if self.port.presence.has_visitors() {
                self.port.presence.news.notify_one();
            }
        }
    }

    fn answer(&mut self, tick: Tick) {
        for answer in self.answers.drain(..) {
            match answer {
                // Nobody waits any more? Then nobody plays, because nobody has the secret.
                Answer::Seated(reply, lease) => {
                    if let Err(Ok(lease)) = reply.send(Ok(lease)) {
                        lease.give_back();
                    }
                }
                // Here somebody has the secret: the lease drops, and they have lost touch once more.
                Answer::Resumed(reply, lease) => drop(reply.send(Ok(lease))),
                Answer::Done(reply) => drop(reply.send(Some(tick))),
                Answer::Taken(reply, id) => drop(reply.send(Ok(Taken { id, tick }))),
            }
        }
    }
}

impl<G: Game> Ticked for Live<G> {
    fn presence(&self) -> &Presence {
        &self.port.presence
    }

    fn ticks_per_second(&self) -> u16 {
        G::Data::TICKS_PER_SECOND
    }

    fn tick(&mut self) {
        let next = self.world.tick().next();
        self.take_leavers(next);
        self.take_commands();
        self.take_relays(next);
        self.take_inputs(next);
        self.world.step(&self.inputs, &self.orders);
        self.orders.clear();
        self.orders_taken = 0;
        self.report_paces(next);
        self.publish(next);
        self.answer(next);
    }

    fn skip(&mut self, ticks: u64) {
        self.skipped = self.skipped.wrapping_add(u32::try_from(ticks).unwrap_or(u32::MAX));
    }

    fn epitaph(&self) -> String {
        format!("match {} at tick {}", self.port.key.as_str(), self.port.board.newest.load().tick.0)
    }
}

impl<G: Game> Drop for Live<G> {
    /// Nobody obeys any more: whoever waits for an answer learns it now.
    fn drop(&mut self) {
        self.port.inbox.close();
    }
}

/// Writes what every audience sees.
pub(super) fn write_views<G: Game>(world: &G, published: &mut Published<G>) {
    published.tick = world.tick();
    for (audience, view) in (0..).map(Audience).zip(&mut published.views) {
        world.view(audience, view);
    }
}
