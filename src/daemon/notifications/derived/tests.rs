//! Tests the notifications for each step in the life of a session.

use super::*;
use crate::model::{id::KernelId, kernel::Kernel, testing};

const NOW: Timestamp = Timestamp::UNIX_EPOCH;

fn train(status: Status) -> Session {
    let started_at = status.is_live().then_some(NOW);
    Session {
        status,
        started_at,
        owner: "me".into(),
        ..testing::session(1, "train")
    }
}

fn ended(info: &str, message: &str) -> Session {
    Session {
        started_at: Some(NOW),
        status_info: Some(Clean::new(info)),
        status_message: Some(Clean::new(message)),
        ..train(Status::Terminated)
    }
}

fn batch(result: BatchResult, code: i64) -> Session {
    let mut kernel = Kernel::new(KernelId::from_u128(1), "main1".into(), Status::Terminated);
    kernel.exit_code = Some(code);
    Session {
        session_type: SessionType::Batch,
        result,
        kernels: vec![kernel],
        ..ended("task-finished", "its command ended")
    }
}

fn changed(session: Session) -> Change {
    Change::Session {
        session: Box::new(session),
    }
}

fn here(changes: &[Change]) -> Happened<'_> {
    Happened {
        changes,
        launched: Vec::new(),
        observed: false,
        me: None,
    }
}

/// The notification about a session that changes from one state to another.
fn notice_of(from: &Session, to: Session) -> Option<(NoticeKind, Level, String)> {
    let mut noticing = Noticing::begin([from].into_iter());
    let notices = noticing.derive(&here(&[changed(to)]), NOW);
    assert!(notices.len() < 2, "{notices:?}");
    let first = notices.into_iter().next();
    first.map(|notice| (notice.kind, notice.level, notice.text.into_string()))
}

#[test]
fn each_end_is_reported_as_what_it_was() {
    let running = train(Status::Running);
    let asked = notice_of(&running, ended("user-requested", "x"));
    let text = "train was terminated as requested".to_owned();
    assert_eq!(asked, Some((NoticeKind::Ended, Level::Info, text)));
    let waiting = train(Status::Pending);
    let cancelled = Session {
        status: Status::Cancelled,
        started_at: None,
        ..ended("user-requested", "x")
    };
    let text = "train left the queue as requested".to_owned();
    let asked = notice_of(&waiting, cancelled);
    assert_eq!(asked, Some((NoticeKind::Ended, Level::Info, text)));
    let itself = notice_of(&running, ended("self-terminated", "its main process ended"));
    let text = "train ended: its main process ended".to_owned();
    assert_eq!(itself, Some((NoticeKind::Ended, Level::Info, text)));
    let (kind, level, _) = notice_of(&running, ended("container-removed", "x")).unwrap();
    assert_eq!((kind, level), (NoticeKind::Ended, Level::Warning));
    let (kind, level, text) = notice_of(&running, ended("idle-timeout", "unused")).unwrap();
    let checker = IdleChecker::NetworkTimeout;
    assert_eq!(
        (kind, level),
        (NoticeKind::Reclaimed { checker }, Level::Warning)
    );
    assert_eq!(text, "train was reclaimed: unused");
    let (kind, level, text) = notice_of(&running, batch(BatchResult::Success, 0)).unwrap();
    let exit_code = Some(0);
    assert_eq!(
        (kind, level),
        (NoticeKind::BatchEnded { exit_code }, Level::Success)
    );
    assert_eq!(text, "train succeeded: its command ended");
    let (kind, level, _) = notice_of(&running, batch(BatchResult::Failure, 3)).unwrap();
    let exit_code = Some(3);
    assert_eq!(
        (kind, level),
        (NoticeKind::BatchEnded { exit_code }, Level::Error)
    );
}

#[test]
fn a_start_that_comes_to_nothing_is_a_failure() {
    let mut error = train(Status::Error);
    error.status_message = Some("no space".into());
    let preparing = train(Status::Preparing);
    let text = "train failed: no space".to_owned();
    let expected = (NoticeKind::Failed, Level::Error, text);
    assert_eq!(notice_of(&preparing, error.clone()), Some(expected));
    // The failure was already reported.
    assert_eq!(notice_of(&error, train(Status::Terminated)), None);
    let mut cancelled = train(Status::Cancelled);
    cancelled.status_message = Some("it waited too long".into());
    let (kind, level, text) = notice_of(&train(Status::Pending), cancelled).unwrap();
    assert_eq!((kind, level), (NoticeKind::Failed, Level::Warning));
    assert_eq!(text, "train was cancelled: it waited too long");
}

#[test]
fn it_runs_is_reported_once_and_steps_between_are_not() {
    let mut noticing = Noticing::begin([&train(Status::Pending)].into_iter());
    let steps = [
        (Status::Preparing, None),
        (Status::Creating, None),
        (Status::Running, Some(NoticeKind::Running)),
        (Status::RunningDegraded, None),
        (Status::Running, None),
        (Status::Terminating, None),
    ];
    for (status, expected) in steps {
        let notices = noticing.derive(&here(&[changed(train(status))]), NOW);
        let kind = notices.into_iter().next().map(|notice| notice.kind);
        assert_eq!(kind, expected);
    }
}

#[test]
fn what_is_seen_for_the_first_time_is_no_news() {
    let mut noticing = Noticing::default();
    for session in [ended("self-terminated", "x"), train(Status::Running)] {
        assert!(noticing.derive(&here(&[changed(session)]), NOW).is_empty());
    }
    let gone = Change::Gone {
        session: train(Status::Running).key(),
    };
    noticing.derive(&here(&[gone, changed(ended("", "x"))]), NOW);
    assert!(noticing.known.is_empty());
}

#[test]
fn a_launch_is_reported_with_its_step() {
    let session = train(Status::Pending);
    let changes = [changed(session.clone())];
    let happened = Happened {
        launched: vec![&session],
        ..here(&changes)
    };
    let mut noticing = Noticing::default();
    let notices = noticing.derive(&happened, NOW);
    let kinds: Vec<NoticeKind> = notices.into_iter().map(|notice| notice.kind).collect();
    assert_eq!(kinds, [NoticeKind::Launched]);
    let running = noticing.derive(&here(&[changed(train(Status::Running))]), NOW);
    assert_eq!(running[0].kind, NoticeKind::Running);
}

#[test]
fn an_end_that_was_reported_when_it_was_decided_is_not_reported_again() {
    let mut noticing = Noticing::begin([&train(Status::Running)].into_iter());
    let checker = IdleChecker::NetworkTimeout;
    let reclaimed = NoticeKind::Reclaimed { checker };
    let decided = notice(&train(Status::Running), NOW, reclaimed, Level::Warning, "x");
    let changes = [changed(train(Status::Terminating)), decided.into()];
    assert!(noticing.derive(&here(&changes), NOW).is_empty());
    let over = [changed(ended("idle-timeout", "x"))];
    assert!(noticing.derive(&here(&over), NOW).is_empty());
    // The same applies after a restart of the daemon.
    assert_eq!(
        notice_of(&train(Status::Terminating), ended("idle-timeout", "x")),
        None
    );
}

#[test]
fn on_a_cluster_only_ones_own_are_reported() {
    let me = Clean::from("me@example.com");
    let derive = |noticing: &mut Noticing, session: Session| {
        let changes = [changed(session)];
        let happened = Happened {
            observed: true,
            me: Some(&me),
            ..here(&changes)
        };
        noticing.derive(&happened, NOW).len()
    };
    for (owner, count) in [("me@example.com", 1), ("somebody@example.com", 0)] {
        let owned = |session| Session {
            owner: Clean::from(owner),
            ..session
        };
        let mut noticing = Noticing::default();
        assert_eq!(derive(&mut noticing, owned(train(Status::Preparing))), 0);
        assert_eq!(derive(&mut noticing, owned(train(Status::Running))), count);
        assert_eq!(
            derive(&mut noticing, owned(ended("idle-timeout", "x"))),
            count
        );
    }
}

#[test]
fn why_a_launch_failed_is_left_to_the_context_that_reads_it() {
    let session = train(Status::Pending);
    let mut noticing = Noticing::default();
    let happened = Happened {
        launched: vec![&session],
        observed: true,
        ..here(&[])
    };
    assert_eq!(noticing.derive(&happened, NOW).len(), 1);
    let changes = [changed(train(Status::Cancelled))];
    let happened = Happened {
        observed: true,
        ..here(&changes)
    };
    assert!(noticing.derive(&happened, NOW).is_empty());
}
