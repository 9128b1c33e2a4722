//! Reads frames of a sender that isn't trusted.
//!
//! Memory depends on what arrived, never on what was announced: the buffer is no more than [`CHUNK`] bytes
//! larger than its content. What a frame needs beyond [`FREE`] is taken from a [`Budget`] that all
//! connections share, and a frame that isn't complete in time is an error.

use std::{marker::PhantomData, sync::Arc, time::Duration};

use bytes::BytesMut;
use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncRead, AsyncReadExt},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};
use tokio_util::codec::Decoder;

use super::frame::{Frame, FrameCodec, FrameError, FrameLimits};

/// The size by which a buffer grows.
const CHUNK: usize = 32 * 1024;
/// Bytes that each connection can buffer without the budget.
const FREE: usize = 64 * 1024;
/// The bytes of one permit of a budget.
const PERMIT: usize = 1024;
/// The time limit for a frame from its first byte to its last.
const FRAME_TIME: Duration = Duration::from_secs(30);

/// Memory for frames that haven't arrived completely, shared by all connections.
#[derive(Clone, Debug)]
pub struct Budget(Arc<Semaphore>);

impl Budget {
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / PERMIT)))
    }
}

/// Frames of `In`, read from `R`.
#[derive(Debug)]
pub struct FrameReader<R, In> {
    io: R,
    budget: Budget,
    buffer: BytesMut,
    /// The current frame's part of the budget.
    held: Option<OwnedSemaphorePermit>,
    /// When the current frame must be complete.
    deadline: Option<Instant>,
    marker: PhantomData<fn() -> In>,
}

impl<R: AsyncRead + Unpin, In: DeserializeOwned + FrameLimits> FrameReader<R, In> {
    pub fn new(io: R, budget: Budget) -> Self {
        Self {
            io,
            budget,
            buffer: BytesMut::new(),
            held: None,
            deadline: None,
            marker: PhantomData,
        }
    }

    pub fn io(&self) -> &R {
        &self.io
    }

    /// Continues with frames of another type on the same connection.
    pub fn of<Other>(self) -> FrameReader<R, Other> {
        FrameReader {
            io: self.io,
            budget: self.budget,
            buffer: self.buffer,
            held: self.held,
            deadline: self.deadline,
            marker: PhantomData,
        }
    }

    /// The next frame; `None` when the sender closed the connection between two frames. Dropping the future
    /// loses no data.
    pub async fn next(&mut self) -> Option<Result<Frame<In>, FrameError>> {
        loop {
            match FrameCodec::<(), In>::default().decode(&mut self.buffer) {
                Ok(Some(frame)) => {
                    self.settle();
                    return Some(Ok(frame));
                }
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
            match self.receive().await {
                Ok(0) if self.buffer.is_empty() => return None,
                Ok(0) => return Some(Err(FrameError::Short)),
                Ok(_) => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    /// Receives more bytes. Waiting between two frames has no time limit.
    async fn receive(&mut self) -> Result<usize, FrameError> {
        if self.buffer.is_empty() {
            self.make_room().await;
            return Ok(self.io.read_buf(&mut self.buffer).await?);
        }
        let deadline = *self
            .deadline
            .get_or_insert_with(|| Instant::now() + FRAME_TIME);
        let received = timeout_at(deadline, async {
            self.make_room().await;
            self.io.read_buf(&mut self.buffer).await
        });
        match received.await {
            Ok(received) => Ok(received?),
            Err(_) => Err(FrameError::Slow(FRAME_TIME.as_secs())),
        }
    }

    async fn make_room(&mut self) {
        if self.buffer.len() < self.buffer.capacity() {
            return;
        }
        let size = self.buffer.len() + CHUNK;
        if size <= FREE {
            self.buffer.reserve(CHUNK);
            return;
        }
        let held = self
            .held
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits);
        let needed = (size - FREE).div_ceil(PERMIT).saturating_sub(held);
        let needed = u32::try_from(needed).unwrap_or(u32::MAX);
        // The budget is never closed.
        if let Ok(more) = self.budget.0.clone().acquire_many_owned(needed).await {
            match &mut self.held {
                Some(held) => held.merge(more),
                held => *held = Some(more),
            }
        }
        let mut larger = BytesMut::with_capacity(size);
        larger.extend_from_slice(&self.buffer);
        self.buffer = larger;
    }

    /// After a frame, releases its part of the budget and its memory.
    fn settle(&mut self) {
        self.deadline = None;
        if self.held.take().is_some() {
            self.buffer = BytesMut::from(&self.buffer[..]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        collections::VecDeque,
        pin::Pin,
        task::{Context, Poll},
    };

    use bytes::Bytes;
    use proptest::prelude::*;
    use tokio::io::{AsyncWriteExt, ReadBuf};
    use tokio_util::codec::Encoder;

    use super::*;
    use crate::{
        model::{id::ContextName, request::ContextRequest},
        protocol::{
            frame::{MAX_DATA, MAX_REQUEST},
            message::{FromClient, Origin, Request, StreamData},
        },
    };

    /// A sender that delivers its bytes in these pieces.
    struct Pieces(VecDeque<Bytes>);

    impl AsyncRead for Pieces {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<std::io::Result<()>> {
            if let Some(piece) = self.0.front_mut() {
                let taken = piece.split_to(piece.len().min(buffer.remaining()));
                buffer.put_slice(&taken);
                if piece.is_empty() {
                    self.0.pop_front();
                }
            }
            Poll::Ready(Ok(()))
        }
    }

    fn data(bytes: Vec<u8>) -> Frame<FromClient> {
        Frame::Data(StreamData {
            origin: Origin::Typed,
            bytes: bytes.into(),
        })
    }

    fn frame() -> impl Strategy<Value = Frame<FromClient>> {
        let bytes = prop::collection::vec(any::<u8>(), 0..300_usize);
        let long = (0..MAX_DATA).prop_map(|length| vec![7; length]);
        let name = (0..MAX_REQUEST - 200).prop_map(|length| "n".repeat(length));
        prop_oneof![
            4 => bytes.prop_map(data),
            1 => long.prop_map(data),
            4 => any::<u64>().prop_map(|id| Frame::Control(FromClient::Ask {
                id,
                request: Request::Subscribe,
            })),
            1 => name.prop_map(|email| Frame::Control(FromClient::Ask {
                id: 1,
                request: Request::context(ContextName::local(), ContextRequest::FindOwner { email }),
            })),
        ]
    }

    /// Reads `wire` in pieces of these lengths. Returns the frames, and how far the largest buffer exceeded
    /// its content.
    fn read(
        wire: &Bytes,
        mut lengths: impl Iterator<Item = usize>,
    ) -> (Vec<Result<Frame<FromClient>, String>>, usize) {
        let mut rest = wire.clone();
        let mut pieces = VecDeque::new();
        while !rest.is_empty() {
            let length = lengths.next().unwrap_or(rest.len()).clamp(1, rest.len());
            pieces.push_back(rest.split_to(length));
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        runtime.block_on(async {
            let mut reader = FrameReader::new(Pieces(pieces), Budget::new(8 << 20));
            let (mut seen, mut excess) = (Vec::new(), 0);
            while let Some(read) = reader.next().await {
                excess = excess.max(reader.buffer.capacity() - reader.buffer.len());
                let failed = read.is_err();
                seen.push(read.map_err(|error| error.to_string()));
                if failed {
                    break;
                }
            }
            (seen, excess)
        })
    }

    fn any_lengths() -> impl Strategy<Value = Vec<usize>> {
        prop::collection::vec(prop_oneof![1..20_usize, 1..100_000_usize], 0..200)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_splitting_gives_the_same_frames(
            frames in prop::collection::vec(frame(), 0..6),
            lengths in any_lengths(),
        ) {
            let mut wire = BytesMut::new();
            for frame in &frames {
                FrameCodec::<FromClient, ()>::default().encode(frame.clone(), &mut wire).unwrap();
            }
            let (seen, excess) = read(&wire.freeze(), lengths.into_iter());
            let expected: Vec<_> = frames.into_iter().map(Ok).collect();
            prop_assert!(seen == expected, "{} frames of {}", seen.len(), expected.len());
            prop_assert!(excess <= 2 * FREE, "{excess}");
        }

        #[test]
        fn any_bytes_in_any_splitting_end_alike(
            bytes in prop::collection::vec(any::<u8>(), 0..2000),
            head in prop_oneof![Just(vec![]), Just(vec![0, 0, 3, 0, 0]), Just(vec![0, 0, 0, 9, 1])],
            lengths in any_lengths(),
        ) {
            let wire: Bytes = [head, bytes].concat().into();
            let whole = read(&wire, std::iter::empty());
            prop_assert_eq!(read(&wire, lengths.into_iter()).0, whole.0);
        }
    }

    fn unfinished(announced: usize, sent: usize) -> Vec<u8> {
        let mut wire = u32::try_from(announced).unwrap().to_be_bytes().to_vec();
        wire.push(0);
        wire.resize(wire.len() + sent, b' ');
        wire
    }

    #[tokio::test(start_paused = true)]
    async fn frames_that_never_end_share_a_budget_and_are_given_up() {
        const BUDGET: usize = 1024 * 1024;
        let budget = Budget::new(BUDGET);
        let mut readers = Vec::new();
        let mut senders = Vec::new();
        for _ in 0..20 {
            let (mut sender, io) = tokio::io::duplex(MAX_REQUEST + 100);
            let wire = unfinished(MAX_REQUEST, MAX_REQUEST - 10);
            sender.write_all(&wire).await.unwrap();
            senders.push(sender);
            let mut reader = FrameReader::<_, FromClient>::new(io, budget.clone());
            // Reads as far as possible before it must wait.
            let waited = tokio::time::timeout(Duration::from_secs(1), reader.next()).await;
            assert!(waited.is_err());
            readers.push(reader);
        }
        let held: usize = readers.iter().map(|it| it.buffer.capacity()).sum();
        assert!(held <= BUDGET + 20 * (FREE + CHUNK), "{held}");
        for reader in &mut readers {
            let ended = reader.next().await.unwrap().unwrap_err();
            assert!(matches!(ended, FrameError::Slow(_)), "{ended}");
        }
        drop(readers);
        let (mut sender, io) = tokio::io::duplex(MAX_REQUEST + 100);
        let wire = unfinished(MAX_REQUEST, MAX_REQUEST - 1);
        sender.write_all(&wire).await.unwrap();
        let mut reader = FrameReader::<_, FromClient>::new(io, budget);
        let ended = reader.next().await.unwrap().unwrap_err();
        assert!(matches!(ended, FrameError::Json(_)), "{ended}");
        assert!(reader.held.is_none() || reader.buffer.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_may_be_silent_between_frames() {
        let (mut sender, io) = tokio::io::duplex(1024);
        let mut reader = FrameReader::<_, FromClient>::new(io, Budget::new(1 << 20));
        let waited = tokio::time::timeout(10 * FRAME_TIME, reader.next()).await;
        assert!(waited.is_err(), "{waited:?}");
        let mut wire = BytesMut::new();
        let frame = data(b"late".to_vec());
        FrameCodec::<FromClient, ()>::default()
            .encode(frame.clone(), &mut wire)
            .unwrap();
        sender.write_all(&wire).await.unwrap();
        assert_eq!(reader.next().await.unwrap().unwrap(), frame);
    }

    #[test]
    fn fuzz_frames() {
        let mut real = BytesMut::new();
        for frame in [
            data(b"ls\r".to_vec()),
            Frame::Control(FromClient::Ask {
                id: 1,
                request: Request::context(
                    ContextName::local(),
                    ContextRequest::FindOwner {
                        email: "kim@example.com".to_owned(),
                    },
                ),
            }),
        ] {
            FrameCodec::<FromClient, ()>::default()
                .encode(frame, &mut real)
                .unwrap();
        }
        crate::fuzz::parser("frames", &[&real], |bytes, random| {
            let wire = Bytes::copy_from_slice(bytes);
            let (whole, excess) = read(&wire, std::iter::empty());
            assert!(excess <= 2 * FREE, "{excess}");
            crate::fuzz::bounded(bytes, &whole);
            let lengths: Vec<usize> = random.split(bytes).iter().map(|it| it.len()).collect();
            // The reason for a refusal may differ, because it can be found before the frame's kind is known.
            let pieces = read(&wire, lengths.into_iter()).0;
            let outcome = |it: &Result<Frame<FromClient>, String>| it.clone().map_err(drop);
            assert!(pieces.iter().map(outcome).eq(whole.iter().map(outcome)));
            for frame in whole.into_iter().flatten() {
                let mut wire = BytesMut::new();
                FrameCodec::<FromClient, ()>::default()
                    .encode(frame.clone(), &mut wire)
                    .unwrap();
                let again = read(&wire.freeze(), std::iter::empty()).0;
                assert_eq!(again, [Ok(frame)]);
            }
        });
    }
}
