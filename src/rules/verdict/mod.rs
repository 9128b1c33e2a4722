//! How a session ended, in one sentence for the user.

use crate::model::{
    idle::IdleChecker,
    resources::Bytes,
    session::{BatchResult, Session, SessionType},
    status::Status,
};
use crate::rules::ending::{Ending, ending};

/// How it is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    /// The session ended as requested.
    Plain,
    /// The session was reclaimed or lost.
    Warning,
    Bad,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub tone: Tone,
    pub text: String,
}

/// The verdict on a session that has ended. `peak` is the highest memory use that was sampled.
pub fn verdict(session: &Session, peak: Option<Bytes>) -> Option<Verdict> {
    let ending = ending(session)?;
    let text = match ending {
        Ending::Terminated if info(session) == "force-terminated" => {
            tr!("Killed by a user").to_owned()
        }
        Ending::Terminated => tr!("Terminated by a user").to_owned(),
        Ending::Cancelled if was_asked(session) => {
            tr!("Cancelled by a user before it ran").to_owned()
        }
        Ending::Cancelled => because(session, tr!("Cancelled before it ran")),
        Ending::OutOfMemory => out_of_memory(session, peak),
        Ending::Reclaimed => because(session, &reclaimed(session)),
        Ending::NotStarted => because(session, not_started(session)),
        Ending::OutOfTime => because(session, tr!("Timed out")),
        Ending::Lost => because(session, lost(session)),
        Ending::Failed if session.status == Status::Error => because(session, tr!("Failed")),
        Ending::Exited(_) | Ending::Succeeded | Ending::Failed => by_exit(session),
        Ending::Ended => because(session, tr!("Ended")),
    };
    let tone = ending.tone();
    Some(Verdict { tone, text })
}

/// Whether it was killed because it ran out of memory. It may succeed with more.
pub fn ran_out_of_memory(session: &Session) -> bool {
    let killed = |kernel: &crate::model::kernel::Kernel| {
        kernel.oom_killed && kernel.exit_code.is_none_or(|code| code != 0)
    };
    let ended = session.status.is_final() || session.status == Status::Error;
    ended && !was_asked(session) && session.kernels.iter().any(killed)
}

/// The memory of one of its containers.
pub fn memory_of_one(session: &Session) -> Bytes {
    let size = u64::from(session.placement.cluster_size.max(1));
    Bytes(session.requested_slots.mem.0 / size)
}

/// The meaning of an exit code, if it has a common one.
pub fn meaning(code: i64) -> Option<&'static str> {
    Some(match code {
        0 => tr!("success"),
        126 => tr!("the command can't be run"),
        127 => tr!("command not found"),
        129 => tr!("its terminal was closed"),
        130 => tr!("interrupted"),
        132 => tr!("crash: illegal instruction"),
        134 => tr!("crash: aborted"),
        135 => tr!("crash: bus error"),
        136 => tr!("crash: arithmetic error"),
        137 => tr!("killed"),
        139 => tr!("crash: segmentation fault"),
        141 => tr!("broken pipe"),
        143 => tr!("terminated"),
        _ => return None,
    })
}

fn info(session: &Session) -> &str {
    session
        .status_info
        .as_ref()
        .map_or("", |info| info.as_str())
}

/// A sentence followed by its reason.
fn because(session: &Session, what: &str) -> String {
    match &session.status_message {
        Some(why) if !why.is_empty() => tr!("{what}: {why}", what, why),
        _ => what.to_owned(),
    }
}

fn was_asked(session: &Session) -> bool {
    matches!(info(session), "user-requested" | "force-terminated")
}

fn out_of_memory(session: &Session, peak: Option<Bytes>) -> String {
    let limit = memory_of_one(session);
    // A peak far below the limit is misleading, because memory can grow to the limit between two samples.
    let peak = peak.filter(|peak| peak.0 >= limit.0 / 5 * 4);
    let at = match peak {
        Some(peak) => tr!("peak {peak} of {limit}", peak = peak.min(limit), limit),
        None => tr!("used all of its {limit}", limit),
    };
    let codes = session.kernels.iter().filter_map(|kernel| kernel.exit_code);
    match codes.max() {
        Some(code) => tr!("Killed, out of memory: {at} (exit code {code})", at, code),
        None => tr!("Killed, out of memory: {at}", at),
    }
}

fn reclaimed(session: &Session) -> String {
    let checker = IdleChecker::of_reason(info(session));
    let checker = checker.as_ref().map_or(tr!("idle checks"), |it| it.title());
    tr!("Reclaimed by {checker}", checker)
}

fn not_started(session: &Session) -> &'static str {
    match session.status {
        Status::Error => tr!("Failed to start"),
        _ => tr!("Ended before it ran"),
    }
}

fn lost(session: &Session) -> &'static str {
    match info(session) {
        "engine-restarted" => tr!("Lost because the engine restarted"),
        "agent-termination" => tr!("Lost because the agent ended"),
        _ => tr!("Container disappeared"),
    }
}

/// The sentence for a main program that ended on its own.
fn by_exit(session: &Session) -> String {
    let code = session.main_kernel().and_then(|kernel| kernel.exit_code);
    let batch = session.session_type == SessionType::Batch;
    let what = match (session.result, code) {
        (BatchResult::Success, _) => tr!("Batch succeeded"),
        (BatchResult::Failure, _) => tr!("Batch failed"),
        (_, Some(code)) if batch && code != 0 => tr!("Batch failed"),
        _ if info(session) == "killed-by-event" => tr!("Killed from outside workbay"),
        _ => tr!("Ended on its own"),
    };
    let Some(code) = code else {
        return what.to_owned();
    };
    match meaning(code) {
        Some(meaning) if code != 0 => {
            tr!("{what}: exit code {code}, {meaning}", what, code, meaning)
        }
        _ => tr!("{what}: exit code {code}", what, code),
    }
}

#[cfg(test)]
mod tests;
