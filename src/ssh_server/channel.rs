//! One channel of a client: what it sends, and what is sent to it.

use std::{sync::Arc, time::Duration};

use bytes::Bytes;
use russh::{
    ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Sig,
    server::{Handle, Msg},
};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

use super::{
    backlog::{Backlog, Queued},
    command,
    variables::Variables,
};
use crate::locale::{self, Catalog};

/// The code of standard error in extended data.
const STDERR: u32 = 1;

/// From then on, output is looked at that isn't taken.
const LOOK: Duration = Duration::from_millis(20);

/// After that many checks, output that isn't taken waits for the client whatever the reason: it may be for new keys.
const CHECKS: u32 = 100;

/// How long a client may take to close a channel whose directions have both ended.
const CLOSE: Duration = Duration::from_millis(100);

/// What a client sends on a channel.
#[derive(Debug)]
pub(super) enum ClientInput {
    Bytes(Bytes),
    Eof,
    /// Columns and rows.
    Resize(u16, u16),
    Signal(Sig),
}

/// The input of a channel, in order. It ends when the client closes the channel.
pub(super) type InputQueue = mpsc::UnboundedReceiver<(ClientInput, Queued)>;

/// How a channel ends early.
#[derive(Clone)]
pub(super) struct ChannelEnd {
    /// The connection or the channel is over, nothing is to be sent any more.
    pub(super) gone: CancellationToken,
    /// The client sent too much that nobody took.
    pub(super) overflow: CancellationToken,
}

/// Receives what the client sends on a channel, without ever waiting for who takes it. `permit` counts the channel.
pub(super) fn receive(
    mut from: ChannelReadHalf,
    backlog: Arc<Backlog>,
    end: ChannelEnd,
    permit: OwnedSemaphorePermit,
) -> InputQueue {
    let (input, queue) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let _permit = permit;
        loop {
            let message = tokio::select! {
                biased;
                () = end.gone.cancelled() => return,
                message = from.wait() => message,
            };
            let (one, bytes) = match message {
                None | Some(ChannelMsg::Close) => return,
                Some(ChannelMsg::Data { data }) => {
                    let bytes = data.len();
                    (ClientInput::Bytes(data), bytes)
                }
                Some(ChannelMsg::Eof) => (ClientInput::Eof, 0),
                Some(ChannelMsg::WindowChange {
                    col_width,
                    row_height,
                    ..
                }) => {
                    let (columns, rows) = command::size(col_width, row_height);
                    (ClientInput::Resize(columns, rows), 0)
                }
                Some(ChannelMsg::Signal { signal }) => (ClientInput::Signal(signal), 0),
                Some(_) => continue,
            };
            let Some(queued) = backlog.add(bytes) else {
                end.overflow.cancel();
                return;
            };
            // If the program is over, the client's close is still to come.
            let _ = input.send((one, queued));
        }
    });
    queue
}

/// Waits a moment for the client to close a channel whose directions have both ended. The library keeps a little of each
/// channel that the server closes first, and most clients close it on their own; `ssh -W` doesn't.
pub(super) async fn closed_by_client(mut input: InputQueue) {
    let closed = async { while input.recv().await.is_some() {} };
    // Either way the channel is closed next.
    let _ = tokio::time::timeout(CLOSE, closed).await;
}

/// The connection or the channel is over.
#[derive(Debug)]
pub(super) struct Gone;

/// The way to the client.
pub(super) struct ChannelOutput {
    to: ChannelWriteHalf<Msg>,
    handle: Handle,
    backlog: Arc<Backlog>,
    end: ChannelEnd,
    /// The language of workbay's own sentences, `None` for English.
    language: Option<&'static Catalog>,
}

impl ChannelOutput {
    pub(super) fn new(
        to: ChannelWriteHalf<Msg>,
        handle: Handle,
        backlog: Arc<Backlog>,
        end: ChannelEnd,
    ) -> Self {
        Self {
            to,
            handle,
            backlog,
            end,
            language: locale::speaking(),
        }
    }

    /// Chooses the language by the client's variables.
    pub(super) fn speak(&mut self, variables: &Variables) {
        self.language = locale::speaking_to(|name| variables.get(name));
    }

    pub(super) fn end(&self) -> &ChannelEnd {
        &self.end
    }

    /// Sends output, as fast as the client takes it.
    pub(super) async fn send(&self, bytes: Bytes, is_error: bool) -> Result<(), Gone> {
        let sending = async {
            if is_error {
                self.to.extended_data_bytes(STDERR, bytes).await
            } else {
                self.to.data_bytes(bytes).await
            }
        };
        tokio::pin!(sending);
        let mut checks = 0;
        let starved = loop {
            tokio::select! {
                biased;
                sent = &mut sending => return sent.map_err(|_| Gone),
                () = self.end.gone.cancelled() => return Err(Gone),
                room = async {
                    tokio::time::sleep(LOOK).await;
                    self.to.writable_packet_size().await
                } => {
                    checks += 1;
                    if room == 0 || checks >= CHECKS {
                        break self.backlog.starve();
                    }
                }
            }
        };
        let outcome = tokio::select! {
            biased;
            sent = &mut sending => sent.map_err(|_| Gone),
            () = self.end.gone.cancelled() => Err(Gone),
        };
        drop(starved);
        outcome
    }

    /// Sends a sentence of workbay's own on standard error.
    pub(super) async fn say(&self, sentence: &str) {
        let translated = self.language.and_then(|it| it.sent(sentence));
        let line = format!("workbay: {}\r\n", translated.as_deref().unwrap_or(sentence));
        // The client may be gone.
        let _ = self.send(line.into(), true).await;
    }

    /// Tells the client that no more output follows.
    pub(super) async fn eof(&self) {
        self.quickly(self.to.eof()).await;
    }

    /// Closes the channel after a program's exit code.
    pub(super) async fn exited(self, code: u32) {
        self.eof().await;
        self.quickly(self.to.exit_status(code)).await;
        self.close().await;
    }

    /// Closes the channel of a program that a signal ended.
    pub(super) async fn killed(self, signal: Sig) {
        self.eof().await;
        let sent = self.handle.exit_signal_request(
            self.to.id(),
            signal,
            false,
            String::new(),
            String::new(),
        );
        self.quickly(sent).await;
        self.close().await;
    }

    pub(super) async fn close(self) {
        self.quickly(self.to.close()).await;
        self.end.gone.cancel();
    }

    /// Waits for a message, unless the connection is over.
    async fn quickly<T, E>(&self, message: impl Future<Output = Result<T, E>>) {
        tokio::select! {
            // The connection may be over.
            _ = message => {}
            () = self.end.gone.cancelled() => {}
        }
    }
}
