//! A terminal: ttyd's WebSocket inside the pipe to its port. ttyd attaches to the one tmux that all
//! terminals of a session share, so the same screen comes back after a loss.

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
    open_terminals::Hold,
    pipe::{Cut, Pipe},
    ttyd::{self, Said},
};
use crate::{
    engine::api::{Attached, Input, Output},
    model::text::Clean,
};

/// Pieces of at most [`PIECE`] on their way to a slow reader.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;
const PIECE: usize = 16 * 1024;

/// So much room must be there again before a program that was held back goes on.
const ROOM: usize = OUTPUT_QUEUE / 2;

/// How often ttyd itself is asked whether it is there. Longer than the pipe's own question, so that a
/// line that is gone is called by its name.
const ASK_EVERY: Duration = Duration::from_secs(25);

/// How long typing waits for the program to show something.
const TAKING: Duration = Duration::from_secs(2);

/// How long goodbye, and what was typed last, may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// The connection to ttyd, over a pipe over the line `S`.
pub(super) type Tty<S> = WebSocketStream<Pipe<S>>;

/// Why a terminal could not be opened on a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum NotOpened {
    /// The service has not come up yet: worth another attempt.
    NotYet,
    Failed(String),
}

/// Makes ttyd start its program at this size. To be bounded by the caller.
pub(super) async fn open<S>(pipe: Pipe<S>, columns: u16, rows: u16) -> Result<Tty<S>, NotOpened>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // Nobody looks at the host name in there.
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
    match (Cut::behind(&error), error) {
        (Some(Cut::Refused), _) => NotOpened::NotYet,
        (Some(cut), _) => NotOpened::Failed(cut.to_string()),
        // The port was closed before an answer came: the service is just starting, or ending.
        (None, tungstenite::Error::Protocol(ProtocolError::HandshakeIncomplete)) => {
            NotOpened::NotYet
        }
        (None, tungstenite::Error::Http(answer)) => NotOpened::Failed(format!(
            "the terminal service of the session answered with status {}",
            answer.status().as_u16()
        )),
        (None, error) => NotOpened::Failed(format!(
            "the terminal service of the session sent an unexpected answer: {error}"
        )),
    }
}

/// Runs the terminal until the reader drops it, it ends, or `hold` is taken away.
pub(super) fn start<S>(tty: Tty<S>, hold: Hold) -> Attached
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
    let (input, input_out) = mpsc::channel(INPUT_QUEUE);
    tokio::spawn(run(tty, hold, output_in, input_out));
    Attached { output, input }
}

/// How a terminal ends.
enum Last {
    /// Nobody reads any more.
    Dropped,
    /// Another terminal takes its place.
    Replaced,
    /// By itself, or by a loss.
    Said(Output),
}

async fn run<S>(
    tty: Tty<S>,
    mut hold: Hold,
    output: mpsc::Sender<Output>,
    mut input: mpsc::Receiver<Input>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut to, mut from) = tty.split();
    let (wish, wishes) = watch::channel(Wish::default());
    let reader = Reader {
        from: &mut from,
        output: &output,
        wish,
    };
    let last = tokio::select! {
        biased;
        () = hold.taken() => Last::Replaced,
        last = reader.read() => last,
        () = write(&mut to, &mut input, wishes) => Last::Dropped,
    };
    let _ = tokio::time::timeout(FAREWELL, farewell(to, from, &last, &mut input)).await;
    // Whoever takes the place may come in only now.
    drop(hold);
    let last = match last {
        Last::Dropped => return,
        Last::Replaced => Output::End { exit_code: None },
        Last::Said(last) => last,
    };
    // Nobody may be there to hear it.
    let _ = output.send(last).await;
}

/// Says goodbye on both WebSockets. What was typed before still goes in, but into a shell that has ended.
async fn farewell<S>(
    mut to: SplitSink<Tty<S>, Message>,
    from: SplitStream<Tty<S>>,
    last: &Last,
    input: &mut mpsc::Receiver<Input>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    match last {
        Last::Said(Output::Lost { .. }) => return,
        Last::Said(_) => {}
        Last::Dropped | Last::Replaced => {
            while let Ok(one) = input.try_recv() {
                if type_in(&mut to, one).await.is_err() {
                    return;
                }
            }
        }
    }
    // After an end the answer to ttyd's own farewell is what goes out here.
    let _ = to.close().await;
    if let Ok(mut tty) = to.reunite(from) {
        tty.get_mut().close().await;
    }
}

/// What the reading side wants said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Wish {
    /// The program's output is to be held back.
    paused: bool,
    /// How many pings have been asked for.
    pings: u32,
    /// Something has been shown: the terminal is in the hands of its program.
    shown: bool,
}

struct Reader<'a, S> {
    from: &'a mut SplitStream<Tty<S>>,
    output: &'a mpsc::Sender<Output>,
    wish: watch::Sender<Wish>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Reader<'_, S> {
    /// Hands on what the terminal shows. A slow reader makes ttyd hold its program back.
    async fn read(self) -> Last {
        let mut pulse = pulse();
        let (mut heard, mut asked, mut paused) = (true, false, false);
        loop {
            tokio::select! {
                biased;
                () = self.output.closed() => return Last::Dropped,
                next = self.from.next() => {
                    heard = true;
                    match heard_as(next) {
                        Ok(bytes) => {
                            let Some(full) = self.hand_on(bytes).await else {
                                return Last::Dropped;
                            };
                            paused |= full;
                        }
                        Err(last) => return Last::Said(last),
                    }
                }
                Ok(_) = self.output.reserve_many(ROOM), if paused => {
                    paused = false;
                    self.wish.send_modify(|wish| wish.paused = false);
                }
                _ = pulse.tick() => {
                    if asked && !heard {
                        return Last::Said(lost("the terminal in the session stopped answering"));
                    }
                    (asked, heard) = (true, false);
                    self.wish.send_modify(|wish| wish.pings = wish.pings.wrapping_add(1));
                }
            }
        }
    }

    /// Whether there was no room, so that ttyd was asked to pause; `None` = nobody reads any more.
    async fn hand_on(&self, mut bytes: Bytes) -> Option<bool> {
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

/// What came from ttyd: bytes to show (perhaps none), or the end.
fn heard_as(next: Option<Result<Message, tungstenite::Error>>) -> Result<Bytes, Output> {
    match next {
        Some(Ok(Message::Binary(message))) => Ok(match ttyd::read(message) {
            Said::Output(bytes) => bytes,
            Said::Aside => Bytes::new(),
        }),
        // ttyd closes when its program has ended.
        Some(Ok(Message::Close(_))) => Err(Output::End { exit_code: None }),
        Some(Ok(_)) => Ok(Bytes::new()),
        Some(Err(error)) => Err(match (Cut::behind(&error), error) {
            (Some(cut), _) => lost(&cut.to_string()),
            (None, tungstenite::Error::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => {
                closed_early()
            }
            (None, error) => lost(&format!("the terminal's connection broke: {error}")),
        }),
        None => Err(closed_early()),
    }
}

fn closed_early() -> Output {
    lost("the connection to the terminal in the session was closed")
}

fn lost(why: &str) -> Output {
    Output::Lost {
        why: Clean::new(why),
    }
}

/// Types what comes in and says what the reading side wants. Ends never: the reading side knows why a
/// line is gone.
async fn write<S>(
    to: &mut SplitSink<Tty<S>, Message>,
    input: &mut mpsc::Receiver<Input>,
    mut wishes: watch::Receiver<Wish>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let mut said = Wish::default();
    let mut typing = true;
    // Until tmux has taken the terminal, Ctrl-C would end the program that is starting it.
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
    to: &mut SplitSink<Tty<S>, Message>,
    before: Wish,
    wish: Wish,
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
    to: &mut SplitSink<Tty<S>, Message>,
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
        // A terminal has no end of its input: a person types Ctrl-D.
        Input::Eof => Ok(()),
    }
}
