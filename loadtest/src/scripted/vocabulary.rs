//! What `describe` says can be asked for.

use std::collections::BTreeMap;

use anyhow::{Context as _, bail};
use serde_json::Value;

/// The words of one server's contract.
#[derive(Clone, Debug, Default)]
pub(crate) struct Vocabulary {
    /// The game's name.
    pub(crate) game: String,
    observe: Vec<String>,
    act: Vec<String>,
    take_seat: Vec<String>,
    /// What each kind of order does, in a sentence.
    orders: BTreeMap<String, String>,
}

impl Vocabulary {
    /// Reads the result of `describe`.
    ///
    /// # Errors
    /// Something is missing without which nobody can play.
    pub(crate) fn read(described: &Value) -> anyhow::Result<Self> {
        let calls = &described["calls"];
        for call in ["observe", "act"] {
            if !calls[call].is_object() {
                bail!("describe names no call {call}");
            }
        }
        let actions = &described["actions"];
        for action in ["take_seat", "order"] {
            if !actions[action].is_object() {
                bail!("describe names no action {action}");
            }
        }
        let orders = described["orders"].as_object().context("describe lists no orders")?;
        let does = |order: &Value| order["does"].as_str().unwrap_or_default().to_owned();
        Ok(Self {
            game: described["game"].as_str().unwrap_or("a game without a name").to_owned(),
            observe: fields(&calls["observe"]),
            act: fields(&calls["act"]),
            take_seat: fields(&actions["take_seat"]),
            orders: orders.iter().map(|(kind, order)| (kind.clone(), does(order))).collect(),
        })
    }

    /// Whether `observe` has this field.
    pub(crate) fn observe_has(&self, field: &str) -> bool {
        self.observe.iter().any(|known| known == field)
    }

    /// Whether `act` has this field.
    pub(crate) fn act_has(&self, field: &str) -> bool {
        self.act.iter().any(|known| known == field)
    }

    /// Whether a side may be wished for.
    pub(crate) fn seats_have_teams(&self) -> bool {
        self.take_seat.iter().any(|known| known == "team")
    }

    /// What a kind of order does; empty when that is not told.
    pub(crate) fn does(&self, kind: &str) -> &str {
        self.orders.get(kind).map_or("", String::as_str)
    }
}

/// The fields of a call or an action.
fn fields(of: &Value) -> Vec<String> {
    let lists = ["required", "optional"].into_iter().filter_map(|list| of[list].as_array());
    lists.flatten().filter_map(|field| Some(field.as_str()?.to_owned())).collect()
}
