//! What a ticket says, and its signature.
//!
//! ```text
//! byte  0       version, 1
//!       1..9    when it was issued: milliseconds since 1970, big endian
//!       9..11   how long it is good from then on, in milliseconds, big endian
//!      11..27   number, drawn at random: no two tickets have the same
//!      27..43   first half of the SHA-256 of the match key
//!      43..75   HMAC-SHA256 of all before, by the key that server and host share
//! ```

use contract::{MatchKey, Ticket};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Digest as _, Sha256};

use super::key::TicketKey;

const VERSION: u8 = 1;

/// Where the signature begins.
const SIGNED_BYTES: usize = 43;

const _: () = assert!(SIGNED_BYTES + 32 == Ticket::BYTES);

/// What a ticket says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Claims {
    pub(super) issued_ms: u64,
    pub(super) lifetime_ms: u16,
    pub(super) nonce: [u8; 16],
    pub(super) match_hash: [u8; 16],
}

impl Claims {
    /// As much time as may be, from now on.
    pub(super) fn fresh(match_key: &MatchKey, now_ms: u64) -> Self {
        Self {
            issued_ms: now_ms,
            lifetime_ms: Ticket::LIFETIME_MS_MAX,
            nonce: rand::random(),
            match_hash: hash_of(match_key),
        }
    }

    /// When its time is over.
    pub(super) fn expires_ms(&self) -> u64 {
        self.issued_ms.saturating_add(u64::from(self.lifetime_ms))
    }

    pub(super) fn is_for(&self, match_key: &MatchKey) -> bool {
        self.match_hash == hash_of(match_key)
    }

    pub(super) fn sign(&self, key: &TicketKey) -> Ticket {
        let mut bytes = [0; Ticket::BYTES];
        bytes[0] = VERSION;
        bytes[1..9].copy_from_slice(&self.issued_ms.to_be_bytes());
        bytes[9..11].copy_from_slice(&self.lifetime_ms.to_be_bytes());
        bytes[11..27].copy_from_slice(&self.nonce);
        bytes[27..SIGNED_BYTES].copy_from_slice(&self.match_hash);
        let signature = mac(key, &bytes[..SIGNED_BYTES]).finalize().into_bytes();
        bytes[SIGNED_BYTES..].copy_from_slice(&signature);
        Ticket(bytes)
    }

    /// What a ticket says, if one of the keys has signed it. Signatures are compared in constant time.
    pub(super) fn verify(ticket: &Ticket, keys: &[TicketKey]) -> Option<Self> {
        let (said, signature) = ticket.0.split_at(SIGNED_BYTES);
        let is_signed = keys.iter().any(|key| mac(key, said).verify_slice(signature).is_ok());
        if !is_signed || said[0] != VERSION {
            return None;
        }
        Some(Self {
            issued_ms: u64::from_be_bytes(said[1..9].try_into().ok()?),
            lifetime_ms: u16::from_be_bytes(said[9..11].try_into().ok()?),
            nonce: said[11..27].try_into().ok()?,
            match_hash: said[27..].try_into().ok()?,
        })
    }
}

fn mac(key: &TicketKey, said: &[u8]) -> Hmac<Sha256> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key.bytes()).expect("a key of any length will do");
    mac.update(said);
    mac
}

fn hash_of(match_key: &MatchKey) -> [u8; 16] {
    let hash = Sha256::digest(match_key.as_str());
    std::array::from_fn(|at| hash[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Made by another implementation, the one in docs/protocol.md.
    #[test]
    fn hosts_in_other_languages_make_the_same_ticket() {
        let key = TicketKey::parse(&"0123456789abcdef".repeat(4)).expect("a key");
        let claims = Claims {
            issued_ms: 1_800_000_000_000,
            lifetime_ms: 30_000,
            nonce: std::array::from_fn(|at| at as u8),
            match_hash: hash_of(&MatchKey::demo()),
        };
        assert_eq!(claims.sign(&key).to_text(), GOLDEN);
        assert_eq!(Claims::verify(&Ticket::parse(GOLDEN).expect("a ticket"), &[key]), Some(claims));
    }

    const GOLDEN: &str = "01000001a3185c50007530000102030405060708090a0b0c0d0e0f2a97516c354b68848cdbd8f54a226a0a\
        6522cf9f9083a3d71a71f5a98640fae4084f38573d5098bc8a4ddaac275bd902";
}
