//! JSON Schema of the contract, made from the types that are read and written.

use schemars::{Schema, generate::SchemaSettings, transform::Transform};
use serde_json::{Value, json};

use super::{Acted, Reply, Request};
use crate::GameData;

/// JSON Schema (draft 2020-12) of a game's requests and of its answers to `observe` and `act`.
#[must_use]
pub fn schema<G: GameData>() -> Value {
    let make = || settings::<G>().for_serialize().into_generator();
    json!({
        "request": request_schema::<G>(),
        "observe_reply": make().into_root_schema_for::<Reply<G::Observation>>(),
        "act_reply": make().into_root_schema_for::<Reply<Acted>>(),
    })
}

/// JSON Schema (draft 2020-12) of a game's requests.
#[must_use]
pub fn request_schema<G: GameData>() -> Value {
    settings::<G>().into_generator().into_root_schema_for::<Request<G::Order, G::Fact>>().into()
}

fn settings<G: GameData>() -> SchemaSettings {
    SchemaSettings::draft2020_12().with_transform(Teams(G::TEAMS)).with_transform(NoFormats)
}

/// Leaves out formats such as `uint32`: JSON Schema knows none for numbers, and validators complain. Bounds say the same.
#[derive(Clone, Debug)]
struct NoFormats;

impl Transform for NoFormats {
    fn transform(&mut self, schema: &mut Schema) {
        schema.remove("format");
        schemars::transform::transform_subschemas(self, schema);
    }
}

/// Says which words a `team` may be, and that an `order` may be named by its id.
#[derive(Clone, Debug)]
struct Teams(&'static [&'static str]);

impl Transform for Teams {
    fn transform(&mut self, schema: &mut Schema) {
        if let Some(Value::Object(properties)) = schema.get_mut("properties") {
            if let Some(team) = properties.get_mut("team").filter(|team| team["type"] == json!(["string", "null"])) {
                let words = self.0.iter().map(|word| json!(word)).chain([Value::Null]);
                team["enum"] = words.collect();
            }
            let is_action = properties.get("type").is_some_and(|kind| kind["const"] == "order");
            if let Some(order) = properties.get_mut("order").filter(|_| is_action) {
                *order = json!({ "anyOf": [order.take(), { "type": "string", "pattern": "^[a-z_]+(:[a-z0-9_]+)?$" }] });
            }
        }
        schemars::transform::transform_subschemas(self, schema);
    }
}
