//! Kickabout's rules.

/// A match of Kickabout.
pub struct Kickabout;
