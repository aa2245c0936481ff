//! Which of the legal orders an Agent gives: the kind by weight, then one of that kind, by a seeded draw.

use std::{collections::BTreeMap, str::FromStr};

use anyhow::{Context as _, bail};
use rand_pcg::{Pcg32, rand_core::Rng as _};
use serde_json::Value;

/// How much an Agent likes each kind of order. Kinds that are not named have weight 1.
#[derive(Clone, Debug, Default)]
pub(crate) struct Weights(BTreeMap<String, u32>);

impl FromStr for Weights {
    type Err = anyhow::Error;

    /// Reads `KIND=WEIGHT,KIND=WEIGHT`; 0 means never.
    fn from_str(text: &str) -> anyhow::Result<Self> {
        let pairs = text.split(',').filter(|pair| !pair.is_empty());
        let weight = |pair: &str| {
            let (kind, weight) = pair.split_once('=').with_context(|| format!("{pair:?} is not KIND=WEIGHT"))?;
            let weight = weight.parse().with_context(|| format!("{weight:?} is no whole number"))?;
            if weight > Self::WEIGHT_MAX {
                bail!("the weight of {kind} is {weight}; at most {} is legal", Self::WEIGHT_MAX);
            }
            Ok((kind.to_owned(), weight))
        };
        Ok(Self(pairs.map(weight).collect::<anyhow::Result<_>>()?))
    }
}

/// An order that was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// Its canonical id.
    pub(crate) id: String,
    /// Its kind.
    pub(crate) kind: String,
}

impl Weights {
    const WEIGHT_MAX: u32 = 1000;

    /// Draws one of the legal orders as `observe` lists them; `None` when there is none that is liked at all.
    pub(crate) fn choose(&self, legal: &[Value], random: &mut Pcg32) -> Option<Choice> {
        let mut kinds: Vec<(&str, Vec<&str>)> = Vec::new();
        for order in legal {
            let Some(id) = order["id"].as_str() else { continue };
            let kind = kind_of(order, id);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, ids)) => ids.push(id),
                None => kinds.push((kind, vec![id])),
            }
        }
        let weight = |kind: &str| self.0.get(kind).copied().unwrap_or(1);
        let total: u32 = kinds.iter().map(|(kind, _)| weight(kind)).sum();
        let mut draw = random.next_u32().checked_rem(total)?;
        let (kind, ids) = kinds.into_iter().find(|(kind, _)| {
            let is_here = draw < weight(kind);
            draw = draw.saturating_sub(weight(kind));
            is_here
        })?;
        let id = ids[random.next_u32() as usize % ids.len()];
        Some(Choice { id: id.to_owned(), kind: kind.to_owned() })
    }
}

fn kind_of<'a>(order: &'a Value, id: &'a str) -> &'a str {
    order["order"]["type"].as_str().unwrap_or_else(|| id.split(':').next().unwrap_or(id))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn draws(weights: &str, legal: &Value) -> BTreeMap<String, u32> {
        let weights: Weights = weights.parse().expect("legal weights");
        let mut random = Pcg32::new(1, 1);
        let mut counts = BTreeMap::new();
        for _ in 0..1000 {
            let choice = weights.choose(legal.as_array().expect("a list"), &mut random);
            *counts.entry(choice.map_or_else(String::new, |choice| choice.id)).or_default() += 1;
        }
        counts
    }

    #[test]
    fn kinds_are_drawn_by_weight_whatever_the_number_of_their_orders() {
        let mut legal: Vec<_> =
            (0..9).map(|at| json!({ "id": format!("hold:{at}"), "order": { "type": "hold" } })).collect();
        legal.extend([json!({ "id": "press" }), json!({ "id": "stop" })]);
        let counts = draws("press=3,stop=0", &json!(legal));
        assert_eq!(counts.get("stop"), None);
        assert!((700..800).contains(&counts["press"]), "{counts:?}");
        assert_eq!(counts.len(), 10);
    }

    #[test]
    fn nothing_is_drawn_from_nothing() {
        assert_eq!(draws("", &json!([]))[""], 1000);
        assert_eq!(draws("press=0", &json!([{ "id": "press" }]))[""], 1000);
    }

    #[test]
    fn weights_are_checked() {
        for bad in ["press", "press=x", "press=-1", "press=1001", "=,x"] {
            assert!(bad.parse::<Weights>().is_err(), "{bad}");
        }
    }
}
