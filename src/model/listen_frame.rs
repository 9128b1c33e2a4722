//! Frames between the SSH server and `workbay runner listen`, over the helper's stdin and stdout.
//!
//! The helper listens on a port inside a container and carries all connections to it in one stream, so that one helper
//! serves a whole remote forward. Each frame has a head of 9 bytes (kind, connection, length of the payload, in
//! network byte order) and at most [`LONGEST`] bytes of payload. Each side may send [`WINDOW`] bytes of data per
//! connection and waits for [`FrameKind::Credit`] then, so a connection that nobody reads stops only itself.

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

/// The longest payload in bytes.
pub const LONGEST: usize = 32 * 1024;

/// How many bytes of data may be on their way per connection and direction.
pub const WINDOW: usize = 256 * 1024;

/// How many connections one helper carries at once.
pub const CONNECTIONS: usize = 64;

const HEAD: usize = 9;

/// What a frame is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// Helper: listening. The payload is the port (2 bytes).
    Ready,
    /// Helper: it can't listen. The payload says why. The helper then ends.
    Failed,
    /// Helper: a new connection. The payload is the port (2 bytes) and the address of the program that connected.
    Opened,
    /// Both: bytes of the connection.
    Data,
    /// Both: no more bytes in this direction.
    End,
    /// Both: the connection is closed in both directions.
    Close,
    /// Both: that many more bytes may be sent (4 bytes).
    Credit,
}

impl FrameKind {
    const ALL: [(Self, u8); 7] = [
        (Self::Ready, 1),
        (Self::Failed, 2),
        (Self::Opened, 3),
        (Self::Data, 4),
        (Self::End, 5),
        (Self::Close, 6),
        (Self::Credit, 7),
    ];

    fn code(self) -> u8 {
        let known = Self::ALL.iter().find(|(kind, _)| *kind == self);
        known.map_or(0, |(_, code)| *code)
    }

    fn of(code: u8) -> Option<Self> {
        let known = Self::ALL.iter().find(|(_, known)| *known == code);
        known.map(|(kind, _)| *kind)
    }
}

/// One frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: FrameKind,
    /// The connection, as the helper numbers them; 0 where none is meant.
    pub connection: u32,
    pub payload: Bytes,
}

/// The stream isn't one of frames.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("a frame has the unknown kind {0}")]
    Kind(u8),
    #[error("a frame of {0} bytes is longer than {LONGEST}")]
    Length(u32),
}

impl Frame {
    #[must_use]
    pub fn new(kind: FrameKind, connection: u32, payload: impl Into<Bytes>) -> Self {
        Self {
            kind,
            connection,
            payload: payload.into(),
        }
    }

    /// That many more bytes of the connection may be sent.
    #[must_use]
    pub fn credit(connection: u32, bytes: usize) -> Self {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        Self::new(FrameKind::Credit, connection, bytes.to_be_bytes().to_vec())
    }

    /// A new connection from `port` of `address`.
    #[must_use]
    pub fn opened(connection: u32, address: &str, port: u16) -> Self {
        let mut payload = BytesMut::with_capacity(2 + address.len());
        payload.put_u16(port);
        payload.put_slice(address.as_bytes());
        Self::new(FrameKind::Opened, connection, payload)
    }

    /// The port at the beginning of the payload, and the text after it.
    #[must_use]
    pub fn port(&self) -> Option<(u16, String)> {
        let (port, rest) = self.payload.split_first_chunk::<2>()?;
        let text = String::from_utf8_lossy(rest).into_owned();
        Some((u16::from_be_bytes(*port), text))
    }

    /// The number of bytes of a [`FrameKind::Credit`].
    #[must_use]
    pub fn bytes(&self) -> usize {
        let four = self.payload.first_chunk::<4>();
        four.map_or(0, |four| u32::from_be_bytes(*four) as usize)
    }

    /// Appends the frame. The payload must not be longer than [`LONGEST`].
    pub fn write(&self, to: &mut BytesMut) {
        to.reserve(HEAD + self.payload.len());
        to.put_u8(self.kind.code());
        to.put_u32(self.connection);
        to.put_u32(u32::try_from(self.payload.len()).unwrap_or(u32::MAX));
        to.put_slice(&self.payload);
    }

    /// The frame as bytes.
    #[must_use]
    pub fn encoded(&self) -> Bytes {
        let mut bytes = BytesMut::new();
        self.write(&mut bytes);
        bytes.freeze()
    }

    /// Takes the first frame of `from`; `None` while it isn't complete.
    ///
    /// # Errors
    ///
    /// The bytes aren't a frame.
    pub fn read(from: &mut BytesMut) -> Result<Option<Self>, FrameError> {
        let Some(mut head) = from.get(..HEAD) else {
            return Ok(None);
        };
        let code = head.get_u8();
        let kind = FrameKind::of(code).ok_or(FrameError::Kind(code))?;
        let connection = head.get_u32();
        let length = head.get_u32();
        if length as usize > LONGEST {
            return Err(FrameError::Length(length));
        }
        if from.len() < HEAD + length as usize {
            return Ok(None);
        }
        from.advance(HEAD);
        let payload = from.split_to(length as usize).freeze();
        Ok(Some(Self {
            kind,
            connection,
            payload,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Result<Vec<Frame>, FrameError> {
        let mut left = BytesMut::from(bytes);
        let mut frames = Vec::new();
        while let Some(frame) = Frame::read(&mut left)? {
            frames.push(frame);
        }
        Ok(frames)
    }

    #[test]
    fn frames_come_back_as_they_were_written() {
        let frames = [
            Frame::new(FrameKind::Ready, 0, 8080_u16.to_be_bytes().to_vec()),
            Frame::opened(7, "127.0.0.1", 50_000),
            Frame::new(FrameKind::Data, 7, vec![1; LONGEST]),
            Frame::credit(7, 1234),
            Frame::new(FrameKind::End, 7, Bytes::new()),
        ];
        let mut bytes = BytesMut::new();
        for frame in &frames {
            frame.write(&mut bytes);
        }
        assert_eq!(all(&bytes).unwrap(), frames);
        assert_eq!(frames[0].port(), Some((8080, String::new())));
        assert_eq!(frames[1].port(), Some((50_000, "127.0.0.1".to_owned())));
        assert_eq!(frames[3].bytes(), 1234);
        assert_eq!(all(&bytes[..bytes.len() - 1]).unwrap(), frames[..4]);
    }

    #[test]
    fn what_is_no_frame_is_refused_before_it_is_complete() {
        assert_eq!(all(&[9; 9]), Err(FrameError::Kind(9)));
        let mut long = vec![4, 0, 0, 0, 1];
        long.extend(200_000_000_u32.to_be_bytes());
        assert_eq!(all(&long), Err(FrameError::Length(200_000_000)));
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes: Vec<u8>) {
            if let Ok(frames) = all(&bytes) {
                for frame in frames {
                    let _ = (frame.port(), frame.bytes());
                }
            }
        }
    }
}
