//! How a session ended: what the exit of its main process means, and the sentence that reports it.

use jiff::Timestamp;

use crate::model::{
    record::{Ending, SessionRecord},
    resources::Bytes,
    session::{BatchResult, SessionType},
    status::Status,
    text::Clean,
};

/// What happened since the last inspection.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gap {
    None,
    DaemonNotRunning,
    EngineDisconnected(Option<Timestamp>),
    /// The machine was restarted.
    Reboot,
}

/// How a process ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exit {
    pub code: i64,
    pub oom_killed: bool,
    pub finished_at: Option<Timestamp>,
}

pub(super) fn ending(info: &str, message: String) -> Ending {
    Ending {
        status: Status::Terminated,
        info: Clean::new(info),
        message: Some(Clean::new(&message)),
    }
}

/// The ending of a session whose machine was restarted.
pub(super) fn by_reboot() -> Ending {
    ending(
        "host-reboot",
        tr_sent!("this machine restarted while the session ran").to_owned(),
    )
}

/// The ending of a session whose main process ended, and the result of its command.
pub(super) fn explain(record: &SessionRecord, exit: Exit, gap: Gap) -> (Ending, BatchResult) {
    if record.session.session_type == SessionType::Batch {
        return of_batch(record.spec.mem, exit, gap);
    }
    let ending = if ran_out_of_memory(exit) {
        ending(
            "self-terminated",
            memory_sentence("it", record.spec.mem, exit.code),
        )
    } else if let Some(ending) =
        by_restart(tr_sent!("its main process"), exit, gap, exit.code >= 125)
    {
        ending
    } else {
        let text = exit_sentence(tr_sent!("its main process"), exit.code);
        ending(reason(exit), meanwhile(text, gap))
    };
    (ending, BatchResult::Undefined)
}

/// The exit code decides. 126 and 127 are the shell's codes for a command that can't be run.
fn of_batch(mem: Bytes, exit: Exit, gap: Gap) -> (Ending, BatchResult) {
    let reason = match exit.code {
        0 => {
            let text = tr_sent!("its command ended with exit code 0").to_owned();
            return (
                ending("task-finished", meanwhile(text, gap)),
                BatchResult::Success,
            );
        }
        code if ran_out_of_memory(exit) => ending(
            "task-failed",
            memory_sentence(tr_sent!("its command"), mem, code),
        ),
        code => {
            let killed = code > 128;
            let restarted =
                by_restart(tr_sent!("its command"), exit, gap, killed).filter(|_| killed);
            restarted.unwrap_or_else(|| {
                let text = exit_sentence(tr_sent!("its command"), code);
                ending("task-failed", meanwhile(text, gap))
            })
        }
    };
    (reason, BatchResult::Failure)
}

/// Backend.AI's word for how a process ended. A process can't catch SIGKILL and hardly ever sends it to itself, so
/// something else did, for example `docker kill`.
pub(super) fn reason(exit: Exit) -> &'static str {
    const BY_SIGKILL: i64 = 128 + 9;
    if exit.code == BY_SIGKILL && !exit.oom_killed {
        "killed-by-event"
    } else {
        "self-terminated"
    }
}

fn ran_out_of_memory(exit: Exit) -> bool {
    exit.oom_killed && exit.code != 0
}

pub(super) fn memory_sentence(subject: &str, limit: Bytes, code: i64) -> String {
    tr_sent!(
        "{subject} used more memory than its {limit} and was killed (exit code {code})",
        subject,
        limit,
        code
    )
}

/// A restart of the machine or the engine also ends what runs on it.
fn by_restart(subject: &str, exit: Exit, gap: Gap, killed: bool) -> Option<Ending> {
    let text = exit_sentence(subject, exit.code);
    match gap {
        Gap::Reboot => Some(by_reboot()),
        Gap::EngineDisconnected(lost) if killed || ended_since(exit.finished_at, lost) => {
            Some(ending(
                "engine-restarted",
                tr_sent!("{text} when the engine or the machine restarted", text),
            ))
        }
        Gap::DaemonNotRunning if killed => Some(ending(
            "engine-restarted",
            tr_sent!(
                "{text} while workbay's daemon wasn't running: the machine or the engine \
                 restarted, or the process was killed",
                text
            ),
        )),
        _ => None,
    }
}

fn ended_since(finished_at: Option<Timestamp>, lost_at: Option<Timestamp>) -> bool {
    /// When the engine shuts down, containers end before the connection does.
    const SHUTDOWN_SECONDS: i64 = 30;
    match (finished_at, lost_at) {
        (Some(finished), Some(lost)) => finished.as_second() >= lost.as_second() - SHUTDOWN_SECONDS,
        _ => true,
    }
}

fn meanwhile(text: String, gap: Gap) -> String {
    match gap {
        Gap::DaemonNotRunning => tr_sent!("{text} while workbay's daemon wasn't running", text),
        Gap::None | Gap::EngineDisconnected(_) | Gap::Reboot => text,
    }
}

/// `subject` is a container, its process or its command.
pub(super) fn exit_sentence(subject: &str, code: i64) -> String {
    match code {
        129..=192 => tr_sent!(
            "{subject} was killed by signal {signal} (exit code {code})",
            subject,
            signal = code - 128,
            code
        ),
        _ => tr_sent!("{subject} ended with exit code {code}", subject, code),
    }
}
