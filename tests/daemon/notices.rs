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
    managers::{house_with, is_up, key, prod, until_prod},
};
use crate::support::{Call, Face, House, MemoryScheduler, house::named};

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
async fn notices_of(face: &mut Face, id: SessionId, count: usize) -> Vec<(NoticeKind, Level)> {
    while of(&face.received, id).len() < count {
        face.receive().await;
    }
    of(&face.received, id)
}

const LAUNCHED: (NoticeKind, Level) = (NoticeKind::Launched, Level::Info);
const RUNNING: (NoticeKind, Level) = (NoticeKind::Running, Level::Success);

#[tokio::test]
async fn a_life_is_reported_step_by_step_and_each_end_once() {
    let house = House::open().await;
    let mut face = house.face().await;
    let asked = face.run("asked").await;
    face.terminate(asked, false).await.unwrap();
    let itself = face.run("itself").await;
    house.engine.die(itself, 137, true);
    let good = face.launch(batch("works", "exit 0")).await.unwrap().id;
    let bad = face.launch(batch("fails", "exit 3")).await.unwrap().id;
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
            notices_of(&mut face, id, 3).await,
            [LAUNCHED, RUNNING, (kind, level)]
        );
    }
    let error = Failure::reported("no space left on device");
    house.engine.fail_next(Call::Create, error);
    let failed = face.launch(named("failed")).await.unwrap().id;
    let expected = [LAUNCHED, (NoticeKind::Failed, Level::Error)];
    assert_eq!(notices_of(&mut face, failed, 2).await, expected);

    // A later client gets the same when it asks, oldest first.
    let later = house.face().await;
    let Ok(Reply::Notices { notices, .. }) = later.client.ask(Request::Notices).await else {
        panic!("no notices");
    };
    for id in [asked, itself, good, bad, failed] {
        assert_eq!(kinds(notices.iter(), id), of(&face.received, id));
    }
}

#[tokio::test]
async fn a_daemon_that_begins_reports_only_what_is_new() {
    let mut house = House::open().await;
    let mut face = house.face().await;
    let old = face.run("older").await;
    house.restart().await;
    let mut face = house.face().await;
    face.until_connected().await;
    face.until_status(old, Status::Running).await;
    house.engine.die(old, 0, false);
    let expected = [(NoticeKind::Ended, Level::Info)];
    assert_eq!(notices_of(&mut face, old, 1).await, expected);
}

#[tokio::test]
async fn a_managers_sessions_are_reported_alike() {
    let manager = MemoryScheduler::new();
    let before = manager.add("RUNNING");
    let over = manager.add("TERMINATED");
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    until_prod(&mut face, is_up).await;
    face.until_status(before, Status::Running).await;
    let id = face.launch_in(prod(), named("mine")).await.unwrap().id;
    manager.bring(id, "RUNNING");
    assert_eq!(notices_of(&mut face, id, 2).await, [LAUNCHED, RUNNING]);
    let request = Request::session(key(id), SessionRequest::Terminate { force: false });
    face.client.ask(request).await.unwrap();
    manager.edit(id, |session| {
        session.status_info = Some("user-requested".into());
    });
    manager.bring(id, "TERMINATED");
    let end = notices_of(&mut face, id, 3).await.pop();
    assert_eq!(end, Some((NoticeKind::Ended, Level::Info)));
    manager.edit(before, |session| {
        session.status_info = Some("idle-timeout".into());
    });
    manager.bring(before, "TERMINATED");
    let (kind, level) = notices_of(&mut face, before, 1).await.remove(0);
    assert!(matches!(kind, NoticeKind::Reclaimed { .. }), "{kind:?}");
    assert_eq!(level, Level::Warning);
    assert!(of(&face.received, over).is_empty(), "that was long ago");
}
