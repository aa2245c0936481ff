//! Every example that a game's `describe` shows, as whole requests.

use contract::{GameData, agent};
use serde_json::{Map, Value, json};

/// Wraps each example in the rest of a request. Beside the lists that every game has, a part of a standing plan may have
/// an example of its own, under the name that `set_plan` knows it by.
pub(crate) fn examples<G: GameData>() -> Vec<Value> {
    let described = agent::describe::<G>();
    let act = |action: Value| json!({ "type": "act", "token": "t", "action": action });
    let order = |order: Value| act(json!({ "type": "order", "order": order }));
    let leave = json!({ "type": "leave_seat" });
    let fact = |fact: Value| json!({ "type": "act", "token": "t", "based_on_tick": 7, "preconditions": [fact], "action": leave });
    let plan_part = |(name, part): (&String, &Value)| {
        let example = part.get("example")?.clone();
        Some(order(Value::Object(Map::from_iter([("type".to_owned(), json!("set_plan")), (name.clone(), example)]))))
    };
    let mut requests = listed(&described, "calls");
    requests.extend(listed(&described, "actions").into_iter().map(act));
    requests.extend(listed(&described, "orders").into_iter().map(order));
    requests.extend(listed(&described, "preconditions").into_iter().map(fact));
    requests.extend(described.as_object().expect("an object").iter().filter_map(plan_part));
    requests
}

fn listed(described: &Value, part: &str) -> Vec<Value> {
    let entries = described[part].as_object().expect("an object").values();
    entries.filter_map(|entry| entry.get("example")).cloned().collect()
}
