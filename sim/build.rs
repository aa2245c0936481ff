//! Stamps the crate with a hash of its own sources, so that a page whose simulation differs plays without prediction.

#![expect(clippy::disallowed_methods, reason = "runs while the crate is built, and is no part of the world")]

#[path = "../build/source_hash.rs"]
mod source_hash;

fn main() {
    source_hash::stamp("SIM_SOURCE_HASH");
}
