//! Stamps the crate with a hash of its own sources, so that two builds that disagree on the wire part at connect.

#[path = "../build/source_hash.rs"]
mod source_hash;

fn main() {
    source_hash::stamp("CONTRACT_SOURCE_HASH");
}
