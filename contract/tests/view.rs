//! Views on the wire: what is written is read, no bytes do harm, and one packed view is committed.

use contract::{
    DecodeError, SeatId, Tick, WireInput as _, WireView as _,
    agent::{Obstacle, OrderId, OrderStatus, Outcome, Outcomes},
    games::kickabout::{
        Armed, Ball, GridPosition, GridVelocity, HAPPENINGS_MAX, Happening, HappeningKind, Input, Instruction, Order,
        OrderState, PLAYERS_MAX, Phase, Plan, Player, Role, Team, View, WithBall, WithoutBall, Zone,
    },
};
use proptest::prelude::*;

mod golden;

fn packed(view: &View) -> Vec<u8> {
    let mut bytes = Vec::new();
    view.pack(&mut bytes);
    bytes
}

fn seat() -> impl Strategy<Value = SeatId> {
    (0..u8::try_from(PLAYERS_MAX).expect("few")).prop_map(SeatId)
}

fn word<T: Copy + std::fmt::Debug + 'static>(words: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(words)
}

fn without_ball() -> impl Strategy<Value = WithoutBall> {
    prop_oneof![
        word(&WithoutBall::PLAIN),
        seat().prop_map(|player| WithoutBall::Mark { player }),
        word(&Zone::ALL).prop_map(|zone| WithoutBall::HoldZone { zone }),
    ]
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        word(&[Order::Press, Order::Shoot, Order::Clear, Order::Stop]),
        seat().prop_map(|player| Order::Mark { player }),
        seat().prop_map(|player| Order::PassTo { player }),
        word(&Zone::ALL).prop_map(|zone| Order::HoldZone { zone }),
        word(&Role::ALL).prop_map(|role| Order::TakeRole { role }),
        (prop::option::of(word(&WithBall::ALL)), prop::option::of(without_ball()))
            .prop_map(|(with_ball, without_ball)| Order::SetPlan { with_ball, without_ball }),
    ]
}

fn position() -> impl Strategy<Value = GridPosition> {
    any::<(i16, i16)>().prop_map(|(x, y)| GridPosition { x, y })
}

fn velocity() -> impl Strategy<Value = GridVelocity> {
    any::<(i16, i16)>().prop_map(|(x, y)| GridVelocity { x, y })
}

fn player() -> impl Strategy<Value = Player> {
    let armed = word(&[Armed::No, Armed::Kick, Armed::Pass]);
    let rest = (0..1024_u16, 0..64_u8, armed, 0..32_u8, any::<u32>(), 0..16_u8);
    (position(), velocity(), rest).prop_map(|(position, velocity, (stamina, charge, armed, window, noise, goals))| {
        Player { position, velocity, stamina, charge, armed, window, input: Input::sample(noise), goals }
    })
}

/// Ages stand for ticks; [`view`] turns them into some.
fn instruction() -> impl Strategy<Value = Instruction> {
    let state = (order_id(), order(), any::<u16>(), any::<u16>(), word(&OrderStatus::ALL));
    let plan = (word(&Role::ALL), word(&WithBall::ALL), without_ball());
    let outcomes = prop::collection::vec(outcome(), 0..10);
    (plan, prop::option::of(state), outcomes).prop_map(|((role, with_ball, without_ball), state, ends)| Instruction {
        plan: Plan { role, with_ball, without_ball },
        order: state.map(|(id, order, age, left, status)| OrderState {
            id,
            order,
            given: Tick(age.into()),
            expires: Tick(left.into()),
            status,
        }),
        outcomes: outcomes_of(ends),
    })
}

fn order_id() -> impl Strategy<Value = OrderId> {
    any::<u32>().prop_map(|tick| OrderId::new(Tick(tick), tick % 32))
}

fn outcome() -> impl Strategy<Value = Outcome> {
    let end = (word(&OrderStatus::ALL), prop::option::of(word(&Obstacle::ALL)));
    (order_id(), any::<u16>(), end).prop_map(|(order, age, (status, obstacle))| Outcome {
        order,
        tick: Tick(age.into()),
        status,
        obstacle,
    })
}

fn outcomes_of(ends: impl IntoIterator<Item = Outcome>) -> Outcomes {
    let mut outcomes = Outcomes::default();
    ends.into_iter().for_each(|end| outcomes.note(end));
    outcomes
}

fn happening() -> impl Strategy<Value = Happening> {
    let kinds = &[HappeningKind::Whistle, HappeningKind::Bounce, HappeningKind::GoalBlue, HappeningKind::FullTime];
    (0..64_u32, word(kinds), prop::option::of(seat())).prop_map(|(age, kind, seat)| Happening {
        tick: Tick(age),
        kind,
        seat,
    })
}

fn phase() -> impl Strategy<Value = Phase> {
    word(&[
        Phase::KickOff(Team::Blue),
        Phase::Play,
        Phase::Goal(Team::Red),
        Phase::Ended(None),
        Phase::Ended(Some(Team::Red)),
        Phase::Ended(Some(Team::Blue)),
    ])
}

fn view() -> impl Strategy<Value = View> {
    let head = (any::<u32>(), phase(), any::<u16>(), 0..1_u32 << 18, any::<bool>(), any::<[u8; 2]>());
    let ball = (position(), velocity(), prop::option::of(seat()), prop::option::of(seat()));
    let seats = prop::collection::vec((player(), prop::option::of(instruction())), 1..=PLAYERS_MAX);
    (head, ball, seats, prop::collection::vec(happening(), 0..=8)).prop_map(|(head, ball, seats, happenings)| {
        let (tick, phase, phase_ticks, clock_ticks, golden_goal, score) = head;
        let tick = Tick(tick);
        let ago = |age: Tick| Tick(tick.0.wrapping_sub(age.0));
        let mut view = View { tick, phase, phase_ticks, clock_ticks, golden_goal, score, ..View::default() };
        let (position, velocity, last_touch, last_kick) = ball;
        view.ball = Ball { position, velocity, last_touch, last_kick };
        view.player_count = seats.len();
        for (at, (player, told)) in seats.into_iter().enumerate() {
            view.players[at] = player;
            view.instructions[at] = told.map(|mut told| {
                if let Some(state) = &mut told.order {
                    state.given = ago(state.given);
                    let active = state.status == OrderStatus::Active;
                    state.expires = if active { tick.plus(state.expires.0) } else { state.given };
                }
                told.outcomes = outcomes_of(told.outcomes.iter().map(|end| Outcome { tick: ago(end.tick), ..*end }));
                told
            });
        }
        for (slot, happening) in view.happenings.iter_mut().zip(happenings) {
            *slot = Some(Happening { tick: ago(happening.tick), ..happening });
        }
        view
    })
}

/// A view with something of everything, for the committed bytes.
fn example() -> View {
    let mut view = View {
        tick: Tick(1000),
        phase: Phase::Play,
        phase_ticks: 700,
        clock_ticks: 9800,
        score: [2, 1],
        player_count: 4,
        ..View::default()
    };
    view.ball = Ball {
        position: GridPosition { x: -320, y: 33 },
        velocity: GridVelocity { x: 5000, y: -1 },
        last_touch: Some(SeatId(3)),
        last_kick: Some(SeatId(0)),
    };
    for (at, player) in (0_u8..).zip(&mut view.players[..4]) {
        *player = Player {
            position: GridPosition { x: i16::from(at) * 1000 - 2000, y: -77 },
            velocity: GridVelocity { x: -3, y: i16::from(at) * 700 },
            stamina: 1023 - u16::from(at),
            charge: at * 9,
            armed: if at == 1 { Armed::Kick } else { Armed::No },
            window: at,
            input: Input::sample(u32::from(at) * 0x0101_0101),
            goals: at,
        };
    }
    let order = Some(OrderState {
        id: OrderId::new(Tick(900), 1),
        order: Order::PassTo { player: SeatId(1) },
        given: Tick(900),
        expires: Tick(1380),
        status: OrderStatus::Active,
    });
    let plan = Plan { role: Role::Forward, with_ball: WithBall::Pass, without_ball: WithoutBall::Support };
    let end = |obstacle| Outcome {
        order: OrderId::new(Tick(700), 0),
        tick: Tick(880),
        status: OrderStatus::Impossible,
        obstacle,
    };
    let outcomes = outcomes_of([end(None), end(Some(Obstacle::WrongPlayer))]);
    view.instructions[0] = Some(Instruction { plan, order, outcomes });
    view.instructions[1] = Some(Instruction::default());
    view.happenings[0] = Some(Happening { tick: Tick(990), kind: HappeningKind::Kick, seat: Some(SeatId(0)) });
    view.happenings[1] = Some(Happening { tick: Tick(1000), kind: HappeningKind::Bounce, seat: None });
    view
}

#[test]
fn bytes_are_the_committed_ones() {
    let bytes = packed(&example());
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    golden::check("view.txt", format!("{text}\n").as_bytes());
    assert_eq!(View::from_bytes(&bytes), Ok(example()));
}

#[test]
fn every_prefix_and_every_extra_byte_is_an_error() {
    let bytes = packed(&example());
    for end in 0..bytes.len() {
        assert!(View::from_bytes(&bytes[..end]).is_err(), "cut at {end}");
    }
    assert_eq!(View::from_bytes(&[bytes.as_slice(), &[0]].concat()), Err(DecodeError::Trailing));
}

#[test]
fn only_new_happenings_are_sent_and_only_the_newest() {
    let mut view = example();
    for (age, slot) in (0_u32..).zip(view.happenings.iter_mut().rev()) {
        *slot = Some(Happening { tick: Tick(1000 - age * 20), kind: HappeningKind::Touch, seat: None });
    }
    let read = View::from_bytes(&packed(&view)).expect("a view");
    let ticks: Vec<_> = read.happenings.iter().flatten().map(|happening| happening.tick.0).collect();
    assert_eq!(ticks, [940, 960, 980, 1000], "older than about a second stay behind");
    view.happenings = [Some(Happening { tick: Tick(999), kind: HappeningKind::Touch, seat: None }); HAPPENINGS_MAX];
    let read = View::from_bytes(&packed(&view)).expect("a view");
    assert_eq!(read.happenings.iter().flatten().count(), 8);
}

#[test]
fn what_others_may_not_know_does_not_change_the_checksum() {
    let view = example();
    let mut blind = view.clone();
    blind.instructions = [None; PLAYERS_MAX];
    blind.happenings = [None; HAPPENINGS_MAX];
    assert_eq!(view.checksum(&mut Vec::new()), blind.checksum(&mut Vec::new()));
    blind.players[2].charge += 1;
    assert_ne!(view.checksum(&mut Vec::new()), blind.checksum(&mut Vec::new()));
}

proptest! {
    #[test]
    fn what_is_written_is_read(view in view()) {
        let bytes = packed(&view);
        prop_assert!(bytes.len() < 2048, "{} bytes", bytes.len());
        prop_assert_eq!(View::from_bytes(&bytes), Ok(view));
    }

    #[test]
    fn any_bytes_are_a_view_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        _ = View::from_bytes(&bytes);
    }

    #[test]
    fn changed_bytes_are_a_view_or_an_error(view in view(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = packed(&view);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(view) = View::from_bytes(&bytes) {
            _ = packed(&view);
        }
    }
}
