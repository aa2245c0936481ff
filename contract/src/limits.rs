//! Limits that both peers rely on. What only an operator tunes lives in the server's configuration.

/// Largest message a client may send over the sync path, in bytes. One WebSocket frame carries one message.
pub const CLIENT_MESSAGE_BYTES_MAX: usize = 1024;

/// Largest message the server sends over the sync path, in bytes.
pub const SERVER_MESSAGE_BYTES_MAX: usize = 16 * 1024;

/// Deepest nesting a MessagePack message may have. The decoder recurses; deeper input could exhaust a thread's stack.
pub const MESSAGE_DEPTH_MAX: usize = 16;

/// Most seats any game may have.
pub const SEATS_MAX: usize = 64;

/// Longest name of a player, in characters after cleaning.
pub const NAME_CHARS_MAX: usize = 24;

/// Longest match key, in bytes.
pub const MATCH_KEY_BYTES_MAX: usize = 160;

/// Bytes of a game's packed input.
pub const INPUT_BYTES_MAX: usize = 8;

/// Largest Agent request the contract endpoint reads, in bytes: what the platform's broker relays.
pub const AGENT_REQUEST_BYTES_MAX: usize = 16 * 1024;

/// Largest Agent reply, in bytes. Below the broker's 16,384 so that its envelope fits too.
pub const AGENT_REPLY_BYTES_MAX: usize = 16_000;

/// Largest structured error in an Agent reply, in bytes.
pub const AGENT_ERROR_BYTES_MAX: usize = 512;

/// Most orders of all seats together that take effect in one tick.
pub const ORDERS_PER_TICK_MAX: u32 = 32;

/// Longest key of an act, in characters.
pub const AGENT_KEY_CHARS_MAX: usize = 64;

/// Shortest key of a `take_seat`, in characters: whoever knows it can ask for the token again.
pub const AGENT_SEAT_KEY_CHARS_MIN: usize = 16;

/// Most preconditions of one act.
pub const AGENT_PRECONDITIONS_MAX: usize = 4;

/// Oldest sight that an act may be based on, in seconds.
pub const AGENT_BASED_ON_AGE_S_MAX: u32 = 15;

/// Shortest time after which an order may be made to expire, in milliseconds.
pub const AGENT_EXPIRES_IN_MS_MIN: u32 = 200;

/// Longest time after which an order may be made to expire, in milliseconds.
pub const AGENT_EXPIRES_IN_MS_MAX: u32 = 60_000;

const _: () = assert!(AGENT_ERROR_BYTES_MAX < AGENT_REPLY_BYTES_MAX);
const _: () = assert!(AGENT_REPLY_BYTES_MAX < AGENT_REQUEST_BYTES_MAX);
