//! One open terminal, log or command.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use bytes::Bytes;
use tokio::sync::{Notify, Semaphore, mpsc};

use super::pulse::{Expecting, Pulse};
use crate::{
    model::log::LogSource,
    protocol::{
        frame::Frame,
        message::{FromClient, Origin, STREAM_WINDOW, StreamData, StreamEnd, StreamId},
    },
};

/// Input is cut into pieces of this size, so that a long paste does not hold up other panes.
const PIECE: usize = 16 * 1024;

/// What comes out of a stream, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// It is open.
    Opened,
    Data {
        source: LogSource,
        bytes: Bytes,
    },
    /// The last one.
    Ended(StreamEnd),
}

/// What the connection's reader and the stream's owner share.
pub(super) struct StreamState {
    inbox: Mutex<Inbox>,
    arrived: Notify,
    /// Bytes of input the daemon still takes.
    credit: Semaphore,
    pulse: Arc<Pulse>,
}

#[derive(Default)]
struct Inbox {
    /// Bounded by the window: the daemon sends no more than was granted.
    items: VecDeque<StreamItem>,
    ended: bool,
    /// Until it is open, or couldn't be opened.
    opening: Option<Expecting>,
    /// Bytes taken by the owner and not yet granted anew.
    owed: u32,
}

impl StreamState {
    pub(super) fn opening(pulse: &Arc<Pulse>) -> Self {
        Self {
            inbox: Mutex::new(Inbox {
                opening: Some(pulse.expect()),
                ..Inbox::default()
            }),
            arrived: Notify::new(),
            credit: Semaphore::new(STREAM_WINDOW as usize),
            pulse: pulse.clone(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inbox> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, item: StreamItem) {
        let mut inbox = self.lock();
        inbox.opening = None;
        inbox.items.push_back(item);
        drop(inbox);
        self.arrived.notify_one();
    }

    pub(super) fn end(&self, end: StreamEnd) {
        {
            let mut inbox = self.lock();
            inbox.items.push_back(StreamItem::Ended(end));
            inbox.ended = true;
            inbox.opening = None;
        }
        self.credit.close();
        self.arrived.notify_one();
    }

    pub(super) fn grant(&self, bytes: u32) {
        // A daemon that grants nonsense must not overflow the semaphore.
        if self.credit.available_permits() < STREAM_WINDOW as usize {
            self.credit.add_permits(bytes.min(STREAM_WINDOW) as usize);
        }
    }
}

/// An open stream. Dropping it closes it: a terminal is detached, its shell lives on.
pub struct Stream {
    state: Arc<StreamState>,
    sender: StreamSender,
}

/// The input side of a stream; cheap to clone.
#[derive(Clone)]
pub struct StreamSender {
    stream: StreamId,
    state: Arc<StreamState>,
    out: mpsc::Sender<Frame<FromClient>>,
}

/// The stream or the line to the daemon is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream is closed")]
pub struct StreamClosed;

impl Stream {
    pub(super) fn new(
        stream: StreamId,
        state: Arc<StreamState>,
        out: mpsc::Sender<Frame<FromClient>>,
    ) -> Self {
        let sender = StreamSender {
            stream,
            state: state.clone(),
            out,
        };
        Self { state, sender }
    }

    /// The next item, `None` after the last one. Taking bytes lets the daemon send as many more.
    /// Nothing is lost when the future is dropped half-way.
    pub async fn recv(&mut self) -> Option<StreamItem> {
        loop {
            {
                let mut inbox = self.state.lock();
                if let Some(item) = inbox.items.pop_front() {
                    if let StreamItem::Data { bytes, .. } = &item {
                        inbox.owed += bytes.len() as u32;
                        self.sender.settle_if_due(&mut inbox);
                    }
                    return Some(item);
                }
                if inbox.ended {
                    return None;
                }
            }
            tokio::select! {
                () = self.state.arrived.notified() => {}
                () = self.sender.settle_when_possible() => {}
            }
        }
    }

    /// The input side.
    pub fn sender(&self) -> StreamSender {
        self.sender.clone()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        if self.state.lock().ended {
            return;
        }
        let close = Frame::Control(FromClient::CloseStream {
            stream: self.sender.stream,
        });
        if let Err(mpsc::error::TrySendError::Full(close)) = self.sender.out.try_send(close)
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let out = self.sender.out.clone();
            runtime.spawn(async move { out.send(close).await });
        }
    }
}

impl StreamSender {
    /// Sends what a person typed; waits while the program behind the stream does not read.
    pub async fn send(&self, bytes: impl Into<Bytes>) -> Result<(), StreamClosed> {
        self.send_as(Origin::Typed, bytes).await
    }

    /// The same of any origin.
    pub async fn send_as(
        &self,
        origin: Origin,
        bytes: impl Into<Bytes>,
    ) -> Result<(), StreamClosed> {
        let mut rest = bytes.into();
        self.state.pulse.wait_for_anything();
        while !rest.is_empty() {
            let piece = rest.split_to(rest.len().min(PIECE));
            let permits = self
                .state
                .credit
                .acquire_many(piece.len() as u32)
                .await
                .map_err(|_| StreamClosed)?;
            permits.forget();
            self.put(Frame::Data(StreamData {
                stream: self.stream,
                origin,
                bytes: piece,
            }))
            .await?;
        }
        Ok(())
    }

    pub async fn resize(&self, columns: u16, rows: u16) -> Result<(), StreamClosed> {
        let stream = self.stream;
        self.control(FromClient::ResizeStream {
            stream,
            columns,
            rows,
        })
        .await
    }

    /// Closes the program's standard input.
    pub async fn end_input(&self) -> Result<(), StreamClosed> {
        let stream = self.stream;
        self.control(FromClient::EndInput { stream }).await
    }

    /// Closes the stream; its last item comes back after that.
    pub async fn close(&self) -> Result<(), StreamClosed> {
        let stream = self.stream;
        self.control(FromClient::CloseStream { stream }).await
    }

    async fn control(&self, message: FromClient) -> Result<(), StreamClosed> {
        if self.state.lock().ended {
            return Err(StreamClosed);
        }
        self.put(Frame::Control(message)).await
    }

    async fn put(&self, frame: Frame<FromClient>) -> Result<(), StreamClosed> {
        self.out.send(frame).await.map_err(|_| StreamClosed)
    }

    /// Grants what was taken once it is a quarter of the window, if the line has room now.
    fn settle_if_due(&self, inbox: &mut Inbox) {
        if inbox.owed >= STREAM_WINDOW / 4
            && let Ok(room) = self.out.try_reserve()
        {
            room.send(self.credit_for(std::mem::take(&mut inbox.owed)));
        }
    }

    /// Waits for room to grant what is due; never ends when nothing is.
    async fn settle_when_possible(&self) {
        if self.state.lock().owed < STREAM_WINDOW / 4 {
            return std::future::pending().await;
        }
        if let Ok(room) = self.out.reserve().await {
            let owed = std::mem::take(&mut self.state.lock().owed);
            room.send(self.credit_for(owed));
        } else {
            std::future::pending::<()>().await;
        }
    }

    fn credit_for(&self, bytes: u32) -> Frame<FromClient> {
        Frame::Control(FromClient::Credit {
            stream: self.stream,
            bytes,
        })
    }
}
