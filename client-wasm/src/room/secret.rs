//! The secret that makes a Room's match the Room's own.
//!
//! The host platform names an App in a Room by a public hash, so a match under that name would be open to anybody who
//! can guess it. The match's address is therefore made of the name and a secret that only the App's replicas in that
//! Room know.

use std::fmt;

use contract::{MatchKey, hex};
use sha2::{Digest as _, Sha256};

use super::InstanceId;

/// Bytes that say when it was made.
const TIME_BYTES: usize = 6;
/// Bytes nobody can guess.
const RANDOM_BYTES: usize = 16;
/// Bytes of a secret.
const BYTES: usize = TIME_BYTES + RANDOM_BYTES;

/// The join secret of a Room's match.
///
/// Of two, the smaller wins. It begins with the time it was made, so that is the older one: people who play already are not
/// moved by a latecomer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct JoinSecret([u8; BYTES]);

impl fmt::Debug for JoinSecret {
    /// Never shows the secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JoinSecret(..)")
    }
}

impl JoinSecret {
    /// A secret made now: `made_ms` is milliseconds since 1970, `random` what nobody can guess.
    #[must_use]
    pub fn new(made_ms: u64, random: [u8; RANDOM_BYTES]) -> Self {
        let mut bytes = [0; BYTES];
        bytes[..TIME_BYTES].copy_from_slice(&made_ms.to_be_bytes()[8 - TIME_BYTES..]);
        bytes[TIME_BYTES..].copy_from_slice(&random);
        Self(bytes)
    }

    /// Reads what [`JoinSecret::write`] has written.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        hex::decode(text).map(Self)
    }

    /// The secret as hexadecimal digits, for another replica or for keeping.
    #[must_use]
    pub fn write(&self) -> String {
        hex::encode(&self.0)
    }

    /// The address of the match. Nothing about the Room can be read off it.
    ///
    /// # Panics
    /// Never: hexadecimal digits make a key.
    #[must_use]
    pub fn match_key(&self, instance: &InstanceId) -> MatchKey {
        let digits = hex::encode(&self.hash("match", instance)[..16]);
        MatchKey::parse(&format!("room.{digits}")).expect("short and of legal characters")
    }

    /// What replicas may say aloud to find out whether they hold the same secret.
    #[must_use]
    pub fn mark(&self, instance: &InstanceId) -> String {
        hex::encode(&self.hash("mark", instance)[..4])
    }

    /// A hash for one purpose: knowing one says nothing about another, nor about the secret.
    fn hash(&self, purpose: &str, instance: &InstanceId) -> [u8; 32] {
        let mut hash = Sha256::new();
        for part in [purpose.as_bytes(), b"\0", instance.as_str().as_bytes(), b"\0", &self.0] {
            hash.update(part);
        }
        hash.finalize().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instance(text: &str) -> InstanceId {
        InstanceId::parse(text).expect("an id")
    }

    #[test]
    fn a_secret_is_read_as_it_was_written_and_nothing_else_is() {
        let secret = JoinSecret::new(1_800_000_000_000, std::array::from_fn(|index| index as u8 * 17));
        assert_eq!(JoinSecret::read(&secret.write()), Some(secret));
        for text in ["", "00", &"0".repeat(43), &"0".repeat(45), &"g".repeat(44), &"+0".repeat(22), &"ä".repeat(22)] {
            assert_eq!(JoinSecret::read(text), None, "{text}");
        }
    }

    #[test]
    fn the_older_secret_is_the_smaller_one() {
        let older = JoinSecret::new(1_800_000_000_000, [255; 16]);
        let newer = JoinSecret::new(1_800_000_000_001, [0; 16]);
        assert!(older < newer);
        assert!(newer < JoinSecret::new(1_800_000_000_001, [1; 16]));
    }

    #[test]
    fn an_address_needs_both_the_instance_and_the_secret() {
        let [a, b] = [1, 2].map(|byte| JoinSecret::new(7, [byte; 16]));
        let (here, there) = (instance("arena:64b82acb"), instance("arena:64b82acc"));
        assert_eq!(a.match_key(&here), a.match_key(&here));
        assert_ne!(a.match_key(&here), b.match_key(&here));
        assert_ne!(a.match_key(&here), a.match_key(&there));
        let key = a.match_key(&here);
        assert!(!key.as_str().contains(here.as_str()) && !key.as_str().contains(&a.mark(&here)), "{}", key.as_str());
        assert_eq!(a.mark(&here).len(), 8);
    }
}
