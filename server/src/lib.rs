//! server

#[cfg_attr(not(test), expect(dead_code, reason = "the play listener's routes look files up here"))]
mod assets;
