//! A manager that schedules on its own, seen through the daemon.

use workbay::{
    model::{
        change::Change,
        failure::{Failure, FailureKind},
        id::SessionId,
        notice::Level,
        request::{ContextRequest, SessionRequest},
        session::Session,
        status::{Status, Tab},
    },
    protocol::message::{Reply, Request},
};

use super::managers::{house_with, is_up, key, prod, until_prod};
use crate::support::{Face, MemoryScheduler, eventually, house::named, scheduler::Question};

async fn ask(face: &Face, request: Request) -> Reply {
    face.client.ask(request).await.unwrap()
}

async fn terminate(face: &Face, id: SessionId) -> Result<Reply, workbay::model::failure::Failure> {
    let session = key(id);
    face.client
        .ask(Request::session(
            session,
            SessionRequest::Terminate { force: false },
        ))
        .await
}

/// Waits for a change, received already or not.
async fn until(face: &mut Face, so: impl Fn(&Change) -> bool) {
    if !face.received.iter().any(&so) {
        face.until_received(so).await;
    }
}

#[tokio::test]
async fn a_session_lives_on_the_manager_from_launch_to_end() {
    let manager = MemoryScheduler::new();
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    let session = face.launch_in(prod(), named("first")).await.unwrap();
    let id = session.id;
    assert_eq!((session.status, session.context), (Status::Pending, prod()));
    manager.edit(id, |session| {
        session.status_message = Some("no room".into());
    });
    face.until(id, |session| session.status_message.is_some())
        .await;
    manager.edit(id, |session| session.status_message = None);
    manager.bring(id, "RUNNING");
    let running = face.until_status(id, Status::Running).await;
    assert_eq!(running.status_message, None, "that was why it waited");

    let rename = Request::session(
        key(id),
        SessionRequest::Rename {
            name: "renamed".into(),
        },
    );
    assert_eq!(ask(&face, rename).await, Reply::Done);
    let renamed = face.until(id, |session| session.name == "renamed").await;
    assert_eq!(renamed.pending_request, None);

    let image_name = "mine".to_owned();
    let commit = Request::session(
        key(id),
        SessionRequest::Commit {
            image_name,
            pause: false,
        },
    );
    assert_eq!(ask(&face, commit).await, Reply::Done);
    let made = |change: &Change| {
        matches!(change, Change::Notice { notice } if notice.level == Level::Success
            && notice.text == "the image mine was created from renamed")
    };
    until(&mut face, made).await;
    let shown = face.received.iter().filter_map(|change| match change {
        Change::Session { session } => session.pending_request.clone(),
        _ => None,
    });
    assert!(
        shown
            .into_iter()
            .any(|text| text.as_str().starts_with("creating image mine"))
    );

    let Reply::History { entries } =
        ask(&face, Request::session(key(id), SessionRequest::History)).await
    else {
        panic!("no history");
    };
    assert_eq!(entries[0].message.as_ref().unwrap(), "no room");
    let catalogue = Request::context(
        prod(),
        ContextRequest::Catalogue {
            project: Some("p".into()),
            refresh: false,
        },
    );
    let Reply::Catalogue { catalogue } = ask(&face, catalogue).await else {
        panic!("no catalogue");
    };
    assert_eq!(catalogue.project.unwrap(), "p");

    terminate(&face, id).await.unwrap();
    face.until_status(id, Status::Terminating).await;
    manager.bring(id, "TERMINATED");
    face.until_status(id, Status::Terminated).await;
    until(&mut face, |change| {
        matches!(change, Change::Totals { totals: Some([0, 1, 0]), context } if *context == prod())
    })
    .await;
}

#[tokio::test]
async fn a_launch_the_manager_refuses_is_reported_in_its_words() {
    let manager = MemoryScheduler::new();
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    until_prod(&mut face, is_up).await;
    let error = Failure::refused("you have 30 sessions already").hint("end one");
    manager.fail_next(Question::Launch, error);
    let failure = face.launch_in(prod(), named("first")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    assert_eq!(failure.message(), "you have 30 sessions already");
    assert_eq!(failure.hint.unwrap(), "end one");
    let session = face.launch_in(prod(), named("second")).await.unwrap();
    manager.edit(session.id, |session| {
        session.status_message = Some("pull failed".into());
    });
    manager.bring(session.id, "ERROR");
    face.until_notified("second failed: pull failed").await;
}

#[tokio::test]
async fn a_session_that_vanishes_between_list_and_click() {
    let manager = MemoryScheduler::new();
    let id = manager.add("RUNNING");
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    face.until_status(id, Status::Running).await;
    manager.vanish(id);
    let failure = terminate(&face, id).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert!(
        failure.message().as_str().contains("any more"),
        "{failure:?}"
    );
    face.until_received(|change| matches!(change, Change::Gone { session } if *session == key(id)))
        .await;
    assert!(face.sessions().is_empty());
}

/// Asks, and receives what is reported meanwhile: the answer comes after it.
async fn reach(face: &mut Face, tab: Tab, text: Option<&str>, count: u32) -> u64 {
    let (context, text) = (prod(), text.map(ToOwned::to_owned));
    let request = Request::context(context, ContextRequest::Reach { tab, text, count });
    let client = face.client.clone();
    let mut asking = tokio::spawn(async move { client.ask(request).await });
    loop {
        tokio::select! {
            answer = &mut asking => match answer.unwrap() {
                Ok(Reply::Reached { total }) => return total,
                other => panic!("{other:?}"),
            },
            _ = face.receive() => {}
        }
    }
}

async fn receive_all(face: &mut Face, count: usize) {
    while face.count() < count {
        face.receive().await;
    }
}

#[tokio::test]
async fn ten_thousand_sessions_are_reported_as_far_as_they_are_wanted() {
    let manager = MemoryScheduler::new();
    manager.add_many(10_000, "TERMINATED");
    let newest = manager.add("RUNNING");
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    face.until_status(newest, Status::Running).await;
    receive_all(&mut face, 101).await;
    assert_eq!(reach(&mut face, Tab::Finished, None, 300).await, 10_000);
    receive_all(&mut face, 301).await;
    assert_eq!(
        reach(&mut face, Tab::Finished, Some("job-00007"), 50).await,
        1
    );
    face.until(SessionId::from_u128(7 << 64), |session| {
        session.name == "job-00007"
    })
    .await;
    assert_eq!(reach(&mut face, Tab::Running, None, 100).await, 1);
    assert_eq!(reach(&mut face, Tab::Finished, None, 10_000).await, 10_000);
    receive_all(&mut face, 10_001).await;
    let mut other = house.face().await;
    receive_all(&mut other, 10_001).await;
    let state = &other.snapshot.contexts[1];
    assert_eq!(state.totals, Some([1, 10_000, 0]));
}

#[tokio::test]
async fn lost_events_come_again_with_everything_that_was_missed() {
    let manager = MemoryScheduler::new();
    let id = manager.add("PENDING");
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    face.until_status(id, Status::Pending).await;
    eventually("it listens", || manager.listeners() == 1).await;
    manager.end_events();
    manager.edit(id, |session| session.status = Status::Running);
    face.until_status(id, Status::Running).await;
    eventually("it listens again", || manager.listeners() == 1).await;
    manager.bring(id, "TERMINATING");
    face.until_status(id, Status::Terminating).await;
}

#[tokio::test]
async fn a_manager_without_events_is_asked_about_what_moves() {
    let manager = MemoryScheduler::new();
    manager.have_no_events();
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    let id = face.launch_in(prod(), named("first")).await.unwrap().id;
    for status in ["CREATING", "RUNNING"] {
        manager.bring(id, status);
        face.until(id, |session: &Session| {
            session.status == Status::from(status)
        })
        .await;
    }
    assert!(manager.count(Question::Rows) > 0);
    assert!(
        manager.count(Question::Page) <= 6,
        "the whole list is not read for it"
    );
}

#[tokio::test]
async fn when_the_last_face_goes_nothing_is_listened_to_and_a_new_one_sees_the_present() {
    let manager = MemoryScheduler::new();
    let id = manager.add("RUNNING");
    let house = house_with(&manager).await;
    let mut face = house.face().await;
    face.until_status(id, Status::Running).await;
    eventually("it listens", || manager.listeners() == 1).await;
    drop(face);
    eventually("nobody listens", || manager.listeners() == 0).await;
    manager.bring(id, "TERMINATED");
    let mut face = house.face().await;
    face.until_status(id, Status::Terminated).await;
    eventually("it listens again", || manager.listeners() == 1).await;
}

#[tokio::test]
async fn a_daemon_that_starts_again_has_it_all_from_the_manager() {
    let manager = MemoryScheduler::new();
    let mut house = house_with(&manager).await;
    let mut face = house.face().await;
    let theirs = face.launch_in(prod(), named("theirs")).await.unwrap().id;
    manager.bring(theirs, "RUNNING");
    let before = face.until_status(theirs, Status::Running).await;
    let ours = face.run("ours-one").await;
    house.restart().await;
    let mut face = house.face().await;
    let after = face.until_status(theirs, Status::Running).await;
    assert_eq!(after, before);
    face.until_status(ours, Status::Running).await;
    assert_eq!(face.sessions().len(), 2);
}

#[tokio::test]
async fn the_list_is_fresh_for_a_command_that_only_takes_a_snapshot() {
    let manager = MemoryScheduler::new();
    let house = house_with(&manager).await;
    let (client, _events) =
        workbay::client::Client::connect(&workbay::client::ConnectOptions::existing(house.paths()))
            .await
            .unwrap();
    for count in 1..4 {
        manager.add("RUNNING");
        let refresh = Request::refresh(Some(prod()));
        // A list that was read within the last second is fresh enough: then once more.
        loop {
            assert_eq!(client.ask(refresh.clone()).await, Ok(Reply::Done));
            let Ok(Reply::Snapshot { snapshot }) =
                client.ask(Request::Snapshot { tab: None }).await
            else {
                panic!("no snapshot");
            };
            if snapshot.sessions.len() == count {
                break;
            }
        }
    }
}

#[tokio::test]
async fn a_full_disk_refuses_a_request_and_changes_nothing() {
    let manager = MemoryScheduler::new();
    manager.add_many(100, "RUNNING");
    let mut house = crate::support::House::closed(crate::support::house::settings());
    house.page_limit = Some(26);
    house.others = vec![crate::support::house::setup("prod", &manager)];
    house.start().await;
    let mut face = house.face().await;
    receive_all(&mut face, 100).await;
    let (mut done, mut refused) = (0, None);
    for session in face.sessions() {
        // What is asked is recorded first, and this is a lot.
        let commit = Request::session(
            session.key(),
            SessionRequest::Commit {
                image_name: "x".repeat(4000),
                pause: false,
            },
        );
        match face.client.ask(commit).await {
            Ok(_) => done += 1,
            Err(failure) => {
                refused = Some((session.id, failure));
                break;
            }
        }
    }
    let (id, failure) = refused.expect("the disk is full at some time");
    assert_eq!(failure.kind, FailureKind::Internal, "{failure:?}");
    assert_eq!(manager.count(Question::Commit), done);
    assert_eq!(face.session(id).unwrap().pending_request, None);
}
