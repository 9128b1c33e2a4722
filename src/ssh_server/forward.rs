//! Remote forwards (`ssh -R`): a helper inside the container listens, and each connection to it becomes a channel.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use russh::server::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::{
    channel::{self, ChannelOutput, ClientInput, Gone, InputQueue},
    connection::Shared,
};
use crate::{
    engine::api::{Attached, HelperTask, Input, Output},
    model::{
        failure::Failure,
        listen_frame::{CONNECTIONS, Frame, FrameKind, LONGEST, WINDOW},
    },
};

/// How many ports a client may forward at once.
const MOST: usize = 16;

/// How long a helper may take to listen.
const START: Duration = Duration::from_secs(15);

/// As sshd does by default, whatever address a client asks for.
const LOOPBACK: &str = "127.0.0.1";

/// The forwards of one connection, by the address that the client asked for and the port.
#[derive(Default)]
pub(super) struct Forwards {
    open: HashMap<(String, u32), CancellationToken>,
}

impl Forwards {
    /// Listens on a port of the session's loopback (0 = any). Returns the port.
    pub(super) async fn open(
        &mut self,
        shared: &Arc<Shared>,
        session: Handle,
        address: &str,
        port: u32,
    ) -> Result<u16, Failure> {
        let wanted = u16::try_from(port)
            .map_err(|_| Failure::refused(tr_sent!("{port} isn't a valid port", port)))?;
        self.open.retain(|_, over| !over.is_cancelled());
        if self.open.len() >= MOST {
            return Err(Failure::refused(tr_sent!(
                "{most} ports are forwarded, which are the most",
                most = MOST
            )));
        }
        let starting = start(shared, wanted);
        let (helper, listening) =
            tokio::time::timeout(START, starting)
                .await
                .unwrap_or_else(|_| {
                    Err(Failure::lost(tr_sent!(
                        "listening in the session took too long"
                    )))
                })?;
        let over = shared.gone.child_token();
        let link = Link {
            shared: Arc::clone(shared),
            session,
            address: address.to_owned(),
            port: listening,
            to_helper: helper.input,
            peers: HashMap::new(),
        };
        let buffer = helper.buffer;
        let key = (address.to_owned(), u32::from(listening));
        self.open.insert(key, over.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = over.cancelled() => {}
                () = link.run(helper.output, buffer) => over.cancel(),
            }
        });
        Ok(listening)
    }

    /// Returns whether there was such a forward.
    pub(super) fn close(&mut self, address: &str, port: u32) -> bool {
        let open = self.open.remove(&(address.to_owned(), port));
        open.is_some_and(|over| {
            let was_open = !over.is_cancelled();
            over.cancel();
            was_open
        })
    }
}

/// A helper that listens.
struct Helper {
    input: mpsc::Sender<Input>,
    output: mpsc::Receiver<Output>,
    /// What it has sent after its first frame.
    buffer: BytesMut,
}

/// Starts a helper and waits until it listens.
async fn start(shared: &Shared, port: u16) -> Result<(Helper, u16), Failure> {
    let address = LOOPBACK.to_owned();
    let task = HelperTask::Listen { address, port };
    let Attached { mut output, input } = shared.access.helper(task).await?;
    let failed = |why: &str| {
        Failure::refused(tr_sent!(
            "port {port} of the session can't be forwarded",
            port
        ))
        .because(why)
    };
    let mut buffer = BytesMut::new();
    let mut complaint = String::new();
    loop {
        let first = Frame::read(&mut buffer).map_err(|error| failed(&error.to_string()))?;
        match first {
            Some(frame) if frame.kind == FrameKind::Ready => {
                let (listening, _) = frame.port().unwrap_or((port, String::new()));
                let helper = Helper {
                    input,
                    output,
                    buffer,
                };
                return Ok((helper, listening));
            }
            Some(frame) => return Err(failed(&String::from_utf8_lossy(&frame.payload))),
            None => {}
        }
        match output.recv().await {
            Some(Output::Stdout(bytes)) => buffer.extend_from_slice(&bytes),
            Some(Output::Stderr(bytes)) if complaint.len() < LONGEST => {
                complaint.push_str(&String::from_utf8_lossy(&bytes));
            }
            Some(Output::Stderr(_)) => {}
            Some(Output::Lost { why }) => return Err(failed(why.as_str())),
            Some(Output::End { .. }) | None => return Err(failed(complaint.trim())),
        }
    }
}

/// One forwarded port.
struct Link {
    shared: Arc<Shared>,
    session: Handle,
    /// As the client named it.
    address: String,
    port: u16,
    to_helper: mpsc::Sender<Input>,
    peers: HashMap<u32, Peer>,
}

/// The way from the helper to one connection's channel.
struct Peer {
    /// `None` after the end of the connection's output.
    to_client: Option<mpsc::UnboundedSender<Bytes>>,
    /// Bytes that wait for the client.
    waiting: Arc<AtomicUsize>,
    /// How many bytes the helper takes.
    credit: Arc<Semaphore>,
    closed: CancellationToken,
}

impl Link {
    /// Runs until the helper ends or sends something that it must not send.
    async fn run(mut self, mut output: mpsc::Receiver<Output>, mut buffer: BytesMut) {
        loop {
            loop {
                let frame = match Frame::read(&mut buffer) {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break,
                    Err(_) => return,
                };
                if self.take(frame).is_none() {
                    return;
                }
            }
            match output.recv().await {
                Some(Output::Stdout(bytes)) => buffer.extend_from_slice(&bytes),
                Some(Output::Stderr(_)) => {}
                Some(Output::End { .. } | Output::Lost { .. }) | None => return,
            }
        }
    }

    /// Hands a frame to its connection. Never waits for one. `None` = the helper broke the rules.
    fn take(&mut self, frame: Frame) -> Option<()> {
        let number = frame.connection;
        if frame.kind == FrameKind::Opened {
            return self.open(&frame);
        }
        let peer = self.peers.get_mut(&number)?;
        match frame.kind {
            FrameKind::Data => {
                let before = peer
                    .waiting
                    .fetch_add(frame.payload.len(), Ordering::AcqRel);
                if before + frame.payload.len() > WINDOW {
                    return None;
                }
                if let Some(client) = &peer.to_client {
                    // The client may have closed the channel.
                    let _ = client.send(frame.payload);
                }
            }
            FrameKind::End => peer.to_client = None,
            FrameKind::Credit => {
                let room = WINDOW.saturating_sub(peer.credit.available_permits());
                peer.credit.add_permits(frame.bytes().min(room));
            }
            FrameKind::Close => {
                if let Some(peer) = self.peers.remove(&number) {
                    peer.closed.cancel();
                }
            }
            FrameKind::Ready | FrameKind::Failed | FrameKind::Opened => return None,
        }
        Some(())
    }

    fn open(&mut self, frame: &Frame) -> Option<()> {
        let (port, from) = frame.port()?;
        if self.peers.len() >= CONNECTIONS {
            return None;
        }
        let (to_client, from_session) = mpsc::unbounded_channel();
        let peer = Peer {
            to_client: Some(to_client),
            waiting: Arc::default(),
            credit: Arc::new(Semaphore::new(WINDOW)),
            closed: self.shared.gone.child_token(),
        };
        let carried = Carried {
            number: frame.connection,
            to_helper: self.to_helper.clone(),
            waiting: Arc::clone(&peer.waiting),
            credit: Arc::clone(&peer.credit),
        };
        let (shared, session) = (Arc::clone(&self.shared), self.session.clone());
        let (address, listening) = (self.address.clone(), u32::from(self.port));
        let closed = peer.closed.clone();
        self.peers.insert(frame.connection, peer);
        tokio::spawn(async move {
            let opening = async {
                let permit = shared.channel()?;
                let opened = session
                    .channel_open_forwarded_tcpip(address, listening, from, u32::from(port))
                    .await;
                let (input, output) = shared.split(opened.ok()?, &session, permit);
                Some((input, output))
            };
            let channel = tokio::select! {
                channel = opening => channel,
                () = shared.gone.cancelled() => None,
            };
            if let Some((input, output)) = channel {
                let access = &*shared.access;
                tokio::select! {
                    () = carried.run(from_session, input, &output, || access.used()) => {}
                    () = closed.cancelled() => {}
                }
                output.close().await;
            }
            carried.notify(FrameKind::Close).await;
        });
        Some(())
    }
}

/// One connection to a forwarded port.
struct Carried {
    number: u32,
    to_helper: mpsc::Sender<Input>,
    waiting: Arc<AtomicUsize>,
    credit: Arc<Semaphore>,
}

impl Carried {
    /// Runs until the client closes the channel, or the helper is gone.
    async fn run(
        &self,
        from_session: mpsc::UnboundedReceiver<Bytes>,
        input: InputQueue,
        output: &ChannelOutput,
        used: impl Fn(),
    ) {
        let overflow = output.end().overflow.clone();
        let both = async {
            let (input, ()) = tokio::try_join!(
                self.to_session(input, used),
                self.to_client(from_session, output)
            )?;
            channel::closed_by_client(input).await;
            Ok::<(), Gone>(())
        };
        tokio::select! {
            _ = both => {}
            () = overflow.cancelled() => {}
        }
    }

    async fn to_client(
        &self,
        mut from_session: mpsc::UnboundedReceiver<Bytes>,
        output: &ChannelOutput,
    ) -> Result<(), Gone> {
        while let Some(bytes) = from_session.recv().await {
            let length = bytes.len();
            output.send(bytes, false).await?;
            self.waiting.fetch_sub(length, Ordering::AcqRel);
            self.send(Frame::credit(self.number, length)).await?;
        }
        output.eof().await;
        Ok(())
    }

    async fn to_session(&self, mut input: InputQueue, used: impl Fn()) -> Result<InputQueue, Gone> {
        while let Some((one, queued)) = input.recv().await {
            match one {
                ClientInput::Bytes(mut bytes) => {
                    used();
                    while !bytes.is_empty() {
                        let piece = bytes.split_to(bytes.len().min(LONGEST));
                        let cost = u32::try_from(piece.len()).map_err(|_| Gone)?;
                        let credit = self.credit.acquire_many(cost).await.map_err(|_| Gone)?;
                        credit.forget();
                        self.send(Frame::new(FrameKind::Data, self.number, piece))
                            .await?;
                    }
                }
                ClientInput::Eof => {
                    self.send(Frame::new(FrameKind::End, self.number, Bytes::new()))
                        .await?;
                    return Ok(input);
                }
                ClientInput::Resize(..) | ClientInput::Signal(_) => {}
            }
            drop(queued);
        }
        Err(Gone)
    }

    async fn send(&self, frame: Frame) -> Result<(), Gone> {
        let bytes = Input::Bytes(frame.encoded());
        self.to_helper.send(bytes).await.map_err(|_| Gone)
    }

    async fn notify(&self, kind: FrameKind) {
        // The helper may be gone.
        let _ = self.send(Frame::new(kind, self.number, Bytes::new())).await;
    }
}
