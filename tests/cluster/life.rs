//! One session from its launch to its end.

use workbay::{
    engine::api::UsageAsk,
    model::{
        capability::Capability,
        environment::EnvironmentSource,
        history::Outcome,
        id::SessionId,
        idle::{IdleBasis, IdleCheck, IdleChecker, IdleState},
        log::LogOptions,
        session::Session,
        status::{Status, Tab},
    },
};

use crate::changes::Changes as _;
use crate::pane::Pane;
use crate::support::{Bench, name, now, page, read_log, small};

const IMAGE: &str = "local/stable/python:3.11-debian12";

fn ids(sessions: &[Session]) -> Vec<SessionId> {
    sessions.iter().map(|session| session.id).collect()
}

#[tokio::test]
async fn a_session_is_launched_renamed_and_ended() {
    let bench = Bench::new().await;
    let (ours, asked) = bench.running(small()).await;
    let listed = page(&bench.engine, Tab::Running, asked.name.as_deref()).await;
    assert_eq!(ids(&listed), [ours.id()]);

    let session = bench.session(ours.id()).await;
    assert_eq!(session.requested_slots.cpu.to_string(), "1");
    assert_eq!(session.occupied_slots.cpu.to_string(), "1");
    let EnvironmentSource::Image { reference } = &session.environment.source else {
        panic!("{:?}", session.environment);
    };
    assert!(reference.starts_with(IMAGE), "{reference}");
    assert!(
        session
            .started_at
            .is_some_and(|at| at >= session.created_at)
    );
    let kernel = session.main_kernel().unwrap();
    assert_eq!(
        (kernel.hostname.as_str(), &kernel.status),
        ("main1", &Status::Running)
    );
    assert!(
        session
            .services
            .iter()
            .any(|service| service.name == *"ttyd")
    );
    assert_eq!(session.placement.resource_group, Some("default".into()));
    assert_eq!(session.placement.project, Some("default".into()));

    let new_name = name();
    bench.engine.rename(ours.id(), &new_name).await.unwrap();
    let rows = bench
        .engine
        .rows(&[ours.id(), SessionId::random()])
        .await
        .unwrap();
    assert_eq!(ids(&rows), [ours.id()], "who is not there is left out");
    assert_eq!(rows[0].name, *new_name);

    bench.engine.terminate(ours.id(), false).await.unwrap();
    let ended = bench.until_status(ours.id(), &Status::Terminated).await;
    assert!(ended.terminated_at.is_some());
    assert_eq!(ended.status_info, Some("user-requested".into()));
    let listed = page(&bench.engine, Tab::Finished, Some(&new_name)).await;
    assert_eq!(ids(&listed), [ours.id()]);
    let log = read_log(&bench.engine, ours.id(), LogOptions::default()).await;
    assert!(log.contains("Kernel started at"), "{log}");
    // Ending what has ended is a success.
    bench.engine.terminate(ours.id(), false).await.unwrap();
}

fn check(session: &Session, wanted: &IdleChecker) -> Option<IdleCheck> {
    let mut checks = session.idle_checks.iter();
    checks.find(|check| check.checker == *wanted).cloned()
}

fn counts(session: &Session, wanted: &IdleChecker) -> bool {
    check(session, wanted)
        .is_some_and(|check| matches!(check.state, IdleState::Counting { until } if until > now()))
}

#[tokio::test]
async fn idle_checks_count_and_the_network_is_watched_from_its_first_use() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    // The checkers look every fifteen seconds.
    let session = bench
        .until_session(ours.id(), |session| {
            counts(session, &IdleChecker::Utilization)
        })
        .await;
    let utilization = check(&session, &IdleChecker::Utilization).unwrap();
    assert_eq!(utilization.basis, IdleBasis::GracePeriod);
    for not_counting in [IdleChecker::SessionLifetime, IdleChecker::NetworkTimeout] {
        let state = check(&session, &not_counting).map(|check| check.state);
        assert_eq!(state, Some(IdleState::NotCounting), "{not_counting:?}");
    }
    // It is paused while a terminal is open, and continues when it is closed.
    drop(Pane::open(&bench, ours.id(), "pane-a").await);
    if let Some(why) = bench.lack(Capability::NetworkIdle) {
        assert!(why.ends_with("older than 26.8"), "{why}");
        return;
    }
    bench
        .until_session(ours.id(), |session| {
            counts(session, &IdleChecker::NetworkTimeout)
        })
        .await;
}

#[tokio::test]
async fn a_running_session_reports_its_log_and_its_history() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let session = bench.session(ours.id()).await;

    let log = read_log(&bench.engine, ours.id(), LogOptions::default()).await;
    assert!(log.contains("Kernel started at"), "{log}");
    let kernel = session.main_kernel().unwrap().id;
    let options = LogOptions {
        tail: Some(1),
        kernel: Some(kernel),
        ..LogOptions::default()
    };
    let last = read_log(&bench.engine, ours.id(), options).await;
    assert_eq!(last.lines().count(), 1, "{last}");

    let history = bench.engine.history(ours.id()).await.unwrap();
    assert!(
        history.windows(2).all(|pair| pair[0].at >= pair[1].at),
        "newest first: {history:?}"
    );
    if !bench.lacks_steps(&history) {
        let scheduled = history
            .iter()
            .find(|entry| entry.phase == *"schedule-sessions");
        let scheduled = scheduled.unwrap_or_else(|| panic!("{history:?}"));
        assert_eq!(
            (&scheduled.from, &scheduled.to),
            (&Some(Status::Pending), &Status::Scheduled)
        );
        assert!(
            scheduled
                .steps
                .iter()
                .any(|step| step.result == Outcome::Success),
            "{scheduled:?}"
        );
    }
    assert!(
        history.iter().any(|entry| entry.to == Status::Running),
        "{history:?}"
    );
}

#[tokio::test]
async fn force_ends_a_session_at_once() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    bench.engine.terminate(ours.id(), true).await.unwrap();
    bench.until_status(ours.id(), &Status::Terminated).await;
}

#[tokio::test]
async fn live_usage_is_reported() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let usage = bench
        .until_some(async || {
            let usage = bench.engine.usage(&[UsageAsk::all(ours.id())], now()).await;
            usage.into_iter().find(|(_, usage)| usage.mem.0 > 0)
        })
        .await;
    assert_eq!(usage.0, ours.id());
}

#[tokio::test]
async fn what_is_held_is_counted() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let session = bench.session(ours.id()).await;
    let group = session.placement.resource_group.unwrap();
    let held = bench
        .until_some(async || {
            let statistics = bench.engine.statistics().await.ok()?;
            let held = statistics.group(Some(group.as_str()))?.using.clone();
            (held.cpu.millis() > 0 && held.mem.0 > 0).then_some(statistics)
        })
        .await;
    assert!(held.sessions.is_some_and(|count| count > 0), "{held:?}");
    assert!(held.limits.using.cpu.millis() > 0, "{held:?}");
    drop(ours);
}
