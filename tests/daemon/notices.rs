//! The notifications of a session's life, by both kinds of engines, and those a client gets later.

use workbay::{
    model::{
        change::Change,
        failure::Failure,
        id::SessionId,
        notice::{Level, Notice, NoticeKind},
        request::SessionRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use super::{
    batch::batch,
    managers::{daemon_with, is_up, key, prod, until_prod},
};
use crate::support::{Call, MemoryScheduler, TestClient, TestDaemon, test_daemon::named};

fn of(changes: &[Change], id: SessionId) -> Vec<(NoticeKind, Level)> {
    let notices = changes.iter().filter_map(|change| match change {
        Change::Notice { notice } => Some(&**notice),
        _ => None,
    });
    kinds(notices, id)
}

fn kinds<'a>(notices: impl Iterator<Item = &'a Notice>, id: SessionId) -> Vec<(NoticeKind, Level)> {
    let mine = notices.filter(|it| it.session.is_some_and(|key| key.id == id));
    mine.map(|it| (it.kind.clone(), it.level)).collect()
}

/// The notices of a session that the client received, once there are this many.
async fn notices_of(
    client: &mut TestClient,
    id: SessionId,
    count: usize,
) -> Vec<(NoticeKind, Level)> {
    while of(&client.received, id).len() < count {
        client.receive().await;
    }
    of(&client.received, id)
}

const LAUNCHED: (NoticeKind, Level) = (NoticeKind::Launched, Level::Info);
const RUNNING: (NoticeKind, Level) = (NoticeKind::Running, Level::Success);

#[tokio::test]
async fn a_life_is_reported_step_by_step_and_each_end_once() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let asked = client.run("asked").await;
    client.terminate(asked, false).await.unwrap();
    let itself = client.run("itself").await;
    daemon.engine.die(itself, 137, true);
    let good = client.launch(batch("works", "exit 0")).await.unwrap().id;
    let bad = client.launch(batch("fails", "exit 3")).await.unwrap().id;
    let ends = [
        (asked, NoticeKind::Ended, Level::Info),
        (itself, NoticeKind::Ended, Level::Warning),
        (
            good,
            NoticeKind::BatchEnded { exit_code: Some(0) },
            Level::Success,
        ),
        (
            bad,
            NoticeKind::BatchEnded { exit_code: Some(3) },
            Level::Error,
        ),
    ];
    for (id, kind, level) in ends {
        assert_eq!(
            notices_of(&mut client, id, 3).await,
            [LAUNCHED, RUNNING, (kind, level)]
        );
    }
    let error = Failure::reported("no space left on device");
    daemon.engine.fail_next(Call::Create, error);
    let failed = client.launch(named("failed")).await.unwrap().id;
    let expected = [LAUNCHED, (NoticeKind::Failed, Level::Error)];
    assert_eq!(notices_of(&mut client, failed, 2).await, expected);

    // A later client gets the same when it asks, oldest first.
    let later = daemon.client().await;
    let Ok(Reply::Notices { notices, .. }) = later.connection.ask(Request::Notices).await else {
        panic!("no notices");
    };
    for id in [asked, itself, good, bad, failed] {
        assert_eq!(kinds(notices.iter(), id), of(&client.received, id));
    }
}

#[tokio::test]
async fn a_daemon_that_begins_reports_only_what_is_new() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let old = client.run("older").await;
    daemon.restart().await;
    let mut client = daemon.client().await;
    client.until_connected().await;
    client.until_status(old, Status::Running).await;
    daemon.engine.die(old, 0, false);
    let expected = [(NoticeKind::Ended, Level::Info)];
    assert_eq!(notices_of(&mut client, old, 1).await, expected);
}

#[tokio::test]
async fn a_managers_sessions_are_reported_alike() {
    let manager = MemoryScheduler::new();
    let before = manager.add("RUNNING");
    let over = manager.add("TERMINATED");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    until_prod(&mut client, is_up).await;
    client.until_status(before, Status::Running).await;
    let id = client.launch_in(prod(), named("mine")).await.unwrap().id;
    manager.bring(id, "RUNNING");
    assert_eq!(notices_of(&mut client, id, 2).await, [LAUNCHED, RUNNING]);
    let request = Request::session(key(id), SessionRequest::Terminate { force: false });
    client.connection.ask(request).await.unwrap();
    manager.edit(id, |session| {
        session.status_info = Some("user-requested".into());
    });
    manager.bring(id, "TERMINATED");
    let end = notices_of(&mut client, id, 3).await.pop();
    assert_eq!(end, Some((NoticeKind::Ended, Level::Info)));
    manager.edit(before, |session| {
        session.status_info = Some("idle-timeout".into());
    });
    manager.bring(before, "TERMINATED");
    let (kind, level) = notices_of(&mut client, before, 1).await.remove(0);
    assert!(matches!(kind, NoticeKind::Reclaimed { .. }), "{kind:?}");
    assert_eq!(level, Level::Warning);
    assert!(of(&client.received, over).is_empty(), "that was long ago");
}
