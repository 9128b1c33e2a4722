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

use super::managers::{daemon_with, is_up, key, prod, until_prod};
use crate::support::{
    MemoryScheduler, TestClient, eventually, scheduler::Question, test_daemon::named,
};

async fn ask(client: &TestClient, request: Request) -> Reply {
    client.connection.ask(request).await.unwrap()
}

async fn terminate(
    client: &TestClient,
    id: SessionId,
) -> Result<Reply, workbay::model::failure::Failure> {
    let session = key(id);
    client
        .connection
        .ask(Request::session(
            session,
            SessionRequest::Terminate { force: false },
        ))
        .await
}

/// Waits for a change, received already or not.
async fn until(client: &mut TestClient, so: impl Fn(&Change) -> bool) {
    if !client.received.iter().any(&so) {
        client.until_received(so).await;
    }
}

#[tokio::test]
async fn a_session_lives_on_the_manager_from_launch_to_end() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    let session = client.launch_in(prod(), named("first")).await.unwrap();
    let id = session.id;
    assert_eq!((session.status, session.context), (Status::Pending, prod()));
    manager.edit(id, |session| {
        session.status_message = Some("no room".into());
    });
    client
        .until(id, |session| session.status_message.is_some())
        .await;
    manager.edit(id, |session| session.status_message = None);
    manager.bring(id, "RUNNING");
    let running = client.until_status(id, Status::Running).await;
    assert_eq!(running.status_message, None, "that was why it waited");

    let rename = Request::session(
        key(id),
        SessionRequest::Rename {
            name: "renamed".into(),
        },
    );
    assert_eq!(ask(&client, rename).await, Reply::Done);
    let renamed = client.until(id, |session| session.name == "renamed").await;
    assert_eq!(renamed.pending_request, None);

    let image_name = "mine".to_owned();
    let commit = Request::session(
        key(id),
        SessionRequest::Commit {
            image_name,
            pause: false,
        },
    );
    assert_eq!(ask(&client, commit).await, Reply::Done);
    let made = |change: &Change| {
        matches!(change, Change::Notice { notice } if notice.level == Level::Success
            && notice.text == "the image mine was created from renamed")
    };
    until(&mut client, made).await;
    let shown = client.received.iter().filter_map(|change| match change {
        Change::Session { session } => session.pending_request.clone(),
        _ => None,
    });
    assert!(
        shown
            .into_iter()
            .any(|text| text.as_str().starts_with("creating image mine"))
    );

    let Reply::History { entries } =
        ask(&client, Request::session(key(id), SessionRequest::History)).await
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
    let Reply::Catalogue { catalogue } = ask(&client, catalogue).await else {
        panic!("no catalogue");
    };
    assert_eq!(catalogue.project.unwrap(), "p");

    terminate(&client, id).await.unwrap();
    client.until_status(id, Status::Terminating).await;
    manager.bring(id, "TERMINATED");
    client.until_status(id, Status::Terminated).await;
    until(&mut client, |change| {
        matches!(change, Change::Totals { totals: Some([0, 1, 0]), context } if *context == prod())
    })
    .await;
}

#[tokio::test]
async fn a_launch_the_manager_refuses_is_reported_in_its_words() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    until_prod(&mut client, is_up).await;
    let error = Failure::refused("you have 30 sessions already").hint("end one");
    manager.fail_next(Question::Launch, error);
    let failure = client.launch_in(prod(), named("first")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    assert_eq!(failure.message(), "you have 30 sessions already");
    assert_eq!(failure.hint.unwrap(), "end one");
    let session = client.launch_in(prod(), named("second")).await.unwrap();
    manager.edit(session.id, |session| {
        session.status_message = Some("pull failed".into());
    });
    manager.bring(session.id, "ERROR");
    client.until_notified("second failed: pull failed").await;
}

#[tokio::test]
async fn a_session_that_vanishes_between_list_and_click() {
    let manager = MemoryScheduler::new();
    let id = manager.add("RUNNING");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    client.until_status(id, Status::Running).await;
    manager.vanish(id);
    let failure = terminate(&client, id).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::NotFound);
    assert!(
        failure.message().as_str().contains("any more"),
        "{failure:?}"
    );
    client
        .until_received(|change| matches!(change, Change::Gone { session } if *session == key(id)))
        .await;
    assert!(client.sessions().is_empty());
}

/// Sends a request, and receives the changes before its answer.
async fn reach(client: &mut TestClient, tab: Tab, text: Option<&str>, count: u32) -> u64 {
    let (context, text) = (prod(), text.map(ToOwned::to_owned));
    let request = Request::context(context, ContextRequest::Reach { tab, text, count });
    let connection = client.connection.clone();
    let mut asking = tokio::spawn(async move { connection.ask(request).await });
    loop {
        tokio::select! {
            answer = &mut asking => match answer.unwrap() {
                Ok(Reply::Reached { total }) => return total,
                other => panic!("{other:?}"),
            },
            _ = client.receive() => {}
        }
    }
}

async fn receive_all(client: &mut TestClient, count: usize) {
    while client.count() < count {
        client.receive().await;
    }
}

#[tokio::test]
async fn ten_thousand_sessions_are_reported_as_far_as_they_are_wanted() {
    let manager = MemoryScheduler::new();
    manager.add_many(10_000, "TERMINATED");
    let newest = manager.add("RUNNING");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    client.until_status(newest, Status::Running).await;
    receive_all(&mut client, 101).await;
    assert_eq!(reach(&mut client, Tab::Finished, None, 300).await, 10_000);
    receive_all(&mut client, 301).await;
    assert_eq!(
        reach(&mut client, Tab::Finished, Some("job-00007"), 50).await,
        1
    );
    client
        .until(SessionId::from_u128(7 << 64), |session| {
            session.name == "job-00007"
        })
        .await;
    assert_eq!(reach(&mut client, Tab::Running, None, 100).await, 1);
    assert_eq!(
        reach(&mut client, Tab::Finished, None, 10_000).await,
        10_000
    );
    receive_all(&mut client, 10_001).await;
    let mut other = daemon.client().await;
    receive_all(&mut other, 10_001).await;
    let state = &other.snapshot.contexts[1];
    assert_eq!(state.totals, Some([1, 10_000, 0]));
}

#[tokio::test]
async fn lost_events_come_again_with_everything_that_was_missed() {
    let manager = MemoryScheduler::new();
    let id = manager.add("PENDING");
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    client.until_status(id, Status::Pending).await;
    eventually("it listens", || manager.listeners() == 1).await;
    manager.end_events();
    manager.edit(id, |session| session.status = Status::Running);
    client.until_status(id, Status::Running).await;
    eventually("it listens again", || manager.listeners() == 1).await;
    manager.bring(id, "TERMINATING");
    client.until_status(id, Status::Terminating).await;
}

#[tokio::test]
async fn a_manager_without_events_is_asked_about_what_moves() {
    let manager = MemoryScheduler::new();
    manager.have_no_events();
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    let id = client.launch_in(prod(), named("first")).await.unwrap().id;
    for status in ["CREATING", "RUNNING"] {
        manager.bring(id, status);
        client
            .until(id, |session: &Session| {
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
    let daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    client.until_status(id, Status::Running).await;
    eventually("it listens", || manager.listeners() == 1).await;
    drop(client);
    eventually("nobody listens", || manager.listeners() == 0).await;
    manager.bring(id, "TERMINATED");
    let mut client = daemon.client().await;
    client.until_status(id, Status::Terminated).await;
    eventually("it listens again", || manager.listeners() == 1).await;
}

#[tokio::test]
async fn a_daemon_that_starts_again_has_it_all_from_the_manager() {
    let manager = MemoryScheduler::new();
    let mut daemon = daemon_with(&manager).await;
    let mut client = daemon.client().await;
    let theirs = client.launch_in(prod(), named("theirs")).await.unwrap().id;
    manager.bring(theirs, "RUNNING");
    let before = client.until_status(theirs, Status::Running).await;
    let ours = client.run("ours-one").await;
    daemon.restart().await;
    let mut client = daemon.client().await;
    let after = client.until_status(theirs, Status::Running).await;
    assert_eq!(after, before);
    client.until_status(ours, Status::Running).await;
    assert_eq!(client.sessions().len(), 2);
}

#[tokio::test]
async fn the_list_is_fresh_for_a_command_that_only_takes_a_snapshot() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let (connection, _events) = workbay::client::Client::connect(
        &workbay::client::ConnectOptions::existing(daemon.paths()),
    )
    .await
    .unwrap();
    for count in 1..4 {
        manager.add("RUNNING");
        let refresh = Request::refresh(Some(prod()));
        // A list that was read within the last second is fresh enough, so the request is repeated later.
        loop {
            assert_eq!(connection.ask(refresh.clone()).await, Ok(Reply::Done));
            let Ok(Reply::Snapshot { snapshot }) =
                connection.ask(Request::Snapshot { tab: None }).await
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
    let mut daemon = crate::support::TestDaemon::closed(crate::support::test_daemon::settings());
    daemon.page_limit = Some(26);
    daemon.others = vec![crate::support::test_daemon::setup("prod", &manager)];
    daemon.start().await;
    let mut client = daemon.client().await;
    receive_all(&mut client, 100).await;
    let (mut done, mut refused) = (0, None);
    for session in client.sessions() {
        // Requests are recorded first, and these are many.
        let commit = Request::session(
            session.key(),
            SessionRequest::Commit {
                image_name: "x".repeat(4000),
                pause: false,
            },
        );
        match client.connection.ask(commit).await {
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
    assert_eq!(client.session(id).unwrap().pending_request, None);
}
