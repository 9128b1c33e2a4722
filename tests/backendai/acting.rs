//! Launch, rename, terminate, commit.

use futures_util::StreamExt;
use serde_json::json;
use workbay::{
    engine::{api::Engine as _, manager::Manager as _},
    model::{
        capability::Capability,
        failure::FailureKind,
        resources::{Bytes, Cpu},
        session::{ClusterMode, SessionType},
        span::Span,
        spec::LaunchRequest,
    },
};

use super::{
    ONE, TWO,
    changes::Changes as _,
    id,
    manager::{Manager, Reply, node},
    open, reason_and_fix,
};

#[tokio::test]
async fn a_quick_launch() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let request = LaunchRequest {
        environment: Some("python".to_owned()),
        ..LaunchRequest::default()
    };
    let session = engine.launch(&request).await.unwrap();
    let asked = manager.asked().pop().unwrap();
    let body = asked.json();
    let name = body["name"].as_str().unwrap();
    assert!(name.ends_with("-session") && name.len() == 16, "{name}");
    let mut expected = json!({
        "name": name, "image": "local/stable/python:3.11-debian12", "architecture": "x86_64",
        "type": "interactive", "group": "default", "domain": "default", "cluster_size": 1,
        "cluster_mode": "single-node", "enqueueOnly": true, "reuseIfExists": false,
        "config": {"resources": {"cpu": "1", "mem": "1073741824"}}});
    assert_eq!(body, expected);
    let row = engine.session(session).await.unwrap().unwrap();
    assert_eq!(row.status.word(), "PENDING");
    // Everything a launch can say.
    let request = LaunchRequest {
        name: Some("my-batch".to_owned()),
        image: Some("cr.example/x/y:1@aarch64".to_owned()),
        session_type: SessionType::Batch,
        startup_command: Some("make".to_owned()),
        cpu: Some(Cpu::from_millis(1500)),
        mem: Some(Bytes::mib(512)),
        shmem: Some(Bytes::mib(128)),
        env: [("A".to_owned(), "b".to_owned())].into(),
        accelerators: [("cuda.shares".to_owned(), 500)].into(),
        project: Some("model-store".to_owned()),
        resource_group: Some("gpu".to_owned()),
        mounts: vec![
            "mydata".parse().unwrap(),
            "more:in/more:ro".parse().unwrap(),
            "abs:/srv/abs".parse().unwrap(),
        ],
        starts_at: Some("2226-11-22T09:30:00Z".parse().unwrap()),
        timeout: Some(Span(5400)),
        priority: Some(30),
        preopen_ports: vec![9000, 9001],
        cluster_mode: ClusterMode::MultiNode,
        cluster_size: Some(2),
        bootstrap_script: Some("echo first".to_owned()),
        ..LaunchRequest::default()
    };
    let session = engine.launch(&request).await.unwrap();
    let launched = manager.asked().pop().unwrap().json();
    expected["name"] = json!("my-batch");
    expected["image"] = json!("cr.example/x/y:1");
    expected["architecture"] = json!("aarch64");
    expected["type"] = json!("batch");
    expected["startupCommand"] = json!("make");
    expected["group"] = json!("model-store");
    expected["cluster_size"] = json!(2);
    expected["cluster_mode"] = json!("multi-node");
    expected["starts_at"] = json!("2226-11-22T09:30:00Z");
    expected["batch_timeout"] = json!(5400);
    expected["priority"] = json!(30);
    expected["bootstrap_script"] = json!("echo first");
    expected["config"] = json!({
        "resources": {"cpu": "1.5", "mem": "536870912", "cuda.shares": "0.5"},
        "resource_opts": {"shmem": "134217728"}, "environ": {"A": "b"},
        "mounts": ["mydata", "more", "abs"],
        "mount_map": {"more": "/home/work/in/more", "abs": "/srv/abs"},
        "mount_options": {"more": {"type": "bind", "permission": "ro"}},
        "preopen_ports": [9000, 9001], "scaling_group": "gpu"});
    assert_eq!(launched, expected);
    let row = engine.session(session).await.unwrap().unwrap();
    assert_eq!(row.timeout, Some(Span(5400)));
    assert_eq!(row.preopen_ports, [9000, 9001]);
    // A machine is chosen for one container only.
    let placed = LaunchRequest {
        image: Some("cr.example/x/y:1".to_owned()),
        agent: Some("i-local".to_owned()),
        ..LaunchRequest::default()
    };
    engine.launch(&placed).await.unwrap();
    let launched = manager.asked().pop().unwrap().json();
    assert_eq!(launched["config"]["agent_list"], json!(["i-local"]));
}

#[tokio::test]
async fn launches_that_are_refused() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "taken-name", "RUNNING"));
    let engine = open(&manager).await;
    let named = |name: &str| LaunchRequest {
        name: Some(name.to_owned()),
        environment: Some("python".to_owned()),
        ..LaunchRequest::default()
    };
    let error = engine.launch(&named("taken-name")).await.unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(why, "a session with that name already exists");
    assert_eq!(
        hint.unwrap(),
        "choose another name, or terminate the other one first"
    );
    let error = engine.launch(&named("-x")).await.unwrap_err();
    assert!(error.to_string().starts_with("the name"), "{error}");
    for (environment, expected) in [
        ("nope", "environment 'nope' not found"),
        (
            "host",
            "the host environment isn't available on a cluster. Choose an environment of the \
             cluster",
        ),
    ] {
        let mut request = named("good-name");
        request.environment = Some(environment.to_owned());
        assert_eq!(
            engine.launch(&request).await.unwrap_err().to_string(),
            expected
        );
    }
    for (reply, expected) in [
        (
            Reply::problem(
                404,
                "object-not-found",
                "No such environment image.",
                "Unknown image reference: x",
            ),
            "No such environment image: Unknown image reference: x not found",
        ),
        (
            Reply::problem(
                404,
                "object-not-found",
                "No such resource group.",
                "nogroup",
            ),
            "No such resource group: nogroup",
        ),
        (
            Reply::problem(
                412,
                "quota-exceeded",
                "You have reached your resource limit.",
                "",
            ),
            "a quota is exceeded: You have reached your resource limit",
        ),
    ] {
        manager.on("POST /session", reply);
        assert_eq!(
            engine
                .launch(&named("good-name"))
                .await
                .unwrap_err()
                .to_string(),
            expected
        );
    }
}

#[tokio::test]
async fn rename() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    manager.put(node(TWO, "beta", "PENDING"));
    let engine = open(&manager).await;
    engine.rename(id(ONE), "gamma").await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().json(),
        json!({"name": "gamma"})
    );
    // To its own name: nothing to do, whatever the manager says.
    engine.rename(id(ONE), "gamma").await.unwrap();
    let error = engine.rename(id(ONE), "beta").await.unwrap_err();
    assert_eq!(error.to_string(), "a session with that name already exists");
    let error = engine.rename(id(TWO), "delta").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "only running sessions can be renamed. This session is PENDING"
    );
    let before = manager.asked().len();
    let error = engine.rename(id(ONE), "no").await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the name 'no' is too short. Use 4 to 64 characters"
    );
    assert_eq!(
        manager.asked().len(),
        before,
        "the rule is ours: the manager takes any name"
    );
}

#[tokio::test]
async fn terminate() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    manager.put(node(TWO, "done", "TERMINATED"));
    let engine = open(&manager).await;
    engine.terminate(id(ONE), false).await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().target,
        format!("/session/{ONE}")
    );
    engine.terminate(id(ONE), true).await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().target,
        format!("/session/{ONE}?forced=true")
    );
    engine.terminate(id(TWO), false).await.unwrap();
    // One that has ended, on a manager that refuses it.
    let forbidden = Reply::problem(403, "generic-forbidden", "Cannot destroy it.", "");
    manager.on("DELETE /session", forbidden);
    engine.terminate(id(TWO), false).await.unwrap();
    let error = engine.terminate(id(ONE), false).await.unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(why, "Cannot destroy it");
    assert_eq!(
        hint.unwrap(),
        "if necessary, terminate the session with --force"
    );
}

#[tokio::test]
async fn a_commit_reports_its_progress() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    let engine = open(&manager).await;
    let path = format!("POST /session/{ONE}/imagify");
    manager.on(&path, Reply::Json(200, json!({"task_id": "8c1c"})));
    let (events, reply) = Reply::events();
    manager.on("GET /events/background-task?taskId=8c1c", reply);
    let mut progress = engine.commit(id(ONE), "my-image").await.unwrap();
    let step = |n: u8, message: &str| {
        format!(
            "event: bgtask_updated\ndata: {{\"message\":\"{message}\",\"current_progress\":{n},\"total_progress\":3}}\n\n"
        )
    };
    events.send(step(1, "Committed image")).await.unwrap();
    let first = progress.next().await.unwrap().unwrap();
    assert_eq!(
        (first.message.as_str(), first.done, first.total),
        ("Committed image", 1.0, 3.0)
    );
    events
        .send("event: bgtask_done\ndata: {\"message\":\"Completed\"}\n\n".to_owned())
        .await
        .unwrap();
    assert!(progress.next().await.is_none());
}

#[tokio::test]
async fn administrators_change_priorities() {
    let manager = Manager::start().await;
    manager.set(|state| state.role = "admin");
    manager.put(node(ONE, "alpha", "PENDING"));
    let engine = open(&manager).await;
    let info = engine.probe().await.unwrap();
    assert!(info.capabilities.has(Capability::Priority));
    engine.prioritize(id(ONE), 70).await.unwrap();
    let row = engine.session(id(ONE)).await.unwrap().unwrap();
    assert_eq!(row.placement.priority, Some(70));
    // What the manager says against it.
    let fault = json!({"data": {"modify_compute_session": null},
        "errors": [{"message": "greenlet_spawn has not been called"}]});
    manager.on("modify_compute_session", Reply::Json(200, fault));
    let error = engine.prioritize(id(ONE), 80).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the manager can't answer: greenlet_spawn has not been called"
    );
    manager.hint();
    let error = engine.prioritize(id(TWO), 80).await.unwrap_err();
    assert!(error.kind == FailureKind::NotFound, "{error:?}");
    // To others it is said before they try.
    let manager = Manager::start().await;
    let info = open(&manager).await.probe().await.unwrap();
    assert_eq!(
        info.capabilities.why_not(Capability::Priority).unwrap(),
        "only administrators can change a priority on this cluster"
    );
}

#[tokio::test]
async fn commits_that_fail() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    manager.put(node(TWO, "beta", "PENDING"));
    let engine = open(&manager).await;
    let path = format!("POST /session/{ONE}/imagify");
    manager.on(
        &path,
        Reply::problem(
            404,
            "object-not-found",
            "No such container_registry.",
            "Container registry info does not exist or is invalid in the project.",
        ),
    );
    let error = engine.commit(id(ONE), "my-image").await.err().unwrap();
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(
        why,
        "the session's project has no container registry for images"
    );
    assert_eq!(
        hint.unwrap(),
        "ask the administrator of the cluster to set a container registry"
    );
    let error = engine.commit(id(TWO), "my-image").await.err().unwrap();
    assert_eq!(
        error.to_string(),
        "only images of running sessions can be created. This session is PENDING"
    );
    let error = engine.commit(id(ONE), "한글").await.err().unwrap();
    assert!(
        error
            .to_string()
            .contains("isn't allowed in the image name"),
        "{error}"
    );
    manager.hint();
    manager.on(&path, Reply::Json(200, json!({"task_id": "8c1c"})));
    let (events, reply) = Reply::events();
    manager.on("GET /events/background-task", reply);
    let mut progress = engine.commit(id(ONE), "my-image").await.unwrap();
    events
        .send("event: bgtask_failed\ndata: {\"message\":\"no space\"}\n\n".to_owned())
        .await
        .unwrap();
    let error = progress.next().await.unwrap().unwrap_err();
    assert!(error.kind == FailureKind::Refused);
    assert_eq!(error.to_string(), "it failed: no space");
    assert!(progress.next().await.is_none());
}
