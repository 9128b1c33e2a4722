//! How a session ended, in one line: what a person wants to know first.

use super::{
    idle::IdleChecker,
    resources::Bytes,
    session::{BatchResult, Session, SessionType},
    status::Status,
};

/// How it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Good,
    /// As somebody wanted it.
    Plain,
    /// It was reclaimed, or lost.
    Warning,
    Bad,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    pub tone: Tone,
    pub text: String,
}

/// Of a session that has ended. `peak` is the most memory that was seen in use.
pub fn verdict(session: &Session, peak: Option<Bytes>) -> Option<Verdict> {
    let ended = session.status.is_final() || session.status == Status::Error;
    if !ended {
        return None;
    }
    let all = [
        by_person,
        by_memory,
        by_idle_check,
        before_it_ran,
        by_its_word,
    ];
    let told = all.iter().find_map(|tell| tell(session, peak));
    Some(told.unwrap_or_else(|| by_exit(session)))
}

/// Whether memory killed it: with more it may live.
pub fn ran_out_of_memory(session: &Session) -> bool {
    let killed = |kernel: &super::kernel::Kernel| {
        kernel.oom_killed && kernel.exit_code.is_none_or(|code| code != 0)
    };
    let ended = session.status.is_final() || session.status == Status::Error;
    ended && !was_asked(session) && session.kernels.iter().any(killed)
}

/// What one of its containers was given.
pub fn memory_of_one(session: &Session) -> Bytes {
    let size = u64::from(session.placement.cluster_size.max(1));
    Bytes(session.requested_slots.mem.0 / size)
}

/// What an exit code means, where it has a meaning everybody shares.
pub fn meaning(code: i64) -> Option<&'static str> {
    Some(match code {
        0 => "as it should",
        126 => "the command cannot be run",
        127 => "command not found",
        129 => "its terminal was closed",
        130 => "interrupted",
        132 => "crash: illegal instruction",
        134 => "crash: aborted",
        135 => "crash: bus error",
        136 => "crash: arithmetic error",
        137 => "killed",
        139 => "crash: segmentation fault",
        141 => "broken pipe",
        143 => "asked to end",
        _ => return None,
    })
}

fn line(tone: Tone, text: impl Into<String>) -> Verdict {
    let text = text.into();
    Verdict { tone, text }
}

fn info(session: &Session) -> &str {
    session
        .status_info
        .as_ref()
        .map_or("", |info| info.as_str())
}

/// A sentence with its reason behind it.
fn because(session: &Session, what: &str) -> String {
    match &session.status_message {
        Some(why) if !why.is_empty() => format!("{what}: {why}"),
        _ => what.to_owned(),
    }
}

fn was_asked(session: &Session) -> bool {
    matches!(info(session), "user-requested" | "force-terminated")
}

fn ran(session: &Session) -> bool {
    session.started_at.is_some()
}

fn by_person(session: &Session, _peak: Option<Bytes>) -> Option<Verdict> {
    let how = match (info(session), ran(session)) {
        ("force-terminated", _) => "Killed by a person",
        ("user-requested", true) => "Ended by a person",
        ("user-requested", false) => "Cancelled by a person before it ran",
        _ => return None,
    };
    Some(line(Tone::Plain, how))
}

fn by_memory(session: &Session, peak: Option<Bytes>) -> Option<Verdict> {
    if !ran_out_of_memory(session) {
        return None;
    }
    let limit = memory_of_one(session);
    // Between two samples it may have grown by all of it: then what was seen misleads.
    let peak = peak.filter(|peak| peak.0 >= limit.0 / 5 * 4);
    let at = match peak {
        Some(peak) => format!("peak {} of {limit}", peak.min(limit)),
        None => format!("it used all of its {limit}"),
    };
    let codes = session.kernels.iter().filter_map(|kernel| kernel.exit_code);
    let code = codes.max().map(|code| format!(" (exit code {code})"));
    let code = code.unwrap_or_default();
    Some(line(
        Tone::Bad,
        format!("Killed, out of memory: {at}{code}"),
    ))
}

fn by_idle_check(session: &Session, _peak: Option<Bytes>) -> Option<Verdict> {
    let checker = IdleChecker::of_reason(info(session))?;
    let what = format!("Reclaimed by {}", checker.title());
    Some(line(Tone::Warning, because(session, &what)))
}

fn before_it_ran(session: &Session, _peak: Option<Bytes>) -> Option<Verdict> {
    let what = match session.status {
        Status::Error if ran(session) => "Failed",
        Status::Error => "Failed to start",
        _ if ran(session) => return None,
        Status::Cancelled => "Cancelled before it ran",
        _ => "Ended before it ran",
    };
    let tone = match session.status {
        Status::Cancelled => Tone::Warning,
        _ => Tone::Bad,
    };
    Some(line(tone, because(session, what)))
}

fn by_its_word(session: &Session, _peak: Option<Bytes>) -> Option<Verdict> {
    let what = match info(session) {
        "engine-restarted" => "Lost with its engine",
        "task-timeout" | "exec-timeout" => "Out of time",
        "agent-termination" => "Lost with its agent",
        "container-not-found" | "not-found-in-manager" => "Its container vanished",
        _ => return None,
    };
    Some(line(Tone::Warning, because(session, what)))
}

/// Its main program ended by itself.
fn by_exit(session: &Session) -> Verdict {
    let code = session.main_kernel().and_then(|kernel| kernel.exit_code);
    let batch = session.session_type == SessionType::Batch;
    let (tone, what) = match (session.result, code) {
        (BatchResult::Success, _) => (Tone::Good, "Batch succeeded"),
        (BatchResult::Failure, _) => (Tone::Bad, "Batch failed"),
        (_, Some(0)) => (Tone::Plain, "Ended by itself"),
        (_, Some(_)) if batch => (Tone::Bad, "Batch failed"),
        (_, Some(_)) => (Tone::Warning, "Ended by itself"),
        (_, None) => {
            let text = because(session, "Ended");
            return Verdict {
                tone: Tone::Plain,
                text,
            };
        }
    };
    let code = code.map(|code| match meaning(code) {
        Some(meaning) if code != 0 => format!(": exit code {code}, {meaning}"),
        _ => format!(": exit code {code}"),
    });
    Verdict {
        tone,
        text: format!("{what}{}", code.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests;
