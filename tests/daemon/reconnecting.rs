//! The engine disconnects and comes back.

use workbay::{
    model::{
        capability::EngineState, change::Change, failure::FailureKind, resources::Bytes,
        status::Status,
    },
    protocol::message::Request,
};

use crate::support::{
    Call, TestClient, TestDaemon, eventually,
    script::unreachable,
    test_daemon::{named, settings},
};

async fn until_engine(client: &mut TestClient, so: impl Fn(&EngineState) -> bool) {
    client
        .until_received(|change| matches!(change, Change::Engine { engine, .. } if so(engine)))
        .await;
}

fn is_lost(state: &EngineState) -> bool {
    matches!(state, EngineState::Lost { .. })
}

fn is_connected(state: &EngineState) -> bool {
    matches!(state, EngineState::Connected { .. })
}

#[tokio::test]
async fn while_the_engine_is_disconnected_requests_say_so_and_afterwards_all_is_caught_up() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let (stays, ends) = (client.run("stays").await, client.run("ends").await);
    daemon.engine.cut();
    until_engine(&mut client, is_lost).await;
    let failure = client.launch(named("never")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    let failure = client.terminate(stays, false).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    daemon.engine.die(ends, 143, false);
    daemon.engine.restore();
    until_engine(&mut client, is_connected).await;
    let ended = client.until_status(ends, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "engine-restarted");
    assert_eq!(client.session(stays).unwrap().status, Status::Running);
}

#[tokio::test]
async fn an_engine_that_is_disconnected_at_the_start_is_waited_for() {
    let mut daemon = TestDaemon::closed(settings());
    daemon.engine.cut();
    daemon.start().await;
    let mut client = daemon.client().await;
    if !is_lost(&client.snapshot.contexts[0].engine) {
        until_engine(&mut client, is_lost).await;
    }
    daemon.engine.restore();
    client.connection.ask(Request::refresh(None)).await.unwrap();
    until_engine(&mut client, is_connected).await;
    client.run("at-last").await;
}

#[tokio::test]
async fn a_launch_in_the_middle_of_the_loss_ends_in_error_and_leaves_no_container() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    daemon.engine.hold(Call::Start);
    let session = client.launch(named("unlucky")).await.unwrap();
    eventually("it is being started", || {
        daemon.engine.count(Call::Start) == 1
    })
    .await;
    daemon.engine.cut();
    daemon.engine.release(Call::Start);
    let failed = client.until_status(session.id, Status::Error).await;
    let why = failed.status_message.unwrap();
    assert!(
        why.as_str()
            .contains("Relaunch it when the engine is connected"),
        "{why}"
    );
    assert_eq!(daemon.engine.containers().len(), 1);
    daemon.engine.restore();
    eventually("the half-made is removed", || {
        daemon.engine.containers().is_empty()
    })
    .await;
    assert_eq!(client.session(session.id).unwrap().status, Status::Error);
}

#[tokio::test]
async fn an_end_in_the_middle_of_the_loss_is_carried_out_afterwards() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("patient").await;
    daemon.engine.fail_next(Call::Stop, unreachable());
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    assert!(daemon.engine.containers().is_empty());
}

#[tokio::test]
async fn what_others_use_counts_and_is_counted_again() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    daemon.engine.set_others(Bytes(8 * Bytes::GIB));
    let waits = client.launch(named("no-room")).await.unwrap();
    let waits = client
        .until(waits.id, |session| session.status_message.is_some())
        .await;
    assert_eq!(waits.status, Status::Pending);
    assert_eq!(
        waits.status_message.unwrap(),
        "needs 256 MiB of memory, 0 B of 8 GiB free in group default (0 B yours, 8 GiB others'); position 1 in queue"
    );
    daemon.engine.set_others(Bytes(0));
    client.connection.ask(Request::refresh(None)).await.unwrap();
    client.until_status(waits.id, Status::Running).await;
}
