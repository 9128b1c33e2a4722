//! Sessions that run one command, and those of several containers.

use workbay::{
    client::StreamItem,
    model::{
        change::Change,
        failure::Failure,
        id::SessionKey,
        log::LogOptions,
        resources::Cpu,
        session::{BatchResult, SessionType},
        span::Span,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, StreamOpen},
};

use crate::support::{Call, TestDaemon, eventually, test_daemon::named};

/// A command of the engine in memory: `exit N` ends at once.
pub fn batch(name: &str, command: &str) -> LaunchRequest {
    LaunchRequest {
        session_type: SessionType::Batch,
        startup_command: Some(command.to_owned()),
        ..small(name)
    }
}

pub fn small(name: &str) -> LaunchRequest {
    LaunchRequest {
        cpu: Some(Cpu::from_millis(100)),
        ..named(name)
    }
}

pub fn cluster(name: &str) -> LaunchRequest {
    LaunchRequest {
        cluster_size: Some(3),
        ..small(name)
    }
}

#[tokio::test]
async fn a_command_succeeds_or_fails_and_its_session_ends() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    for (code, result, info) in [
        (0, BatchResult::Success, "task-finished"),
        (3, BatchResult::Failure, "task-failed"),
    ] {
        let command = format!("exit {code}");
        let session = client
            .launch(batch(&format!("ends-with-{code}"), &command))
            .await
            .unwrap();
        assert_eq!(session.startup_command, Some(command.as_str().into()));
        let ended = client.until_status(session.id, Status::Terminated).await;
        assert_eq!(ended.result, result);
        assert_eq!(ended.status_info, Some(info.into()));
        assert_eq!(ended.kernels[0].exit_code, Some(code));
        let why = format!("its command ended with exit code {code}");
        assert_eq!(ended.status_message, Some(why.as_str().into()));
        client.until_notified(&why).await;
    }
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn the_log_of_a_command_stays_readable() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.launch(batch("writes", "make")).await.unwrap();
    client.until_status(session.id, Status::Running).await;
    daemon
        .engine
        .write_log(session.id, "42 is what it printed\n");
    daemon.engine.die(session.id, 0, false);
    client.until_status(session.id, Status::Terminated).await;
    let open = StreamOpen::Log {
        session: SessionKey::local(session.id),
        options: LogOptions::default(),
    };
    let mut log = client.connection.open(open);
    let mut read = Vec::new();
    while let Some(item) = log.recv().await {
        match item {
            StreamItem::Data { bytes, .. } => read.extend_from_slice(&bytes),
            StreamItem::Ended(_) => break,
            StreamItem::Opened => {}
        }
    }
    assert_eq!(read, b"42 is what it printed\n");
}

#[tokio::test]
async fn a_command_that_runs_too_long_is_ended() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let request = LaunchRequest {
        timeout: Some(Span(1)),
        ..batch("endless", "sleep 1000")
    };
    let session = client.launch(request).await.unwrap();
    assert_eq!(session.timeout, Some(Span(1)));
    let ended = client.until_status(session.id, Status::Terminated).await;
    assert_eq!(ended.status_info, Some("task-timeout".into()));
    assert_eq!(ended.result, BatchResult::Failure);
    assert_eq!(ended.kernels[0].exit_code, Some(-2));
    assert_eq!(daemon.engine.count(Call::Stop), 1, "it was asked to end");
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_command_does_not_start_before_its_time() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let starts_at = jiff::Timestamp::now()
        .checked_add(jiff::SignedDuration::from_secs(2))
        .unwrap();
    let request = LaunchRequest {
        starts_at: Some(starts_at.into()),
        ..batch("later", "exit 0")
    };
    let session = client.launch(request).await.unwrap();
    assert_eq!(session.status, Status::Pending);
    let waiting = client
        .until(session.id, |s| s.status_message.is_some())
        .await;
    let why = waiting.status_message.unwrap();
    assert!(why.as_str().contains("waits for its start time"), "{why}");
    assert_eq!(daemon.engine.count(Call::Create), 0);
    // It has no log before it has begun, and a reader waits for it.
    let open = StreamOpen::Log {
        session: SessionKey::local(session.id),
        options: LogOptions::default(),
    };
    let mut log = client.connection.open(open);
    let said = format!("{:?}", log.recv().await);
    assert!(said.contains("it hasn't started"), "{said}");
    let ended = client.until_status(session.id, Status::Terminated).await;
    assert!(ended.started_at.unwrap() >= starts_at);
    assert_eq!(ended.result, BatchResult::Success);
}

#[tokio::test]
async fn a_user_ends_a_command_and_it_has_no_result() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.launch(batch("stopped", "make")).await.unwrap();
    client.until_status(session.id, Status::Running).await;
    assert_eq!(client.terminate(session.id, false).await, Ok(Reply::Done));
    let ended = client.until_status(session.id, Status::Terminated).await;
    assert_eq!(ended.status_info, Some("user-requested".into()));
    assert_eq!(ended.result, BatchResult::Undefined);
}

#[tokio::test]
async fn a_cluster_runs_degrades_and_ends_as_one() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.launch(cluster("three")).await.unwrap();
    let id = session.id;
    assert_eq!(session.requested_slots.cpu, Cpu::from_millis(300));
    let running = client.until_status(id, Status::Running).await;
    assert_eq!(running.occupied_slots, running.requested_slots);
    assert!(running.kernels.iter().all(|k| k.container_id.is_some()));

    daemon.engine.die_sub(id, "sub2", 137, true);
    let degraded = client.until_status(id, Status::RunningDegraded).await;
    assert_eq!(
        degraded.status_message.unwrap(),
        "sub2 used more memory than its 256 MiB and was killed (exit code 137)"
    );
    assert_eq!(degraded.kernels[2].status, Status::Terminated);
    let is_notice = |change: &Change| matches!(change, Change::Notice { notice } if notice.session.is_some_and(|key| key.id == id));
    if !client.received.iter().any(is_notice) {
        client.until_received(is_notice).await;
    }
    daemon.engine.vanish_sub(id, "sub1");
    let degraded = client
        .until(id, |s| s.kernels[1].status == Status::Terminated)
        .await;
    let why = degraded.status_message.unwrap();
    assert!(why.as_str().starts_with("the container of sub1"), "{why}");

    daemon.engine.die(id, 0, false);
    client.until_status(id, Status::Terminated).await;
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_sub_that_comes_back_heals_the_session() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.launch(cluster("healed")).await.unwrap().id;
    client.until_status(id, Status::Running).await;
    daemon.engine.die_sub(id, "sub1", 1, false);
    client.until_status(id, Status::RunningDegraded).await;
    daemon.engine.revive_sub(id, "sub1");
    let healed = client.until_status(id, Status::Running).await;
    assert_eq!(healed.status_message, None);
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn a_cluster_that_cannot_be_started_leaves_nothing() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let error = Failure::reported("no network left");
    daemon.engine.fail_next(Call::Start, error);
    let id = client.launch(cluster("hapless")).await.unwrap().id;
    let failed = client.until_status(id, Status::Error).await;
    assert_eq!(failed.status_info, Some("failed-to-start".into()));
    eventually("what was made is removed", || {
        daemon.engine.containers().is_empty()
    })
    .await;
}
