//! A view in words, and which orders make sense.

use contract::{
    Holder, SeatId, Tick, UntrustedName,
    agent::{Detail, Fault, FaultCode, Glance, OrderStatus, OutcomeSeen},
    games::skirmish::{
        Aim, Craft, EventSeen, Fact, HAPPENINGS_MAX, Happening, HappeningKind, Leader, LeftOut, LegalOrder,
        Observation, Order, OrderSeen, OrderState, OwnCraft, Place, PlayerSeen, Route, ShotSeen, Spot, Stance, View,
        Zone,
    },
};

use super::{
    flight::{self, SHOT_STEPS},
    tick::COOLDOWN_TICKS,
};

/// Most players of an observation, and most events, leaders and shots; the reply has a size to keep.
const PLAYERS_MAX: usize = 16;
const PLAYERS_BRIEF_MAX: usize = 5;
const EVENTS_MAX: usize = 20;
const LEADERS_MAX: usize = 5;
const INCOMING_MAX: usize = 6;

/// Ticks per second, for times in words.
const TICKS_PER_SECOND: u32 = 30;
/// A shot that will pass nearer than this is on its way to the own craft, in steps.
const NEAR_MISS_STEPS: i64 = 60 * Spot::STEPS as i64;

/// Routes that are listed as examples: round the arena, and across it.
const ROUTES: [&[Zone]; 3] = [
    &[Zone::NorthWest, Zone::NorthEast, Zone::SouthEast, Zone::SouthWest],
    &[Zone::North, Zone::South],
    &[Zone::West, Zone::East],
];

/// What is being told, and to whom. Nothing here is secret from any audience, so it does not matter who relays it.
struct Telling<'a> {
    view: &'a View,
    glance: &'a Glance<'a>,
    /// The observing seat, if it takes part.
    seat: Option<SeatId>,
    left_out: LeftOut,
}

pub(super) fn observe(view: &View, glance: &Glance<'_>) -> Observation {
    let seat = glance.seat.filter(|seat| seat.index() < view.craft.len());
    Telling { view, glance, seat, left_out: LeftOut::default() }.tell()
}

impl Telling<'_> {
    fn tell(mut self) -> Observation {
        let Self { view, seat, .. } = self;
        let listed = self.listed();
        let outcomes = self.outcomes();
        let events = self.events();
        let legal_orders = self.legal_orders(&listed);
        let untrusted = self.names(&listed);
        Observation {
            tick: view.tick,
            arena: whole((Spot::SIDE.into(), Spot::SIDE.into())),
            you: seat,
            own: seat.map(|seat| own_craft(view, seat)),
            players: listed.into_iter().map(|id| self.player(id)).collect(),
            leaders: leaders(view),
            incoming: seat.map_or_else(Vec::new, |seat| incoming(view, seat)),
            outcomes,
            events,
            legal_orders,
            untrusted,
            left_out: self.left_out,
        }
    }

    fn is_brief(&self) -> bool {
        self.glance.detail == Detail::Brief
    }

    fn is_news(&self, tick: Tick) -> bool {
        self.glance.since.is_none_or(|since| tick.since(since) > 0)
    }

    /// Who is told about: the own craft, then the nearest; without a seat, the first.
    fn listed(&mut self) -> Vec<SeatId> {
        let craft = &self.view.craft;
        let mut ids: Vec<_> = (0..).map(SeatId).take(craft.len()).collect();
        if let Some(seat) = self.seat {
            let own = craft[seat.index()].at;
            // The own craft is nearest to itself, and before whoever sits on top of it.
            ids.sort_by_key(|id| (*id != seat, distance_squared(own, craft[id.index()].at)));
        }
        ids.truncate(if self.is_brief() { PLAYERS_BRIEF_MAX } else { PLAYERS_MAX });
        self.left_out.players = counted(craft.len() - ids.len());
        ids
    }

    fn player(&self, id: SeatId) -> PlayerSeen {
        let craft = &self.view.craft[id.index()];
        let own = self.seat.map(|seat| &self.view.craft[seat.index()]);
        let entry = self.glance.roster.iter().find(|entry| entry.seat == id);
        PlayerSeen {
            id,
            holder: entry.map_or(Holder::Bot, |entry| entry.holder),
            at: place_of(craft.at),
            zone: zone_of(craft.at),
            per_second: Place { x: craft.input.vx.into(), y: craft.input.vy.into() },
            hp: craft.hp,
            score: craft.score,
            distance: own.map(|own| distance(own, craft)),
            doing: self.view.instructions[id.index()].active().map(|order| order.id()),
        }
    }

    /// How the seat's own orders ended.
    fn outcomes(&mut self) -> Vec<OutcomeSeen> {
        let Some(seat) = self.seat else { return Vec::new() };
        let told = &self.view.instructions[seat.index()].outcomes;
        let news: Vec<_> = told.iter().filter(|end| self.is_news(end.tick)).map(OutcomeSeen::from).collect();
        // A full list has lost older ones; they matter if even the oldest kept one is news.
        self.left_out.older_outcomes = told.is_full() && news.len() == told.iter().count();
        news
    }

    fn events(&mut self) -> Vec<EventSeen> {
        let known = self.view.happenings.iter().flatten();
        let mut news: Vec<Happening> = known.filter(|happening| self.is_news(happening.tick)).copied().collect();
        let count = news.len();
        self.left_out.older_events = count == HAPPENINGS_MAX;
        let is_hit = |happening: &Happening| happening.kind == HappeningKind::Hit;
        if self.is_brief() {
            news.retain(|happening| !is_hit(happening));
        }
        while news.len() > EVENTS_MAX {
            news.remove(news.iter().position(is_hit).unwrap_or(0));
        }
        self.left_out.events = counted(count - news.len());
        news.iter().map(event).collect()
    }

    fn legal_orders(&mut self, listed: &[SeatId]) -> Vec<LegalOrder> {
        let Some(seat) = self.seat else { return Vec::new() };
        let legal = legal_orders(self.view, seat, listed);
        if self.is_brief() {
            self.left_out.legal_orders = counted(legal.len());
            return Vec::new();
        }
        legal
    }

    fn names(&mut self, listed: &[SeatId]) -> Vec<UntrustedName> {
        let known = self.glance.roster.iter().filter(|entry| listed.contains(&entry.seat));
        if !self.glance.with_names {
            self.left_out.names = counted(known.count());
            return Vec::new();
        }
        known.map(|entry| UntrustedName { id: entry.seat, name: entry.name.as_str().to_owned() }).collect()
    }
}

/// Whether something is so in what a seat sees.
pub(super) fn holds(view: &View, seat: Option<SeatId>, fact: &Fact) -> bool {
    let craft = |seat: SeatId| view.craft.get(seat.index());
    match *fact {
        Fact::PlayerInZone { player, zone } => craft(player).is_some_and(|craft| zone_of(craft.at) == zone),
        Fact::HpAtMost { player, hp } => craft(player).is_some_and(|craft| u32::from(craft.hp) <= hp),
        Fact::Near { player, distance: most } => {
            let own = seat.and_then(craft);
            own.zip(craft(player)).is_some_and(|(own, other)| distance(own, other) <= most)
        }
        Fact::OrderActive { order } => seat
            .and_then(|seat| view.instructions.get(seat.index())?.order)
            .is_some_and(|state| state.id == order && state.status == OrderStatus::Active),
    }
}

/// The ninth of the arena that holds a place.
pub(super) fn zone_of(at: Spot) -> Zone {
    let third = |value: u16| usize::from((value / (Spot::SIDE / 3)).min(2));
    Zone::ALL[third(at.y) * 3 + third(at.x)]
}

fn own_craft(view: &View, seat: SeatId) -> OwnCraft {
    let instruction = &view.instructions[seat.index()];
    OwnCraft {
        stance: instruction.plan.stance,
        gun_ready_in_ms: u32::from(view.craft[seat.index()].cooldown.min(COOLDOWN_TICKS)) * 1000 / TICKS_PER_SECOND,
        order: instruction.order.map(|state| order_seen(&state, view.tick)),
    }
}

fn order_seen(state: &OrderState, now: Tick) -> OrderSeen {
    let left = state.expires.since(now).max(0).unsigned_abs().div_ceil(TICKS_PER_SECOND);
    OrderSeen {
        id: state.id,
        order: state.order,
        status: state.status,
        given_tick: state.given,
        expires_in_s: (state.status == OrderStatus::Active).then_some(left),
    }
}

fn leaders(view: &View) -> Vec<Leader> {
    let mut leaders: Vec<_> =
        (0..).map(SeatId).zip(&view.craft).map(|(id, craft)| Leader { id, score: craft.score }).collect();
    leaders.sort_by_key(|leader| (u16::MAX - leader.score, leader.id));
    leaders.truncate(LEADERS_MAX);
    leaders
}

/// The shots of others that come near the own craft if it goes on as it does, the soonest first.
fn incoming(view: &View, seat: SeatId) -> Vec<ShotSeen> {
    let craft = &view.craft[seat.index()];
    let mut seen: Vec<_> = view
        .shots
        .iter()
        .filter(|shot| shot.owner != seat)
        .filter_map(|shot| {
            let at = flight::place(shot);
            // Relative to the own craft, in steps and steps per tick.
            let (x, y) = (i64::from(at.0) - i64::from(craft.at.x), i64::from(at.1) - i64::from(craft.at.y));
            let (along, across) = shot.aim.vector();
            let speed = |part: i32| i64::from(part) * i64::from(SHOT_STEPS) / i64::from(Aim::UNIT);
            let (vx, vy) = (speed(along) - i64::from(craft.input.vx), speed(across) - i64::from(craft.input.vy));
            let ticks = -(x * vx + y * vy) / (vx * vx + vy * vy).max(1);
            let left = i64::from(flight::LIFE_TICKS) - i64::from(shot.age);
            let (dx, dy) = (x + vx * ticks, y + vy * ticks);
            let passes = dx * dx + dy * dy;
            let reach = i64::from(flight::RADIUS) * i64::from(Spot::STEPS);
            ((0..=left).contains(&ticks) && passes < NEAR_MISS_STEPS * NEAR_MISS_STEPS).then(|| ShotSeen {
                by: shot.owner,
                at: whole(at),
                in_ms: u32::try_from(ticks * 1000 / i64::from(TICKS_PER_SECOND)).unwrap_or(0),
                hits: passes <= reach * reach,
            })
        })
        .collect();
    seen.sort_by_key(|shot| (shot.in_ms, shot.by));
    seen.truncate(INCOMING_MAX);
    seen
}

fn event(happening: &Happening) -> EventSeen {
    EventSeen {
        tick: happening.tick,
        event: match happening.kind {
            HappeningKind::Hit => "hit",
            HappeningKind::Down => "down",
        },
        by: happening.by,
        to: happening.to,
    }
}

fn legal_orders(view: &View, seat: SeatId, listed: &[SeatId]) -> Vec<LegalOrder> {
    let mut legal = Vec::with_capacity(40);
    let mut add = |order: Order| legal.push(LegalOrder { id: order.id(), order });
    add(Order::Evade);
    if view.instructions[seat.index()].active().is_some() {
        add(Order::Stop);
    }
    listed.iter().filter(|player| **player != seat).for_each(|player| add(Order::Attack { player: *player }));
    Zone::ALL.into_iter().for_each(|zone| add(Order::Hold { zone }));
    ROUTES.into_iter().filter_map(Route::new).for_each(|zones| add(Order::Patrol { zones }));
    Stance::ALL.into_iter().for_each(|stance| add(Order::SetPlan { stance }));
    legal
}

/// Checks that the player an order names is there and somebody else.
pub(super) fn check_order(view: &View, seat: SeatId, order: &Order) -> Result<(), Fault> {
    match *order {
        Order::Attack { player } if player == seat || player.index() >= view.craft.len() => {
            let fault = Fault::new(FaultCode::IllegalOrder, "only another player of this match can be attacked");
            let others = (0..).map(SeatId).take(view.craft.len()).filter(|other| *other != seat);
            Err(fault.at("action.order.player").legal(others.map(|other| other.to_string())))
        }
        _ => Ok(()),
    }
}

/// In whole units.
fn distance(a: &Craft, b: &Craft) -> u32 {
    let steps = distance_squared(a.at, b.at).isqrt();
    u32::try_from(steps / u64::from(Spot::STEPS)).unwrap_or(u32::MAX)
}

fn counted(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn distance_squared(a: Spot, b: Spot) -> u64 {
    let (dx, dy) = (u64::from(a.x.abs_diff(b.x)), u64::from(a.y.abs_diff(b.y)));
    dx * dx + dy * dy
}

fn place_of(spot: Spot) -> Place {
    whole((spot.x.into(), spot.y.into()))
}

/// Steps in whole units.
fn whole((x, y): (i32, i32)) -> Place {
    let units = |steps: i32| (steps + i32::from(Spot::STEPS) / 2).div_euclid(Spot::STEPS.into());
    Place { x: units(x), y: units(y) }
}
