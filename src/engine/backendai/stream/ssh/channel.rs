//! One program on one connection: its output, its input, its end.

use std::time::Duration;

use bytes::Bytes;
use russh::{ChannelMsg, ChannelReadHalf, ChannelWriteHalf, Sig, client::Msg};
use tokio::sync::mpsc;

use super::{super::super::fault::declined, enter::Entered};
use crate::{
    engine::api::{Attached, Input, Output, Result},
    model::text::Clean,
};

/// Pieces of at most [`PIECE`] on their way to a slow reader.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;
const PIECE: usize = 16 * 1024;

/// How long goodbye, and what was typed last, may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// What programs are told their terminal is, until a tmux in between says otherwise.
const TERM: &str = "xterm-256color";

/// Which stream of a channel the error output is.
const STDERR: u32 = 1;

/// Starts the program that `line` means to the person's shell in there.
pub(super) async fn start(
    entered: Entered,
    line: String,
    tty: Option<(u16, u16)>,
) -> Result<Attached> {
    match begin(&entered, line, tty).await {
        Ok((from, to)) => {
            let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
            let (input, input_out) = mpsc::channel(INPUT_QUEUE);
            let program = Program {
                from,
                to,
                tty: tty.is_some(),
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
) -> std::result::Result<(ChannelReadHalf, ChannelWriteHalf<Msg>), NotBegun> {
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
    format!("the sshd of the session refuses {what}")
}

/// A terminal without cells confuses programs more than a small one.
fn size(columns: u16, rows: u16) -> (u32, u32) {
    (columns.max(1).into(), rows.max(1).into())
}

struct Program {
    from: ChannelReadHalf,
    to: ChannelWriteHalf<Msg>,
    tty: bool,
}

impl Program {
    async fn run(
        mut self,
        entered: Entered,
        output: mpsc::Sender<Output>,
        mut input: mpsc::Receiver<Input>,
    ) {
        let (to, tty) = (&self.to, self.tty);
        let last = tokio::select! {
            biased;
            () = output.closed() => None,
            ended = read(&mut self.from, &output) => ended,
            () = write(to, &mut input, tty) => None,
        };
        let last = last.map(|ended| ended.told(&entered));
        // The library waits for whoever reads: nobody does any more.
        drop(self.from);
        if last.is_none() {
            let _ = tokio::time::timeout(FAREWELL, hang_up(&self.to, &mut input, tty)).await;
        }
        drop(self.to);
        entered.leave(FAREWELL).await;
        if let Some(last) = last {
            // Nobody may be there to hear it.
            let _ = output.send(last).await;
        }
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
async fn read(from: &mut ChannelReadHalf, output: &mpsc::Sender<Output>) -> Option<Ended> {
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
async fn write(to: &ChannelWriteHalf<Msg>, input: &mut mpsc::Receiver<Input>, tty: bool) {
    while let Some(one) = input.recv().await {
        type_in(to, one, tty).await;
    }
    type_in(to, Input::Eof, tty).await;
    std::future::pending::<()>().await;
}

/// A failure means that the connection is gone, which the reading side tells.
async fn type_in(to: &ChannelWriteHalf<Msg>, one: Input, tty: bool) {
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
async fn hang_up(to: &ChannelWriteHalf<Msg>, input: &mut mpsc::Receiver<Input>, tty: bool) {
    while let Ok(one) = input.try_recv() {
        type_in(to, one, tty).await;
    }
    let _ = to.signal(Sig::HUP).await;
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
