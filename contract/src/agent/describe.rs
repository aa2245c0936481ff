//! What `describe` answers: always the same for a game.

use serde_json::{Value, json};

use super::{CONTRACT_VERSION, request_schema};
use crate::GameData;

/// The game's own part, the version, and the JSON Schema of every request.
#[must_use]
pub fn describe<G: GameData>() -> Value {
    let mut described = json!({ "contract_version": CONTRACT_VERSION });
    if let (Value::Object(all), Value::Object(part)) = (&mut described, G::describe()) {
        all.extend(part);
    }
    let mut schema = request_schema::<G>();
    condense(&mut schema);
    described["schema"] = schema;
    described
}

/// Leaves out what a reader of a schema need not know, so that it fits: titles and descriptions, and for every word of a
/// list of words a schema of its own.
fn condense(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            // A property may be called like a keyword; those have schemas, keywords have texts.
            object.retain(|key, value| {
                !(matches!(key.as_str(), "$schema" | "title" | "description" | "format") && value.is_string())
            });
            object.values_mut().for_each(condense);
            if let Some(words) = object.get("oneOf").and_then(words_of) {
                *schema = json!({ "enum": words });
            }
        }
        Value::Array(list) => list.iter_mut().for_each(condense),
        _ => {}
    }
}

/// The words of a list of words, if that is what these alternatives are.
fn words_of(alternatives: &Value) -> Option<Vec<Value>> {
    let word = |schema: &Value| schema.get("const").filter(|_| schema["type"] == "string").cloned();
    alternatives.as_array()?.iter().map(word).collect()
}
