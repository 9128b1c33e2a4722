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
    let peak = peak.filter(|peak| peak.0 > 0);
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
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::model::{
        environment::{EnvironmentRef, EnvironmentSource},
        id::{KernelId, SessionId, SessionKey},
        kernel::Kernel,
        resources::{Cpu, ResourceSlots},
    };

    fn ended(info: &str, code: Option<i64>) -> Session {
        let key = SessionKey::local(SessionId::from_u128(1));
        let environment = EnvironmentRef {
            name: "host".into(),
            version: "debian-12".into(),
            source: EnvironmentSource::Host,
        };
        let begun = Timestamp::UNIX_EPOCH;
        let mut session = Session::new(key, "train".into(), environment, begun);
        session.status = Status::Terminated;
        session.status_info = Some(info.into()).filter(|_| !info.is_empty());
        session.started_at = Some(begun);
        session.requested_slots =
            ResourceSlots::new(Cpu::from_millis(1000), Bytes(16 * Bytes::GIB));
        session.kernels = vec![Kernel {
            exit_code: code,
            ..Kernel::new(KernelId::from_u128(1), "main1".into(), Status::Terminated)
        }];
        session
    }

    fn with(mut session: Session, change: impl FnOnce(&mut Session)) -> Session {
        change(&mut session);
        session
    }

    fn killed(info: &str) -> Session {
        with(ended(info, Some(137)), |it| it.kernels[0].oom_killed = true)
    }

    fn said(session: Session, why: &str) -> Session {
        with(session, |it| it.status_message = Some(why.into()))
    }

    fn batch(result: BatchResult, info: &str, code: i64) -> Session {
        with(ended(info, Some(code)), |it| {
            it.session_type = SessionType::Batch;
            it.result = result;
        })
    }

    #[test]
    fn each_way_to_end_has_its_line() {
        let never = |status, info: &str| {
            with(ended(info, None), |it| {
                it.status = status;
                it.started_at = None;
            })
        };
        let peak = Bytes(Bytes::GIB * 159 / 10);
        for (session, peak, tone, text) in [
            (
                killed("self-terminated"),
                Some(peak),
                Tone::Bad,
                "Killed, out of memory: peak 16 GiB of 16 GiB (exit code 137)",
            ),
            (
                with(killed("self-terminated"), |it| {
                    it.placement.cluster_size = 2;
                }),
                None,
                Tone::Bad,
                "Killed, out of memory: it used all of its 8 GiB (exit code 137)",
            ),
            // Something in it ran out of memory once, but that was not its end.
            (
                killed("user-requested"),
                None,
                Tone::Plain,
                "Ended by a person",
            ),
            (
                with(killed("self-terminated"), |it| {
                    it.kernels[0].exit_code = Some(0);
                }),
                None,
                Tone::Plain,
                "Ended by itself: exit code 0",
            ),
            (
                said(
                    ended("idle-timeout", Some(137)),
                    "nobody used it for 62 min",
                ),
                None,
                Tone::Warning,
                "Reclaimed by Network Idle Timeout: nobody used it for 62 min",
            ),
            (
                ended("idle-session-lifetime", None),
                None,
                Tone::Warning,
                "Reclaimed by Max Session Lifetime",
            ),
            (
                ended("idle-utilization", None),
                None,
                Tone::Warning,
                "Reclaimed by Utilization Checker",
            ),
            (
                ended("force-terminated", Some(137)),
                None,
                Tone::Plain,
                "Killed by a person",
            ),
            (
                never(Status::Cancelled, "user-requested"),
                None,
                Tone::Plain,
                "Cancelled by a person before it ran",
            ),
            (
                said(
                    never(Status::Cancelled, "pending-timeout"),
                    "it waited too long",
                ),
                None,
                Tone::Warning,
                "Cancelled before it ran: it waited too long",
            ),
            (
                said(never(Status::Error, "failed-to-start"), "no such image"),
                None,
                Tone::Bad,
                "Failed to start: no such image",
            ),
            (
                said(
                    ended("engine-restarted", Some(137)),
                    "the machine was restarted",
                ),
                None,
                Tone::Warning,
                "Lost with its engine: the machine was restarted",
            ),
            (
                batch(BatchResult::Success, "task-finished", 0),
                None,
                Tone::Good,
                "Batch succeeded: exit code 0",
            ),
            (
                batch(BatchResult::Failure, "task-failed", 127),
                None,
                Tone::Bad,
                "Batch failed: exit code 127, command not found",
            ),
            (
                batch(BatchResult::Failure, "task-failed", 3),
                None,
                Tone::Bad,
                "Batch failed: exit code 3",
            ),
            (
                said(
                    batch(BatchResult::Failure, "task-timeout", -2),
                    "longer than 1h",
                ),
                None,
                Tone::Warning,
                "Out of time: longer than 1h",
            ),
            (
                ended("self-terminated", Some(139)),
                None,
                Tone::Warning,
                "Ended by itself: exit code 139, crash: segmentation fault",
            ),
            (
                ended("self-terminated", Some(143)),
                None,
                Tone::Warning,
                "Ended by itself: exit code 143, asked to end",
            ),
            (
                said(
                    ended("service-scaled-down", None),
                    "its service needs it no more",
                ),
                None,
                Tone::Plain,
                "Ended: its service needs it no more",
            ),
        ] {
            let told = verdict(&session, peak).unwrap();
            assert_eq!((told.tone, told.text.as_str()), (tone, text));
        }
    }

    #[test]
    fn of_a_session_that_goes_on_nothing_is_said() {
        for status in [Status::Running, Status::Pending, Status::Terminating] {
            let open = with(ended("", None), |it| it.status = status);
            assert_eq!(verdict(&open, None), None);
            assert!(!ran_out_of_memory(&open));
        }
    }
}
