//! A terminal: ttyd's WebSocket inside the pipe to its port. ttyd attaches to the one tmux that all
//! terminals of a session share, so the same screen comes back after a reconnect.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{
    SinkExt as _, StreamExt as _,
    stream::{SplitSink, SplitStream},
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::{mpsc, watch},
    time::{Interval, MissedTickBehavior},
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        self, Message, client::IntoClientRequest as _, error::ProtocolError, http::HeaderValue,
        protocol::WebSocketConfig,
    },
};

use super::{
    open_terminals::TagClaim,
    pipe::{PipeEnd, PortPipe},
    ttyd::{self, TtydMessage},
};
use crate::{
    engine::api::{Attached, Input, Output},
    model::text::Clean,
};

/// Output is queued for a slow reader in pieces of up to [`PIECE`] bytes.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;
const PIECE: usize = 16 * 1024;

/// How much room the queue needs before a paused program continues.
const ROOM: usize = OUTPUT_QUEUE / 2;

/// How often ttyd is pinged. The interval is longer than the one of the pipe, so that the pipe
/// reports a lost connection first, with its cause.
const ASK_EVERY: Duration = Duration::from_secs(25);

/// How long input waits for the program's first output.
const TAKING: Duration = Duration::from_secs(2);

/// How long it may take to send the last input and close the connections.
const FAREWELL: Duration = Duration::from_secs(1);

/// The connection to ttyd over a pipe. `S` is the connection to the manager.
pub(super) type TtydConnection<S> = WebSocketStream<PortPipe<S>>;

/// Why a terminal could not be opened on a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// The service hasn't started yet. Another attempt may succeed.
    NotYet,
    Failed(String),
}

/// Makes ttyd start its program at this size. The caller sets the time limit.
pub(super) async fn open<S>(
    pipe: PortPipe<S>,
    columns: u16,
    rows: u16,
) -> Result<TtydConnection<S>, NotOpened>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // ttyd ignores the host name.
    let mut request = "ws://localhost/ws"
        .into_client_request()
        .map_err(unopened)?;
    let protocol = HeaderValue::from_static(ttyd::SUBPROTOCOL);
    request
        .headers_mut()
        .insert("Sec-WebSocket-Protocol", protocol);
    let config = WebSocketConfig::default().read_buffer_size(32 * 1024);
    let opened = tokio_tungstenite::client_async_with_config(request, pipe, Some(config)).await;
    let (mut tty, _) = opened.map_err(unopened)?;
    let hello = Message::Binary(ttyd::hello(columns, rows));
    tty.send(hello).await.map_err(unopened)?;
    Ok(tty)
}

fn unopened(error: tungstenite::Error) -> NotOpened {
    match (PipeEnd::behind(&error), error) {
        (Some(PipeEnd::Refused), _) => NotOpened::NotYet,
        (Some(cut), _) => NotOpened::Failed(cut.to_string()),
        // The port was closed before an answer arrived: the service is starting or ending.
        (None, tungstenite::Error::Protocol(ProtocolError::HandshakeIncomplete)) => {
            NotOpened::NotYet
        }
        (None, tungstenite::Error::Http(answer)) => NotOpened::Failed(tr_sent!(
            "the terminal service of the session answered with status {status}",
            status = answer.status().as_u16()
        )),
        (None, error) => NotOpened::Failed(tr_sent!(
            "the terminal service of the session sent an unexpected answer: {error}",
            error
        )),
    }
}

/// Runs the terminal until the reader drops it, it ends, or another terminal takes over the `claim`.
pub(super) fn start<S>(tty: TtydConnection<S>, claim: TagClaim) -> Attached
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
    let (input, input_out) = mpsc::channel(INPUT_QUEUE);
    tokio::spawn(run(tty, claim, output_in, input_out));
    Attached { output, input }
}

/// How a terminal ends.
enum TerminalEnd {
    /// The reader is gone.
    Dropped,
    /// Another terminal takes over.
    Replaced,
    /// The program ended, or the connection was lost.
    Reported(Output),
}

async fn run<S>(
    tty: TtydConnection<S>,
    mut claim: TagClaim,
    output: mpsc::Sender<Output>,
    mut input: mpsc::Receiver<Input>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut to, mut from) = tty.split();
    let (wish, wishes) = watch::channel(SendRequest::default());
    let reader = TerminalReader {
        from: &mut from,
        output: &output,
        wish,
    };
    let last = tokio::select! {
        biased;
        () = claim.taken() => TerminalEnd::Replaced,
        last = reader.read() => last,
        () = write(&mut to, &mut input, wishes) => TerminalEnd::Dropped,
    };
    let _ = tokio::time::timeout(FAREWELL, farewell(to, from, &last, &mut input)).await;
    // The next terminal may start only now.
    drop(claim);
    let last = match last {
        TerminalEnd::Dropped => return,
        TerminalEnd::Replaced => Output::End { exit_code: None },
        TerminalEnd::Reported(last) => last,
    };
    // The reader may be gone already.
    let _ = output.send(last).await;
}

/// Closes both WebSockets. Remaining input is sent first, unless the shell has ended.
async fn farewell<S>(
    mut to: SplitSink<TtydConnection<S>, Message>,
    from: SplitStream<TtydConnection<S>>,
    last: &TerminalEnd,
    input: &mut mpsc::Receiver<Input>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match last {
        TerminalEnd::Reported(Output::Lost { .. }) => return,
        TerminalEnd::Reported(_) => {}
        TerminalEnd::Dropped | TerminalEnd::Replaced => {
            while let Ok(one) = input.try_recv() {
                if type_in(&mut to, one).await.is_err() {
                    return;
                }
            }
        }
    }
    // After an end, this sends the answer to ttyd's close message.
    let _ = to.close().await;
    if let Ok(mut tty) = to.reunite(from) {
        tty.get_mut().close().await;
    }
}

/// What the reading side asks the writing side to send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SendRequest {
    /// ttyd pauses the program's output.
    paused: bool,
    /// How many pings were requested.
    pings: u32,
    /// Something was shown: the program controls the terminal.
    shown: bool,
}

struct TerminalReader<'a, S> {
    from: &'a mut SplitStream<TtydConnection<S>>,
    output: &'a mpsc::Sender<Output>,
    wish: watch::Sender<SendRequest>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> TerminalReader<'_, S> {
    /// Forwards the output of the terminal. A slow reader makes ttyd pause its program.
    async fn read(self) -> TerminalEnd {
        let mut pulse = pulse();
        let (mut received, mut asked, mut paused) = (true, false, false);
        loop {
            tokio::select! {
                biased;
                () = self.output.closed() => return TerminalEnd::Dropped,
                next = self.from.next() => {
                    received = true;
                    match received_message(next) {
                        Ok(bytes) => {
                            let Some(full) = self.pass_on(bytes).await else {
                                return TerminalEnd::Dropped;
                            };
                            paused |= full;
                        }
                        Err(last) => return TerminalEnd::Reported(last),
                    }
                }
                Ok(_) = self.output.reserve_many(ROOM), if paused => {
                    paused = false;
                    self.wish.send_modify(|wish| wish.paused = false);
                }
                _ = pulse.tick() => {
                    if asked && !received {
                        return TerminalEnd::Reported(lost(tr_sent!("the terminal in the session stopped answering")));
                    }
                    (asked, received) = (true, false);
                    self.wish.send_modify(|wish| wish.pings = wish.pings.wrapping_add(1));
                }
            }
        }
    }

    /// Returns whether the queue was full, so that ttyd was asked to pause. `None` means that the
    /// reader is gone.
    async fn pass_on(&self, mut bytes: Bytes) -> Option<bool> {
        let mut full = false;
        if !bytes.is_empty() {
            self.wish
                .send_if_modified(|wish| !std::mem::replace(&mut wish.shown, true));
        }
        while !bytes.is_empty() {
            let piece = Output::Stdout(bytes.split_to(bytes.len().min(PIECE)));
            match self.output.try_send(piece) {
                Ok(()) => {}
                Err(mpsc::error::TrySendError::Closed(_)) => return None,
                Err(mpsc::error::TrySendError::Full(piece)) => {
                    full = true;
                    self.wish.send_modify(|wish| wish.paused = true);
                    self.output.send(piece).await.ok()?;
                }
            }
        }
        Some(full)
    }
}

fn pulse() -> Interval {
    let mut pulse = tokio::time::interval(ASK_EVERY);
    pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
    pulse.reset();
    pulse
}

/// Reads a message of ttyd: bytes to show (perhaps none), or the end.
fn received_message(next: Option<Result<Message, tungstenite::Error>>) -> Result<Bytes, Output> {
    match next {
        Some(Ok(Message::Binary(message))) => Ok(match ttyd::read(message) {
            TtydMessage::Output(bytes) => bytes,
            TtydMessage::Aside => Bytes::new(),
        }),
        // ttyd closes when its program has ended.
        Some(Ok(Message::Close(_))) => Err(Output::End { exit_code: None }),
        Some(Ok(_)) => Ok(Bytes::new()),
        Some(Err(error)) => Err(match (PipeEnd::behind(&error), error) {
            (Some(cut), _) => lost(&cut.to_string()),
            (None, tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
                closed_early()
            }
            (None, error) => lost(&tr_sent!("the terminal's connection broke: {error}", error)),
        }),
        None => Err(closed_early()),
    }
}

fn closed_early() -> Output {
    lost(tr_sent!(
        "the connection to the terminal in the session was closed"
    ))
}

fn lost(why: &str) -> Output {
    Output::Lost {
        why: Clean::new(why),
    }
}

/// Sends the input and the wishes of the reading side. Never returns, because the reading side
/// knows why the connection ended.
async fn write<S>(
    to: &mut SplitSink<TtydConnection<S>, Message>,
    input: &mut mpsc::Receiver<Input>,
    mut wishes: watch::Receiver<SendRequest>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut said = SendRequest::default();
    let mut typing = true;
    // Until tmux controls the terminal, Ctrl-C would end the program that starts tmux.
    let shown = wishes.wait_for(|wish| wish.shown);
    let _ = tokio::time::timeout(TAKING, shown).await;
    loop {
        let done = tokio::select! {
            biased;
            Ok(()) = wishes.changed() => {
                let wish = *wishes.borrow_and_update();
                let before = std::mem::replace(&mut said, wish);
                grant(to, before, wish).await
            }
            one = input.recv(), if typing => match one {
                Some(one) => type_in(to, one).await,
                None => {
                    typing = false;
                    Ok(())
                }
            },
            else => break,
        };
        if done.is_err() {
            break;
        }
    }
    std::future::pending::<()>().await;
}

async fn grant<S>(
    to: &mut SplitSink<TtydConnection<S>, Message>,
    before: SendRequest,
    wish: SendRequest,
) -> Result<(), tungstenite::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    if wish.paused != before.paused {
        let word = if wish.paused {
            ttyd::PAUSE
        } else {
            ttyd::RESUME
        };
        to.send(Message::Binary(word)).await?;
    }
    if wish.pings != before.pings {
        to.send(Message::Ping(Bytes::new())).await?;
    }
    Ok(())
}

async fn type_in<S>(
    to: &mut SplitSink<TtydConnection<S>, Message>,
    one: Input,
) -> Result<(), tungstenite::Error>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match one {
        Input::Bytes(bytes) => {
            for piece in bytes.chunks(PIECE) {
                to.send(Message::Binary(ttyd::input(piece))).await?;
            }
            Ok(())
        }
        Input::Resize { columns, rows } => {
            to.send(Message::Binary(ttyd::resize(columns, rows))).await
        }
        // A terminal has no end of input: the user types Ctrl-D.
        Input::Eof => Ok(()),
    }
}
