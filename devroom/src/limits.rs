//! The platform's bounds. Sizes are UTF-8 bytes of what JavaScript's `JSON.stringify` would write, times are milliseconds.

/// A payload, and at every hop the whole envelope around it.
pub const ENVELOPE_BYTES_MAX: usize = 16_384;
/// How long the broker waits for the answer to an Agent's request.
pub const REQUEST_EXPIRY_MS: u64 = 15_000;
/// Agent requests in flight in one Room, over all Apps and Agents. One more is refused.
pub const REQUESTS_IN_FLIGHT_MAX: usize = 4;
/// The error text an App may answer with, in UTF-16 code units as JavaScript counts them.
pub const APP_ERROR_UNITS_MAX: usize = 256;
/// Apps one browser may keep open. `ready` for one more is ignored.
pub const INSTANCES_PER_SOCKET_MAX: usize = 2;

/// People and Agents in a Room. One more cannot join.
pub const PARTICIPANTS_MAX: usize = 32;
/// Open Room sockets. One more is refused.
pub const SOCKETS_MAX: usize = 64;
/// Open Room sockets of one participant, and as many lane sockets. One more is refused.
pub const SOCKETS_PER_PARTICIPANT_MAX: usize = 4;
/// A participant's name, in UTF-16 code units; the rest is cut.
pub const NAME_UNITS_MAX: usize = 64;
/// How long a person who lost touch stays on the roster.
pub const RECONNECT_GRACE_MS: u64 = 30_000;
/// How long an Agent without a resident socket stays on the roster.
pub const AGENT_LEASE_MS: u64 = 90_000;
/// How long this Room keeps the resident socket of an Agent that speaks MCP and has gone silent. In Free4Chat the Agent's
/// Runtime keeps it; here the person at the keyboard may take their time between two questions.
pub const MCP_SILENCE_MS: u64 = 15 * 60_000;

/// Frames a participant may send in [`FRAMES_WINDOW_MS`]. One more is dropped, with an error.
pub const FRAMES_MAX: usize = 300;
/// See [`FRAMES_MAX`].
pub const FRAMES_WINDOW_MS: u64 = 10_000;

/// The window of all limits below.
pub const RATE_WINDOW_MS: u64 = 1_000;
/// Messages a browser may send on the reliable lane.
pub const RELIABLE_MAX: usize = 20;
/// Messages a browser may send on the realtime lane.
pub const REALTIME_MAX: usize = 60;
/// Bytes a browser may send on both lanes together.
pub const LANE_BYTES_MAX: usize = 262_144;
/// Unicast messages a participant may send.
pub const UNICAST_MAX: usize = 10;
/// Unicast bytes a participant may send.
pub const UNICAST_BYTES_MAX: usize = 65_536;

/// Characters of a chat message; a longer one is refused.
pub const CHAT_CHARS_MAX: usize = 2_000;
/// Chat messages the Room remembers; the oldest is forgotten.
pub const CHAT_KEPT_MAX: usize = 200;

/// Apps in the catalog.
pub const APPS_MAX: usize = 32;
