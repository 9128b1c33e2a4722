//! Launches that are asked for again with the same idempotency key.

use std::fs;

use workbay::{
    model::{
        failure::{Failure, FailureKind},
        id::{ContextName, SessionId},
        session::Session,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::{
    batch::small,
    support::{Call, Face, House, eventually},
};

async fn launch(face: &Face, request: &LaunchRequest) -> Result<Vec<Session>, Failure> {
    let (context, launch) = (ContextName::local(), Box::new(request.clone()));
    match face.client.ask(Request::Launch { context, launch }).await? {
        Reply::Launched {
            sessions,
            failure: None,
        } => Ok(sessions),
        other => panic!("not launched but {other:?}"),
    }
}

fn keyed(name: Option<&str>, count: Option<u32>) -> LaunchRequest {
    LaunchRequest {
        name: name.map(str::to_owned),
        count,
        idempotency_key: Some("nightly-1".into()),
        ..small("none")
    }
}

fn ids(sessions: &[Session]) -> Vec<SessionId> {
    sessions.iter().map(|session| session.id).collect()
}

#[tokio::test]
async fn a_repeated_key_launches_nothing_twice_before_and_after_a_restart() {
    let mut house = House::open().await;
    let mut face = house.face().await;
    let asked = keyed(None, None);
    let made = launch(&face, &asked).await.unwrap();
    assert_eq!(ids(&launch(&face, &asked).await.unwrap()), ids(&made));
    face.until_status(made[0].id, Status::Running).await;
    let Ok(Reply::Recents { entries }) = face.client.ask(Request::Recents).await else {
        panic!("no recent launches");
    };
    assert_eq!(entries.len(), 1, "a repeated launch is remembered once");
    let mut expected = asked.clone().without_key();
    expected.environment = Some("host".to_owned());
    assert_eq!(entries[0].launch, expected);
    drop(face);
    house.restart().await;

    let mut face = house.face().await;
    assert_eq!(ids(&launch(&face, &asked).await.unwrap()), ids(&made));
    face.terminate(made[0].id, true).await.unwrap();
    face.until_status(made[0].id, Status::Terminated).await;
    let again = launch(&face, &asked).await.unwrap();
    assert_eq!(ids(&again), ids(&made));
    assert_eq!(again[0].status, Status::Terminated, "whatever became of it");
    let other = LaunchRequest {
        idempotency_key: Some("nightly-2".into()),
        ..asked
    };
    assert_ne!(ids(&launch(&face, &other).await.unwrap()), ids(&made));
}

#[tokio::test]
async fn a_launch_that_is_repeated_while_it_is_checked_is_one() {
    let house = House::open().await;
    let mut face = house.face().await;
    let (one, two) = (house.face().await, house.face().await);
    face.until_connected().await;
    house.engine.hold(Call::List);
    let lists = house.engine.count(Call::List);
    let asking = |face: Face| {
        tokio::spawn(async move { ids(&launch(&face, &keyed(None, None)).await.unwrap()) })
    };
    let (one, two) = (asking(one), asking(two));
    eventually("they are being checked", || {
        house.engine.count(Call::List) > lists
    })
    .await;
    house.engine.release(Call::List);
    assert_eq!(one.await.unwrap(), two.await.unwrap());
}

#[tokio::test]
async fn copies_that_a_key_launched_are_found_and_missing_ones_are_made() {
    let mut house = House::open().await;
    for name in [Some("sweep"), None] {
        let face = house.face().await;
        let mut asked = keyed(name, Some(3));
        asked.idempotency_key = Some(format!("of-{}", name.unwrap_or("nobody")));
        // The daemon was killed after two of them.
        let mut part = asked.clone();
        part.count = Some(2);
        let first = launch(&face, &part).await.unwrap();
        let all = launch(&face, &asked).await.unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(ids(&all)[..2], ids(&first));
        let base = all[0].name.as_str().strip_suffix("-1").unwrap();
        assert_eq!(all[2].name, format!("{base}-3").as_str());
        drop(face);
        house.restart().await;
        let face = house.face().await;
        assert_eq!(ids(&launch(&face, &asked).await.unwrap()), ids(&all));
    }
}

#[tokio::test]
async fn a_key_is_known_after_the_database_was_lost() {
    let mut house = House::open().await;
    let mut face = house.face().await;
    let asked = keyed(Some("survivor"), Some(2));
    let made = launch(&face, &asked).await.unwrap();
    for session in &made {
        face.until_status(session.id, Status::Running).await;
    }
    drop(face);
    house.stop().await;
    fs::remove_file(house.paths().database()).unwrap();
    house.start().await;
    let face = house.face().await;
    assert_eq!(ids(&launch(&face, &asked).await.unwrap()), ids(&made));
    assert_eq!(house.engine.containers().len(), 2);
    let other = keyed(Some("stranger"), None);
    let failure = launch(&face, &other).await.unwrap_err();
    assert!(
        failure.message().as_str().contains("survivor-1"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_key_of_another_launch_and_one_that_is_none_are_refused() {
    let house = House::open().await;
    let face = house.face().await;
    launch(&face, &keyed(Some("first"), None)).await.unwrap();
    let other = keyed(Some("second"), None);
    let failure = launch(&face, &other).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Refused);
    let said = failure.to_string();
    assert!(
        said.contains("first") && said.contains("other settings"),
        "{said}"
    );
    assert!(failure.hint.is_some());
    let invalid = LaunchRequest {
        idempotency_key: Some("a b".into()),
        ..other
    };
    let failure = launch(&face, &invalid).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
}
