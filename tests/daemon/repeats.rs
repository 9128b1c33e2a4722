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
    support::{Call, TestClient, TestDaemon, eventually},
};

async fn launch(client: &TestClient, request: &LaunchRequest) -> Result<Vec<Session>, Failure> {
    let (context, launch) = (ContextName::local(), Box::new(request.clone()));
    match client
        .connection
        .ask(Request::Launch { context, launch })
        .await?
    {
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
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let asked = keyed(None, None);
    let made = launch(&client, &asked).await.unwrap();
    assert_eq!(ids(&launch(&client, &asked).await.unwrap()), ids(&made));
    client.until_status(made[0].id, Status::Running).await;
    let Ok(Reply::Recents { entries }) = client.connection.ask(Request::Recents).await else {
        panic!("no recent launches");
    };
    assert_eq!(entries.len(), 1, "a repeated launch is remembered once");
    let mut expected = asked.clone().without_key();
    expected.environment = Some("host".to_owned());
    assert_eq!(entries[0].launch, expected);
    drop(client);
    daemon.restart().await;

    let mut client = daemon.client().await;
    assert_eq!(ids(&launch(&client, &asked).await.unwrap()), ids(&made));
    client.terminate(made[0].id, true).await.unwrap();
    client.until_status(made[0].id, Status::Terminated).await;
    let again = launch(&client, &asked).await.unwrap();
    assert_eq!(ids(&again), ids(&made));
    assert_eq!(again[0].status, Status::Terminated, "whatever became of it");
    let other = LaunchRequest {
        idempotency_key: Some("nightly-2".into()),
        ..asked
    };
    assert_ne!(ids(&launch(&client, &other).await.unwrap()), ids(&made));
}

#[tokio::test]
async fn a_launch_that_is_repeated_while_it_is_checked_is_one() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let (one, two) = (daemon.client().await, daemon.client().await);
    client.until_connected().await;
    daemon.engine.hold(Call::List);
    let lists = daemon.engine.count(Call::List);
    let asking = |client: TestClient| {
        tokio::spawn(async move { ids(&launch(&client, &keyed(None, None)).await.unwrap()) })
    };
    let (one, two) = (asking(one), asking(two));
    eventually("they are being checked", || {
        daemon.engine.count(Call::List) > lists
    })
    .await;
    daemon.engine.release(Call::List);
    assert_eq!(one.await.unwrap(), two.await.unwrap());
}

#[tokio::test]
async fn copies_that_a_key_launched_are_found_and_missing_ones_are_made() {
    let mut daemon = TestDaemon::open().await;
    for name in [Some("sweep"), None] {
        let client = daemon.client().await;
        let mut asked = keyed(name, Some(3));
        asked.idempotency_key = Some(format!("of-{}", name.unwrap_or("nobody")));
        // The daemon was killed after two of them.
        let mut part = asked.clone();
        part.count = Some(2);
        let first = launch(&client, &part).await.unwrap();
        let all = launch(&client, &asked).await.unwrap();
        assert_eq!(all.len(), 3);
        assert_eq!(ids(&all)[..2], ids(&first));
        let base = all[0].name.as_str().strip_suffix("-1").unwrap();
        assert_eq!(all[2].name, format!("{base}-3").as_str());
        drop(client);
        daemon.restart().await;
        let client = daemon.client().await;
        assert_eq!(ids(&launch(&client, &asked).await.unwrap()), ids(&all));
    }
}

#[tokio::test]
async fn a_key_is_known_after_the_database_was_lost() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let asked = keyed(Some("survivor"), Some(2));
    let made = launch(&client, &asked).await.unwrap();
    for session in &made {
        client.until_status(session.id, Status::Running).await;
    }
    drop(client);
    daemon.stop().await;
    fs::remove_file(daemon.paths().database()).unwrap();
    daemon.start().await;
    let client = daemon.client().await;
    assert_eq!(ids(&launch(&client, &asked).await.unwrap()), ids(&made));
    assert_eq!(daemon.engine.containers().len(), 2);
    let other = keyed(Some("stranger"), None);
    let failure = launch(&client, &other).await.unwrap_err();
    assert!(
        failure.message().as_str().contains("survivor-1"),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_key_of_another_launch_and_one_that_is_none_are_refused() {
    let daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    launch(&client, &keyed(Some("first"), None)).await.unwrap();
    let other = keyed(Some("second"), None);
    let failure = launch(&client, &other).await.unwrap_err();
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
    let failure = launch(&client, &invalid).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
}
