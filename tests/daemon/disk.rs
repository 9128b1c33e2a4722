//! A full disk, a broken store.

use std::fs;

use workbay::{model::status::Status, protocol::message::FailureKind};

use crate::support::{
    Call, House,
    house::{named, settings},
};

#[tokio::test]
async fn a_launch_that_cannot_be_recorded_is_refused_and_makes_nothing() {
    let mut house = House::closed(settings());
    house.page_limit = Some(20);
    house.start().await;
    let face = house.face().await;
    let mut recorded = 0;
    let failure = loop {
        let mut request = named(&format!("number-{recorded}"));
        request.mem = Some("8m".parse().unwrap());
        match face.launch(request).await {
            Ok(_) => recorded += 1,
            Err(failure) => break failure,
        }
    };
    assert_eq!(failure.kind, FailureKind::Internal, "{failure:?}");
    assert!(
        failure.message.as_str().contains("the disk is full"),
        "{failure:?}"
    );
    assert!(recorded > 0);
    // Who is recorded may still wait: what cannot be recorded is not ordered.
    assert!(house.engine.count(Call::Create) <= recorded);
    assert!(house.engine.containers().len() <= recorded);
}

#[tokio::test]
async fn a_broken_store_is_rebuilt_from_what_the_engine_tells() {
    let mut house = House::open().await;
    let mut face = house.face().await;
    let id = face.run("survivor").await;
    let before = face.session(id).unwrap();
    drop(face);
    house.stop().await;
    fs::write(house.paths().database(), "nonsense, and quite some of it").unwrap();
    for side in ["-wal", "-shm"] {
        let mut name = house.paths().database().into_os_string();
        name.push(side);
        let _ = fs::remove_file(name);
    }
    house.start().await;
    let mut face = house.face().await;
    let after = face.until_status(id, Status::Running).await;
    assert_eq!(after.name, before.name);
    assert_eq!(after.requested_slots, before.requested_slots);
    assert_eq!(after.environment, before.environment);
    face.until_told("corrupt-1").await;
    face.terminate(id, false).await.unwrap();
    face.until_status(id, Status::Terminated).await;
}
