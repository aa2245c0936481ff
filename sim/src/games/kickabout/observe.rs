//! A view in football words, and which orders make sense.

use contract::{
    Holder, RosterEntry, SeatId, Tick,
    agent::{Fault, FaultCode},
    games::kickabout::{
        BallSeen, EventSeen, HAPPENINGS_MAX, Happening, HappeningKind, LegalOrder, Observation, Order, OrderSeen,
        OrderState, OrderStatus, Phase, Place, PlayerSeen, Role, ScoreSeen, Setup, Team, UntrustedName, View, WithBall,
        WithoutBall, Zone,
    },
};

use super::{
    grid::{point, speed},
    kicking::REACH,
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

pub(super) fn observe(
    setup: &Setup,
    view: &View,
    seat: Option<SeatId>,
    roster: &[RosterEntry],
    since: Option<Tick>,
) -> Observation {
    let seat = seat.filter(|seat| seat.index() < view.player_count);
    let team = seat.map_or(Team::Red, |seat| Team::of(seat, setup.team_size));
    let perspective = Perspective { pitch: Pitch::new(setup.team_size), forward: -side(team) };
    let (events, events_truncated) = events(setup, view, since);
    let seats = (0..).map(SeatId).take(view.player_count);
    Observation {
        tick: view.tick,
        phase: phase_word(view.phase),
        clock_s: view.clock_ticks.div_ceil(60),
        golden_goal: view.golden_goal,
        score: ScoreSeen { red: view.score[0], blue: view.score[1] },
        winner: if let Phase::Ended(winner) = view.phase { winner } else { None },
        pitch: whole(vec2(perspective.pitch.half_length, perspective.pitch.half_width) * 2.0),
        you: seat,
        your_team: team,
        ball: ball(setup, view, &perspective),
        players: seats
            .map(|id| {
                player(
                    setup,
                    view,
                    id,
                    seat.is_some_and(|_| Team::of(id, setup.team_size) == team),
                    roster,
                    &perspective,
                )
            })
            .collect(),
        events,
        events_truncated,
        legal_orders: seat.map_or_else(Vec::new, |seat| legal_orders(setup, view, seat)),
        untrusted: roster
            .iter()
            .filter(|entry| entry.seat.index() < view.player_count)
            .map(|entry| UntrustedName { id: entry.seat, name: entry.name.as_str().to_owned() })
            .collect(),
    }
}

impl Perspective {
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

fn ball(setup: &Setup, view: &View, perspective: &Perspective) -> BallSeen {
    let position = point(view.ball.position);
    let last = view.ball.last_touch.filter(|seat| seat.index() < view.player_count);
    let held_by = last.filter(|seat| (point(view.players[seat.index()].position) - position).length() <= REACH);
    BallSeen {
        at: perspective.place(position),
        zone: perspective.zone(position),
        per_second: whole(perspective.turned(speed(view.ball.velocity)) * 60.0),
        held_by,
        possession: last.map(|seat| Team::of(seat, setup.team_size)),
    }
}

fn player(
    setup: &Setup,
    view: &View,
    id: SeatId,
    is_own: bool,
    roster: &[RosterEntry],
    perspective: &Perspective,
) -> PlayerSeen {
    let player = &view.players[id.index()];
    let position = point(player.position);
    let told = view.instructions[id.index()].filter(|_| is_own);
    let plan = told.map(|told| told.plan);
    let stamina = (u32::from(player.stamina) * 100 + u32::from(STAMINA_MAX) / 2) / u32::from(STAMINA_MAX);
    PlayerSeen {
        id,
        team: Team::of(id, setup.team_size),
        holder: roster.iter().find(|entry| entry.seat == id).map_or(Holder::Bot, |entry| entry.holder),
        at: perspective.place(position),
        zone: perspective.zone(position),
        ball_distance: round((position - point(view.ball.position)).length()).unsigned_abs(),
        stamina: u8::try_from(stamina).unwrap_or(100),
        goals: player.goals,
        role: plan.map(|plan| plan.role),
        with_ball: plan.map(|plan| plan.with_ball),
        without_ball: plan.map(|plan| plan.without_ball),
        order: told.and_then(|told| told.order).map(|state| order_seen(&state, view.tick)),
    }
}

fn order_seen(state: &OrderState, now: Tick) -> OrderSeen {
    let left = state.expires.since(now).max(0).unsigned_abs().div_ceil(60);
    OrderSeen {
        order: state.order,
        status: state.status,
        given_tick: state.given,
        expires_in_s: (state.status == OrderStatus::Active).then_some(left),
    }
}

fn events(setup: &Setup, view: &View, since: Option<Tick>) -> (Vec<EventSeen>, bool) {
    let is_new = |happening: &&Happening| since.is_none_or(|since| happening.tick.since(since) > 0);
    let mut happenings: Vec<Happening> = view.happenings.iter().flatten().filter(is_new).copied().collect();
    // A full list has lost older ones; they matter if even the oldest kept one is news.
    let mut truncated = since.is_some() && happenings.len() == HAPPENINGS_MAX;
    while happenings.len() > EVENTS_MAX {
        let trifle = |h: &Happening| matches!(h.kind, HappeningKind::Bounce | HappeningKind::Touch);
        happenings.remove(happenings.iter().position(trifle).unwrap_or(0));
        truncated = true;
    }
    (happenings.iter().map(|happening| event(setup, happening)).collect(), truncated)
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

fn legal_orders(setup: &Setup, view: &View, seat: SeatId) -> Vec<LegalOrder> {
    let mut legal = Vec::with_capacity(40);
    let mut add = |order: Order| legal.push(LegalOrder { id: order.id(), order });
    if !matches!(view.phase, Phase::Ended(_)) {
        [Order::Press, Order::Shoot, Order::Clear].into_iter().for_each(&mut add);
        let newest = view.instructions[seat.index()].and_then(|told| told.order);
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

const fn phase_word(phase: Phase) -> &'static str {
    match phase {
        Phase::KickOff(_) => "kick_off",
        Phase::Play => "play",
        Phase::Goal(_) => "goal",
        Phase::Ended(_) => "ended",
    }
}

fn whole(vector: Vec2) -> Place {
    Place { x: round(vector.x), y: round(vector.y) }
}

#[expect(clippy::cast_possible_truncation, reason = "pitch coordinates are small")]
const fn round(value: f32) -> i32 {
    (if value < 0.0 { value - 0.5 } else { value + 0.5 }) as i32
}
