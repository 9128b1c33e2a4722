//! One connection of a listening helper.

use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{Semaphore, mpsc},
};

use tokio_util::sync::CancellationToken;

use crate::model::listen_frame::{Frame, FrameKind, LONGEST, WINDOW};

/// Where frames for a connection go.
pub(super) struct Peer {
    /// Unbounded, but the other side sends a window at most.
    to_program: Option<mpsc::UnboundedSender<Bytes>>,
    /// How many bytes may still be sent to the other side.
    credit: Arc<Semaphore>,
    closed: CancellationToken,
}

impl Peer {
    pub(super) fn new(number: u32, frames: mpsc::Sender<Frame>) -> (Self, Ends) {
        let (to_program, from_client) = mpsc::unbounded_channel();
        let credit = Arc::new(Semaphore::new(WINDOW));
        let closed = CancellationToken::new();
        let ends = Ends {
            number,
            frames,
            from_client,
            credit: Arc::clone(&credit),
            closed: closed.clone(),
        };
        let peer = Self {
            to_program: Some(to_program),
            credit,
            closed,
        };
        (peer, ends)
    }

    pub(super) fn take(&mut self, frame: &Frame) {
        match frame.kind {
            FrameKind::Data => {
                if let Some(program) = &self.to_program {
                    // A program that reads no more has closed its connection, which is reported.
                    let _ = program.send(frame.payload.clone());
                }
            }
            FrameKind::End => self.to_program = None,
            FrameKind::Credit => {
                let room = WINDOW.saturating_sub(self.credit.available_permits());
                self.credit.add_permits(frame.bytes().min(room));
            }
            FrameKind::Close => {
                self.closed.cancel();
                self.to_program = None;
            }
            FrameKind::Ready | FrameKind::Failed | FrameKind::Opened => {}
        }
    }
}

/// The connection's own ends.
pub(super) struct Ends {
    number: u32,
    frames: mpsc::Sender<Frame>,
    from_client: mpsc::UnboundedReceiver<Bytes>,
    credit: Arc<Semaphore>,
    closed: CancellationToken,
}

impl Ends {
    /// Runs until both directions have ended, or one is broken.
    pub(super) async fn carry(self, stream: TcpStream) {
        // Without this, typed bytes wait for more. The connection works anyway.
        let _ = stream.set_nodelay(true);
        let (read, write) = stream.into_split();
        let (number, frames) = (self.number, self.frames);
        let outward = async {
            tokio::select! {
                sent = send(number, &frames, read, &self.credit) => sent,
                // What the client sent before is still written.
                () = self.closed.cancelled() => Ok(()),
            }
        };
        let inward = receive(number, &frames, write, self.from_client);
        let _ = tokio::try_join!(outward, inward);
        // The other side may be gone.
        let _ = frames
            .send(Frame::new(FrameKind::Close, number, Bytes::new()))
            .await;
    }
}

/// The connection is broken or closed.
struct Over;

async fn send(
    number: u32,
    frames: &mpsc::Sender<Frame>,
    mut read: OwnedReadHalf,
    credit: &Semaphore,
) -> Result<(), Over> {
    loop {
        let one = credit.acquire().await.map_err(|_| Over)?;
        let more = credit.available_permits().min(LONGEST - 1);
        let mut allowed = 1;
        if let Ok(many) = credit.try_acquire_many(u32::try_from(more).unwrap_or(0)) {
            allowed += many.num_permits();
            many.forget();
        }
        one.forget();
        let mut bytes = BytesMut::with_capacity(allowed);
        let mut limited = (&mut read).take(allowed as u64);
        let length = limited.read_buf(&mut bytes).await.map_err(|_| Over)?;
        credit.add_permits(allowed - length);
        let kind = if length == 0 {
            FrameKind::End
        } else {
            FrameKind::Data
        };
        let frame = Frame::new(kind, number, bytes);
        frames.send(frame).await.map_err(|_| Over)?;
        if length == 0 {
            return Ok(());
        }
    }
}

async fn receive(
    number: u32,
    frames: &mpsc::Sender<Frame>,
    mut write: OwnedWriteHalf,
    mut from_client: mpsc::UnboundedReceiver<Bytes>,
) -> Result<(), Over> {
    while let Some(bytes) = from_client.recv().await {
        write.write_all(&bytes).await.map_err(|_| Over)?;
        let credit = Frame::credit(number, bytes.len());
        frames.send(credit).await.map_err(|_| Over)?;
    }
    write.shutdown().await.map_err(|_| Over)
}
