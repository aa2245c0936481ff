//! What every game's `describe` must be: short, complete, and right in every example.

use contract::{
    GameData, Tick,
    agent::{self, Reply, parse_request},
    games,
};
use serde_json::Value;

mod examples;

/// Longest answer to `describe`, in bytes: an Agent carries it along for as long as it plays.
const DESCRIBE_BYTES_MAX: usize = 12_000;

/// What is checked of each game in the list.
struct Checked(fn(&Subject));

/// One game's `describe`, and what is needed to judge it.
struct Subject {
    id: &'static str,
    described: Value,
    examples: Vec<Value>,
    /// Of requests, as programs get it.
    schema: Value,
    /// Of orders and of facts, from which it is known which kinds there are.
    kinds: [Value; 2],
    parses: fn(&Value) -> Result<(), String>,
}

impl games::Visitor for Checked {
    type Output = ();

    fn visit<G: GameData>(self) {
        (self.0)(&Subject {
            id: G::ID,
            described: agent::describe::<G>(),
            examples: examples::examples::<G>(),
            schema: agent::schema::<G>()["request"].take(),
            kinds: [schemars::schema_for!(G::Order).to_value(), schemars::schema_for!(G::Fact).to_value()],
            parses: |request| {
                let parsed = parse_request::<G>(request.to_string().as_bytes());
                parsed.map(drop).map_err(|fault| format!("{fault:?}"))
            },
        });
    }
}

fn for_every_game(check: fn(&Subject)) {
    for id in games::IDS {
        games::visit(id, Checked(check)).expect("a game in the list can be visited");
    }
}

/// Words of a part of `describe`, sorted.
fn keys(part: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = part.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// The words for the kinds that a schema tells apart by `type`, sorted.
fn kinds(schema: &Value) -> Vec<&str> {
    let alternatives = schema["oneOf"].as_array().expect("one kind or another");
    let mut kinds: Vec<_> =
        alternatives.iter().filter_map(|kind| kind["properties"]["type"]["const"].as_str()).collect();
    kinds.sort_unstable();
    kinds
}

#[test]
fn it_fits() {
    for_every_game(|game| {
        let answer = Reply::done(Some(Tick(u32::MAX)), &game.described);
        let bytes = serde_json::to_vec(&answer).expect("plain data").len();
        println!("{}: {bytes} bytes", game.id);
        assert!(bytes <= DESCRIBE_BYTES_MAX, "{}: {bytes} bytes", game.id);
    });
}

#[test]
fn it_says_which_game_and_which_contract() {
    for_every_game(|game| {
        assert_eq!(game.described["game"], game.id);
        assert_eq!(game.described["contract_version"], agent::CONTRACT_VERSION, "{}", game.id);
    });
}

#[test]
fn it_shows_an_example_of_everything() {
    for_every_game(|game| {
        let Subject { id, described, kinds: [orders, facts], .. } = game;
        assert_eq!(keys(&described["orders"]), kinds(orders), "{id}");
        assert_eq!(keys(&described["preconditions"]), kinds(facts), "{id}");
        for part in ["actions", "orders", "preconditions"] {
            for (word, entry) in described[part].as_object().expect("an object") {
                assert_eq!(entry["example"]["type"], *word, "{id}: {part}");
            }
        }
    });
}

#[test]
fn every_example_is_read_and_valid() {
    for_every_game(|game| {
        let validator = |schema: &Value| jsonschema::validator_for(schema).expect("the schema is one");
        let (whole, described) = (validator(&game.schema), validator(&game.described["schema"]));
        assert!(game.examples.len() >= 10, "{}: {} examples", game.id, game.examples.len());
        for example in &game.examples {
            assert_eq!((game.parses)(example), Ok(()), "{}: {example}", game.id);
            assert!(whole.is_valid(example), "{}: {example}", game.id);
            assert!(described.is_valid(example), "{}: {example}", game.id);
        }
    });
}
