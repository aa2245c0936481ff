//! One direction of one connection, in virtual time: bytes go in at one moment and come out at another.

use std::{collections::VecDeque, ops::Range, time::Duration};

use rand_pcg::{Pcg32, rand_core::Rng as _};

use super::Faults;

/// Bytes under way in one direction. When so many are, the sender has to wait, as it would for a full network.
pub const LINK_BYTES_MAX: usize = 256 * 1024;

/// Packets under way in one direction: a sender of tiny ones has to wait earlier.
const PACKETS_MAX: usize = 4096;

/// What is delayed as one: a packet as it would go over a real network.
const PACKET_BYTES_MAX: usize = 1400;

/// One direction of one connection. Time is counted from its start.
#[derive(Clone, Debug)]
pub struct Link {
    faults: Faults,
    chances: Chances,
    bytes: VecDeque<u8>,
    packets: VecDeque<Packet>,
    /// When a throttled line has sent everything so far.
    line_free: Duration,
    /// When the newest packet comes out: later ones do not overtake it.
    newest_due: Duration,
    /// The stall that is, or comes next.
    stall: Range<Duration>,
    /// Bytes until one that is corrupted, that one included.
    corrupt_in: u64,
    /// Bytes still to be corrupted on request.
    corrupt_now: u64,
    is_held: bool,
    end: End,
    corrupted: u64,
    swallowed: u64,
}

/// Each kind of fault has a generator of its own, so that one does not shift the other's schedule.
#[derive(Clone, Debug)]
struct Chances {
    jitter: Pcg32,
    slices: Pcg32,
    stalls: Pcg32,
    corruption: Pcg32,
}

#[derive(Clone, Copy, Debug)]
struct Packet {
    len: usize,
    due: Duration,
}

/// How the stream ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Open,
    /// Nothing more goes in; the end comes out at this time.
    Due(Duration),
    /// The end has come out.
    Out,
}

/// What comes out of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Bytes, to be passed on as one.
    Bytes,
    /// The end of the stream, once.
    End,
}

impl Link {
    /// A link that does the same for the same seed.
    #[must_use]
    pub fn new(faults: Faults, seed: u64) -> Self {
        let chance = |stream| Pcg32::new(seed, stream);
        let mut link = Self {
            faults,
            chances: Chances { jitter: chance(1), slices: chance(2), stalls: chance(3), corruption: chance(4) },
            bytes: VecDeque::new(),
            packets: VecDeque::new(),
            line_free: Duration::ZERO,
            newest_due: Duration::ZERO,
            stall: Duration::ZERO..Duration::ZERO,
            corrupt_in: 0,
            corrupt_now: 0,
            is_held: false,
            end: End::Open,
            corrupted: 0,
            swallowed: 0,
        };
        link.corrupt_in = link.until_corrupt();
        link
    }

    /// How many bytes may be pushed. 0 means that the sender has to wait until something has come out.
    #[must_use]
    pub fn room(&self) -> usize {
        if self.end != End::Open {
            // They go nowhere.
            return LINK_BYTES_MAX;
        }
        let packets = PACKETS_MAX.saturating_sub(self.packets.len());
        LINK_BYTES_MAX.saturating_sub(self.bytes.len()).min(packets * PACKET_BYTES_MAX)
    }

    /// Bytes go in, at most as many as there is [room](Link::room) for. Whatever comes after the end is swallowed and
    /// counted.
    pub fn push(&mut self, bytes: &[u8], now: Duration) {
        debug_assert!(bytes.len() <= self.room(), "whoever reads asks for room first");
        if self.end != End::Open {
            self.swallowed += bytes.len() as u64;
            return;
        }
        for packet in bytes.chunks(PACKET_BYTES_MAX) {
            let due = self.due_of(packet.len(), now);
            self.packets.push_back(Packet { len: packet.len(), due });
            for byte in packet {
                let change = self.change();
                self.bytes.push_back(byte ^ change);
            }
        }
    }

    /// The sender has ended the stream. Its end comes out after everything that went in.
    pub fn end(&mut self, now: Duration) {
        if self.end == End::Open {
            self.end = End::Due(self.due_of(0, now));
        }
    }

    /// When something comes out next; `None` while nothing is under way.
    #[must_use]
    pub fn due(&self) -> Option<Duration> {
        let end = if let End::Due(due) = self.end { Some(due) } else { None };
        self.packets.front().map(|packet| packet.due).or(end).filter(|_| !self.is_held)
    }

    /// Takes out what is due, one piece at a time; bytes are put in place of what `into` holds.
    pub fn pop(&mut self, now: Duration, into: &mut Vec<u8>) -> Option<Piece> {
        if self.due()? > now {
            return None;
        }
        let Some(packet) = self.packets.front_mut() else {
            self.end = End::Out;
            return Some(Piece::End);
        };
        let slice = match self.faults.slice_bytes_max {
            Some(max) => 1 + (self.chances.slices.next_u32() % max) as usize,
            None => usize::MAX,
        };
        let len = packet.len.min(slice);
        packet.len -= len;
        if packet.len == 0 {
            self.packets.pop_front();
        }
        into.clear();
        into.extend(self.bytes.drain(..len));
        Some(Piece::Bytes)
    }

    /// Whether the end has come out: nothing ever will again.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.end == End::Out
    }

    /// While held, nothing comes out; then everything that has become due.
    pub fn hold(&mut self, is_held: bool) {
        self.is_held = is_held;
    }

    /// Corrupts so many of the bytes that go in next.
    pub fn corrupt(&mut self, bytes: u64) {
        self.corrupt_now += bytes;
    }

    /// Bytes that were made others.
    #[must_use]
    pub const fn corrupted(&self) -> u64 {
        self.corrupted
    }

    /// Bytes that came after the end.
    #[must_use]
    pub const fn swallowed(&self) -> u64 {
        self.swallowed
    }

    fn due_of(&mut self, len: usize, now: Duration) -> Duration {
        let mut sent = now;
        if let Some(rate) = self.faults.bytes_per_second {
            sent = self.line_free.max(now) + Duration::from_secs(len as u64) / rate.get();
            self.line_free = sent;
        }
        let jitter = 2 * self.faults.jitter.as_micros() as u64 + 1;
        let jitter = Duration::from_micros(u64::from(self.chances.jitter.next_u32()) % jitter);
        let due = (sent + self.faults.delay + jitter).saturating_sub(self.faults.jitter).max(self.newest_due);
        self.newest_due = self.after_stalls(due);
        self.newest_due
    }

    /// The end of the stall that a moment falls into, or that moment. Moments never go back.
    fn after_stalls(&mut self, due: Duration) -> Duration {
        let Some(stalls) = self.faults.stalls else { return due };
        while self.stall.end <= due {
            let half = stalls.every / 2;
            let more = u64::from(self.chances.stalls.next_u32()) % (stalls.every.as_micros() as u64 + 1);
            let start = self.stall.end + half + Duration::from_micros(more);
            self.stall = start..start + stalls.length;
        }
        if self.stall.contains(&due) { self.stall.end } else { due }
    }

    /// The bits in which the next byte is made another.
    fn change(&mut self) -> u8 {
        self.corrupt_in -= 1;
        let is_due = self.corrupt_in == 0;
        if is_due {
            self.corrupt_in = self.until_corrupt();
        }
        let is_asked = self.corrupt_now > 0;
        if !is_due && !is_asked {
            return 0;
        }
        self.corrupt_now -= u64::from(is_asked);
        self.corrupted += 1;
        1 << (self.chances.corruption.next_u32() % 8)
    }

    /// Bytes from one that is corrupted to the next, the latter included.
    fn until_corrupt(&mut self) -> u64 {
        let Some(every) = self.faults.corrupt_every_bytes else { return u64::MAX }; // never
        1 + u64::from(self.chances.corruption.next_u32()) % (2 * u64::from(every.get()) - 1)
    }
}

#[cfg(test)]
mod tests;
