//! A view in football words, and which orders make sense.

use contract::{
    Holder, SeatId, Tick, UntrustedName,
    agent::{Detail, Fault, FaultCode, Glance, OrderStatus, OutcomeSeen},
    games::kickabout::{
        BallSeen, EventSeen, Fact, HAPPENINGS_MAX, Happening, HappeningKind, LeftOut, LegalOrder, Observation, Order,
        OrderSeen, OrderState, Phase, PhaseWord, Place, PlayerSeen, Role, ScoreSeen, Setup, Team, View, WithBall,
        WithoutBall, Zone,
    },
};

use super::{
    facts::{ball_in_ms, facts, round},
    grid::{point, speed},
    kicking::REACH,
    mechanics::Sight,
    pitch::{Pitch, side},
    player::STAMINA_MAX,
    vector::{Vec2, vec2},
};

/// Most events of an observation; the reply has a size to keep.
const EVENTS_MAX: usize = 20;

/// The pitch as one team sees it: own goal line at x = 0, left touchline at y = 0.
struct Perspective {
    pitch: Pitch,
    forward: f32,
}

/// What is being told, and to whom.
struct Telling<'a> {
    setup: &'a Setup,
    view: &'a View,
    glance: &'a Glance<'a>,
    /// The observing seat, if it takes part.
    seat: Option<SeatId>,
    /// The side it is told from.
    team: Team,
    perspective: Perspective,
    sight: Sight<'a>,
    left_out: LeftOut,
}

pub(super) fn observe(setup: &Setup, view: &View, glance: &Glance<'_>) -> Observation {
    let seat = glance.seat.filter(|seat| seat.index() < view.player_count);
    let team = seat.map_or(Team::Red, |seat| Team::of(seat, setup.team_size));
    let sight = Sight::new(view, team, setup.team_size);
    let perspective = Perspective::of(setup, team);
    let left_out = LeftOut { withheld_from_relay: seat.is_some() && glance.is_public, ..LeftOut::default() };
    Telling { setup, view, glance, seat, team, perspective, sight, left_out }.tell()
}

impl Telling<'_> {
    fn tell(mut self) -> Observation {
        let Self { view, seat, .. } = self;
        let players = (0..).map(SeatId).take(view.player_count).map(|id| self.player(id)).collect();
        let outcomes = self.outcomes();
        let events = self.events();
        let legal_orders = self.legal_orders();
        let untrusted = self.names();
        Observation {
            tick: view.tick,
            phase: phase_word(view.phase),
            clock_s: view.clock_ticks.div_ceil(60),
            golden_goal: view.golden_goal,
            score: ScoreSeen { red: view.score[0], blue: view.score[1] },
            winner: if let Phase::Ended(winner) = view.phase { winner } else { None },
            pitch: whole(vec2(self.perspective.pitch.half_length, self.perspective.pitch.half_width) * 2.0),
            you: seat,
            your_team: self.team,
            ball: self.ball(),
            facts: facts(&self.sight, view, seat),
            players,
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

    fn ball(&self) -> BallSeen {
        let position = point(self.view.ball.position);
        BallSeen {
            at: self.perspective.place(position),
            zone: self.perspective.zone(position),
            per_second: whole(self.perspective.turned(speed(self.view.ball.velocity)) * 60.0),
            held_by: held_by(self.view),
            possession: last_touch(self.view).map(|seat| Team::of(seat, self.setup.team_size)),
        }
    }

    fn player(&mut self, id: SeatId) -> PlayerSeen {
        let player = &self.view.players[id.index()];
        let position = point(player.position);
        let team = Team::of(id, self.setup.team_size);
        let may_know = !self.glance.is_public && self.seat.is_some() && team == self.team;
        let told = self.view.instructions[id.index()].filter(|_| may_know);
        let told_here = told.filter(|_| !self.is_brief() || self.seat == Some(id));
        self.left_out.plans += u32::from(told.is_some() && told_here.is_none());
        let plan = told_here.map(|told| told.plan);
        let stamina = (u32::from(player.stamina) * 100 + u32::from(STAMINA_MAX) / 2) / u32::from(STAMINA_MAX);
        let entry = self.glance.roster.iter().find(|entry| entry.seat == id);
        PlayerSeen {
            id,
            team,
            holder: entry.map_or(Holder::Bot, |entry| entry.holder),
            at: self.perspective.place(position),
            zone: self.perspective.zone(position),
            per_second: whole(self.perspective.turned(speed(player.velocity)) * 60.0),
            ball_distance: round((position - point(self.view.ball.position)).length()).unsigned_abs(),
            ball_in_ms: ball_in_ms(&self.sight, id.index()),
            stamina: u8::try_from(stamina).unwrap_or(100),
            goals: player.goals,
            role: plan.map(|plan| plan.role),
            with_ball: plan.map(|plan| plan.with_ball),
            without_ball: plan.map(|plan| plan.without_ball),
            order: told_here.and_then(|told| told.order).map(|state| order_seen(&state, self.view.tick)),
        }
    }

    /// How the seat's own orders ended.
    fn outcomes(&mut self) -> Vec<OutcomeSeen> {
        let told = self.seat.filter(|_| !self.glance.is_public).and_then(|seat| self.view.instructions[seat.index()]);
        let Some(told) = told else { return Vec::new() };
        let news: Vec<_> = told.outcomes.iter().filter(|end| self.is_news(end.tick)).map(OutcomeSeen::from).collect();
        // A full list has lost older ones; they matter if even the oldest kept one is news.
        self.left_out.older_outcomes = told.outcomes.is_full() && news.len() == told.outcomes.iter().count();
        news
    }

    fn events(&mut self) -> Vec<EventSeen> {
        let known = self.view.happenings.iter().flatten();
        let mut news: Vec<Happening> = known.filter(|happening| self.is_news(happening.tick)).copied().collect();
        let count = news.len();
        self.left_out.older_events = count == HAPPENINGS_MAX;
        if self.is_brief() {
            news.retain(|happening| is_great(happening.kind));
        }
        while news.len() > EVENTS_MAX {
            let trifle = |h: &Happening| matches!(h.kind, HappeningKind::Bounce | HappeningKind::Touch);
            news.remove(news.iter().position(trifle).unwrap_or(0));
        }
        self.left_out.events = counted(count - news.len());
        news.iter().map(|happening| event(self.setup, happening)).collect()
    }

    fn legal_orders(&mut self) -> Vec<LegalOrder> {
        let Some(seat) = self.seat else { return Vec::new() };
        let legal = legal_orders(self.setup, self.view, seat, !self.glance.is_public);
        if self.is_brief() {
            self.left_out.legal_orders = counted(legal.len());
            return Vec::new();
        }
        legal
    }

    fn names(&mut self) -> Vec<UntrustedName> {
        let known = self.glance.roster.iter().filter(|entry| entry.seat.index() < self.view.player_count);
        if !self.glance.with_names {
            self.left_out.names = counted(known.count());
            return Vec::new();
        }
        known.map(|entry| UntrustedName { id: entry.seat, name: entry.name.as_str().to_owned() }).collect()
    }
}

/// Whether something is so in what a seat sees.
pub(super) fn holds(setup: &Setup, view: &View, seat: Option<SeatId>, fact: &Fact) -> bool {
    let team = seat.map_or(Team::Red, |seat| Team::of(seat, setup.team_size));
    let perspective = Perspective::of(setup, team);
    let player = |seat: SeatId| view.players().get(seat.index());
    match *fact {
        Fact::BallHeldBy { player } => held_by(view) == Some(player),
        Fact::Possession { team } => last_touch(view).is_some_and(|seat| Team::of(seat, setup.team_size) == team),
        Fact::BallInZone { zone } => perspective.zone(point(view.ball.position)) == zone,
        Fact::PlayerInZone { player: id, zone } => {
            player(id).is_some_and(|player| perspective.zone(point(player.position)) == zone)
        }
        Fact::OrderActive { order } => seat
            .and_then(|seat| view.instructions.get(seat.index()).copied().flatten()?.order)
            .is_some_and(|state| state.id == order && state.status == OrderStatus::Active),
        Fact::Phase { phase } => phase_word(view.phase) == phase,
    }
}

impl Perspective {
    const fn of(setup: &Setup, team: Team) -> Self {
        Self { pitch: Pitch::new(setup.team_size), forward: -side(team) }
    }

    fn turned(&self, vector: Vec2) -> Vec2 {
        vector * self.forward
    }

    fn place(&self, position: Vec2) -> Place {
        whole(self.turned(position) + vec2(self.pitch.half_length, self.pitch.half_width))
    }

    fn zone(&self, position: Vec2) -> Zone {
        zone_of(&self.pitch, self.turned(position))
    }
}

/// The ninth of the pitch that holds a place, seen from the own side.
pub(super) fn zone_of(pitch: &Pitch, place: Vec2) -> Zone {
    let third = |value: f32, half: f32| {
        let line = half / 3.0;
        if value < -line {
            0
        } else if value <= line {
            1
        } else {
            2
        }
    };
    Zone::ALL[third(place.x, pitch.half_length) * 3 + third(place.y, pitch.half_width)]
}

/// Who touched the ball last, if that player takes part.
fn last_touch(view: &View) -> Option<SeatId> {
    view.ball.last_touch.filter(|seat| seat.index() < view.player_count)
}

/// Who has the ball within reach and touched it last.
fn held_by(view: &View) -> Option<SeatId> {
    let ball = point(view.ball.position);
    last_touch(view).filter(|seat| (point(view.players[seat.index()].position) - ball).length() <= REACH)
}

fn order_seen(state: &OrderState, now: Tick) -> OrderSeen {
    let left = state.expires.since(now).max(0).unsigned_abs().div_ceil(60);
    OrderSeen {
        id: state.id,
        order: state.order,
        status: state.status,
        given_tick: state.given,
        expires_in_s: (state.status == OrderStatus::Active).then_some(left),
    }
}

/// Whether even a brief sight tells of it.
const fn is_great(kind: HappeningKind) -> bool {
    use HappeningKind::{FullTime, GoalBlue, GoalRed, GoldenGoal, Whistle};
    matches!(kind, GoalRed | GoalBlue | GoldenGoal | FullTime | Whistle)
}

fn counted(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

fn event(setup: &Setup, happening: &Happening) -> EventSeen {
    let doer = happening.seat.map(|seat| Team::of(seat, setup.team_size));
    let (event, team) = match happening.kind {
        HappeningKind::Whistle => ("whistle", doer),
        HappeningKind::Kick => ("kick", doer),
        HappeningKind::Pass => ("pass", doer),
        HappeningKind::Touch => ("touch", doer),
        HappeningKind::Bounce => ("bounce", doer),
        HappeningKind::GoalRed => ("goal", Some(Team::Red)),
        HappeningKind::GoalBlue => ("goal", Some(Team::Blue)),
        HappeningKind::GoldenGoal => ("golden_goal", None),
        HappeningKind::FullTime => ("full_time", None),
    };
    EventSeen { tick: happening.tick, event, player: happening.seat, team }
}

/// `stop` is legal while an order is active; that is told only where orders may be.
fn legal_orders(setup: &Setup, view: &View, seat: SeatId, may_know: bool) -> Vec<LegalOrder> {
    let mut legal = Vec::with_capacity(40);
    let mut add = |order: Order| legal.push(LegalOrder { id: order.id(), order });
    if !matches!(view.phase, Phase::Ended(_)) {
        [Order::Press, Order::Shoot, Order::Clear].into_iter().for_each(&mut add);
        let newest = view.instructions[seat.index()].filter(|_| may_know).and_then(|told| told.order);
        if newest.is_some_and(|state| state.status == OrderStatus::Active) {
            add(Order::Stop);
        }
        opponents(setup, seat).for_each(|player| add(Order::Mark { player }));
        team_mates(setup, seat).for_each(|player| add(Order::PassTo { player }));
        Zone::ALL.into_iter().for_each(|zone| add(Order::HoldZone { zone }));
    }
    Role::ALL.into_iter().for_each(|role| add(Order::TakeRole { role }));
    WithBall::ALL.into_iter().for_each(|plan| add(Order::SetPlan { with_ball: Some(plan), without_ball: None }));
    WithoutBall::PLAIN.into_iter().for_each(|plan| add(Order::SetPlan { with_ball: None, without_ball: Some(plan) }));
    legal
}

/// Checks that the players an order names are on the side it needs them on.
pub(super) fn check_order(setup: &Setup, seat: SeatId, order: &Order) -> Result<(), Fault> {
    match *order {
        Order::Mark { player } => check_opponent(setup, seat, player, "action.order.player"),
        Order::SetPlan { without_ball: Some(WithoutBall::Mark { player }), .. } => {
            check_opponent(setup, seat, player, "action.order.without_ball.player")
        }
        Order::PassTo { player } if !team_mates(setup, seat).any(|mate| mate == player) => {
            let fault = Fault::new(FaultCode::IllegalOrder, "a pass goes to a team-mate other than yourself");
            Err(fault.at("action.order.player").legal(team_mates(setup, seat).map(|mate| mate.to_string())))
        }
        _ => Ok(()),
    }
}

fn check_opponent(setup: &Setup, seat: SeatId, player: SeatId, field: &str) -> Result<(), Fault> {
    if opponents(setup, seat).any(|opponent| opponent == player) {
        return Ok(());
    }
    let fault = Fault::new(FaultCode::IllegalOrder, "only an opponent can be marked");
    Err(fault.at(field).legal(opponents(setup, seat).map(|opponent| opponent.to_string())))
}

fn team_mates(setup: &Setup, seat: SeatId) -> impl Iterator<Item = SeatId> {
    let team_size = setup.team_size;
    (0..team_size * 2)
        .map(SeatId)
        .filter(move |other| *other != seat && Team::of(*other, team_size) == Team::of(seat, team_size))
}

fn opponents(setup: &Setup, seat: SeatId) -> impl Iterator<Item = SeatId> {
    let team_size = setup.team_size;
    (0..team_size * 2).map(SeatId).filter(move |other| Team::of(*other, team_size) != Team::of(seat, team_size))
}

const fn phase_word(phase: Phase) -> PhaseWord {
    match phase {
        Phase::KickOff(_) => PhaseWord::KickOff,
        Phase::Play => PhaseWord::Play,
        Phase::Goal(_) => PhaseWord::Goal,
        Phase::Ended(_) => PhaseWord::Ended,
    }
}

const fn whole(vector: Vec2) -> Place {
    Place { x: round(vector.x), y: round(vector.y) }
}
