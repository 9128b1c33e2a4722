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
    Face, House, eventually,
    house::{named, settings},
};

const ALL: usize = 8;

async fn reach(face: &Face, text: Option<&str>, count: u32) -> u64 {
    let request = Request::context(
        ContextName::local(),
        ContextRequest::Reach {
            tab: Tab::Finished,
            text: text.map(str::to_owned),
            count,
        },
    );
    match face.client.ask(request).await {
        Ok(Reply::Reached { total }) => total,
        other => panic!("not reached but {other:?}"),
    }
}

/// What was reported by now is known.
async fn catch_up(face: &mut Face, count: usize) {
    while face.count() < count {
        face.receive().await;
    }
}

/// A stopped daemon with a running session and the ended ones, and the ids of both.
async fn with_ended_sessions() -> (House, SessionId, Vec<SessionId>) {
    let mut settings = settings();
    settings.history.keep_days = 0;
    let mut house = House::with(settings).await;
    let mut face = house.face().await;
    let mut ids = Vec::new();
    for number in 0..ALL {
        let id = face.run(&format!("older-{number}")).await;
        face.terminate(id, true).await.unwrap();
        face.until_status(id, Status::Terminated).await;
        ids.push(id);
    }
    let running = face.run("running").await;
    let engine = house.engine.clone();
    eventually("all is forgotten of them", || {
        engine.forgotten().len() == ALL
    })
    .await;
    drop(face);
    house.stop().await;
    (house, running, ids)
}

#[tokio::test]
async fn more_ended_sessions_are_loaded_after_the_start_and_stay() {
    let (mut house, _, _) = with_ended_sessions().await;
    (house.ended, house.in_memory) = (2, 6);
    house.start().await;
    let mut face = house.face().await;
    catch_up(&mut face, 7).await;
    let all = ALL as u64;
    assert_eq!(reach(&face, None, 1).await, all, "the others are counted");
    drop(face);
    // They stay in memory without a client.
    let mut face = house.face().await;
    assert_eq!(face.count(), 7, "running and six ended ones");
    assert_eq!(face.snapshot.contexts[0].totals, Some([1, all, 0]));
    assert_eq!(reach(&face, None, 200).await, all);
    catch_up(&mut face, ALL + 1).await;
}

#[tokio::test]
async fn without_older_ones_the_totals_are_those_of_the_list() {
    let (mut house, _, _) = with_ended_sessions().await;
    (house.ended, house.in_memory) = (2, 100);
    house.start().await;
    let mut face = house.face().await;
    catch_up(&mut face, ALL + 1).await;
    drop(face);
    let face = house.face().await;
    assert_eq!(face.count(), ALL + 1);
    assert_eq!(face.snapshot.contexts[0].totals, None);
}

#[tokio::test]
async fn old_ones_stay_in_the_store_until_somebody_reaches_for_them() {
    let (mut house, running, ids) = with_ended_sessions().await;
    house.ended = 3;
    house.start().await;

    let mut face = house.face().await;
    assert_eq!(face.count(), 4);
    assert!(face.session(running).is_some());
    assert_eq!(face.snapshot.contexts[0].totals, Some([1, ALL as u64, 0]));
    // Whoever names one by its id has it.
    let session = SessionKey::local(ids[0]);
    let Ok(Reply::Session { session: found }) = face
        .client
        .ask(Request::session(session, SessionRequest::Detail))
        .await
    else {
        panic!("it is lost");
    };
    assert_eq!(found.name, "older-0");
    assert!(!face.history(ids[0]).await.is_empty());
    catch_up(&mut face, 5).await;
    let log = StreamOpen::Log {
        session: SessionKey::local(ids[1]),
        options: workbay::model::log::LogOptions::default(),
    };
    let mut log = face.client.open(log);
    let said = format!("{:?}", log.recv().await);
    assert!(said.contains("was deleted"), "{said}");
    catch_up(&mut face, 6).await;
    // By name, then page by page.
    assert_eq!(reach(&face, Some("OLDER-2"), 10).await, 1);
    catch_up(&mut face, 7).await;
    assert_eq!(reach(&face, None, 5).await, ALL as u64);
    assert_eq!(reach(&face, None, 200).await, ALL as u64);
    catch_up(&mut face, ALL + 1).await;
    for id in &ids {
        assert_eq!(face.session(*id).unwrap().status, Status::Terminated);
    }
    // New ones end as ever, and the counts say so.
    let id = face.run(&named("newer").name.unwrap()).await;
    face.terminate(id, true).await.unwrap();
    face.until_status(id, Status::Terminated).await;
    assert_eq!(reach(&face, None, 1).await, ALL as u64 + 1);

    // A client that asks for the running ones alone is not sent all that ended.
    let snapshot = |tab| face.client.ask(Request::Snapshot { tab });
    let Ok(Reply::Snapshot { snapshot: running }) = snapshot(Some(Tab::Running)).await else {
        panic!("no snapshot");
    };
    let names = running.sessions.iter().map(|it| it.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["running"]);
    let Ok(Reply::Snapshot { snapshot: all }) = snapshot(None).await else {
        panic!("no snapshot");
    };
    assert_eq!(all.sessions.len(), ALL + 2);

    // Nobody looks any more: what was asked for is in the store alone again, and can be asked for again.
    drop((face, log));
    let mut face = loop {
        let face = house.face().await;
        // The TUI of before may have been there a moment longer.
        if face.count() < ALL {
            break face;
        }
    };
    assert_eq!(
        face.count(),
        5,
        "running, the three newest, and the newer one"
    );
    let totals = face.snapshot.contexts[0].totals;
    assert_eq!(totals, Some([1, ALL as u64 + 1, 0]));
    assert_eq!(reach(&face, None, 200).await, ALL as u64 + 1);
    catch_up(&mut face, ALL + 2).await;
}
