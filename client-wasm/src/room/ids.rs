//! Names the Room gives to things, checked once.

use std::fmt;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident, 1..=$longest:literal, $first:expr, $rest:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Checks an id; `None` when the text is not one.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                let (first, rest): (fn(u8) -> bool, fn(u8) -> bool) = ($first, $rest);
                let begins = text.bytes().next().is_some_and(first);
                (begins && text.len() <= $longest && text.bytes().all(rest)).then(|| Self(text.to_owned()))
            }

            /// The id as text.
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
    )*};
}

ids! {
    /// One App in one Room, the same for all its replicas. Public: whoever knows the Room's name can compute it.
    InstanceId, 1..=96,
        |c| c.is_ascii_lowercase() || c.is_ascii_digit(),
        |c| c.is_ascii_lowercase() || c.is_ascii_digit() || b":-".contains(&c);
    /// Somebody in the Room.
    ParticipantId, 1..=128,
        |c| c.is_ascii_alphanumeric(),
        |c| c.is_ascii_alphanumeric() || b":_-".contains(&c);
    /// One Agent request, or one private message of ours.
    RequestId, 1..=64,
        |c| c.is_ascii_alphanumeric() || b"_-".contains(&c),
        |c| c.is_ascii_alphanumeric() || b"_-".contains(&c);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_what_the_platform_says_they_are() {
        assert!(InstanceId::parse("arena:64b82acb").is_some());
        assert!(InstanceId::parse(&"a".repeat(96)).is_some());
        for text in ["", ":a", "-a", "Arena:1", "a_b", "a b", "ä", &"a".repeat(97)] {
            assert_eq!(InstanceId::parse(text), None, "{text}");
        }
        assert!(ParticipantId::parse("P_1:a-b").is_some());
        for text in ["", "_a", ":a", "a.b", "a\n", &"a".repeat(129)] {
            assert_eq!(ParticipantId::parse(text), None, "{text}");
        }
        assert!(RequestId::parse("_-9").is_some());
        for text in ["", "a:b", "a\"b", &"a".repeat(65)] {
            assert_eq!(RequestId::parse(text), None, "{text}");
        }
    }
}
