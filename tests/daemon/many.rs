//! Two hundred sessions end at once.

use std::collections::BTreeSet;

use workbay::{
    client::{Client, ConnectOptions},
    model::{
        id::{ContextName, SessionId},
        notice::NoticeKind,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::support::{TestDaemon, test_daemon::named};

/// The limit of one launch: more sessions need several launches.
const LAUNCHES: u32 = 20;
const COPIES: u32 = 10;

#[tokio::test]
async fn two_hundred_that_end_at_once_are_all_reported_and_the_daemon_answers_meanwhile() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    client.until_connected().await;
    // The answers to a client that receives notices wait behind them.
    let options = ConnectOptions::existing(daemon.paths());
    let (asking, _) = Client::connect(&options).await.unwrap();
    for number in 0..LAUNCHES {
        let launch = Box::new(LaunchRequest {
            count: Some(COPIES),
            mem: Some("6m".parse().unwrap()),
            shmem: Some("64k".parse().unwrap()),
            ..named(&format!("many-{number}"))
        });
        let context = ContextName::local();
        let answer = asking.ask(Request::Launch { context, launch }).await;
        let Ok(Reply::Launched { failure: None, .. }) = answer else {
            panic!("{answer:?}");
        };
    }
    let all: Vec<SessionId> = client.sessions().iter().map(|it| it.id).collect();
    let mut all: BTreeSet<SessionId> = all.into_iter().collect();
    while all.len() < (LAUNCHES * COPIES) as usize {
        client.receive().await;
        all.extend(client.sessions().iter().map(|it| it.id));
    }
    for id in &all {
        client.until_status(*id, Status::Running).await;
    }
    for id in &all {
        daemon.engine.die(*id, 1, false);
    }
    // A client that connects now is answered and gets all of them.
    let mut late = daemon.client().await;
    assert_eq!(late.count(), all.len());
    for id in &all {
        for client in [&mut client, &mut late] {
            let ended = client.until_status(*id, Status::Terminated).await;
            assert_eq!(ended.kernels[0].exit_code, Some(1));
        }
    }
    assert!(daemon.engine.containers().is_empty());
    // Each end is reported once.
    let Ok(Reply::Notices { notices, .. }) = asking.ask(Request::Notices).await else {
        panic!("no notices");
    };
    let ends = notices.iter().filter(|it| it.kind == NoticeKind::Ended);
    let notified: Vec<SessionId> = ends.filter_map(|it| Some(it.session?.id)).collect();
    assert_eq!(notified.len(), all.len());
    assert_eq!(notified.into_iter().collect::<BTreeSet<_>>(), all);
}
