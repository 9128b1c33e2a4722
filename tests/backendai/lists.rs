//! Lists, counts, details and histories.

use serde_json::json;
use workbay::{
    engine::{
        api::{Engine, UsageAsk},
        backendai::BackendAiEngine,
        manager::{Manager as _, PageQuery},
    },
    model::{
        capability::Capability,
        history::Outcome,
        idle::{IdleChecker, IdleState},
        resources::{Bytes, Cpu},
        session::BatchResult,
        status::{Status, Tab},
    },
};

use super::{
    ONE, TWO, config, id,
    manager::{Manager, node, now, pending_history},
    open, running,
};

#[tokio::test]
async fn what_a_manager_is() {
    let manager = Manager::start().await;
    let info = super::engine(&manager).probe().await.unwrap();
    assert_eq!(
        (
            info.kind.as_str(),
            info.version.as_str(),
            info.api_version.as_str()
        ),
        ("Backend.AI", "26.9.6", "v9.20250722")
    );
    assert_eq!(info.user.unwrap().email, "user@lablup.com");
    let can = info.capabilities;
    assert!(can.open_streams_keep_alive);
    for has in [
        Capability::Schedules,
        Capability::SchedulingHistory,
        Capability::SchedulingSteps,
        Capability::BatchTimeout,
        Capability::LaunchRecord,
        Capability::IdleChecks,
        Capability::Catalogue,
        Capability::Commit,
        Capability::Exec,
    ] {
        assert!(can.has(has), "{has:?}");
    }
    assert!(!can.has(Capability::HostEnvironment));
    // Its own rate limit is small: one anonymous request for each probe.
    assert_eq!(manager.count("GET /"), 1);
}

#[tokio::test]
async fn each_tab_has_its_sessions_and_its_count() {
    let manager = Manager::start().await;
    for (n, status) in [
        "RUNNING",
        "PENDING",
        "TERMINATED",
        "CANCELLED",
        "ERROR",
        "HIBERNATING",
    ]
    .into_iter()
    .enumerate()
    {
        let id = format!("00000000-0000-0000-0000-{n:012}");
        manager.put(node(&id, &format!("s-{status}"), status));
    }
    let engine = open(&manager).await;
    assert_eq!(engine.totals().await.unwrap(), [2, 2, 2]);
    assert_eq!(manager.count("t0:"), 1, "one request for all counts");
    for (tab, names) in [
        (Tab::Running, ["s-PENDING", "s-RUNNING"]),
        (Tab::Finished, ["s-CANCELLED", "s-TERMINATED"]),
        (Tab::Others, ["s-HIBERNATING", "s-ERROR"]),
    ] {
        let page = engine.page(&PageQuery { tab, ..running() }).await.unwrap();
        let found: Vec<&str> = page.sessions.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(found, names, "{tab:?}");
        assert!(page.sessions.iter().all(|row| row.tab() == tab));
    }
}

#[tokio::test]
async fn pages_and_texts() {
    let manager = Manager::start().await;
    for n in 0..25 {
        let id = format!("00000000-0000-0000-0000-{n:012}");
        manager.put(node(&id, &format!("run_{n:02}"), "RUNNING"));
    }
    let engine = open(&manager).await;
    let page = engine
        .page(&PageQuery {
            offset: 10,
            limit: 10,
            ..running()
        })
        .await
        .unwrap();
    assert_eq!((page.sessions.len(), page.total), (10, 25));
    assert_eq!(page.sessions[0].name, "run_14");
    let text = Some("run_2".to_owned());
    let page = engine.page(&PageQuery { text, ..running() }).await.unwrap();
    assert_eq!(page.total, 5);
    let asked = manager.asked().pop().unwrap().json();
    let filter = asked["variables"]["filter"].as_str().unwrap().to_owned();
    assert!(filter.ends_with(r#"(name ilike "%run\_2%")"#), "{filter}");
}

#[tokio::test]
async fn own_sessions_unless_an_administrator_asks_for_all() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "mine", "RUNNING"));
    let mut other = node(TWO, "theirs", "RUNNING");
    other["user_id"] = json!("009fb1a4-487c-4f6e-9b1b-228b94b1d040");
    other["owner"] = json!({"email": "user2@lablup.com"});
    manager.put(other);
    let mut all = config(&manager.endpoint());
    all.all_users = true;
    let names = |page: workbay::engine::manager::SessionPage| {
        let rows = page.sessions.into_iter();
        rows.map(|row| (row.name.to_string(), row.owner.to_string()))
            .collect::<Vec<_>>()
    };
    // A user who asks for everyone's gets their own.
    let engine = BackendAiEngine::new(all.clone());
    let mine = names(engine.page(&running()).await.unwrap());
    assert_eq!(mine, [("mine".to_owned(), "user@lablup.com".to_owned())]);
    // Events may name sessions of others; they stay out of one's own list.
    let rows = engine.rows(&[id(ONE), id(TWO)]).await.unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].name, "mine");
    manager.set(|state| state.role = "superadmin");
    let engine = BackendAiEngine::new(all);
    let everyones = names(engine.page(&running()).await.unwrap());
    assert_eq!(
        everyones,
        [
            ("theirs".to_owned(), "user2@lablup.com".to_owned()),
            ("mine".to_owned(), "user@lablup.com".to_owned()),
        ]
    );
}

#[tokio::test]
async fn a_row_of_the_list() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    let engine = open(&manager).await;
    let page = engine.page(&running()).await.unwrap();
    let row = &page.sessions[0];
    assert_eq!(row.id, id(ONE));
    assert_eq!(row.context.as_str(), "prod");
    assert_eq!(row.environment.label(), "local/stable/python:3.11-debian12");
    assert_eq!(row.requested_slots.cpu, Cpu::from_millis(1000));
    assert_eq!(row.requested_slots.mem, Bytes::mib(256));
    assert_eq!(row.shmem, Bytes::mib(64));
    assert_eq!(row.owner, "user@lablup.com");
    assert_eq!(row.placement.project.as_ref().unwrap(), &"default");
    assert_eq!(row.placement.resource_group.as_ref().unwrap(), &"default");
    let started = row.started_at.unwrap().to_string();
    assert_eq!(started, "2026-11-21T12:20:10.798421Z");
    let network = &row.idle_checks[0];
    assert_eq!(network.checker, IdleChecker::NetworkTimeout);
    let until = now()
        .checked_add(jiff::SignedDuration::from_secs(3597))
        .unwrap();
    assert_eq!(network.state, IdleState::Counting { until });
    assert_eq!(row.idle_checks[1].state, IdleState::NotCounting);
    // A list costs what it shows.
    let query = manager.asked().pop().unwrap().body;
    for dear in [
        "live_stat",
        "kernel_nodes",
        "vfolder_nodes",
        "service_ports",
        "owner",
    ] {
        assert!(!query.contains(dear), "{dear}");
    }
}

#[tokio::test]
async fn one_session_whole() {
    let manager = Manager::start().await;
    let mut batch = node(ONE, "alpha", "TERMINATED");
    batch["type"] = json!("batch");
    batch["result"] = json!("FAILURE");
    batch["startup_command"] = json!("exit 3");
    batch["status_info"] = json!("task-failed");
    batch["terminated_at"] = json!("2026-11-21T12:25:00+00:00");
    let kernel = batch["kernel_nodes"]["edges"][0]["node"].clone();
    batch["kernel_nodes"]["edges"][0]["node"]["status_data"] =
        json!("{\"kernel\": {\"exit_code\": 3}}");
    let mut sub = kernel;
    sub["row_id"] = json!("01a1fe12-157a-7799-b7dd-20926cbbc895");
    sub["cluster_role"] = json!("sub");
    sub["cluster_hostname"] = json!("sub1");
    let edges = batch["kernel_nodes"]["edges"].as_array_mut().unwrap();
    edges.insert(0, json!({"node": sub}));
    batch["dependees"] = json!({"edges": [{"node": {
        "row_id": "01a1fe12-157a-7799-b7dd-20926cbbc896", "name": "prepare", "status": "TERMINATED"}}]});
    manager.put(batch);
    let engine = open(&manager).await;
    let session = engine.session(id(ONE)).await.unwrap().unwrap();
    assert_eq!(session.depends_on[0].name, "prepare");
    assert_eq!(session.depends_on[0].status, Status::Terminated);
    assert_eq!(session.depended_by, []);
    assert_eq!(session.result, BatchResult::Failure);
    assert_eq!(
        session.status_message.unwrap(),
        "its command failed (exit code 3)"
    );
    let hosts: Vec<&str> = session
        .kernels
        .iter()
        .map(|k| k.hostname.as_str())
        .collect();
    assert_eq!(hosts, ["main1", "sub1"], "the main kernel is first");
    assert_eq!(session.kernels[0].exit_code, Some(3));
    assert_eq!(session.services[1].name, "ttyd");
    assert_eq!(session.services[1].ports, [7681]);
    assert_eq!(session.folders[0], "mydata");
    assert!(
        session.idle_checks.is_empty(),
        "an ended session is not idle"
    );
}

#[tokio::test]
async fn a_waiting_session_reports_why() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "too-big", "PENDING"));
    manager.set(|state| drop(state.histories.insert(ONE.to_owned(), pending_history())));
    let engine = open(&manager).await;
    let session = engine.session(id(ONE)).await.unwrap().unwrap();
    assert_eq!(
        session.status_message.unwrap(),
        "waiting: not enough resources: missing cpu 64"
    );
    assert_eq!(session.started_at, None);
    let history = engine.history(id(ONE)).await.unwrap();
    assert_eq!(history.len(), 2);
    let newest = &history[0];
    assert_eq!(newest.result, Outcome::NeedRetry);
    assert_eq!((newest.attempts, newest.steps.len()), (4, 2));
    assert!(newest.until.unwrap() > newest.at);
    assert_eq!(history[1].phase, "enqueue");
    assert_eq!(history[1].from, None);
    assert_eq!(history[1].to, Status::Pending);
}

#[tokio::test]
async fn a_session_without_a_history_is_shown_all_the_same() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "too-big", "PENDING"));
    let engine = open(&manager).await;
    let session = engine.session(id(ONE)).await.unwrap().unwrap();
    assert_eq!(session.status_message, None);
    let error = engine.history(id(ONE)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the manager can't answer: Insufficient permission to perform this operation."
    );
}

#[tokio::test]
async fn many_rows_are_read_in_parts() {
    let manager = Manager::start().await;
    let ids: Vec<_> = (0..150u128)
        .map(workbay::model::id::SessionId::from_u128)
        .collect();
    for id in &ids {
        manager.put(node(&id.to_string(), "row", "RUNNING"));
    }
    let engine = open(&manager).await;
    assert_eq!(engine.rows(&ids).await.unwrap().len(), 150);
    assert_eq!(manager.count("compute_session_nodes"), 2);
    assert!(engine.rows(&[]).await.unwrap().is_empty());
    assert_eq!(
        manager.count("compute_session_nodes"),
        2,
        "nothing is asked for nothing"
    );
}

#[tokio::test]
async fn usage_of_each_kernel_and_of_all_together() {
    let manager = Manager::start().await;
    let mut pair = node(ONE, "alpha", "RUNNING");
    let mut sub = pair["kernel_nodes"]["edges"][0].clone();
    let other = "01a1fe12-157a-7799-b7dd-20926cbbc895";
    sub["node"]["row_id"] = json!(other);
    sub["node"]["live_stat"] = json!(
        "{\"mem\": {\"current\": \"1000\"}, \"cpu_util\": {\"current\": \"7\", \"unit_hint\": \"millicores\"}}"
    );
    let edges = pair["kernel_nodes"]["edges"].as_array_mut().unwrap();
    edges.insert(0, sub);
    manager.put(pair);
    let mut silent = node(TWO, "silent", "RUNNING");
    silent["kernel_nodes"]["edges"][0]["node"]["live_stat"] = json!(null);
    manager.put(silent);
    let engine = open(&manager).await;
    let usage = engine
        .usage(&[id(ONE), id(TWO)].map(UsageAsk::all), now())
        .await;
    assert_eq!(usage.len(), 1);
    assert_eq!(usage[0].0, id(ONE));
    let usage = &usage[0].1;
    assert_eq!(usage.cpu, Some(Cpu::from_millis(1127)));
    assert_eq!(usage.mem, Bytes(148_952_040));
    let [(sub, idle), (_, main)] = &usage.kernels[..] else {
        panic!("{usage:?}");
    };
    assert_eq!(sub.to_string(), other);
    assert_eq!(
        (idle.cpu, idle.mem),
        (Some(Cpu::from_millis(7)), Bytes(1_000))
    );
    assert_eq!(
        (main.cpu, main.mem),
        (Some(Cpu::from_millis(1120)), Bytes(148_951_040))
    );
}
