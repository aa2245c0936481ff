//! A server's frames (RFC 6455): those that come in are read in place out of one fixed buffer.

use std::io::Cursor;

use bytes::{BufMut as _, Bytes};
use tokio_tungstenite::tungstenite::protocol::frame::{
    FrameHeader,
    coding::{Control, Data, OpCode},
};

/// Longest head of a frame.
const HEAD_BYTES_MAX: usize = 14;

/// Most bytes a control frame carries.
const CONTROL_BYTES_MAX: usize = 125;

/// Frames a message may come in. Pages send each in one; who cuts them up on the way does not need many.
const FRAGMENTS_MAX: u32 = 4;

/// Bytes of a close frame's code.
const CODE_BYTES: usize = 2;

/// What a frame holds that the server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    Binary,
    Ping,
    Pong,
    Close,
}

/// What came in.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Heard<'a> {
    Binary(&'a [u8]),
    Text,
    Ping(&'a [u8]),
    Pong,
    /// The peer is done. With the code it gave, if any, to be said back.
    Close(&'a [u8]),
}

/// Why a peer is not listened to any longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameError {
    /// A message is longer than it may be.
    TooLarge,
    /// It does not speak WebSocket, or not as a client.
    Protocol,
}

/// Adds a frame to what is to be sent.
pub(crate) fn write_frame(out: &mut Vec<u8>, opcode: Opcode, payload: &[u8]) {
    let opcode = match opcode {
        Opcode::Binary => OpCode::Data(Data::Binary),
        Opcode::Ping => OpCode::Control(Control::Ping),
        Opcode::Pong => OpCode::Control(Control::Pong),
        Opcode::Close => OpCode::Control(Control::Close),
    };
    let header = FrameHeader { is_final: true, rsv1: false, rsv2: false, rsv3: false, opcode, mask: None };
    header.format(payload.len() as u64, &mut out.writer()).expect("a Vec takes everything");
    out.extend_from_slice(payload);
}

/// What a close frame carries.
pub(crate) fn close_frame(code: u16, reason: &str) -> Vec<u8> {
    let mut payload = code.to_be_bytes().to_vec();
    payload.extend_from_slice(reason.as_bytes());
    payload
}

/// Takes in bytes and gives out messages.
#[derive(Debug)]
pub(crate) struct FrameReader {
    /// Longest message, in bytes.
    message_bytes_max: usize,
    buffer: Box<[u8]>,
    /// Where what is not given out yet begins and ends.
    begin: usize,
    end: usize,
    /// The message whose frames are still coming in, if any.
    fragments: Option<Fragments>,
    /// The last message that came in more than one.
    assembled: Vec<u8>,
}

#[derive(Debug)]
struct Fragments {
    is_text: bool,
    count: u32,
    bytes: Vec<u8>,
}

impl FrameReader {
    /// A reader of messages of so many bytes at most, with a buffer of that size that holds at least one frame. `early` is
    /// what has been read already.
    pub(crate) fn new(message_bytes_max: usize, buffer_bytes: usize, early: &Bytes) -> Self {
        let size = buffer_bytes.max(HEAD_BYTES_MAX + message_bytes_max.max(CONTROL_BYTES_MAX)).max(early.len());
        let mut buffer = vec![0; size].into_boxed_slice();
        buffer[..early.len()].copy_from_slice(early);
        Self { message_bytes_max, buffer, begin: 0, end: early.len(), fragments: None, assembled: Vec::new() }
    }

    /// Where to read more into: never empty once [`Self::next`] has nothing to give out.
    pub(crate) fn space(&mut self) -> &mut [u8] {
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        } else if self.begin > 0 {
            self.buffer.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
        }
        &mut self.buffer[self.end..]
    }

    /// Takes note of how many bytes were read into [`Self::space`].
    pub(crate) fn advance(&mut self, count: usize) {
        self.end += count;
    }

    /// The next message or control frame, if all of it is there.
    ///
    /// # Errors
    /// When the peer is not to be listened to any longer.
    pub(crate) fn next(&mut self) -> Result<Option<Heard<'_>>, FrameError> {
        loop {
            let Some((header, payload)) = self.next_frame()? else { return Ok(None) };
            let (is_final, is_text) = (header.is_final, header.opcode == OpCode::Data(Data::Text));
            match header.opcode {
                OpCode::Control(control) => {
                    let bytes = &self.buffer[payload];
                    return Ok(Some(match control {
                        Control::Ping => Heard::Ping(bytes),
                        Control::Pong => Heard::Pong,
                        Control::Close => Heard::Close(bytes.get(..CODE_BYTES).unwrap_or_default()),
                        Control::Reserved(_) => return Err(FrameError::Protocol),
                    }));
                }
                OpCode::Data(Data::Continue) => {
                    let Some(mut message) = self.fragments.take() else { return Err(FrameError::Protocol) };
                    if message.bytes.len() + payload.len() > self.message_bytes_max {
                        return Err(FrameError::TooLarge);
                    }
                    message.bytes.extend_from_slice(&self.buffer[payload]);
                    message.count += 1;
                    if is_final {
                        self.assembled = message.bytes;
                        return Ok(Some(if message.is_text { Heard::Text } else { Heard::Binary(&self.assembled) }));
                    }
                    // Else empty ones could come for ever, and no message would ever be counted.
                    if message.count == FRAGMENTS_MAX {
                        return Err(FrameError::Protocol);
                    }
                    self.fragments = Some(message);
                }
                OpCode::Data(Data::Text | Data::Binary) if self.fragments.is_some() => {
                    return Err(FrameError::Protocol);
                }
                OpCode::Data(Data::Text) if is_final => return Ok(Some(Heard::Text)),
                OpCode::Data(Data::Binary) if is_final => return Ok(Some(Heard::Binary(&self.buffer[payload]))),
                OpCode::Data(Data::Text | Data::Binary) => {
                    self.fragments = Some(Fragments { is_text, count: 1, bytes: self.buffer[payload].to_vec() });
                }
                OpCode::Data(Data::Reserved(_)) => return Err(FrameError::Protocol),
            }
        }
    }

    /// The next frame, unmasked, and where its payload is; nothing if it is not all there.
    fn next_frame(&mut self) -> Result<Option<(FrameHeader, std::ops::Range<usize>)>, FrameError> {
        let mut cursor = Cursor::new(&self.buffer[self.begin..self.end]);
        let Some((header, length)) = FrameHeader::parse(&mut cursor).map_err(|_| FrameError::Protocol)? else {
            return Ok(None);
        };
        let head = usize::try_from(cursor.position()).expect("a head is short");
        // No extension was agreed on, and a client masks what it sends.
        let Some(mask) = header.mask.filter(|_| !header.rsv1 && !header.rsv2 && !header.rsv3) else {
            return Err(FrameError::Protocol);
        };
        let is_control = matches!(header.opcode, OpCode::Control(_));
        if is_control && (!header.is_final || length > CONTROL_BYTES_MAX as u64) {
            return Err(FrameError::Protocol);
        }
        let length = usize::try_from(length).map_err(|_| FrameError::TooLarge)?;
        if length > self.message_bytes_max && !is_control {
            return Err(FrameError::TooLarge);
        }
        let begin = self.begin + head;
        if self.end - begin < length {
            return Ok(None);
        }
        let payload = begin..begin + length;
        for (byte, mask) in self.buffer[payload.clone()].iter_mut().zip(mask.into_iter().cycle()) {
            *byte ^= mask;
        }
        self.begin = payload.end;
        Ok(Some((header, payload)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tokio_tungstenite::tungstenite::protocol::frame::Frame;

    use super::*;

    const MESSAGE_BYTES_MAX: usize = 64;

    /// A message as its sender means it.
    #[derive(Clone, Debug, PartialEq)]
    enum Said {
        Binary(Vec<u8>),
        Text,
        Ping(Vec<u8>),
        Pong,
        Close(Vec<u8>),
    }

    fn reader() -> FrameReader {
        FrameReader::new(MESSAGE_BYTES_MAX, 0, &Bytes::new())
    }

    /// A client's frame.
    fn frame(opcode: OpCode, is_final: bool, payload: &[u8]) -> Vec<u8> {
        let mask = Some([0x1d, 0xe2, 0x00, 0xff]);
        let header = FrameHeader { is_final, rsv1: false, rsv2: false, rsv3: false, opcode, mask };
        let mut bytes = Vec::new();
        Frame::from_payload(header, payload.to_vec().into()).format(&mut bytes).expect("a Vec takes everything");
        bytes
    }

    fn data(code: Data, is_final: bool, payload: &[u8]) -> Vec<u8> {
        frame(OpCode::Data(code), is_final, payload)
    }

    fn control(code: Control, payload: &[u8]) -> Vec<u8> {
        frame(OpCode::Control(code), true, payload)
    }

    /// Reads bytes that come in pieces of these lengths, over and over.
    fn read(bytes: &[u8], pieces: &[usize]) -> Result<Vec<Said>, FrameError> {
        let (mut reader, mut said, mut rest) = (reader(), Vec::new(), bytes);
        for piece in pieces.iter().cycle() {
            while let Some(heard) = reader.next()? {
                said.push(match heard {
                    Heard::Binary(bytes) => Said::Binary(bytes.to_vec()),
                    Heard::Text => Said::Text,
                    Heard::Ping(bytes) => Said::Ping(bytes.to_vec()),
                    Heard::Pong => Said::Pong,
                    Heard::Close(code) => Said::Close(code.to_vec()),
                });
            }
            if rest.is_empty() {
                break;
            }
            let space = reader.space();
            assert!(!space.is_empty(), "there is always room for more");
            let count = (*piece).min(space.len()).min(rest.len());
            space[..count].copy_from_slice(&rest[..count]);
            reader.advance(count);
            rest = &rest[count..];
        }
        Ok(said)
    }

    prop_compose! {
        fn a_payload(bytes_max: usize)(bytes in prop::collection::vec(any::<u8>(), 0..=bytes_max)) -> Vec<u8> { bytes }
    }

    /// A message with its frames: a data message comes in several, and a ping may come between them.
    fn a_message() -> impl Strategy<Value = (Vec<Said>, Vec<u8>)> {
        let cuts = prop::collection::vec(0..=MESSAGE_BYTES_MAX, 0..4);
        prop_oneof![
            (a_payload(MESSAGE_BYTES_MAX), cuts, any::<bool>(), any::<bool>()).prop_map(
                |(payload, mut cuts, is_text, pings)| {
                    cuts.retain(|cut| *cut <= payload.len());
                    cuts.sort_unstable();
                    cuts.push(payload.len());
                    let (mut said, mut bytes, mut begin) = (Vec::new(), Vec::new(), 0);
                    for (at, end) in cuts.iter().enumerate() {
                        let first = if is_text { Data::Text } else { Data::Binary };
                        let code = if at == 0 { first } else { Data::Continue };
                        bytes.extend(data(code, at + 1 == cuts.len(), &payload[begin..*end]));
                        if pings && at + 1 < cuts.len() {
                            bytes.extend(control(Control::Ping, b"still there?"));
                            said.push(Said::Ping(b"still there?".to_vec()));
                        }
                        begin = *end;
                    }
                    said.push(if is_text { Said::Text } else { Said::Binary(payload) });
                    (said, bytes)
                }
            ),
            a_payload(CONTROL_BYTES_MAX)
                .prop_map(|bytes| (vec![Said::Ping(bytes.clone())], control(Control::Ping, &bytes))),
            a_payload(CONTROL_BYTES_MAX).prop_map(|bytes| (vec![Said::Pong], control(Control::Pong, &bytes))),
        ]
    }

    proptest! {
        #[test]
        fn whatever_is_sent_is_heard_however_it_is_cut_up(
            messages in prop::collection::vec(a_message(), 0..12),
            pieces in prop::collection::vec(1_usize..200, 1..8),
        ) {
            let (said, bytes): (Vec<_>, Vec<_>) = messages.into_iter().unzip();
            prop_assert_eq!(read(&bytes.concat(), &pieces), Ok(said.concat()));
        }

        #[test]
        fn noise_is_refused_or_waited_for(
            bytes in a_payload(600),
            pieces in prop::collection::vec(1_usize..200, 1..4),
        ) {
            let _ = read(&bytes, &pieces);
        }
    }

    #[test]
    fn what_a_client_must_not_send_is_refused() {
        let full = [0; MESSAGE_BYTES_MAX];
        let unmasked = b"\x82\x01a".to_vec();
        let compressed = b"\xc2\x80\0\0\0\0".to_vec();
        let claim = [b"\x82\xff".as_slice(), &u64::MAX.to_be_bytes(), &[0; 4]].concat();
        for (what, bytes, expected) in [
            ("a frame too long", data(Data::Binary, true, &[0; MESSAGE_BYTES_MAX + 1]), FrameError::TooLarge),
            ("a length nothing has", claim, FrameError::TooLarge),
            (
                "fragments too long together",
                [data(Data::Binary, false, &full), data(Data::Continue, true, &[0])].concat(),
                FrameError::TooLarge,
            ),
            ("no mask", unmasked, FrameError::Protocol),
            ("an extension", compressed, FrameError::Protocol),
            (
                "fragments without an end",
                [data(Data::Binary, false, b""), data(Data::Continue, false, b"").repeat(FRAGMENTS_MAX as usize)]
                    .concat(),
                FrameError::Protocol,
            ),
            ("a continuation of nothing", data(Data::Continue, true, b"a"), FrameError::Protocol),
            (
                "a message within another",
                [data(Data::Binary, false, b"a"), data(Data::Binary, true, b"b")].concat(),
                FrameError::Protocol,
            ),
            ("a ping in fragments", frame(OpCode::Control(Control::Ping), false, b"a"), FrameError::Protocol),
            ("a ping too long", control(Control::Ping, &[0; CONTROL_BYTES_MAX + 1]), FrameError::Protocol),
            ("an opcode nobody knows", b"\x83\x80\0\0\0\0".to_vec(), FrameError::Protocol),
        ] {
            assert_eq!(read(&bytes, &[1000]), Err(expected), "{what}");
        }
    }

    #[test]
    fn a_close_frame_is_heard_with_its_code_alone() {
        let close = |payload: &[u8]| read(&control(Control::Close, payload), &[7]);
        assert_eq!(close(&close_frame(1001, "away")), Ok(vec![Said::Close(vec![3, 233])]));
        assert_eq!(close(b""), Ok(vec![Said::Close(vec![])]));
        assert_eq!(close(b"?"), Ok(vec![Said::Close(vec![])]), "half a code");
    }

    #[test]
    fn what_came_with_the_request_is_heard_first() {
        let early = [data(Data::Binary, true, b"one"), data(Data::Binary, true, b"two")].concat();
        let mut reader = FrameReader::new(MESSAGE_BYTES_MAX, 0, &early.into());
        assert_eq!(reader.next(), Ok(Some(Heard::Binary(b"one"))));
        assert_eq!(reader.next(), Ok(Some(Heard::Binary(b"two"))));
        assert_eq!(reader.next(), Ok(None));
    }
}
