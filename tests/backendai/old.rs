//! Older managers, played by their shapes: they refuse whole queries for one field they do not know.

use serde_json::json;
use workbay::{
    engine::{api::Engine, manager::Manager as _},
    model::{capability::Capability, failure::FailureKind, status::Status},
};

use super::{
    ONE,
    changes::Changes as _,
    engine, id,
    manager::{Manager, node},
    running,
};

#[tokio::test]
async fn each_release_is_asked_only_what_it_knows() {
    for version in [
        "24.09.12", "24.12.1", "25.6.15", "25.15.12", "26.2.5", "26.9.6",
    ] {
        let manager = Manager::start().await;
        manager.be(version);
        manager.put(node(ONE, "alpha", "RUNNING"));
        let engine = engine(&manager);
        let info = engine.probe().await.unwrap();
        assert_eq!(info.version, version);
        assert_eq!(engine.totals().await.unwrap()[0], 1, "{version}");
        let page = engine.page(&running()).await.unwrap();
        let row = &page.sessions[0];
        assert_eq!(
            row.environment.label(),
            "local/stable/python:3.11-debian12",
            "{version}"
        );
        assert_eq!(row.owner, "user@lablup.com", "{version}");
        let whole = engine.session(id(ONE)).await.unwrap().unwrap();
        assert_eq!(whole.kernels.len(), 1, "{version}");
        assert!(engine.environments_count().await > 0, "{version}");
        engine.terminate(id(ONE), false).await.unwrap();
    }
}

#[tokio::test]
async fn the_oldest_one() {
    let manager = Manager::start().await;
    manager.be("24.09.12");
    let mut waiting = node(ONE, "alpha", "PENDING");
    waiting["status_data"] = json!(
        "{\"scheduler\": {\"failed_predicates\": [{\"name\": \"concurrency\", \"msg\": \"You cannot run more than 3 concurrent sessions\"}]}}"
    );
    manager.put(waiting);
    let engine = engine(&manager);
    let info = engine.probe().await.unwrap();
    assert_eq!(info.api_version, "v8.20240915");
    assert_eq!(
        info.capabilities.why_not(Capability::IdleChecks).unwrap(),
        &"this manager doesn't report idle checks: it is older than 24.12"
    );
    for (lacks, since) in [
        (Capability::NetworkIdle, "26.8"),
        (Capability::SchedulingSteps, "26.2"),
        (Capability::StartFailures, "26.8"),
        (Capability::BatchTimeout, "26.3"),
        (Capability::LaunchRecord, "26.3"),
    ] {
        let why = info.capabilities.why_not(lacks).unwrap();
        let age = format!("it is older than {since}");
        assert!(why.as_str().ends_with(&age), "{lacks:?}: {why}");
    }
    let session = engine.session(id(ONE)).await.unwrap().unwrap();
    assert_eq!(
        session.status_message.unwrap(),
        "waiting: You cannot run more than 3 concurrent sessions"
    );
    // Without a scheduling history, when each status was reached.
    let history = engine.history(id(ONE)).await.unwrap();
    assert_eq!(history.len(), 2);
    assert_eq!(history[0].to, Status::Running);
    assert_eq!(history[0].from, Some(Status::Pending));
    // Every request spoke its API version.
    let spoken = manager.asked().into_iter().skip(1);
    assert!(
        spoken
            .into_iter()
            .all(|asked| asked.headers["x-backendai-version"] == "v8.20240915")
    );
}

#[tokio::test]
async fn one_that_is_too_old_is_reported_so() {
    let manager = Manager::start().await;
    manager.be("23.03.4");
    let error = engine(&manager).probe().await.unwrap_err();
    assert!(error.kind == FailureKind::Unsupported);
    assert_eq!(
        error.to_string(),
        format!(
            "the manager at {} has version 23.03.4. workbay needs 24.09 or later",
            manager.endpoint()
        )
    );
}

trait Count {
    async fn environments_count(&self) -> usize;
}

impl Count for workbay::engine::backendai::BackendAiEngine {
    async fn environments_count(&self) -> usize {
        use workbay::engine::api::Images;
        self.environments().await.unwrap().len()
    }
}
