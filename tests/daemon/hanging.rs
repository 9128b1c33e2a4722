//! An engine that takes requests and says nothing.

use workbay::{
    model::{capability::EngineState, change::Change, status::Status},
    protocol::message::{Reply, Request},
};

use crate::support::{Call, House, eventually, house::named, script::unreachable};

#[tokio::test]
async fn an_order_that_takes_long_on_a_healthy_engine_is_waited_for() {
    let house = House::open().await;
    let mut face = house.face().await;
    house.engine.hold(Call::Create);
    let session = face.launch(named("patient")).await.unwrap();
    eventually("the engine is asked for a word", || {
        house.engine.count(Call::Ping) > 0
    })
    .await;
    house.engine.release(Call::Create);
    face.until_status(session.id, Status::Running).await;
    assert!(!face.received.iter().any(|change| matches!(
        change,
        Change::Engine { engine, .. } if matches!(**engine, EngineState::Lost { .. })
    )));
}

#[tokio::test]
async fn an_engine_that_hangs_is_reported_while_everything_else_goes_on() {
    let house = House::open().await;
    let mut face = house.face().await;
    let stays = face.run("stays").await;
    house.engine.hold(Call::Create);
    house.engine.hold(Call::Probe);
    house.engine.fail_next(Call::Ping, unreachable());
    let unlucky = face.launch(named("unlucky")).await.unwrap();
    let lost = face
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
    // The daemon has an answer for everybody, and sessions are as they were.
    let status = face.client.ask(Request::Status).await.unwrap();
    assert!(matches!(status, Reply::Status { .. }));
    assert_eq!(face.session(stays).unwrap().status, Status::Running);
    let unlucky = face.until_status(unlucky.id, Status::Error).await;
    assert!(unlucky.status_message.is_some(), "{unlucky:?}");

    house.engine.release(Call::Create);
    house.engine.release(Call::Probe);
    face.until_received(|change| {
        matches!(change, Change::Engine { engine, .. }
            if matches!(**engine, EngineState::Connected { .. }))
    })
    .await;
    assert_eq!(face.session(stays).unwrap().status, Status::Running);
    face.run("afterwards").await;
}
