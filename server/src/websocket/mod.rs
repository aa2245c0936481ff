//! WebSockets without a task, a lock or a copy more than a match needs: frames are read out of one buffer and written by
//! whoever has something to send. The handshake and the frames' heads are tungstenite's.

mod frames;
mod upgrade;

pub(crate) use frames::{FrameError, FrameReader, Heard, Opcode, close_frame, write_frame};
pub(crate) use upgrade::{Opened, open};
