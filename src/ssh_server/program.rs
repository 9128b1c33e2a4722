//! A program of a session, connected to a channel.

use std::sync::Arc;

use bytes::Bytes;
use russh::Sig;
use tokio::sync::mpsc;

use super::{
    access::SessionAccess,
    channel::{ChannelOutput, ClientInput, Gone, InputQueue},
};
use crate::{
    engine::api::{Attached, HelperTask, Input, Output},
    model::failure::Failure,
};

/// The exit code for failures of workbay itself, as of ssh.
pub(super) const FAILED: u32 = 255;

/// What to start.
#[derive(Debug)]
pub(super) enum Start {
    Command {
        argv: Vec<String>,
        tty: Option<(u16, u16)>,
    },
    /// The session's tmux, with this tag and size.
    Tmux {
        tag: String,
        size: (u16, u16),
    },
    Sftp,
}

impl Start {
    fn has_terminal(&self) -> bool {
        match self {
            Self::Command { tty, .. } => tty.is_some(),
            Self::Tmux { .. } => true,
            Self::Sftp => false,
        }
    }

    async fn run(self, access: &dyn SessionAccess) -> Result<Attached, Failure> {
        match self {
            Self::Command { argv, tty } => access.exec(argv, tty).await,
            Self::Tmux { tag, size } => access.tmux(tag, size).await,
            Self::Sftp => access.helper(HelperTask::Sftp).await,
        }
    }
}

/// Why a program's channel ends.
enum Ended {
    Exited(u32),
    /// With a sentence for the user.
    Failed(String),
    /// The client sent this signal.
    Killed(Sig),
    /// The client closed the channel.
    Left,
}

/// Runs a program until it ends, or until the client closes the channel. A failure is printed on standard error.
pub(super) async fn run(
    start: Start,
    access: Arc<dyn SessionAccess>,
    input: InputQueue,
    output: ChannelOutput,
) {
    access.used();
    let tty = start.has_terminal();
    let gone = output.end().gone.clone();
    let started = tokio::select! {
        started = start.run(&*access) => started,
        () = gone.cancelled() => return,
    };
    let ended = match started {
        Ok(attached) => carry(attached, &*access, input, &output, tty).await,
        Err(failure) => Ended::Failed(failure.sentence()),
    };
    match ended {
        Ended::Exited(code) => output.exited(code).await,
        Ended::Killed(signal) => output.killed(signal).await,
        Ended::Left => output.close().await,
        Ended::Failed(sentence) => {
            output.say(&sentence).await;
            output.exited(FAILED).await;
        }
    }
}

/// Moves bytes in both directions. The program is detached afterwards, which ends it.
async fn carry(
    attached: Attached,
    access: &dyn SessionAccess,
    input: InputQueue,
    output: &ChannelOutput,
    tty: bool,
) -> Ended {
    let Attached {
        output: from_program,
        input: to_program,
    } = attached;
    let overflow = output.end().overflow.clone();
    tokio::select! {
        biased;
        ended = print(from_program, output) => ended,
        ended = type_in(input, to_program, access, tty) => ended,
        () = overflow.cancelled() => Ended::Failed(
            tr_sent!("the channel is closed, because neither the program nor the SSH client reads what it gets").to_owned(),
        ),
    }
}

/// Sends what the program prints. A client that doesn't read slows the program.
async fn print(mut from: mpsc::Receiver<Output>, output: &ChannelOutput) -> Ended {
    while let Some(one) = from.recv().await {
        let sent = match one {
            Output::Stdout(bytes) => output.send(bytes, false).await,
            Output::Stderr(bytes) => output.send(bytes, true).await,
            Output::End {
                exit_code: Some(code),
            } => return Ended::Exited(u32::try_from(code).unwrap_or(FAILED)),
            Output::End { exit_code: None } => {
                return Ended::Failed(tr_sent!("the program's exit code isn't known").to_owned());
            }
            Output::Lost { why } => return Ended::Failed(why.into_string()),
        };
        if let Err(Gone) = sent {
            return Ended::Left;
        }
    }
    Ended::Failed(tr_sent!("the connection to the program broke").to_owned())
}

/// Passes on what the client sends. Ends when the client closes the channel or sends a signal that ends programs.
async fn type_in(
    mut input: InputQueue,
    to: mpsc::Sender<Input>,
    access: &dyn SessionAccess,
    tty: bool,
) -> Ended {
    while let Some((one, queued)) = input.recv().await {
        let passed = match one {
            ClientInput::Bytes(bytes) => {
                access.used();
                Input::Bytes(bytes)
            }
            ClientInput::Resize(columns, rows) if tty => Input::Resize { columns, rows },
            // A terminal has no end of input: the user types Ctrl-D.
            ClientInput::Eof if !tty => Input::Eof,
            ClientInput::Eof | ClientInput::Resize(..) => continue,
            ClientInput::Signal(signal) => match effect(&signal, tty) {
                Effect::Key(key) => Input::Bytes(Bytes::from_static(key)),
                Effect::End => return Ended::Killed(signal),
                Effect::None => continue,
            },
        };
        // A program that takes no more input may still print, and the client's close is still to come.
        let _ = to.send(passed).await;
        drop(queued);
    }
    Ended::Left
}

/// What a signal of a client does.
enum Effect {
    /// The key of the terminal that sends it.
    Key(&'static [u8]),
    /// The program ends, as when its terminal is closed.
    End,
    /// An engine passes no signals on.
    None,
}

fn effect(signal: &Sig, tty: bool) -> Effect {
    match signal {
        Sig::INT if tty => Effect::Key(b"\x03"),
        Sig::QUIT if tty => Effect::Key(b"\x1c"),
        Sig::INT | Sig::QUIT | Sig::HUP | Sig::TERM | Sig::KILL => Effect::End,
        _ => Effect::None,
    }
}
