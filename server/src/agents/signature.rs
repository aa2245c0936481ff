//! Calls signed by a host that calls for its Agents itself, in place of a person's browser.
//!
//! The header is `t=SECONDS,n=NONCE,s=HEX`: Unix time, a nonce of 16 to 64 characters that no other call has, and the
//! HMAC-SHA256 of `SECONDS LF NONCE LF MATCH LF BODY` under a secret that both sides know.

use std::collections::HashSet;

use contract::{
    agent::{Fault, FaultCode},
    hex,
};
use hmac::{Hmac, KeyInit as _, Mac as _};
use parking_lot::Mutex;
use sha2::Sha256;

/// How far the host's clock may be from ours.
const SKEW_S: u64 = 30;

/// How long a nonce is remembered at least: as long as its call would be taken.
const MEMORY_S: u64 = 2 * SKEW_S;

/// Most nonces of one such time. When they are all used, further signed calls are refused.
const NONCES_MAX: usize = 100_000;

/// The secrets, any of which is good, and the nonces that were used.
#[derive(Debug)]
pub(super) struct Signatures {
    secrets: Vec<String>,
    nonces: Mutex<Nonces>,
}

/// Nonces of this time and of the time before.
#[derive(Debug, Default)]
struct Nonces {
    now: HashSet<String>,
    before: HashSet<String>,
    since_s: u64,
}

impl Signatures {
    pub(super) fn new(secrets: &[String]) -> Self {
        Self { secrets: secrets.to_vec(), nonces: Mutex::default() }
    }

    /// Checks a call's signature, once.
    ///
    /// # Errors
    /// When it is not one of ours, too old, or was used before.
    pub(super) fn check(&self, header: &str, match_key: &str, body: &[u8], now_s: u64) -> Result<(), Fault> {
        let refused = |text: &str| Fault::new(FaultCode::BadSignature, text).at(super::endpoint::SIGNATURE_HEADER);
        if self.secrets.is_empty() {
            return Err(refused("this server takes no signed calls"));
        }
        let Signed { seconds, nonce, tag } =
            Signed::read(header).ok_or_else(|| refused("not of the form t=…,n=…,s=…"))?;
        let text = [seconds, nonce, match_key, ""].join("\n");
        let is_signed_by = |secret: &String| {
            let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes());
            mac.is_ok_and(|mac| mac.chain_update(&text).chain_update(body).verify_slice(&tag).is_ok())
        };
        if !self.secrets.iter().any(is_signed_by) {
            return Err(refused("the signature fits neither secret, time, nonce, match nor body"));
        }
        if seconds.parse().is_ok_and(|then: u64| then.abs_diff(now_s) <= SKEW_S) {
            return self.nonces.lock().spend(nonce, now_s);
        }
        Err(refused("signed more than 30 seconds from now, by this server's clock"))
    }
}

impl Nonces {
    fn spend(&mut self, nonce: &str, now_s: u64) -> Result<(), Fault> {
        if now_s.saturating_sub(self.since_s) > MEMORY_S {
            let is_recent = now_s.saturating_sub(self.since_s) <= 2 * MEMORY_S;
            self.before = std::mem::take(&mut self.now);
            if !is_recent {
                self.before.clear();
            }
            self.since_s = now_s;
        }
        if self.now.len() >= NONCES_MAX {
            return Err(Fault::new(FaultCode::RateLimited, "too many signed calls; wait a minute"));
        }
        if self.before.contains(nonce) || !self.now.insert(nonce.to_owned()) {
            let text = "this call was sent before; every call has a nonce of its own";
            return Err(Fault::new(FaultCode::BadSignature, text).at(super::endpoint::SIGNATURE_HEADER));
        }
        Ok(())
    }
}

/// The parts of the header.
struct Signed<'a> {
    seconds: &'a str,
    nonce: &'a str,
    tag: [u8; 32],
}

impl<'a> Signed<'a> {
    fn read(header: &'a str) -> Option<Self> {
        let mut parts = header.split(',');
        let mut part = |name: &str| parts.next()?.strip_prefix(name);
        let (seconds, nonce, digits) = (part("t=")?, part("n=")?, part("s=")?);
        let is_nonce = (16..=64).contains(&nonce.len()) && nonce.bytes().all(|c| c.is_ascii_graphic());
        if parts.next().is_some() || !is_nonce {
            return None;
        }
        let tag = hex::decode(digits)?;
        Some(Self { seconds, nonce, tag })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret that both sides know, and nobody else";
    const NOW: u64 = 1_800_000_000;

    fn sign(secret: &str, seconds: u64, nonce: &str, key: &str, body: &[u8]) -> String {
        let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("any length");
        let mac = mac.chain_update(format!("{seconds}\n{nonce}\n{key}\n")).chain_update(body);
        let tag = hex::encode(&mac.finalize().into_bytes());
        format!("t={seconds},n={nonce},s={tag}")
    }

    fn signatures() -> Signatures {
        Signatures::new(&["an older secret that is still good for now".to_owned(), SECRET.to_owned()])
    }

    #[test]
    fn a_signed_call_is_taken_once() {
        let signatures = signatures();
        let header = sign(SECRET, NOW, "0123456789abcdef", "demo", b"{}");
        assert_eq!(signatures.check(&header, "demo", b"{}", NOW + 3), Ok(()));
        for later in [3, 25, 30] {
            let again = signatures.check(&header, "demo", b"{}", NOW + later);
            assert_eq!(again.map_err(|fault| fault.code), Err(FaultCode::BadSignature), "{later}");
        }
    }

    #[test]
    fn a_nonce_is_known_as_long_as_its_call_would_be_taken() {
        let signatures = signatures();
        // Signed by a clock that is ahead, so that it would be taken for a minute.
        for start in [NOW, NOW + 40, NOW + 75] {
            let nonce = format!("nonce-of-{start:020}");
            let header = sign(SECRET, start + SKEW_S, &nonce, "demo", b"{}");
            assert_eq!(signatures.check(&header, "demo", b"{}", start), Ok(()));
            for later in [1, 30, 59, 60, 61, 200] {
                assert!(signatures.check(&header, "demo", b"{}", start + later).is_err(), "{start} {later}");
            }
        }
    }

    #[test]
    fn whatever_was_changed_is_noticed() {
        let signatures = signatures();
        let nonce = "0123456789abcdef";
        let good = sign(SECRET, NOW, nonce, "demo", b"{}");
        let other_secret = sign("a secret that the other side does not know", NOW, nonce, "demo", b"{}");
        let check = |header: &str, key: &str, body: &[u8]| signatures.check(header, key, body, NOW).is_err();
        assert!(check(&good, "other", b"{}") && check(&good, "demo", b"{ }") && check(&other_secret, "demo", b"{}"));
        assert!(check(&good.replace("0123", "1123"), "demo", b"{}"));
        assert!(check(&good.replace(&NOW.to_string(), &(NOW + 1).to_string()), "demo", b"{}"));
        for header in
            ["", "t=,n=,s=", "t=1,n=0123456789abcdef", &good[1..], &format!("{good},x=1"), &good[..good.len() - 1]]
        {
            assert!(check(header, "demo", b"{}"), "{header}");
        }
        for seconds in [NOW - 31, NOW + 31] {
            assert!(check(&sign(SECRET, seconds, nonce, "demo", b"{}"), "demo", b"{}"), "{seconds}");
        }
        assert!(Signatures::new(&[]).check(&good, "demo", b"{}", NOW).is_err(), "off by default");
        assert_eq!(signatures.check(&good, "demo", b"{}", NOW), Ok(()), "nothing of that has spent the nonce");
    }

    #[test]
    fn so_many_nonces_are_remembered_and_no_more() {
        let mut nonces = Nonces::default();
        for number in 0..NONCES_MAX {
            assert_eq!(nonces.spend(&number.to_string(), NOW), Ok(()));
        }
        assert_eq!(nonces.spend("one more", NOW).map_err(|fault| fault.code), Err(FaultCode::RateLimited));
        assert_eq!(nonces.spend("one more", NOW + 61), Ok(()));
        assert!(nonces.spend("7", NOW + 61).is_err(), "still known");
    }
}
