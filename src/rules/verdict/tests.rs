//! Tests the verdict on each way to end.

use crate::model::{
    resources::{Cpu, ResourceSlots},
    testing,
};
use crate::rules::verdict::*;

fn ended(info: &str, code: Option<i64>) -> Session {
    let mut session = testing::ended(info, code);
    session.status_info = Some(info.into()).filter(|_| !info.is_empty());
    session.terminated_at = None;
    session.requested_slots = ResourceSlots::new(Cpu::from_millis(1000), Bytes(16 * Bytes::GIB));
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

const WORDS: [&str; 9] = [
    "out of memory",
    "terminated",
    "cancelled",
    "reclaimed",
    "lost",
    "timed out",
    "not started",
    "failed",
    "ended",
];

/// Tests the word that lists show beside the verdict.
#[test]
fn each_way_to_end_has_its_word() {
    let word = |session: &Session| ending(session).unwrap().to_string();
    let never = |info: &str| with(ended(info, None), |it| it.started_at = None);
    assert_eq!(word(&killed("self-terminated")), "out of memory");
    assert_eq!(word(&killed("user-requested")), "terminated");
    assert_eq!(word(&ended("force-terminated", Some(137))), "terminated");
    assert_eq!(word(&ended("idle-timeout", Some(137))), "reclaimed");
    assert_eq!(word(&ended("engine-restarted", Some(137))), "lost");
    assert_eq!(word(&never("user-requested")), "cancelled");
    assert_eq!(word(&never("failed-to-start")), "not started");
    let batch = |code| batch(BatchResult::Failure, "task-failed", code);
    assert_eq!(word(&batch(3)), "exit 3");
    // Another container of the session failed.
    assert_eq!(word(&batch(0)), "failed");
    let silent = with(batch(0), |it| it.kernels[0].exit_code = None);
    assert_eq!(word(&silent), "failed");
    assert_eq!(word(&ended("", Some(0))), "exit 0");
    assert_eq!(word(&ended("", None)), "ended");
    let good = with(silent, |it| it.result = BatchResult::Success);
    assert_eq!(word(&good), "succeeded");
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
    let check = |session: Session, peak: Option<Bytes>, tone: Tone, text: &str| {
        let reported = verdict(&session, peak).unwrap();
        assert_eq!((reported.tone, reported.text.as_str()), (tone, text));
        let word = ending(&session).unwrap().to_string();
        assert!(
            WORDS.contains(&word.as_str()) || word.starts_with("exit "),
            "{word}"
        );
    };
    check(
        killed("self-terminated"),
        Some(peak),
        Tone::Bad,
        "Killed, out of memory: peak 16 GiB of 16 GiB (exit code 137)",
    );
    check(
        with(killed("self-terminated"), |it| {
            it.placement.cluster_size = 2;
        }),
        None,
        Tone::Bad,
        "Killed, out of memory: used all of its 8 GiB (exit code 137)",
    );
    check(
        killed("self-terminated"),
        Some(Bytes::mib(3)),
        Tone::Bad,
        "Killed, out of memory: used all of its 16 GiB (exit code 137)",
    );
    // A process in the session ran out of memory, but the session didn't end because of it.
    check(
        killed("user-requested"),
        None,
        Tone::Plain,
        "Terminated by a user",
    );
    check(
        with(killed("self-terminated"), |it| {
            it.kernels[0].exit_code = Some(0);
        }),
        None,
        Tone::Good,
        "Ended on its own: exit code 0",
    );
    check(
        said(ended("idle-timeout", Some(137)), "not used for 62 min"),
        None,
        Tone::Warning,
        "Reclaimed by Network Idle Timeout: not used for 62 min",
    );
    check(
        ended("idle-session-lifetime", None),
        None,
        Tone::Warning,
        "Reclaimed by Max Session Lifetime",
    );
    check(
        ended("idle-utilization", None),
        None,
        Tone::Warning,
        "Reclaimed by Utilization Checker",
    );
    check(
        ended("force-terminated", Some(137)),
        None,
        Tone::Plain,
        "Killed by a user",
    );
    check(
        never(Status::Cancelled, "user-requested"),
        None,
        Tone::Plain,
        "Cancelled by a user before it ran",
    );
    check(
        said(
            never(Status::Cancelled, "pending-timeout"),
            "it waited too long",
        ),
        None,
        Tone::Plain,
        "Cancelled before it ran: it waited too long",
    );
    check(
        said(never(Status::Error, "failed-to-start"), "no such image"),
        None,
        Tone::Bad,
        "Failed to start: no such image",
    );
    check(
        said(
            ended("engine-restarted", Some(137)),
            "the machine was restarted",
        ),
        None,
        Tone::Warning,
        "Lost because the engine restarted: the machine was restarted",
    );
    check(
        batch(BatchResult::Success, "task-finished", 0),
        None,
        Tone::Good,
        "Batch succeeded: exit code 0",
    );
    check(
        batch(BatchResult::Failure, "task-failed", 127),
        None,
        Tone::Bad,
        "Batch failed: exit code 127, command not found",
    );
    check(
        batch(BatchResult::Failure, "task-failed", 3),
        None,
        Tone::Bad,
        "Batch failed: exit code 3",
    );
    check(
        said(
            batch(BatchResult::Failure, "task-timeout", -2),
            "longer than 1h",
        ),
        None,
        Tone::Bad,
        "Timed out: longer than 1h",
    );
    check(
        ended("self-terminated", Some(139)),
        None,
        Tone::Bad,
        "Ended on its own: exit code 139, crash: segmentation fault",
    );
    check(
        ended("self-terminated", Some(143)),
        None,
        Tone::Bad,
        "Ended on its own: exit code 143, terminated",
    );
    check(
        ended("killed-by-event", Some(137)),
        None,
        Tone::Bad,
        "Killed from outside workbay: exit code 137, killed",
    );
    check(
        said(
            ended("service-scaled-down", None),
            "its service was scaled down",
        ),
        None,
        Tone::Plain,
        "Ended: its service was scaled down",
    );
}

#[test]
fn nothing_is_reported_of_a_session_that_keeps_running() {
    for status in [Status::Running, Status::Pending, Status::Terminating] {
        let open = with(ended("", None), |it| it.status = status);
        assert_eq!(verdict(&open, None), None);
        assert!(!ran_out_of_memory(&open));
    }
}
