//! The format of messages on the wire.
//!
//! A frame has a length (4 bytes, big-endian, for everything after it), one byte for its kind, and the
//! content: JSON for a control message; the origin (1 byte) and raw bytes for stream data.

use std::marker::PhantomData;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use serde::{Serialize, de::DeserializeOwned};
use thiserror::Error;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio_util::codec::{Decoder, Encoder};

use super::{
    greeting::{Greeting, Welcome},
    message::{FromClient, FromDaemon, Origin, StreamData},
};
use crate::model::text::Clean;

/// The longest frame from the daemon: a list of all sessions.
pub const MAX_FRAME: usize = 64 * 1024 * 1024;
/// The longest message from a client. Launches with their variables and scripts fit.
pub const MAX_REQUEST: usize = 1024 * 1024;
/// The most bytes in one piece of a stream.
pub const MAX_DATA: usize = 64 * 1024;
/// The longest first message of either side.
const MAX_GREETING: usize = 64 * 1024;

const LENGTH_BYTES: usize = 4;
const KIND_BYTES: usize = 1;
const DATA_HEAD: usize = 1;
const CONTROL: u8 = 0;
const DATA: u8 = 1;

/// The maximum length of frames in one direction, by kind. Longer frames are neither written nor read.
pub trait FrameLimits {
    /// Max bytes of JSON.
    const CONTROL: usize;
    /// Max bytes of one piece of a stream.
    const DATA: usize = 0;
}

impl FrameLimits for Greeting {
    const CONTROL: usize = MAX_GREETING;
}

impl FrameLimits for Welcome {
    const CONTROL: usize = MAX_GREETING;
}

impl FrameLimits for FromClient {
    const CONTROL: usize = MAX_REQUEST;
    const DATA: usize = MAX_DATA;
}

impl FrameLimits for FromDaemon {
    const CONTROL: usize = MAX_FRAME;
    const DATA: usize = MAX_DATA;
}

/// The longest frame of a kind, including the kind byte. Unknown kinds are refused when they are read.
const fn longest<T: FrameLimits>(kind: u8) -> usize {
    match kind {
        DATA => KIND_BYTES + DATA_HEAD + T::DATA,
        _ => KIND_BYTES + T::CONTROL,
    }
}

/// One message of either kind; `T` is the type of the control messages.
#[derive(Clone, Debug, PartialEq)]
pub enum Frame<T> {
    Control(T),
    Data(StreamData),
}

/// Why bytes can't be read or written as frames. The connection ends.
#[derive(Debug, Error)]
pub enum FrameError {
    #[error("a message of {bytes} bytes is too long (max: {most} bytes)")]
    TooLong { bytes: usize, most: usize },
    #[error("a message didn't arrive completely within {0}s")]
    Slow(u64),
    #[error("a message of an unknown kind ({0})")]
    UnknownKind(u8),
    #[error("an incomplete message")]
    Short,
    #[error("a message that this version doesn't understand: {0}")]
    Json(Clean),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

/// Writes frames of `Out`, reads frames of `In`.
#[derive(Debug)]
pub struct FrameCodec<Out, In> {
    marker: PhantomData<fn(Out) -> In>,
}

impl<Out, In> Default for FrameCodec<Out, In> {
    fn default() -> Self {
        Self {
            marker: PhantomData,
        }
    }
}

impl<Out: Serialize + FrameLimits, In> Encoder<Frame<Out>> for FrameCodec<Out, In> {
    type Error = FrameError;

    fn encode(&mut self, frame: Frame<Out>, wire: &mut BytesMut) -> Result<(), FrameError> {
        match frame {
            Frame::Control(message) => {
                let json = serde_json::to_vec(&message).map_err(|e| json_error(&e))?;
                put_head::<Out>(wire, json.len(), CONTROL)?;
                wire.put_slice(&json);
            }
            Frame::Data(data) => {
                put_head::<Out>(wire, DATA_HEAD + data.bytes.len(), DATA)?;
                wire.put_u8(data.origin as u8);
                wire.put_slice(&data.bytes);
            }
        }
        Ok(())
    }
}

impl<Out, In: DeserializeOwned + FrameLimits> Decoder for FrameCodec<Out, In> {
    type Item = Frame<In>;
    type Error = FrameError;

    fn decode(&mut self, wire: &mut BytesMut) -> Result<Option<Frame<In>>, FrameError> {
        let Some(mut body) = take_body::<In>(wire)? else {
            return Ok(None);
        };
        match body.get_u8() {
            CONTROL => serde_json::from_slice(&body)
                .map(|message| Some(Frame::Control(message)))
                .map_err(|e| json_error(&e)),
            DATA if body.len() >= DATA_HEAD => Ok(Some(Frame::Data(read_data(body)))),
            DATA => Err(FrameError::Short),
            kind => Err(FrameError::UnknownKind(kind)),
        }
    }
}

/// Collects frames and writes them together.
#[derive(Debug)]
pub struct FrameWriter<W, Out> {
    io: W,
    codec: FrameCodec<Out, ()>,
    wire: BytesMut,
}

impl<W: AsyncWrite + Unpin, Out: Serialize + FrameLimits> FrameWriter<W, Out> {
    pub fn new(io: W) -> Self {
        Self {
            io,
            codec: FrameCodec::default(),
            wire: BytesMut::new(),
        }
    }

    /// Adds a frame to what the next [`flush`](Self::flush) writes.
    pub fn feed(&mut self, frame: Frame<Out>) -> Result<(), FrameError> {
        self.codec.encode(frame, &mut self.wire)
    }

    /// The underlying connection, for writing other frames. Data that was not flushed is lost.
    pub fn into_inner(self) -> W {
        self.io
    }

    /// How many bytes will be written by the next flush.
    pub fn pending(&self) -> usize {
        self.wire.len()
    }

    pub async fn flush(&mut self) -> Result<(), FrameError> {
        self.io.write_all_buf(&mut self.wire).await?;
        Ok(self.io.flush().await?)
    }

    pub async fn send(&mut self, frame: Frame<Out>) -> Result<(), FrameError> {
        self.feed(frame)?;
        self.flush().await
    }
}

fn put_head<Out: FrameLimits>(
    wire: &mut BytesMut,
    payload: usize,
    kind: u8,
) -> Result<(), FrameError> {
    let bytes = payload + KIND_BYTES;
    let most = longest::<Out>(kind);
    let length = u32::try_from(bytes).ok().filter(|_| bytes <= most);
    let length = length.ok_or(FrameError::TooLong { bytes, most })?;
    wire.reserve(LENGTH_BYTES + bytes);
    wire.put_u32(length);
    wire.put_u8(kind);
    Ok(())
}

/// The kind byte and everything after it, once the frame is complete. A frame that is too long is refused as
/// soon as its length (and its kind, where that matters) has arrived.
fn take_body<In: FrameLimits>(wire: &mut BytesMut) -> Result<Option<Bytes>, FrameError> {
    let Some(head) = wire.first_chunk::<LENGTH_BYTES>() else {
        return Ok(None);
    };
    let bytes = u32::from_be_bytes(*head) as usize;
    if bytes == 0 {
        return Err(FrameError::Short);
    }
    // The same error however the bytes are split: a length beyond all limits is refused without the kind.
    let any = longest::<In>(CONTROL).max(longest::<In>(DATA));
    let of_kind = |kind: &u8| longest::<In>(*kind);
    let most = match wire.get(LENGTH_BYTES).map(of_kind) {
        Some(most) if bytes <= any => most,
        _ => any,
    };
    if bytes > most {
        return Err(FrameError::TooLong { bytes, most });
    }
    if wire.len() < LENGTH_BYTES + bytes {
        // Memory isn't reserved for bytes that were only announced.
        return Ok(None);
    }
    wire.advance(LENGTH_BYTES);
    Ok(Some(wire.split_to(bytes).freeze()))
}

fn read_data(mut body: Bytes) -> StreamData {
    let origin = Origin::from(body.get_u8());
    StreamData {
        origin,
        bytes: body,
    }
}

fn json_error(error: &serde_json::Error) -> FrameError {
    FrameError::Json(Clean::new(&error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::message::{FromClient, FromDaemon, Request};

    type ClientCodec = FrameCodec<FromClient, FromDaemon>;
    type DaemonCodec = FrameCodec<FromDaemon, FromClient>;

    fn ask() -> FromClient {
        FromClient::Ask {
            id: 7,
            request: Request::Subscribe,
        }
    }

    fn data() -> StreamData {
        StreamData {
            origin: Origin::Stderr,
            bytes: Bytes::from_static(b"\x00raw \xff bytes"),
        }
    }

    fn written() -> BytesMut {
        let mut wire = BytesMut::new();
        ClientCodec::default()
            .encode(Frame::Control(ask()), &mut wire)
            .unwrap();
        ClientCodec::default()
            .encode(Frame::Data(data()), &mut wire)
            .unwrap();
        wire
    }

    #[test]
    fn both_kinds_read_back_one_byte_at_a_time() {
        let (mut wire, mut seen) = (BytesMut::new(), Vec::new());
        for byte in written() {
            wire.put_u8(byte);
            seen.extend(DaemonCodec::default().decode(&mut wire).unwrap());
        }
        assert_eq!(seen, [Frame::Control(ask()), Frame::Data(data())]);
        assert!(wire.is_empty());
    }

    #[test]
    fn a_length_beyond_the_cap_is_refused_before_its_bytes_arrive() {
        let mut wire = BytesMut::from(&u32::MAX.to_be_bytes()[..]);
        let error = DaemonCodec::default().decode(&mut wire).unwrap_err();
        assert!(matches!(error, FrameError::TooLong { .. }), "{error}");
        let long = StreamData {
            bytes: Bytes::from(vec![0; MAX_FRAME]),
            ..data()
        };
        let refused = ClientCodec::default().encode(Frame::Data(long), &mut BytesMut::new());
        assert!(matches!(refused, Err(FrameError::TooLong { .. })));
    }

    #[test]
    fn each_kind_and_direction_has_its_own_limit() {
        let refused = |kind: u8, payload: usize| {
            let mut wire = BytesMut::new();
            wire.put_u32(u32::try_from(payload + KIND_BYTES).unwrap());
            wire.put_u8(kind);
            let from_client = DaemonCodec::default().decode(&mut wire.clone()).is_err();
            (
                from_client,
                ClientCodec::default().decode(&mut wire).is_err(),
            )
        };
        let piece = DATA_HEAD + MAX_DATA;
        assert_eq!(refused(CONTROL, MAX_REQUEST), (false, false));
        assert_eq!(refused(CONTROL, MAX_REQUEST + 1), (true, false));
        assert_eq!(refused(DATA, piece), (false, false));
        assert_eq!(refused(DATA, piece + 1), (true, true));
        assert_eq!(refused(CONTROL, MAX_FRAME + 1), (true, true));
    }

    #[test]
    fn nonsense_is_an_error_not_a_panic() {
        for (bytes, what) in [
            (&b"\0\0\0\0"[..], "incomplete"),
            (&b"\0\0\0\x01\x09"[..], "unknown kind"),
            (&b"\0\0\0\x01\x01"[..], "incomplete"),
            (&b"\0\0\0\x03\x00{}"[..], "doesn't understand"),
        ] {
            let error = DaemonCodec::default()
                .decode(&mut BytesMut::from(bytes))
                .unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
