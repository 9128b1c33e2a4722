//! What sessions used: in the daemon's memory, and recorded when a session or the daemon ends.

use workbay::{
    model::{
        failure::FailureKind,
        figures::{Figures, Metric, Series},
        id::{SessionId, SessionKey},
        request::SessionRequest,
        resources::{Bytes, Cpu},
        status::Status,
        usage::{Counted, Traffic, Usage},
    },
    protocol::message::{Reply, Request},
};

use crate::support::{TestClient, TestDaemon, test_daemon::settings};

async fn figures(client: &TestClient, id: SessionId) -> Figures {
    let session = SessionKey::local(id);
    match client
        .connection
        .ask(Request::session(session, SessionRequest::Figures))
        .await
    {
        Ok(Reply::Figures { figures }) => *figures,
        other => panic!("no figures but {other:?}"),
    }
}

async fn watch(client: &TestClient, id: SessionId) {
    let sessions = vec![SessionKey::local(id)];
    client
        .connection
        .ask(Request::Watch { sessions })
        .await
        .unwrap();
}

/// Asks until there are this many samples.
async fn until_sampled(client: &TestClient, id: SessionId, samples: usize) -> Figures {
    loop {
        let found = figures(client, id).await;
        if found.at.len() >= samples {
            return found;
        }
        tokio::task::yield_now().await;
    }
}

#[track_caller]
fn series(figures: &Figures, metric: Metric) -> &Series {
    let mut all = figures.series.iter();
    all.find(|series| series.metric == metric).unwrap()
}

fn busy(moved: u64) -> Usage {
    let at = jiff::Timestamp::UNIX_EPOCH;
    Usage {
        home: Some(Bytes(4096)),
        traffic: Traffic::counted(Some((moved, 0)), None),
        ..Usage::new(at, Some(Cpu::from_millis(500)), Bytes::mib(10))
    }
}

#[tokio::test]
async fn figures_outlive_the_face_that_watched() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("watched").await;
    assert_eq!(
        figures(&client, id).await,
        Figures::default(),
        "nobody watched"
    );
    daemon.engine.set_whole_usage(id, busy(1000));
    watch(&client, id).await;
    let before = until_sampled(&client, id, 2).await;
    drop(client);
    let client = daemon.client().await;
    let after = figures(&client, id).await;
    assert_eq!(after.at[..2], before.at[..2]);
    let cpu = series(&after, Metric::Cpu);
    // 10 millicores were requested.
    assert_eq!((cpu.now(), cpu.limit), (Some(500), Some(10)));
    let read = series(&after, Metric::BlockRead);
    assert_eq!(
        (read.values[..2].to_vec(), read.total),
        (vec![None, Some(0)], Some(1000))
    );
    let metrics: Vec<&Metric> = after.series.iter().map(|one| &one.metric).collect();
    let written = &Metric::BlockWrite;
    assert_eq!(
        metrics,
        [
            &Metric::Cpu,
            &Metric::Mem,
            &Metric::Home,
            &Metric::BlockRead,
            written
        ]
    );
}

#[tokio::test]
async fn a_session_that_ended_is_reported_from_the_store() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("shortlived").await;
    daemon.engine.set_whole_usage(id, busy(1));
    watch(&client, id).await;
    until_sampled(&client, id, 2).await;
    let lines = (0..30).map(|number| format!("line {number}"));
    let lines: Vec<String> = lines.collect();
    daemon.engine.write_log(id, &lines.join("\n"));
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    let kept = figures(&client, id).await;
    assert!(kept.at.len() >= 2);
    assert_eq!(series(&kept, Metric::Cpu).peak, Some(500));
    assert_eq!(kept.last_lines.len(), 20);
    assert_eq!(kept.last_lines[19], "line 29");
    daemon.restart().await;
    let client = daemon.client().await;
    let again = loop {
        // The log is the engine's, and the connection to it is opened again.
        let again = figures(&client, id).await;
        if !again.last_lines.is_empty() {
            break again;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(again, kept);
}

#[tokio::test]
async fn a_session_that_nobody_watched_has_figures_and_the_kernels_last_ones() {
    let daemon = TestDaemon::open().await;
    daemon.engine.read_cheaply();
    let mut client = daemon.client().await;
    let id = client.run("unwatched").await;
    daemon.engine.set_whole_usage(id, busy(1));
    // Twice. How often exactly is up to the daemon.
    until_sampled(&client, id, 2).await;
    let mut last = busy(9);
    last.counted = Counted {
        cpu_millis: Some(20_000),
        mem_peak: Some(Bytes::mib(32)),
        oom_kills: Some(1),
    };
    daemon.engine.set_last_usage(id, last);
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    let kept = figures(&client, id).await;
    assert_eq!(series(&kept, Metric::Mem).peak, Some(Bytes::mib(32).0));
    assert_eq!(series(&kept, Metric::Cpu).total, Some(20_000));
    assert_eq!(series(&kept, Metric::BlockRead).total, Some(9));
    assert_eq!(kept.oom_kills, Some(1));
    assert!(kept.at.len() >= 3, "the series is kept: {:?}", kept.at);
}

#[tokio::test]
async fn a_running_sessions_figures_continue_after_the_daemon_restarted() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("lasting").await;
    daemon.engine.set_whole_usage(id, busy(1));
    watch(&client, id).await;
    let before = until_sampled(&client, id, 2).await;
    daemon.restart().await;
    let mut client = daemon.client().await;
    client.until_status(id, Status::Running).await;
    let kept = figures(&client, id).await;
    assert_eq!(kept.at[..2], before.at[..2]);
    watch(&client, id).await;
    let after = until_sampled(&client, id, kept.at.len() + 1).await;
    assert_eq!(after.at[..kept.at.len()], kept.at);
}

#[tokio::test]
async fn a_forgotten_sessions_figures_are_forgotten() {
    let mut short = settings();
    short.history.keep_days = 0;
    let daemon = TestDaemon::with(short).await;
    let mut client = daemon.client().await;
    let id = client.run("shortlived").await;
    daemon.engine.set_whole_usage(id, busy(1));
    watch(&client, id).await;
    until_sampled(&client, id, 1).await;
    client.terminate(id, false).await.unwrap();
    client
        .until(id, |session| {
            session.status.is_final() && session.home.is_none()
        })
        .await;
    assert_eq!(figures(&client, id).await, Figures::default());
}

#[tokio::test]
async fn of_a_session_nobody_knows_there_are_no_figures() {
    let daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    let session = SessionKey::local(SessionId::random());
    let failure = client
        .connection
        .ask(Request::session(session, SessionRequest::Figures))
        .await;
    assert_eq!(failure.unwrap_err().kind, FailureKind::NotFound);
}
