//! Identifiers, each with the form the platform demands.

use std::fmt;
use std::sync::Arc;

/// Declares a text newtype that only [`parse`](InstanceId::parse) makes.
macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $is_valid:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The identifier, if `text` has its form.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let is_valid: fn(&str) -> bool = $is_valid;
                is_valid(text).then(|| Self(text.into()))
            }

            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

id!(
    /// An App of the catalog: `^[a-z0-9][a-z0-9-]{0,31}$`.
    AppId,
    |text| has_form(text, 32, is_lower, |byte| is_lower(byte) || byte == b'-')
);
id!(
    /// One App in one Room: `^[a-z0-9][a-z0-9:-]{0,95}$`. Public, and no secret.
    InstanceId,
    |text| has_form(text, 96, is_lower, |byte| is_lower(byte) || matches!(byte, b':' | b'-'))
);
id!(
    /// A person or an Agent in the Room: `^[A-Za-z0-9][A-Za-z0-9:_-]{0,127}$`.
    ParticipantId,
    |text| {
        has_form(text, 128, |byte| byte.is_ascii_alphanumeric(), |byte| {
            byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-')
        })
    }
);
id!(
    /// One request: `^[A-Za-z0-9_-]{1,64}$`.
    RequestId,
    |text| has_form(text, 64, is_word, is_word)
);

impl InstanceId {
    /// The instance of an App in a Room: the App's id and a 32-bit FNV-1a hash over the UTF-16 code units of `ROOM:APP`.
    #[must_use]
    pub fn of(room: &str, app: &AppId) -> Self {
        let text = format!("{room}:{app}");
        let hash =
            text.encode_utf16().fold(0x811c_9dc5_u32, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193));
        Self(format!("{app}:{hash:08x}").into())
    }
}

fn has_form(text: &str, length_max: usize, first: fn(u8) -> bool, rest: fn(u8) -> bool) -> bool {
    let bytes = text.as_bytes();
    bytes.len() <= length_max
        && bytes.split_first().is_some_and(|(head, tail)| first(*head) && tail.iter().copied().all(rest))
}

const fn is_lower(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b1_instances_hash_utf16_code_units() {
        for (room, app, instance) in [
            ("room-a", "test-app", "test-app:f10f9c04"),
            ("room-b", "test-app", "test-app:056d783b"),
            ("demo", "arena", "arena:64b82acb"),
            ("房间", "arena", "arena:e42e1c03"),
            ("😀", "arena", "arena:a92616a1"),
        ] {
            let app = AppId::parse(app).expect("it is valid");
            assert_eq!(InstanceId::of(room, &app).as_str(), instance, "{room}");
        }
    }

    #[test]
    fn identifiers_have_their_first_character_and_length() {
        assert!(AppId::parse(&"a".repeat(32)).is_some());
        for bad in ["", "-a", "A", "a:b", "ä", &"a".repeat(33)] {
            assert!(AppId::parse(bad).is_none(), "{bad}");
        }
        assert!(InstanceId::parse("arena:64b82acb").is_some());
        for bad in ["", ":a", "a_b", &"a".repeat(97)] {
            assert!(InstanceId::parse(bad).is_none(), "{bad}");
        }
        assert!(ParticipantId::parse("A:_-").is_some());
        for bad in ["", "_a", "a b", &"a".repeat(129)] {
            assert!(ParticipantId::parse(bad).is_none(), "{bad}");
        }
        assert!(RequestId::parse("_-aZ0").is_some());
        for bad in ["", "a:b", &"a".repeat(65)] {
            assert!(RequestId::parse(bad).is_none(), "{bad}");
        }
    }
}
