//! JSON as JavaScript holds it, because the platform measures what JavaScript's `JSON.stringify` writes.
//!
//! That is a text without spaces, non-ASCII characters as they are, numbers in the shortest form that reads back as the same
//! double, a repeated key once (where it was first, with its last value), and keys that look like array indices first, in
//! ascending order. Two texts that JavaScript reads are refused here: nesting deeper than 127, and `\ud800`-like escapes of
//! half a character.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use crate::limits::ENVELOPE_BYTES_MAX;

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// Every number is a double.
    Number(f64),
    /// A string.
    Text(String),
    /// An array.
    Array(Vec<Json>),
    /// An object, in JavaScript's order of keys.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads a text.
    ///
    /// # Errors
    /// It is not JSON, or one of the two kinds named above.
    pub fn parse(text: impl AsRef<[u8]>) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(text.as_ref())
    }

    /// An object with these fields, in this order; the keys must differ and not look like indices.
    #[must_use]
    pub fn object<const N: usize>(fields: [(&str, Self); N]) -> Self {
        Self::Object(fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// The object with one more field at its end; the key must be new and not look like an index.
    #[must_use]
    pub fn with(mut self, key: &str, value: Self) -> Self {
        if let Self::Object(fields) = &mut self {
            fields.push((key.to_owned(), value));
        }
        self
    }

    /// The field of an object.
    #[must_use]
    pub fn field(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(fields) => fields.iter().find(|(name, _)| name == key).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The field of an object, if it is a string.
    #[must_use]
    pub fn text_field(&self, key: &str) -> Option<&str> {
        match self.field(key) {
            Some(Self::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// What `JSON.stringify` writes.
    #[must_use]
    pub fn stringify(&self) -> String {
        let mut text = String::new();
        self.write(&mut text);
        text
    }

    /// Whether this may be a payload: an object without the key `sourceParticipantId`, and not too long.
    #[must_use]
    pub fn is_payload(&self) -> bool {
        matches!(self, Self::Object(_))
            && self.field("sourceParticipantId").is_none()
            && self.stringify().len() <= ENVELOPE_BYTES_MAX
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(value) => write_number(*value, out),
            Self::Text(text) => write_text(text, out),
            Self::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (index, (key, value)) in fields.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write_text(key, out);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

/// ECMA-262, `Number::toString`: the shortest digits, plain between 1e-6 and 1e21.
fn write_number(value: f64, out: &mut String) {
    if value == 0.0 {
        return out.push('0');
    }
    if !value.is_finite() {
        return out.push_str("null");
    }
    let scientific = format!("{:e}", value.abs());
    let (mantissa, exponent) = scientific.split_once('e').expect("{:e} writes an exponent");
    let digits: String = mantissa.chars().filter(|digit| *digit != '.').collect();
    // Where the decimal point stands, counted from before the first digit.
    let point: i32 = exponent.parse::<i32>().expect("{:e} writes an integer exponent") + 1;
    let length = i32::try_from(digits.len()).expect("a double has at most 17 digits");
    if value < 0.0 {
        out.push('-');
    }
    let zeros = |count: i32| "0".repeat(usize::try_from(count).expect("the branches below ask for none or more"));
    if length <= point && point <= 21 {
        out.push_str(&digits);
        out.push_str(&zeros(point - length));
    } else if 0 < point && point <= 21 {
        let (whole, fraction) = digits.split_at(usize::try_from(point).expect("it is positive"));
        let _ = write!(out, "{whole}.{fraction}");
    } else if -6 < point && point <= 0 {
        let _ = write!(out, "0.{}{digits}", zeros(-point));
    } else {
        let (first, rest) = digits.split_at(1);
        let dot = if rest.is_empty() { "" } else { "." };
        let sign = if point > 0 { '+' } else { '-' };
        let _ = write!(out, "{first}{dot}{rest}e{sign}{}", (point - 1).abs());
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// The number of a key that JavaScript orders as an array index: `0` to `4294967294`, written plainly.
fn array_index(key: &str) -> Option<u32> {
    let index = key.parse::<u32>().ok().filter(|index| *index < u32::MAX)?;
    (index.to_string() == key).then_some(index)
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    #[expect(clippy::cast_precision_loss, reason = "JavaScript rounds to a double too")]
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    #[expect(clippy::cast_precision_loss, reason = "JavaScript rounds to a double too")]
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut fields: Vec<(String, Json)> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        while let Some((key, value)) = access.next_entry::<String, Json>()? {
            match places.get(&key) {
                Some(place) => fields[*place].1 = value,
                None => {
                    places.insert(key.clone(), fields.len());
                    fields.push((key, value));
                }
            }
        }
        // Stable, so that all other keys stay as they were written.
        fields.sort_by_key(|(key, _)| array_index(key).map_or(u64::MAX, u64::from));
        Ok(Json::Object(fields))
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<u64> for Json {
    #[expect(clippy::cast_precision_loss, reason = "what is counted here stays far below 2^53")]
    fn from(value: u64) -> Self {
        Self::Number(value as f64)
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<I: IntoIterator<Item = Self>>(items: I) -> Self {
        Self::Array(items.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each text and what `JSON.stringify(JSON.parse(text))` gives for it in V8.
    const B20_CASES: &[(&str, &str)] = &[
        ("1.0", "1"),
        ("-0", "0"),
        ("1e3", "1000"),
        ("1E21", "1e+21"),
        ("123456789012345678901", "123456789012345680000"),
        ("12345678901234567890", "12345678901234567000"),
        ("9007199254740993", "9007199254740992"),
        ("0.000001", "0.000001"),
        ("0.0000001", "1e-7"),
        ("-1.5e-9", "-1.5e-9"),
        ("0.1", "0.1"),
        ("5e-324", "5e-324"),
        ("1.7976931348623157e308", "1.7976931348623157e+308"),
        ("100.25", "100.25"),
        (r#""\u00e9\ud83d\ude00\u2028""#, "\"é😀\u{2028}\""),
        (r#""\u0001\b\f\n\r\t\"\\\/\u007f""#, "\"\\u0001\\b\\f\\n\\r\\t\\\"\\\\/\u{7f}\""),
        (r#"{"b":1,"2":2,"a":3,"1":4}"#, r#"{"1":4,"2":2,"b":1,"a":3}"#),
        (r#"{"10":1,"9":2,"01":3,"-1":4,"4294967295":5}"#, r#"{"9":2,"10":1,"01":3,"-1":4,"4294967295":5}"#),
        (r#"{"a":1,"b":2,"a":3}"#, r#"{"a":3,"b":2}"#),
        (r#" [ null , true , false , { } ] "#, "[null,true,false,{}]"),
    ];

    #[test]
    fn b20_text_is_written_as_javascript_writes_it() {
        for (text, written) in B20_CASES {
            let value = Json::parse(text).expect("it is JSON");
            assert_eq!(value.stringify(), *written, "{text}");
        }
    }

    #[test]
    fn b20_a_payload_may_be_exactly_as_long_as_the_limit() {
        let frame = r#"{"é":""}"#.len();
        let at_limit = format!(r#"{{ "\u00e9" : "{}" }}"#, "x".repeat(ENVELOPE_BYTES_MAX - frame));
        assert!(Json::parse(&at_limit).expect("it is JSON").is_payload());
        let over = at_limit.replacen('x', "xx", 1);
        assert!(!Json::parse(&over).expect("it is JSON").is_payload());
    }

    #[test]
    fn a_payload_is_an_object_that_names_no_sender() {
        for (text, is_payload) in [
            ("{}", true),
            (r#"{"a":{"sourceParticipantId":1}}"#, true),
            ("[]", false),
            ("null", false),
            ("1", false),
            (r#"{"sourceParticipantId":null}"#, false),
        ] {
            assert_eq!(Json::parse(text).expect("it is JSON").is_payload(), is_payload, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_not_an_overflow() {
        assert!(Json::parse("[".repeat(100_000)).is_err());
        assert!(Json::parse(r#""\ud800""#).is_err());
    }
}
