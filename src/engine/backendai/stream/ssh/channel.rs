//! Runs one program, or one TCP stream, over one SSH connection and carries its output, its input
//! and its end.

use std::time::Duration;

use bytes::Bytes;
use russh::{ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Sig, client::Msg};
use tokio::sync::mpsc;

use super::{
    super::{super::request::manager_error::declined, open_terminals::TagClaim},
    handshake::SshConnection,
};
use crate::{
    engine::api::{Attached, Input, Output, Result},
    model::text::Clean,
};

/// Output is queued for a slow reader in pieces of up to [`PIECE`] bytes.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;
const PIECE: usize = 16 * 1024;

/// How long it may take to send the last input and close the channel.
pub(super) const FAREWELL: Duration = Duration::from_secs(1);

/// The terminal type that programs get, unless a tmux in between sets another one.
const TERM: &str = "xterm-256color";

/// The number of the error output among the data types of a channel.
const STDERR: u32 = 1;

/// How long an answer may be, in bytes, and how long the command may take to print it.
const ANSWER: usize = 64 * 1024;
const ANSWERS_WITHIN: Duration = Duration::from_secs(15);

/// What a channel carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChannelKind {
    Pipes,
    Terminal,
    /// A TCP stream to an address that the container can reach.
    Tunnel,
}

/// What sshd is asked to start.
#[derive(Clone, Debug)]
pub(super) enum SshRequest {
    /// A line for the user's shell in the container.
    Command(String),
    Subsystem(&'static str),
}

/// Starts a program in the container. If another terminal takes over the `claim`, the program ends.
pub(super) async fn start(
    entered: SshConnection,
    request: SshRequest,
    tty: Option<(u16, u16)>,
    claim: Option<TagClaim>,
) -> Result<Attached> {
    let kind = match tty {
        Some(_) => ChannelKind::Terminal,
        None => ChannelKind::Pipes,
    };
    let begun = begin(&entered, request, tty).await;
    carried(entered, begun, kind, claim).await
}

/// Opens a TCP stream to a port that the container can reach.
pub(super) async fn tunnel(entered: SshConnection, host: &str, port: u16) -> Result<Attached> {
    let opened = entered
        .handle
        .channel_open_direct_tcpip(host, port.into(), "127.0.0.1", 0)
        .await;
    let begun = match opened {
        Ok(channel) => Ok(channel.split()),
        Err(russh::Error::ChannelOpenFailure(_)) => Err(Some(refused(&tr_sent!(
            "the connection to {host}:{port}",
            host,
            port
        )))),
        Err(_) => Err(None),
    };
    carried(entered, begun, ChannelKind::Tunnel, None).await
}

/// Returns everything that the command `line` prints.
pub(super) async fn answer(entered: &SshConnection, line: String) -> Result<Vec<u8>> {
    let reading = async {
        let (mut from, _to) = begin(entered, SshRequest::Command(line), None).await?;
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

const TOO_LONG: &str = tr_sent!("a command in the session printed too much");
const LATE: &str = tr_sent!("a command in the session doesn't answer");

type ChannelHalves = (ChannelReadHalf, ChannelWriteHalf<Msg>);

async fn carried(
    entered: SshConnection,
    begun: std::result::Result<ChannelHalves, StartFailure>,
    kind: ChannelKind,
    claim: Option<TagClaim>,
) -> Result<Attached> {
    match begun {
        Ok((from, to)) => {
            let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
            let (input, input_out) = mpsc::channel(INPUT_QUEUE);
            let program = SshProgram {
                from,
                to,
                kind,
                claim,
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

/// Why a program wasn't started; `None` if the connection is lost.
type StartFailure = Option<String>;

async fn begin(
    entered: &SshConnection,
    request: SshRequest,
    tty: Option<(u16, u16)>,
) -> std::result::Result<ChannelHalves, StartFailure> {
    let gone = |error| match error {
        russh::Error::ChannelOpenFailure(_) => Some(refused(tr_sent!("a channel"))),
        _ => None,
    };
    let mut channel = entered.handle.channel_open_session().await.map_err(gone)?;
    if let Some((columns, rows)) = tty {
        let (columns, rows) = size(columns, rows);
        let asked = channel.request_pty(true, TERM, columns, rows, 0, 0, &[]);
        asked.await.map_err(gone)?;
        granted(channel.wait().await, tr_sent!("a terminal"))?;
    }
    let what = match request {
        SshRequest::Command(line) => {
            channel.exec(true, line).await.map_err(gone)?;
            tr_sent!("the command")
        }
        SshRequest::Subsystem(name) => {
            channel.request_subsystem(true, name).await.map_err(gone)?;
            name
        }
    };
    granted(channel.wait().await, what)?;
    Ok(channel.split())
}

fn granted(answer: Option<ChannelMsg>, what: &str) -> std::result::Result<(), StartFailure> {
    match answer {
        Some(ChannelMsg::Success) => Ok(()),
        Some(_) => Err(Some(refused(what))),
        None => Err(None),
    }
}

fn refused(what: &str) -> String {
    tr_sent!("the SSH server of the session refuses {what}", what)
}

/// Programs handle a small terminal better than one with zero cells.
fn size(columns: u16, rows: u16) -> (u32, u32) {
    (columns.max(1).into(), rows.max(1).into())
}

struct SshProgram {
    from: ChannelReadHalf,
    to: ChannelWriteHalf<Msg>,
    kind: ChannelKind,
    /// This terminal's claim among the terminals of its session.
    claim: Option<TagClaim>,
}

impl SshProgram {
    async fn run(
        mut self,
        entered: SshConnection,
        output: mpsc::Sender<Output>,
        mut input: mpsc::Receiver<Input>,
    ) {
        let (to, kind) = (&self.to, self.kind);
        let mut replaced = false;
        let ended = tokio::select! {
            biased;
            () = output.closed() => None,
            () = taken(&mut self.claim) => {
                replaced = true;
                None
            }
            ended = read(&mut self.from, &output, kind) => ended,
            () = write(to, &mut input, kind) => None,
        };
        let is_over = ended.is_some();
        let last = ended.map(|ended| ended.reported(&entered));
        // The SSH library blocks until its messages are read, and nothing reads them from now on.
        drop(self.from);
        if !is_over {
            let _ = tokio::time::timeout(FAREWELL, hang_up(&self.to, &mut input, kind)).await;
        }
        drop(self.to);
        entered.leave(FAREWELL).await;
        // The next terminal may start only now.
        drop(self.claim);
        let last = last.or(replaced.then_some(Output::End { exit_code: None }));
        if let Some(last) = last {
            // The reader may be gone already.
            let _ = output.send(last).await;
        }
    }
}

/// Returns when another terminal takes over.
async fn taken(claim: &mut Option<TagClaim>) {
    match claim {
        Some(claim) => claim.taken().await,
        None => std::future::pending().await,
    }
}

/// How a program's output ends.
enum Ended {
    /// The program exited. If a signal killed it, the code is the one that a shell reports.
    Exited(Option<i64>),
    Lost,
}

impl Ended {
    fn reported(&self, entered: &SshConnection) -> Output {
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

/// Forwards what the program prints. A slow reader slows down the connection, and so the program.
/// Returns `None` if the reader is gone.
async fn read(
    from: &mut ChannelReadHalf,
    output: &mpsc::Sender<Output>,
    kind: ChannelKind,
) -> Option<Ended> {
    let mut code = None;
    loop {
        match from.wait().await {
            Some(ChannelMsg::Data { data }) => {
                pass_on(data, Output::Stdout, output).await?;
            }
            Some(ChannelMsg::ExtendedData { data, ext: STDERR }) => {
                pass_on(data, Output::Stderr, output).await?;
            }
            Some(ChannelMsg::ExitStatus { exit_status }) => code = Some(i64::from(exit_status)),
            Some(ChannelMsg::ExitSignal { signal_name, .. }) => {
                code = number(&signal_name).map(|number| 128 + number);
            }
            Some(ChannelMsg::Close) => return Some(Ended::Exited(code)),
            // The far end has closed the stream.
            Some(ChannelMsg::Eof) if kind == ChannelKind::Tunnel => {
                return Some(Ended::Exited(None));
            }
            Some(_) => {}
            // The exit code has arrived. Only the close message is missing.
            None if code.is_some() => return Some(Ended::Exited(code)),
            None => return Some(Ended::Lost),
        }
    }
}

async fn pass_on(
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

/// Sends the input to the program. Never returns, because the reading side knows why a program or a
/// connection ended.
async fn write(to: &ChannelWriteHalf<Msg>, input: &mut mpsc::Receiver<Input>, kind: ChannelKind) {
    while let Some(one) = input.recv().await {
        type_in(to, one, kind).await;
    }
    type_in(to, Input::Eof, kind).await;
    std::future::pending::<()>().await;
}

/// Ignores failures: they mean that the connection is lost, which the reading side reports.
async fn type_in(to: &ChannelWriteHalf<Msg>, one: Input, kind: ChannelKind) {
    let tty = kind == ChannelKind::Terminal;
    let _ = match one {
        Input::Bytes(bytes) => to.data_bytes(bytes).await,
        Input::Resize { columns, rows } if tty => {
            let (columns, rows) = size(columns, rows);
            to.window_change(columns, rows, 0, 0).await
        }
        // A pipe has an end of input. A terminal has none: the user types Ctrl-D.
        Input::Eof if !tty => to.eof().await,
        Input::Eof | Input::Resize { .. } => Ok(()),
    };
}

/// Sends the remaining input, then a hangup signal, then closes the channel.
async fn hang_up(to: &ChannelWriteHalf<Msg>, input: &mut mpsc::Receiver<Input>, kind: ChannelKind) {
    while let Ok(one) = input.try_recv() {
        type_in(to, one, kind).await;
    }
    if kind != ChannelKind::Tunnel {
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
