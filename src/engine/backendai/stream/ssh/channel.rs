//! One program on one connection: its output, its input, its end. And a TCP stream from there on.

use std::time::Duration;

use bytes::Bytes;
use russh::{ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Sig, client::Msg};
use tokio::sync::mpsc;

use super::{
    super::{super::request::manager_error::declined, open_terminals::Hold},
    handshake::Entered,
};
use crate::{
    engine::api::{Attached, Input, Output, Result},
    model::text::Clean,
};

/// Pieces of at most [`PIECE`] on their way to a slow reader.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;
const PIECE: usize = 16 * 1024;

/// How long goodbye, and what was typed last, may take.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

/// What programs are told their terminal is, until a tmux in between says otherwise.
const TERM: &str = "xterm-256color";

/// Which stream of a channel the error output is.
const STDERR: u32 = 1;

/// What a printed answer may be long, and how long it may take.
const ANSWER: usize = 64 * 1024;
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// What a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Pipes,
    Terminal,
    /// A TCP stream to somewhere that is reached from there.
    Tunnel,
}

/// Starts the program that `line` means to the person's shell in there. With a place that is taken by another
/// one it ends.
pub(super) async fn start(
    entered: Entered,
    line: String,
    tty: Option<(u16, u16)>,
    hold: Option<Hold>,
) -> Result<Attached> {
    let kind = match tty {
        Some(_) => Kind::Terminal,
        None => Kind::Pipes,
    };
    let begun = begin(&entered, line, tty).await;
    carried(entered, begun, kind, hold).await
}

/// A TCP stream to a port that the container reaches.
pub(super) async fn tunnel(entered: Entered, host: &str, port: u16) -> Result<Attached> {
    let opened = entered
        .handle
        .channel_open_direct_tcpip(host, port.into(), "127.0.0.1", 0)
        .await;
    let begun = match opened {
        Ok(channel) => Ok(channel.split()),
        Err(russh::Error::ChannelOpenFailure(_)) => {
            Err(Some(refused(&format!("the connection to {host}:{port}"))))
        }
        Err(_) => Err(None),
    };
    carried(entered, begun, Kind::Tunnel, None).await
}

/// What the program prints that `line` means, to its end.
pub(super) async fn answer(entered: &Entered, line: String) -> Result<Vec<u8>> {
    let reading = async {
        let (mut from, _to) = begin(entered, line, None).await?;
        let mut printed = Vec::new();
        loop {
            match from.wait().await {
                Some(ChannelMsg::Data { data }) if printed.len() + data.len() <= ANSWER => {
                    printed.extend_from_slice(&data);
                }
                Some(ChannelMsg::Data { .. }) => return Err(Some(TOO_LONG.to_owned())),
                Some(ChannelMsg::Close) => return Ok(printed),
                Some(_) => {}
                None => return Err(None),
            }
        }
    };
    let read = tokio::time::timeout(ANSWERS_WITHIN, reading).await;
    let read = read.unwrap_or_else(|_| Err(Some(LATE.to_owned())));
    read.map_err(|why| declined(why.unwrap_or_else(|| entered.loss())))
}

const TOO_LONG: &str = "a command in the session printed too much";
const LATE: &str = "a command in the session doesn't answer";

type Halves = (ChannelReadHalf, ChannelWriteHalf<Msg>);

async fn carried(
    entered: Entered,
    begun: std::result::Result<Halves, NotBegun>,
    kind: Kind,
    hold: Option<Hold>,
) -> Result<Attached> {
    match begun {
        Ok((from, to)) => {
            let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
            let (input, input_out) = mpsc::channel(INPUT_QUEUE);
            let program = Program {
                from,
                to,
                kind,
                hold,
            };
            tokio::spawn(program.run(entered, output_in, input_out));
            Ok(Attached { output, input })
        }
        Err(why) => {
            let why = why.unwrap_or_else(|| entered.loss());
            entered.leave(FAREWELL).await;
            Err(declined(why))
        }
    }
}

/// Why a program was not begun; `None` = the connection is gone.
type NotBegun = Option<String>;

async fn begin(
    entered: &Entered,
    line: String,
    tty: Option<(u16, u16)>,
) -> std::result::Result<Halves, NotBegun> {
    let gone = |error| match error {
        russh::Error::ChannelOpenFailure(_) => Some(refused("a channel")),
        _ => None,
    };
    let mut channel = entered.handle.channel_open_session().await.map_err(gone)?;
    if let Some((columns, rows)) = tty {
        let (columns, rows) = size(columns, rows);
        let asked = channel.request_pty(true, TERM, columns, rows, 0, 0, &[]);
        asked.await.map_err(gone)?;
        granted(channel.wait().await, "a terminal")?;
    }
    channel.exec(true, line).await.map_err(gone)?;
    granted(channel.wait().await, "the command")?;
    Ok(channel.split())
}

fn granted(answer: Option<ChannelMsg>, what: &str) -> std::result::Result<(), NotBegun> {
    match answer {
        Some(ChannelMsg::Success) => Ok(()),
        Some(_) => Err(Some(refused(what))),
        None => Err(None),
    }
}

fn refused(what: &str) -> String {
    format!("the SSH server of the session refuses {what}")
}

/// A terminal without cells confuses programs more than a small one.
fn size(columns: u16, rows: u16) -> (u32, u32) {
    (columns.max(1).into(), rows.max(1).into())
}

struct Program {
    from: ChannelReadHalf,
    to: ChannelWriteHalf<Msg>,
    kind: Kind,
    /// The place it has among the terminals of its session.
    hold: Option<Hold>,
}

impl Program {
    async fn run(
        mut self,
        entered: Entered,
        output: mpsc::Sender<Output>,
        mut input: mpsc::Receiver<Input>,
    ) {
        let (to, kind) = (&self.to, self.kind);
        let mut replaced = false;
        let ended = tokio::select! {
            biased;
            () = output.closed() => None,
            () = taken(&mut self.hold) => {
                replaced = true;
                None
            }
            ended = read(&mut self.from, &output, kind) => ended,
            () = write(to, &mut input, kind) => None,
        };
        let is_over = ended.is_some();
        let last = ended.map(|ended| ended.told(&entered));
        // The library waits for whoever reads: nobody does any more.
        drop(self.from);
        if !is_over {
            let _ = tokio::time::timeout(FAREWELL, hang_up(&self.to, &mut input, kind)).await;
        }
        drop(self.to);
        entered.leave(FAREWELL).await;
        // Whoever takes the place may come in only now.
        drop(self.hold);
        let last = last.or(replaced.then_some(Output::End { exit_code: None }));
        if let Some(last) = last {
            // Nobody may be there to hear it.
            let _ = output.send(last).await;
        }
    }
}

/// Returns when another terminal takes the place.
async fn taken(hold: &mut Option<Hold>) {
    match hold {
        Some(hold) => hold.taken().await,
        None => std::future::pending().await,
    }
}

/// How a program's output ends.
enum Ended {
    /// By itself; of a signal the code is the one a shell gives.
    Exited(Option<i64>),
    Lost,
}

impl Ended {
    fn told(&self, entered: &Entered) -> Output {
        match self {
            Self::Exited(exit_code) => Output::End {
                exit_code: *exit_code,
            },
            Self::Lost => Output::Lost {
                why: Clean::new(&entered.loss()),
            },
        }
    }
}

/// Hands on what the program prints; a slow reader holds the connection back, and so the program.
/// `None` = nobody reads any more.
async fn read(
    from: &mut ChannelReadHalf,
    output: &mpsc::Sender<Output>,
    kind: Kind,
) -> Option<Ended> {
    let mut code = None;
    loop {
        match from.wait().await {
            Some(ChannelMsg::Data { data }) => {
                hand_on(data, Output::Stdout, output).await?;
            }
            Some(ChannelMsg::ExtendedData { data, ext: STDERR }) => {
                hand_on(data, Output::Stderr, output).await?;
            }
            Some(ChannelMsg::ExitStatus { exit_status }) => code = Some(i64::from(exit_status)),
            Some(ChannelMsg::ExitSignal { signal_name, .. }) => {
                code = number(&signal_name).map(|number| 128 + number);
            }
            Some(ChannelMsg::Close) => return Some(Ended::Exited(code)),
            // The far end of a stream has closed it.
            Some(ChannelMsg::Eof) if kind == Kind::Tunnel => return Some(Ended::Exited(None)),
            Some(_) => {}
            // The end was told, only the farewell is missing.
            None if code.is_some() => return Some(Ended::Exited(code)),
            None => return Some(Ended::Lost),
        }
    }
}

async fn hand_on(
    mut data: Bytes,
    as_what: fn(Bytes) -> Output,
    output: &mpsc::Sender<Output>,
) -> Option<()> {
    while !data.is_empty() {
        let piece = as_what(data.split_to(data.len().min(PIECE)));
        output.send(piece).await.ok()?;
    }
    Some(())
}

/// Types what comes in. Ends never: the reading side knows why a program or a line is gone.
async fn write(to: &ChannelWriteHalf<Msg>, input: &mut mpsc::Receiver<Input>, kind: Kind) {
    while let Some(one) = input.recv().await {
        type_in(to, one, kind).await;
    }
    type_in(to, Input::Eof, kind).await;
    std::future::pending::<()>().await;
}

/// A failure means that the connection is gone, which the reading side tells.
async fn type_in(to: &ChannelWriteHalf<Msg>, one: Input, kind: Kind) {
    let tty = kind == Kind::Terminal;
    let _ = match one {
        Input::Bytes(bytes) => to.data_bytes(bytes).await,
        Input::Resize { columns, rows } if tty => {
            let (columns, rows) = size(columns, rows);
            to.window_change(columns, rows, 0, 0).await
        }
        // Pipes are read to their end. A terminal has none: a person types Ctrl-D.
        Input::Eof if !tty => to.eof().await,
        Input::Eof | Input::Resize { .. } => Ok(()),
    };
}

/// What was typed last still goes in; then the program is told that nobody is there any more.
async fn hang_up(to: &ChannelWriteHalf<Msg>, input: &mut mpsc::Receiver<Input>, kind: Kind) {
    while let Ok(one) = input.try_recv() {
        type_in(to, one, kind).await;
    }
    if kind != Kind::Tunnel {
        let _ = to.signal(Sig::HUP).await;
    }
    let _ = to.close().await;
}

/// The number of a signal on Linux.
fn number(signal: &Sig) -> Option<i64> {
    Some(match signal {
        Sig::HUP => 1,
        Sig::INT => 2,
        Sig::QUIT => 3,
        Sig::ILL => 4,
        Sig::ABRT => 6,
        Sig::FPE => 8,
        Sig::KILL => 9,
        Sig::USR1 => 10,
        Sig::SEGV => 11,
        Sig::PIPE => 13,
        Sig::ALRM => 14,
        Sig::TERM => 15,
        Sig::Custom(name) if name == "BUS" => 7,
        Sig::Custom(name) if name == "USR2" => 12,
        Sig::Custom(_) => return None,
    })
}
