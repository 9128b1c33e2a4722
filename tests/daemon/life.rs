//! Launch, rename, terminate, die.

use workbay::{
    model::{
        change::Change,
        failure::{Failure, FailureKind},
        id::{SessionId, SessionKey},
        log::LogOptions,
        request::SessionRequest,
        resources::Bytes,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request, StreamOpen},
};

use crate::support::{
    Call, TestClient, TestDaemon, eventually,
    test_daemon::{named, settings},
};

async fn phases(client: &TestClient, id: SessionId) -> Vec<String> {
    let entries = client.history(id).await;
    let reasons = entries
        .iter()
        .map(|entry| format!("{} {}", entry.phase, entry.to));
    reasons.collect()
}

#[tokio::test]
async fn a_session_is_launched_runs_and_ends() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.launch(named("first")).await.unwrap();
    assert_eq!(session.status, Status::Pending);
    assert_eq!(session.owner, "tester");
    let running = client.until_status(session.id, Status::Running).await;
    assert_eq!(running.environment.label(), "host:debian-12");
    assert_eq!(running.requested_slots.mem, Bytes::mib(256));
    assert_eq!(
        running.home,
        Some(format!("/scratch/{}", session.id)),
        "where its home is is reported"
    );
    assert!(running.kernels[0].container_id.is_some());
    assert_eq!(daemon.engine.containers().len(), 1);

    assert_eq!(client.terminate(session.id, false).await, Ok(Reply::Done));
    let ending = client.until_status(session.id, Status::Terminating).await;
    assert_eq!(ending.pending_request.unwrap(), "terminating");
    let ended = client.until_status(session.id, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "user-requested");
    assert_eq!(ended.pending_request, None);
    assert!(ended.terminated_at.is_some());
    assert!(daemon.engine.containers().is_empty());
    assert_eq!(
        phases(&client, session.id).await,
        [
            "schedule-sessions SCHEDULED",
            "check-precondition PREPARING",
            "start-sessions CREATING",
            "promote-to-running RUNNING",
            "terminate-sessions TERMINATING",
            "promote-to-terminated TERMINATED",
        ]
    );
}

#[tokio::test]
async fn each_wrong_launch_is_refused_with_its_reason_and_makes_nothing() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    client.run("taken").await;
    let wrong = |change: &dyn Fn(&mut LaunchRequest)| {
        let mut request = named("fine");
        change(&mut request);
        request
    };
    let cases = [
        (
            wrong(&|r| r.name = Some("a b".into())),
            "' ' isn't allowed in a name",
        ),
        (
            wrong(&|r| r.name = Some("taken".into())),
            "is taken by a session",
        ),
        (
            wrong(&|r| r.environment = Some("nope".into())),
            "environment 'nope' not found",
        ),
        (wrong(&|r| r.mem = Some(Bytes::mib(5))), "min: 6 MiB"),
        (
            wrong(&|r| r.shmem = Some(Bytes::mib(256))),
            "must be less than the memory",
        ),
        (
            wrong(&|r| r.cpu = Some("5".parse().unwrap())),
            "5 CPU is above the limit (max: 4)",
        ),
        (
            wrong(&|r| r.mem = Some(Bytes(9 * Bytes::GIB))),
            "9 GiB memory is above the limit (max: 8 GiB)",
        ),
        (
            wrong(&|r| drop(r.env.insert("1X".into(), "x".into()))),
            "invalid variable name",
        ),
    ];
    for (request, expected) in cases {
        let failure = client.launch(request).await.unwrap_err();
        assert!(failure.message().as_str().contains(expected), "{failure:?}");
    }
    assert_eq!(client.sessions().len(), 1);
    assert_eq!(daemon.engine.containers().len(), 1);
}

#[tokio::test]
async fn an_image_that_came_a_moment_ago_can_be_launched() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    daemon.engine.add_image("fresh", "1");
    let request = LaunchRequest {
        environment: Some("fresh".into()),
        ..LaunchRequest::default()
    };
    let session = client.launch(request).await.unwrap();
    assert_eq!(
        session.name,
        format!("{}-session", session.id.short()).as_str()
    );
    client.until_status(session.id, Status::Running).await;
}

#[tokio::test]
async fn a_launch_that_fails_is_in_error_with_its_reason_and_leaves_nothing() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let gone = Failure::no_image("the image busybox:1.35").maybe_hint("load it again".into());
    daemon.engine.fail_next(Call::Create, gone);
    let session = client.launch(named("imageless")).await.unwrap();
    let failed = client.until_status(session.id, Status::Error).await;
    assert_eq!(failed.status_info.unwrap(), "creation-failed");
    let why = failed.status_message.unwrap();
    assert_eq!(why, "the image busybox:1.35 not found: load it again");

    daemon
        .engine
        .fail_next(Call::Start, Failure::reported("no such runtime"));
    let session = client.launch(named("startless")).await.unwrap();
    let failed = client.until_status(session.id, Status::Error).await;
    assert_eq!(failed.status_info.unwrap(), "failed-to-start");
    eventually("what was made is removed", || {
        daemon.engine.containers().is_empty()
    })
    .await;

    let refusal = client.terminate(session.id, false).await.unwrap_err();
    assert!(
        refusal.message().as_str().contains("already ended"),
        "{refusal:?}"
    );
    let again = client.session(session.id).unwrap();
    assert_eq!(again.status_info.unwrap(), "failed-to-start");
}

#[tokio::test]
async fn a_session_whose_process_ends_is_over_with_the_reason() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("ends").await;
    daemon.engine.die(id, 3, false);
    let ended = client.until_status(id, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "self-terminated");
    assert_eq!(
        ended.status_message.unwrap(),
        "its main process ended with exit code 3"
    );
    assert_eq!(ended.kernels[0].exit_code, Some(3));

    let id = client.run("hungry").await;
    daemon.engine.die(id, 137, true);
    let ended = client.until_status(id, Status::Terminated).await;
    let why = ended.status_message.unwrap();
    assert_eq!(
        why,
        "it used more memory than its 256 MiB and was killed (exit code 137)"
    );
    assert!(daemon.engine.containers().is_empty());

    let id = client.run("killed").await;
    daemon.engine.die(id, 137, false);
    let ended = client.until_status(id, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "killed-by-event");
    assert_eq!(
        ended.status_message.unwrap(),
        "its main process was killed by signal 9 (exit code 137)"
    );

    let id = client.run("taken-away").await;
    daemon.engine.vanish(id);
    let ended = client.until_status(id, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "container-removed");
}

#[tokio::test]
async fn a_session_that_is_being_made_can_be_cancelled() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    daemon.engine.hold(Call::Create);
    let session = client.launch(named("hasty")).await.unwrap();
    eventually("it is being made", || {
        daemon.engine.count(Call::Create) == 1
    })
    .await;
    let open = StreamOpen::Log {
        session: SessionKey::local(session.id),
        options: LogOptions::default(),
    };
    let mut log = client.connection.open(open);
    let refused = format!("{:?}", log.recv().await);
    assert!(
        refused.contains("hasty is PREPARING and has no log"),
        "{refused}"
    );
    client.terminate(session.id, false).await.unwrap();
    assert_eq!(
        client.terminate(session.id, false).await,
        Ok(Reply::Done),
        "again is a success"
    );
    daemon.engine.release(Call::Create);
    let ended = client.until_status(session.id, Status::Cancelled).await;
    assert_eq!(ended.started_at, None);
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn force_overtakes_a_gentle_end_that_hangs() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("stubborn").await;
    daemon.engine.hold(Call::Stop);
    client.terminate(id, false).await.unwrap();
    eventually("it is asked to end", || {
        daemon.engine.count(Call::Stop) == 1
    })
    .await;
    client.terminate(id, true).await.unwrap();
    eventually("it is killed", || daemon.engine.count(Call::Stop) == 2).await;
    daemon.engine.release(Call::Stop);
    let ended = client.until_status(id, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "force-terminated");
    let failure = client.terminate(id, true).await.unwrap_err();
    assert_eq!(
        failure.message(),
        "session stubborn has already ended (TERMINATED)"
    );
}

#[tokio::test]
async fn a_rename_is_checked_shown_as_asked_and_done_by_the_engine() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let (id, _) = (client.run("before").await, client.run("other").await);
    let rename = |name: &str| {
        let name = name.to_owned();
        client.connection.ask(Request::session(
            SessionKey::local(id),
            SessionRequest::Rename { name },
        ))
    };
    let failure = rename("other").await.unwrap_err();
    assert!(
        failure.message().as_str().contains("is taken"),
        "{failure:?}"
    );
    let failure = rename("-bad").await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    daemon
        .engine
        .fail_next(Call::Rename, Failure::reported("no"));
    let failure = rename("after").await.unwrap_err();
    assert!(
        failure.message().as_str().contains("couldn't be renamed"),
        "{failure:?}"
    );
    assert_eq!(rename("after").await, Ok(Reply::Done));
    let renamed = client.until(id, |session| session.name == "after").await;
    assert_eq!(renamed.pending_request, None);
    let names = daemon.engine.containers();
    assert!(names.iter().any(|container| container.name == "after"));
}

#[tokio::test]
async fn remains_of_an_ended_session_are_deleted_when_their_time_has_come() {
    let mut short = settings();
    short.history.keep_days = 0;
    let daemon = TestDaemon::with(short).await;
    let mut client = daemon.client().await;
    let id = client.run("shortlived").await;
    client.terminate(id, false).await.unwrap();
    let forgotten = client
        .until(id, |session| {
            session.status.is_final() && session.home.is_none()
        })
        .await;
    assert_eq!(forgotten.status, Status::Terminated);
    assert_eq!(daemon.engine.forgotten(), [id]);
}

#[tokio::test]
async fn usage_is_sampled_only_for_clients_that_watch_and_reported_only_when_it_moved() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("busy-one").await;
    assert_eq!(daemon.engine.count(Call::Usage), 0);
    daemon.engine.set_usage(id, Some(500), Bytes::mib(10));
    let watch = |sessions: Vec<SessionId>| {
        let sessions = sessions.into_iter().map(SessionKey::local).collect();
        client.connection.ask(Request::Watch { sessions })
    };
    watch(vec![id]).await.unwrap();
    let is_usage = |change: &Change| matches!(change, Change::Usage { .. });
    client.until_received(is_usage).await;
    eventually("several sweeps", || daemon.engine.count(Call::Usage) >= 3).await;
    daemon.engine.set_usage(id, Some(700), Bytes::mib(10));
    client.until_received(is_usage).await;
    let figures = client.received.iter().filter_map(|change| match change {
        Change::Usage { samples } => Some(samples[0].1.cpu.unwrap().millis()),
        _ => None,
    });
    assert_eq!(figures.collect::<Vec<_>>(), [500, 700]);
}
