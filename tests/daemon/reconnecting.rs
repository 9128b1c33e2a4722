//! The engine goes and comes back.

use workbay::{
    model::{
        capability::EngineState, change::Change, failure::FailureKind, resources::Bytes,
        status::Status,
    },
    protocol::message::Request,
};

use crate::support::{
    Call, Face, House, eventually,
    house::{named, settings},
    script::unreachable,
};

async fn until_engine(face: &mut Face, so: impl Fn(&EngineState) -> bool) {
    face.until_received(|change| matches!(change, Change::Engine { engine, .. } if so(engine)))
        .await;
}

fn is_lost(state: &EngineState) -> bool {
    matches!(state, EngineState::Lost { .. })
}

fn is_connected(state: &EngineState) -> bool {
    matches!(state, EngineState::Connected { .. })
}

#[tokio::test]
async fn while_the_engine_is_away_requests_say_so_and_afterwards_all_is_caught_up() {
    let house = House::open().await;
    let mut face = house.face().await;
    let (stays, ends) = (face.run("stays").await, face.run("ends").await);
    house.engine.cut();
    until_engine(&mut face, is_lost).await;
    let failure = face.launch(named("never")).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    let failure = face.terminate(stays, false).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    house.engine.die(ends, 143, false);
    house.engine.restore();
    until_engine(&mut face, is_connected).await;
    let ended = face.until_status(ends, Status::Terminated).await;
    assert_eq!(ended.status_info.unwrap(), "engine-restarted");
    assert_eq!(face.session(stays).unwrap().status, Status::Running);
}

#[tokio::test]
async fn an_engine_that_is_away_at_the_start_is_waited_for() {
    let mut house = House::closed(settings());
    house.engine.cut();
    house.start().await;
    let mut face = house.face().await;
    if !is_lost(&face.snapshot.contexts[0].engine) {
        until_engine(&mut face, is_lost).await;
    }
    house.engine.restore();
    face.client.ask(Request::refresh(None)).await.unwrap();
    until_engine(&mut face, is_connected).await;
    face.run("at-last").await;
}

#[tokio::test]
async fn a_launch_in_the_middle_of_the_loss_ends_in_error_and_leaves_no_container() {
    let house = House::open().await;
    let mut face = house.face().await;
    house.engine.hold(Call::Start);
    let session = face.launch(named("unlucky")).await.unwrap();
    eventually("it is being started", || {
        house.engine.count(Call::Start) == 1
    })
    .await;
    house.engine.cut();
    house.engine.release(Call::Start);
    let failed = face.until_status(session.id, Status::Error).await;
    let why = failed.status_message.unwrap();
    assert!(
        why.as_str()
            .contains("Relaunch it when the engine is connected"),
        "{why}"
    );
    assert_eq!(house.engine.containers().len(), 1);
    house.engine.restore();
    eventually("the half-made is removed", || {
        house.engine.containers().is_empty()
    })
    .await;
    assert_eq!(face.session(session.id).unwrap().status, Status::Error);
}

#[tokio::test]
async fn an_end_in_the_middle_of_the_loss_is_carried_out_afterwards() {
    let house = House::open().await;
    let mut face = house.face().await;
    let id = face.run("patient").await;
    house.engine.fail_next(Call::Stop, unreachable());
    face.terminate(id, false).await.unwrap();
    face.until_status(id, Status::Terminated).await;
    assert!(house.engine.containers().is_empty());
}

#[tokio::test]
async fn what_others_use_counts_and_is_counted_again() {
    let house = House::open().await;
    let mut face = house.face().await;
    house.engine.set_others(Bytes(8 * Bytes::GIB));
    let waits = face.launch(named("no-room")).await.unwrap();
    let waits = face
        .until(waits.id, |session| session.status_message.is_some())
        .await;
    assert_eq!(waits.status, Status::Pending);
    assert_eq!(
        waits.status_message.unwrap(),
        "needs 256 MiB of memory, 0 B of 8 GiB free in group default (0 B yours, 8 GiB others'); position 1 in queue"
    );
    house.engine.set_others(Bytes(0));
    face.client.ask(Request::refresh(None)).await.unwrap();
    face.until_status(waits.id, Status::Running).await;
}
