//! An engine that accepts requests and never answers.

use workbay::{
    model::{capability::EngineState, change::Change, status::Status},
    protocol::message::{Reply, Request},
};

use crate::support::{Call, TestDaemon, eventually, script::unreachable, test_daemon::named};

#[tokio::test]
async fn an_order_that_takes_long_on_a_healthy_engine_is_waited_for() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    daemon.engine.hold(Call::Create);
    let session = client.launch(named("patient")).await.unwrap();
    eventually("the engine is asked for a word", || {
        daemon.engine.count(Call::Ping) > 0
    })
    .await;
    daemon.engine.release(Call::Create);
    client.until_status(session.id, Status::Running).await;
    assert!(!client.received.iter().any(|change| matches!(
        change,
        Change::Engine { engine, .. } if matches!(**engine, EngineState::Lost { .. })
    )));
}

#[tokio::test]
async fn an_engine_that_hangs_is_reported_while_everything_else_continues() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let stays = client.run("stays").await;
    daemon.engine.hold(Call::Create);
    daemon.engine.hold(Call::Probe);
    daemon.engine.fail_next(Call::Ping, unreachable());
    let unlucky = client.launch(named("unlucky")).await.unwrap();
    let lost = client
        .until_received(|change| {
            matches!(change, Change::Engine { engine, .. }
                if matches!(**engine, EngineState::Lost { .. }))
        })
        .await;
    let Change::Engine { engine, .. } = lost else {
        panic!("{lost:?}");
    };
    let EngineState::Lost { why, hint, .. } = *engine else {
        panic!("{engine:?}");
    };
    assert!(
        why.as_str().contains("doesn't answer") && hint.is_some(),
        "{why}"
    );
    // The daemon answers all clients, and sessions are unchanged.
    let status = client.connection.ask(Request::Status).await.unwrap();
    assert!(matches!(status, Reply::Status { .. }));
    assert_eq!(client.session(stays).unwrap().status, Status::Running);
    let unlucky = client.until_status(unlucky.id, Status::Error).await;
    assert!(unlucky.status_message.is_some(), "{unlucky:?}");

    daemon.engine.release(Call::Create);
    daemon.engine.release(Call::Probe);
    client
        .until_received(|change| {
            matches!(change, Change::Engine { engine, .. }
            if matches!(**engine, EngineState::Connected { .. }))
        })
        .await;
    assert_eq!(client.session(stays).unwrap().status, Status::Running);
    client.run("afterwards").await;
}
