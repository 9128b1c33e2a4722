//! One open terminal, log, command or connection to a port. It has a connection to the daemon of its own, so
//! the kernel slows down a side that sends faster than the other one reads.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::{sync::mpsc, task::AbortHandle};

use super::{
    Client, language,
    link::{DaemonReader, Writer, too_long},
    pulse::{Expecting, Pulse},
};
use crate::{
    model::{log::LogSource, text::Clean},
    protocol::{
        frame::{Frame, FrameError},
        message::{FromClient, FromDaemon, Origin, StreamData, StreamEnd, StreamOpen},
    },
};

/// Input is cut into pieces of this size, so that a long paste needs little memory in the daemon.
const PIECE: usize = 16 * 1024;
/// The number of input pieces that can wait for the socket.
const OUTGOING: usize = 4;
/// The number of items that can wait for the owner of the stream. Further ones wait in the socket.
const ITEMS: usize = 2;

/// An item that a stream delivers, in order.
#[derive(Clone, Debug, PartialEq)]
pub enum StreamItem {
    /// The stream is open.
    Opened,
    Data {
        source: LogSource,
        bytes: Bytes,
    },
    /// The last item.
    Ended(StreamEnd),
}

/// An open stream. Dropping it closes it: a terminal is detached, and its shell keeps running.
pub struct Stream {
    items: mpsc::Receiver<StreamItem>,
    sender: StreamSender,
    task: AbortHandle,
}

/// The input side of a stream; cheap to clone.
#[derive(Clone)]
pub struct StreamSender {
    out: mpsc::Sender<Frame<FromClient>>,
    pulse: Arc<Pulse>,
}

/// The stream or the connection to the daemon is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream is closed")]
pub struct StreamClosed;

impl Stream {
    pub(super) fn open(client: Client, open: StreamOpen) -> Self {
        let (items_in, items) = mpsc::channel(ITEMS);
        let (out, outgoing) = mpsc::channel(OUTGOING);
        let pulse = client.shared.pulse.clone();
        let sender = StreamSender { out, pulse };
        let task = tokio::spawn(async move {
            let end = carry(&client, open, outgoing, &items_in).await;
            // The owner may have closed the stream.
            let _ = items_in.send(StreamItem::Ended(end)).await;
        });
        Self {
            items,
            sender,
            task: task.abort_handle(),
        }
    }

    /// The next item; `None` after the last one. Dropping the future loses no item.
    pub async fn recv(&mut self) -> Option<StreamItem> {
        self.items.recv().await
    }

    /// The input side.
    pub fn sender(&self) -> StreamSender {
        self.sender.clone()
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StreamSender {
    /// Sends typed input. Waits while the program of the stream doesn't read.
    pub async fn send(&self, bytes: impl Into<Bytes>) -> Result<(), StreamClosed> {
        self.send_as(Origin::Typed, bytes).await
    }

    /// Sends input of any origin.
    pub async fn send_as(
        &self,
        origin: Origin,
        bytes: impl Into<Bytes>,
    ) -> Result<(), StreamClosed> {
        let mut rest = bytes.into();
        self.pulse.wait_for_anything();
        while !rest.is_empty() {
            let bytes = rest.split_to(rest.len().min(PIECE));
            self.put(Frame::Data(StreamData { origin, bytes })).await?;
        }
        Ok(())
    }

    pub async fn resize(&self, columns: u16, rows: u16) -> Result<(), StreamClosed> {
        let resize = FromClient::Resize { columns, rows };
        self.put(Frame::Control(resize)).await
    }

    /// Closes the program's standard input.
    pub async fn end_input(&self) -> Result<(), StreamClosed> {
        self.put(Frame::Control(FromClient::EndInput)).await
    }

    async fn put(&self, frame: Frame<FromClient>) -> Result<(), StreamClosed> {
        self.out.send(frame).await.map_err(|_| StreamClosed)
    }
}

/// Opens the stream on a connection of its own and moves bytes both ways until it ends.
async fn carry(
    client: &Client,
    open: StreamOpen,
    outgoing: mpsc::Receiver<Frame<FromClient>>,
    items: &mpsc::Sender<StreamItem>,
) -> StreamEnd {
    let expecting = client.expect();
    let (reader, mut writer) = match client.dial().await {
        Ok(connection) => (connection.reader, connection.writer),
        Err(failure) => return StreamEnd::Failed { failure },
    };
    match writer.feed(Frame::Control(FromClient::Open { open })) {
        Ok(()) => {}
        Err(FrameError::TooLong { bytes, most }) => {
            let failure = too_long(bytes, most);
            return StreamEnd::Failed { failure };
        }
        Err(error) => return broken(&error),
    }
    // Only the reader knows how the stream ended, so it continues when the daemon accepts no more input.
    let writing = async {
        write(writer, outgoing).await;
        std::future::pending().await
    };
    tokio::select! {
        end = read(reader, &client.shared.pulse, expecting, items) => end,
        never = writing => never,
    }
}

/// Returns when the daemon accepts no more input.
async fn write(mut writer: Writer, mut outgoing: mpsc::Receiver<Frame<FromClient>>) {
    while writer.flush().await.is_ok()
        && let Some(frame) = outgoing.recv().await
        && writer.feed(frame).is_ok()
    {}
}

async fn read(
    mut reader: DaemonReader,
    pulse: &Pulse,
    expecting: Expecting,
    items: &mpsc::Sender<StreamItem>,
) -> StreamEnd {
    let mut opening = Some(expecting);
    loop {
        let received = reader.next().await;
        pulse.received();
        opening.take();
        let item = match received {
            Some(Ok(Frame::Data(data))) => StreamItem::Data {
                source: data.origin.output(),
                bytes: data.bytes,
            },
            Some(Ok(Frame::Control(FromDaemon::Opened))) => StreamItem::Opened,
            Some(Ok(Frame::Control(FromDaemon::Ended { end }))) => return language::end(end),
            Some(Ok(Frame::Control(FromDaemon::Refused { message }))) => {
                return StreamEnd::Lost {
                    why: language::of(message),
                };
            }
            Some(Ok(Frame::Control(FromDaemon::Answer { .. } | FromDaemon::Notice { .. }))) => {
                continue;
            }
            Some(Err(error)) => return broken(&error),
            None => {
                let why = Clean::new(tr!("the daemon stopped"));
                return StreamEnd::Lost { why };
            }
        };
        if items.send(item).await.is_err() {
            return StreamEnd::Exited { exit_code: None };
        }
    }
}

fn broken(error: &FrameError) -> StreamEnd {
    let why = Clean::new(&tr!("the connection to the daemon broke: {error}", error));
    StreamEnd::Lost { why }
}
