//! More ended sessions than are kept in memory.

use workbay::{
    model::{
        id::{ContextName, SessionId, SessionKey},
        request::{ContextRequest, SessionRequest},
        status::{Status, Tab},
    },
    protocol::message::{Reply, Request, StreamOpen},
};

use crate::support::{
    TestClient, TestDaemon, eventually,
    test_daemon::{named, settings},
};

const ALL: usize = 8;

async fn reach(client: &TestClient, text: Option<&str>, count: u32) -> u64 {
    let request = Request::context(
        ContextName::local(),
        ContextRequest::Reach {
            tab: Tab::Finished,
            text: text.map(str::to_owned),
            count,
        },
    );
    match client.connection.ask(request).await {
        Ok(Reply::Reached { total }) => total,
        other => panic!("not reached but {other:?}"),
    }
}

/// What was reported by now is known.
async fn catch_up(client: &mut TestClient, count: usize) {
    while client.count() < count {
        client.receive().await;
    }
}

/// A stopped daemon with a running session and the ended ones, and the ids of both.
async fn with_ended_sessions() -> (TestDaemon, SessionId, Vec<SessionId>) {
    let mut settings = settings();
    settings.history.keep_days = 0;
    let mut daemon = TestDaemon::with(settings).await;
    let mut client = daemon.client().await;
    let mut ids = Vec::new();
    for number in 0..ALL {
        let id = client.run(&format!("older-{number}")).await;
        client.terminate(id, true).await.unwrap();
        client.until_status(id, Status::Terminated).await;
        ids.push(id);
    }
    let running = client.run("running").await;
    let engine = daemon.engine.clone();
    eventually("all is forgotten of them", || {
        engine.forgotten().len() == ALL
    })
    .await;
    drop(client);
    daemon.stop().await;
    (daemon, running, ids)
}

#[tokio::test]
async fn more_ended_sessions_are_loaded_after_the_start_and_stay() {
    let (mut daemon, _, _) = with_ended_sessions().await;
    (daemon.ended, daemon.in_memory) = (2, 6);
    daemon.start().await;
    let mut client = daemon.client().await;
    catch_up(&mut client, 7).await;
    let all = ALL as u64;
    assert_eq!(reach(&client, None, 1).await, all, "the others are counted");
    drop(client);
    // They stay in memory without a client.
    let mut client = daemon.client().await;
    assert_eq!(client.count(), 7, "running and six ended ones");
    assert_eq!(client.snapshot.contexts[0].totals, Some([1, all, 0]));
    assert_eq!(reach(&client, None, 200).await, all);
    catch_up(&mut client, ALL + 1).await;
}

/// Makes copies of a session that ended, while no daemon runs.
fn copy_to(daemon: &TestDaemon, count: usize) {
    let store = rusqlite::Connection::open(daemon.paths().database()).unwrap();
    let copies = format!(
        "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < {count}),
             named AS (SELECT printf('00000000-0000-4000-8000-%012x', n) AS id FROM copy)
         INSERT INTO sessions (id, name, status, created_at, terminated_at, body)
         SELECT named.id, name, status, created_at, terminated_at,
             json_set(body, '$.session.id', named.id, '$.session.kernels', json('[]'))
         FROM named, sessions WHERE sessions.name = 'older-0'"
    );
    store.execute(&copies, ()).unwrap();
}

#[tokio::test]
async fn the_first_list_has_a_page_of_ended_sessions_and_the_number_of_all() {
    const COPIES: usize = 300;
    let (mut daemon, _, _) = with_ended_sessions().await;
    copy_to(&daemon, COPIES);
    daemon.in_memory = 1_000;
    daemon.start().await;
    let mut client = daemon.client().await;
    assert_eq!(client.count(), 101, "the running one and a page");
    let all = (ALL + COPIES) as u64;
    assert_eq!(client.snapshot.contexts[0].totals, Some([1, all, 0]));
    // The copies are older than all but one, and a search knows them before they are loaded.
    assert_eq!(reach(&client, Some("older-0"), 1).await, COPIES as u64 + 1);
    assert_eq!(reach(&client, None, 1_000).await, all);
    catch_up(&mut client, ALL + COPIES + 1).await;
}

#[tokio::test]
async fn without_older_ones_the_totals_are_those_of_the_list() {
    let (mut daemon, _, _) = with_ended_sessions().await;
    (daemon.ended, daemon.in_memory) = (2, 100);
    daemon.start().await;
    let mut client = daemon.client().await;
    catch_up(&mut client, ALL + 1).await;
    drop(client);
    let client = daemon.client().await;
    assert_eq!(client.count(), ALL + 1);
    assert_eq!(client.snapshot.contexts[0].totals, None);
}

#[tokio::test]
async fn old_ones_stay_in_the_store_until_a_client_reaches_for_them() {
    let (mut daemon, running, ids) = with_ended_sessions().await;
    daemon.ended = 3;
    daemon.start().await;

    let mut client = daemon.client().await;
    assert_eq!(client.count(), 4);
    assert!(client.session(running).is_some());
    assert_eq!(client.snapshot.contexts[0].totals, Some([1, ALL as u64, 0]));
    // It is found by its id.
    let session = SessionKey::local(ids[0]);
    let Ok(Reply::Session { session: found }) = client
        .connection
        .ask(Request::session(session, SessionRequest::Detail))
        .await
    else {
        panic!("it is lost");
    };
    assert_eq!(found.name, "older-0");
    assert!(!client.history(ids[0]).await.is_empty());
    catch_up(&mut client, 5).await;
    let log = StreamOpen::Log {
        session: SessionKey::local(ids[1]),
        options: workbay::model::log::LogOptions::default(),
    };
    let mut log = client.connection.open(log);
    let said = format!("{:?}", log.recv().await);
    assert!(said.contains("was deleted"), "{said}");
    catch_up(&mut client, 6).await;
    // By name, then page by page.
    assert_eq!(reach(&client, Some("OLDER-2"), 10).await, 1);
    catch_up(&mut client, 7).await;
    assert_eq!(reach(&client, None, 5).await, ALL as u64);
    assert_eq!(reach(&client, None, 200).await, ALL as u64);
    catch_up(&mut client, ALL + 1).await;
    for id in &ids {
        assert_eq!(client.session(*id).unwrap().status, Status::Terminated);
    }
    // New ones end as usual, and are counted.
    let id = client.run(&named("newer").name.unwrap()).await;
    client.terminate(id, true).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    assert_eq!(reach(&client, None, 1).await, ALL as u64 + 1);

    // A client that asks only for the running ones doesn't get all that ended.
    let snapshot = |tab| client.connection.ask(Request::Snapshot { tab });
    let Ok(Reply::Snapshot { snapshot: running }) = snapshot(Some(Tab::Running)).await else {
        panic!("no snapshot");
    };
    let names = running.sessions.iter().map(|it| it.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["running"]);
    let Ok(Reply::Snapshot { snapshot: all }) = snapshot(None).await else {
        panic!("no snapshot");
    };
    assert_eq!(all.sessions.len(), ALL + 2);

    // No client looks any more: the requested ones are only in the state database again, and can be requested again.
    drop((client, log));
    let mut client = loop {
        let client = daemon.client().await;
        // The previous TUI may have been there a moment longer.
        if client.count() < ALL {
            break client;
        }
    };
    assert_eq!(
        client.count(),
        5,
        "running, the three newest, and the newer one"
    );
    let totals = client.snapshot.contexts[0].totals;
    assert_eq!(totals, Some([1, ALL as u64 + 1, 0]));
    assert_eq!(reach(&client, None, 200).await, ALL as u64 + 1);
    catch_up(&mut client, ALL + 2).await;
}
