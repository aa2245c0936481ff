//! Skirmish as data: views keep their bits, no bytes do harm, and schema and parser say the same thing.

use contract::{
    DecodeError, GameData as _, SeatId, Tick, WireInput as _, WireView as _,
    agent::{self, Action, Obstacle, OrderId, OrderStatus, Outcome, Outcomes, Request, parse_request},
    games::skirmish::{
        Aim, CRAFT_MAX, Craft, Fact, HAPPENINGS_MAX, Happening, HappeningKind, Input, Instruction, Order, OrderState,
        Plan, Route, SHOTS_MAX, SHOTS_OF_A_GUN, Setup, Shot, Skirmish, Spot, Stance, View, Zone,
    },
    limits::SERVER_MESSAGE_BYTES_MAX,
};
use proptest::prelude::*;
use serde_json::{Value, json};

mod golden;

fn packed(view: &View) -> Vec<u8> {
    let mut bytes = Vec::new();
    view.pack(&mut bytes);
    bytes
}

fn seat() -> impl Strategy<Value = SeatId> {
    (0..64_u8).prop_map(SeatId)
}

fn word<T: Copy + std::fmt::Debug + 'static>(words: &'static [T]) -> impl Strategy<Value = T> {
    prop::sample::select(words)
}

fn order() -> impl Strategy<Value = Order> {
    prop_oneof![
        word(&[Order::Evade, Order::Stop]),
        seat().prop_map(|player| Order::Attack { player }),
        word(&Zone::ALL).prop_map(|zone| Order::Hold { zone }),
        word(&Stance::ALL).prop_map(|stance| Order::SetPlan { stance }),
        prop::collection::vec(word(&Zone::ALL), Route::ZONES_MIN..=Route::ZONES_MAX)
            .prop_map(|zones| Order::Patrol { zones: Route::new(&zones).expect("2 to 4") }),
    ]
}

fn spot() -> impl Strategy<Value = Spot> {
    (0..=Spot::SIDE, 0..=Spot::SIDE).prop_map(|(x, y)| Spot { x, y })
}

fn craft() -> impl Strategy<Value = Craft> {
    (spot(), any::<u32>(), 1..=100_u8, 0..16_u8, any::<u16>()).prop_map(|(at, noise, hp, cooldown, score)| Craft {
        at,
        input: Input::sample(noise),
        hp,
        cooldown,
        score,
    })
}

/// Ages stand for ticks; [`view`] turns them into some.
fn instruction() -> impl Strategy<Value = Instruction> {
    let state = (any::<[u32; 2]>(), order(), any::<u16>(), any::<u16>(), word(&OrderStatus::ALL));
    let outcome = (any::<[u32; 2]>(), any::<u16>(), word(&OrderStatus::ALL), prop::option::of(word(&Obstacle::ALL)));
    let outcomes = prop::collection::vec(outcome, 0..=2);
    (word(&Stance::ALL), prop::option::of(state), outcomes).prop_map(|(stance, state, ends)| {
        let id = |[tick, nth]: [u32; 2]| OrderId::new(Tick(tick), nth % 32);
        let order = state.map(|(name, order, age, left, status)| OrderState {
            id: id(name),
            order,
            given: Tick(age.into()),
            expires: Tick(left.into()),
            status,
        });
        let mut outcomes = Outcomes::default();
        for (name, age, status, obstacle) in ends {
            outcomes.note(Outcome { order: id(name), tick: Tick(age.into()), status, obstacle });
        }
        Instruction { plan: Plan { stance }, order, outcomes }
    })
}

fn happening() -> impl Strategy<Value = Happening> {
    (0..64_u32, word(&[HappeningKind::Hit, HappeningKind::Down]), seat(), seat())
        .prop_map(|(age, kind, by, to)| Happening { tick: Tick(age), kind, by, to })
}

fn view() -> impl Strategy<Value = View> {
    let seats = prop::collection::vec((craft(), instruction()), 1..=CRAFT_MAX);
    let shots = prop::collection::vec((seat(), 0..64_u8, any::<u16>(), spot()), 0..=SHOTS_MAX);
    let rest = (any::<[u32; 2]>(), prop::collection::vec(happening(), 0..=8));
    (seats, shots, rest).prop_map(|(seats, mut shots, ([tick, chance], happenings))| {
        let tick = Tick(tick);
        let ago = |age: Tick| Tick(tick.0.wrapping_sub(age.0));
        let mut view = View { tick, chance, ..View::default() };
        shots.truncate(SHOTS_OF_A_GUN * seats.len());
        for (owner, age, aim, from) in shots {
            let owner = SeatId(owner.0 % u8::try_from(seats.len()).expect("few"));
            view.shots.push(Shot { owner, age, aim: Aim::point(aim), from });
        }
        for (craft, mut told) in seats {
            if let Some(state) = &mut told.order {
                state.given = ago(state.given);
                let active = state.status == OrderStatus::Active;
                state.expires = if active { tick.plus(state.expires.0) } else { state.given };
            }
            let mut outcomes = Outcomes::default();
            told.outcomes.iter().for_each(|end| outcomes.note(Outcome { tick: ago(end.tick), ..*end }));
            view.craft.push(craft);
            view.instructions.push(Instruction { outcomes, ..told });
        }
        for (slot, happening) in view.happenings.iter_mut().zip(happenings) {
            *slot = Some(Happening { tick: ago(happening.tick), ..happening });
        }
        view
    })
}

/// A view with something of everything, for the committed bytes.
fn example() -> View {
    let craft = |at: u16| Craft {
        at: Spot { x: at * 1000, y: Spot::SIDE - at },
        input: Input { vx: -200, vy: 7, aim: Aim::point(at * 341), fire: at == 1 },
        hp: 100 - u8::try_from(at).expect("small") * 10,
        cooldown: 15,
        score: at,
    };
    let zones = Route::new(&[Zone::North, Zone::SouthEast, Zone::Centre]).expect("3 zones");
    let mut told = Instruction {
        plan: Plan { stance: Stance::Snipe },
        order: Some(OrderState {
            id: OrderId::new(Tick(900), 1),
            order: Order::Patrol { zones },
            given: Tick(900),
            expires: Tick(2700),
            status: OrderStatus::Active,
        }),
        outcomes: Outcomes::default(),
    };
    told.outcomes.note(Outcome {
        order: OrderId::new(Tick(800), 0),
        tick: Tick(900),
        status: OrderStatus::Superseded,
        obstacle: None,
    });
    let mut view = View {
        tick: Tick(1000),
        chance: 0x1234_5678,
        craft: [0, 1, 2].map(craft).into(),
        shots: vec![
            Shot { owner: SeatId(2), age: 45, aim: Aim::point(1023), from: Spot { x: 5, y: 59_999 } },
            Shot { owner: SeatId(0), age: 1, aim: Aim::point(0), from: Spot { x: 0, y: 0 } },
        ],
        instructions: vec![Instruction::default(), told, Instruction::default()],
        ..View::default()
    };
    view.happenings[0] = Some(Happening { tick: Tick(990), kind: HappeningKind::Down, by: SeatId(2), to: SeatId(0) });
    view
}

#[test]
fn bytes_are_the_committed_ones() {
    let bytes = packed(&example());
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    golden::check("view-skirmish.txt", format!("{text}\n").as_bytes());
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
fn what_no_world_can_have_is_an_error() {
    let refused = |field, change: fn(&mut View)| {
        let mut view = example();
        change(&mut view);
        assert_eq!(View::from_bytes(&packed(&view)), Err(DecodeError::OutOfRange(field)));
    };
    refused("hp", |view| view.craft[1].hp = 0);
    refused("hp", |view| view.craft[1].hp = 101);
    refused("place", |view| view.craft[2].at.x = Spot::SIDE + 1);
    refused("shots", |view| view.shots = vec![view.shots[1]; 10]);
    refused("owner", |view| view.shots[1].owner = SeatId(3));
}

#[test]
fn what_was_said_and_what_is_for_show_does_not_change_the_checksum() {
    let view = example();
    let mut other = view.clone();
    other.instructions.fill(Instruction::default());
    other.happenings = [None; HAPPENINGS_MAX];
    assert_eq!(view.checksum(&mut Vec::new()), other.checksum(&mut Vec::new()));
    let changes: [fn(&mut View); 3] =
        [|view| view.chance += 1, |view| view.shots[0].age -= 1, |view| view.craft[0].cooldown -= 1];
    for change in changes {
        let mut other = view.clone();
        change(&mut other);
        assert_ne!(view.checksum(&mut Vec::new()), other.checksum(&mut Vec::new()));
    }
}

#[test]
fn a_setup_has_room_for_everybody_and_no_more() {
    for seats in [2, 8, 64] {
        assert_eq!(Skirmish::check_setup(&Setup { seats }), Ok(()));
    }
    for seats in [0, 1, 65, 255] {
        let error = Skirmish::check_setup(&Setup { seats }).expect_err("no legal size");
        assert!(error.contains("seats is") && error.contains("2 to 64"), "{error}");
    }
}

fn parse(value: &Value) -> Result<Request<Order, Fact>, agent::Fault> {
    parse_request::<Skirmish>(value.to_string().as_bytes())
}

fn act(action: &Value) -> Value {
    json!({ "type": "act", "token": "t", "action": action })
}

fn give(order: &Value) -> Value {
    act(&json!({ "type": "order", "order": order }))
}

#[test]
fn faults_say_where_and_what_would_be_legal() {
    let cases = [
        (json!({ "type": "hold", "zone": "moon" }), "action.order.zone", "centre"),
        (json!({ "type": "patrol" }), "action.order.zones", "nw"),
        (json!({ "type": "patrol", "zones": "n" }), "action.order.zones", "nw"),
        (json!({ "type": "patrol", "zones": ["n", 3] }), "action.order.zones", "nw"),
        (json!({ "type": "patrol", "zones": ["n"] }), "action.order.zones", ""),
        (json!({ "type": "patrol", "zones": ["n", "s", "n", "s", "n"] }), "action.order.zones", ""),
        (json!({ "type": "set_plan" }), "action.order.stance", "hunt"),
        (json!({ "type": "attack", "player": "p07" }), "action.order.player", ""),
        (json!({ "type": "evade", "fast": true }), "action.order", "type"),
    ];
    for (order, field, legal) in cases {
        let fault = parse(&give(&order)).expect_err(&order.to_string());
        assert_eq!(fault.field.as_deref(), Some(field), "{order}");
        assert!(legal.is_empty() || fault.legal.iter().any(|word| word == legal), "{order}: {fault:?}");
    }
}

#[test]
fn facts_have_their_ranges() {
    for fact in [
        json!({ "type": "hp_at_most", "player": "p1", "hp": 101 }),
        json!({ "type": "near", "player": "p1" }),
        json!({ "type": "near", "player": "p1", "distance": 3001 }),
        json!({ "type": "player_in_zone", "player": "p1", "zone": "moon" }),
    ] {
        let request =
            json!({ "type": "act", "token": "t", "action": { "type": "leave_seat" }, "preconditions": [fact] });
        let fault = parse(&request).expect_err("no such fact");
        assert!(fault.field.is_some_and(|field| field.starts_with("preconditions.0.")), "{request}");
    }
}

#[test]
fn the_schema_is_the_committed_one() {
    let schema = serde_json::to_string_pretty(&agent::schema::<Skirmish>()).expect("plain data") + "\n";
    golden::check("schema/skirmish.json", schema.as_bytes());
}

proptest! {
    #[test]
    fn what_is_written_is_read(view in view()) {
        let bytes = packed(&view);
        prop_assert!(bytes.len() < SERVER_MESSAGE_BYTES_MAX / 4, "{} bytes", bytes.len());
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

    #[test]
    fn an_order_is_named_by_its_id_and_by_nothing_else(order in order(), more in "[a-z0-9_:]{0,8}") {
        thread_local!(static VALIDATOR: jsonschema::Validator =
            jsonschema::validator_for(&agent::schema::<Skirmish>()["request"]).expect("the schema is one"));
        let read = |order: Value| match parse(&give(&order)) {
            Ok(Request::Act { action: Action::Order { order, .. }, .. }) => Some(order),
            _ => None,
        };
        prop_assert_eq!(read(json!(order.id())), Some(order));
        prop_assert_eq!(read(serde_json::to_value(order).expect("plain data")), Some(order));
        prop_assert!(VALIDATOR.with(|validator| validator.is_valid(&give(&json!(order.id())))));
        let longer = format!("{}{more}", order.id());
        if let Some(other) = read(json!(longer)) {
            prop_assert_eq!(other.id(), longer);
        }
    }
}
