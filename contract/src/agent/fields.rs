//! Reading a JSON object field by field, with errors a caller can act on.

use std::ops::RangeInclusive;

use serde_json::{Map, Value};

use super::{Fault, FaultCode, OrderId};
use crate::SeatId;

/// A JSON object being read. [`Fields::finish`] refuses what nobody asked for.
#[derive(Debug)]
pub struct Fields<'a> {
    object: &'a Map<String, Value>,
    path: String,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Reads the object at `path` (empty for the whole request).
    ///
    /// # Errors
    /// When the value is not an object.
    pub fn new(value: &'a Value, path: &str) -> Result<Self, Fault> {
        let Value::Object(object) = value else {
            let fault = Fault::new(FaultCode::BadValue, "expected an object");
            return Err(if path.is_empty() { fault } else { fault.at(path) });
        };
        Ok(Self { object, path: path.to_owned(), asked: Vec::new() })
    }

    /// The path of one of this object's fields.
    #[must_use]
    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    /// A fault at one of this object's fields.
    #[must_use]
    pub fn fault(&self, name: &str, message: &str) -> Fault {
        Fault::new(FaultCode::BadValue, message).at(self.path_of(name))
    }

    /// A field's value; `null` counts as absent.
    pub fn optional(&mut self, name: &'static str) -> Option<&'a Value> {
        self.asked.push(name);
        self.object.get(name).filter(|value| !value.is_null())
    }

    /// A field's value.
    ///
    /// # Errors
    /// When the field is absent; `expected` says what belongs there.
    pub fn required(&mut self, name: &'static str, expected: &str) -> Result<&'a Value, Fault> {
        self.optional(name)
            .ok_or_else(|| Fault::new(FaultCode::MissingField, format!("required: {expected}")).at(self.path_of(name)))
    }

    /// One word of a list, as its index.
    ///
    /// # Errors
    /// When the field is absent or is none of the words.
    pub fn word(&mut self, name: &'static str, words: &[&str]) -> Result<usize, Fault> {
        match self.required(name, "one of the legal values") {
            Ok(value) => self.index_of(name, value, words),
            Err(fault) => Err(fault.legal(words.iter().copied())),
        }
    }

    /// One word of a list, as its index, if the field is there.
    ///
    /// # Errors
    /// When the field is none of the words.
    pub fn optional_word(&mut self, name: &'static str, words: &[&str]) -> Result<Option<usize>, Fault> {
        self.optional(name).map(|value| self.index_of(name, value, words)).transpose()
    }

    /// A list of words, as their indices.
    ///
    /// # Errors
    /// When the field is absent, no list, or has something else in it than the words.
    pub fn words(&mut self, name: &'static str, words: &[&str]) -> Result<Vec<usize>, Fault> {
        let value = match self.required(name, "a list of the legal values") {
            Ok(value) => value.as_array(),
            Err(fault) => return Err(fault.legal(words.iter().copied())),
        };
        let list =
            value.ok_or_else(|| self.fault(name, "not a list of the legal values").legal(words.iter().copied()))?;
        list.iter().map(|word| self.index_of(name, word, words)).collect()
    }

    fn index_of(&self, name: &str, value: &Value, words: &[&str]) -> Result<usize, Fault> {
        value
            .as_str()
            .and_then(|text| words.iter().position(|word| *word == text))
            .ok_or_else(|| self.fault(name, "not one of the legal values").legal(words.iter().copied()))
    }

    /// A player's id.
    ///
    /// # Errors
    /// When the field is absent or not of the form `p3`.
    pub fn player(&mut self, name: &'static str) -> Result<SeatId, Fault> {
        let value = self.required(name, "a player id such as p3")?;
        value.as_str().and_then(SeatId::parse).ok_or_else(|| self.fault(name, "not a player id such as p3"))
    }

    /// An order's id.
    ///
    /// # Errors
    /// When the field is absent or not of the form `o12`.
    pub fn order_id(&mut self, name: &'static str) -> Result<OrderId, Fault> {
        let value = self.required(name, "an order id such as o12")?;
        value.as_str().and_then(OrderId::parse).ok_or_else(|| self.fault(name, "not an order id such as o12"))
    }

    /// True or false, if the field is there.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn optional_flag(&mut self, name: &'static str) -> Result<Option<bool>, Fault> {
        let value = self.optional(name);
        value.map(|value| value.as_bool().ok_or_else(|| self.fault(name, "not true or false"))).transpose()
    }

    /// A whole number within a range, if the field is there.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn optional_within(&mut self, name: &'static str, legal: RangeInclusive<u32>) -> Result<Option<u32>, Fault> {
        let number = self.optional_u32(name)?;
        if number.is_none_or(|number| legal.contains(&number)) {
            return Ok(number);
        }
        Err(self.fault(name, &format!("not a whole number from {} to {}", legal.start(), legal.end())))
    }

    /// A list of at most `count_max` objects, each read by `read`; empty if the field is not there.
    ///
    /// # Errors
    /// When it is not a list or too long, and what `read` finds.
    pub fn list<T>(
        &mut self,
        name: &'static str,
        count_max: usize,
        read: impl Fn(&mut Fields<'a>) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let Some(value) = self.optional(name) else { return Ok(Vec::new()) };
        let list = value.as_array().filter(|list| list.len() <= count_max);
        let list = list.ok_or_else(|| self.fault(name, &format!("not a list of at most {count_max}")))?;
        let path = self.path_of(name);
        let read = |(at, item)| read(&mut Fields::new(item, &format!("{path}.{at}"))?);
        list.iter().enumerate().map(read).collect()
    }

    /// A whole number from 0 to 2^32 - 1, if the field is there.
    ///
    /// # Errors
    /// When it is anything else.
    pub fn optional_u32(&mut self, name: &'static str) -> Result<Option<u32>, Fault> {
        self.optional(name)
            .map(|value| {
                let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
                number.ok_or_else(|| self.fault(name, "not a whole number from 0 to 4294967295"))
            })
            .transpose()
    }

    /// A text.
    ///
    /// # Errors
    /// When the field is absent or not a text.
    pub fn text(&mut self, name: &'static str) -> Result<&'a str, Fault> {
        let value = self.required(name, "a text")?;
        value.as_str().ok_or_else(|| self.fault(name, "not a text"))
    }

    /// A text, if the field is there.
    ///
    /// # Errors
    /// When it is not a text.
    pub fn optional_text(&mut self, name: &'static str) -> Result<Option<&'a str>, Fault> {
        self.optional(name).map(|value| value.as_str().ok_or_else(|| self.fault(name, "not a text"))).transpose()
    }

    /// An object, read by `read`.
    ///
    /// # Errors
    /// When the field is absent or not an object, and what `read` finds.
    pub fn object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'a>) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let value = self.required(name, "an object")?;
        read(&mut Fields::new(value, &self.path_of(name))?)
    }

    /// An object, read by `read`, if the field is there.
    ///
    /// # Errors
    /// When it is not an object, and what `read` finds.
    pub fn optional_object<T>(
        &mut self,
        name: &'static str,
        read: impl FnOnce(&mut Fields<'a>) -> Result<T, Fault>,
    ) -> Result<Option<T>, Fault> {
        let path = self.path_of(name);
        self.optional(name).map(|value| read(&mut Fields::new(value, &path)?)).transpose()
    }

    /// Checks that every field was asked for.
    ///
    /// # Errors
    /// When one was not.
    pub fn finish(&self) -> Result<(), Fault> {
        if self.object.keys().all(|key| self.asked.contains(&key.as_str())) {
            return Ok(());
        }
        let fault = Fault::new(FaultCode::UnknownField, "a field has no place here").legal(self.asked.iter().copied());
        Err(if self.path.is_empty() { fault } else { fault.at(self.path.as_str()) })
    }
}
