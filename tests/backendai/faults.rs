//! Bad input: each fault is a sentence, none takes a row or the program with it.

use std::sync::Arc;

use serde_json::json;
use tokio::sync::Semaphore;
use workbay::{
    engine::{
        api::{Engine, Folders as _},
        backendai::{BackendAiEngine, Login},
        manager::Manager as _,
    },
    model::{failure::FailureKind, secret::Secret},
};

use super::{
    ONE,
    changes::Changes as _,
    config, engine, id, list_fails,
    manager::{Manager, Reply, node},
    open, reason_and_fix, running,
};

#[tokio::test]
async fn a_wrong_secret_key() {
    let manager = Manager::start().await;
    let mut config = config(&manager.endpoint());
    config.login = Login::Api {
        access_key: super::manager::ACCESS.to_owned(),
        secret_key: Secret::new("not-the-key"),
    };
    let error = BackendAiEngine::new(config).probe().await.unwrap_err();
    assert!(error.kind == FailureKind::Denied, "{error:?}");
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(
        why,
        format!(
            "the manager at {} doesn't accept the keys of context 'prod': Credential/signature \
             mismatch: HMAC signature mismatch",
            manager.endpoint()
        )
    );
    assert_eq!(
        hint.unwrap(),
        "check access-key and secret-key of the context. They can also be inactive, or refused \
         for this machine's address"
    );
}

#[tokio::test]
async fn an_unknown_access_key() {
    let manager = Manager::start().await;
    let mut config = config(&manager.endpoint());
    config.login = Login::Api {
        access_key: "AKIANOBODY".to_owned(),
        secret_key: Secret::new(super::manager::SECRET),
    };
    let error = BackendAiEngine::new(config).probe().await.unwrap_err();
    assert!(
        reason_and_fix(&error)
            .0
            .ends_with("Access key not found in HMAC"),
        "{error}"
    );
}

#[tokio::test]
async fn a_clock_that_is_wrong_says_by_how_much() {
    let manager = Manager::start().await;
    for (clock, expected) in [
        (
            (|| "2026-11-21T13:27:00Z".parse().unwrap()) as fn() -> jiff::Timestamp,
            "this machine's clock is 61 min ahead of the manager's, so the manager refuses the \
             signature",
        ),
        (
            || "2026-11-21T12:06:00Z".parse().unwrap(),
            "this machine's clock is 20 min behind the manager's, so the manager refuses the \
             signature",
        ),
    ] {
        let mut config = config(&manager.endpoint());
        config.clock = clock;
        let error = BackendAiEngine::new(config).probe().await.unwrap_err();
        assert!(error.kind == FailureKind::Denied, "{error:?}");
        let (why, hint) = reason_and_fix(&error);
        assert_eq!(why, expected);
        assert_eq!(
            hint.unwrap(),
            "correct the wrong clock. On this machine: `sudo timedatectl set-ntp true`"
        );
    }
}

#[tokio::test]
async fn a_manager_that_is_down() {
    // Held without listening, so that nobody else gets the port meanwhile.
    let held = tokio::net::TcpSocket::new_v4().unwrap();
    held.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let endpoint = format!("http://{}", held.local_addr().unwrap());
    let engine = BackendAiEngine::new(config(&endpoint));
    let error = engine.probe().await.unwrap_err();
    assert!(error.is_lost());
    assert_eq!(
        reason_and_fix(&error).0,
        format!("the engine at {endpoint} doesn't answer: no program listens at this address")
    );
}

#[tokio::test]
async fn a_slow_manager_is_waited_for() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "slow-one", "RUNNING"));
    let engine = open(&manager).await;
    let gate = Arc::new(Semaphore::new(0));
    manager.on("POST /admin/gql", Reply::Gate(gate.clone()));
    let list = tokio::spawn(async move { engine.page(&running()).await });
    manager.wait_for("compute_session_nodes").await;
    assert!(!list.is_finished());
    gate.add_permits(1);
    assert_eq!(list.await.unwrap().unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn a_manager_that_never_answers_is_given_up() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.on("compute_session_nodes", Reply::Silence);
    let list = tokio::spawn(async move { list_fails(&engine).await });
    manager.wait_for("compute_session_nodes").await;
    // The request is out; from here on only the time limit can end it.
    tokio::time::pause();
    let error = list.await.unwrap();
    assert!(error.is_lost());
    assert_eq!(
        reason_and_fix(&error).0,
        format!(
            "the engine at {} doesn't answer: no answer within 20s",
            manager.endpoint()
        )
    );
}

#[tokio::test]
async fn answers_that_are_cut_empty_or_closed() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    let engine = open(&manager).await;
    let body = json!({"data": {"compute_session_nodes": {"count": 0, "edges": []}}});
    let half = body.to_string().as_bytes()[..20].to_vec();
    for (reply, expected) in [
        (Reply::Cut(20, body.clone()), "its answer is incomplete"),
        (Reply::Close, "its answer is incomplete"),
        (
            Reply::Raw(200, vec![], half),
            "it sent an incomplete answer",
        ),
        (Reply::Raw(200, vec![], vec![]), "it sent an empty answer"),
    ] {
        manager.on("compute_session_nodes", reply);
        let error = list_fails(&engine).await;
        assert!(error.is_lost(), "{error:?}");
        assert_eq!(
            reason_and_fix(&error).0,
            format!(
                "the engine at {} doesn't answer: {expected}",
                manager.endpoint()
            )
        );
        manager.hint();
        // The next one is whole again.
        assert_eq!(engine.page(&running()).await.unwrap().sessions.len(), 1);
    }
}

/// A manager closes idle connections, sometimes while the next request is on its way.
#[tokio::test]
async fn a_read_on_a_closed_connection_is_repeated_once_and_a_change_never() {
    let manager = Manager::start().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    let engine = open(&manager).await;
    manager.times(1, "compute_session_nodes", Reply::Close);
    assert_eq!(engine.page(&running()).await.unwrap().sessions.len(), 1);
    assert_eq!(manager.count("compute_session_nodes"), 2);
    let before = manager.count("GET /folders");
    manager.times(1, "GET /folders", Reply::Close);
    engine.folders().await.unwrap();
    assert!(manager.count("GET /folders") > before + 1);

    manager.times(3, "compute_session_nodes", Reply::Close);
    let error = list_fails(&engine).await;
    assert!(error.is_lost(), "{error:?}");
    assert_eq!(manager.count("compute_session_nodes"), 4);
    manager.hint();

    let rename = "POST /session/";
    manager.times(1, rename, Reply::Close);
    let error = engine.rename(id(ONE), "beta").await.unwrap_err();
    assert!(error.is_lost(), "{error:?}");
    assert_eq!(manager.count(rename), 1);
    manager.times(1, "modify_compute_session", Reply::Close);
    engine.prioritize(id(ONE), 50).await.unwrap_err();
    assert_eq!(manager.count("modify_compute_session"), 1);
}

#[tokio::test]
async fn something_else_than_json() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.on(
        "compute_session_nodes",
        Reply::Raw(200, vec![], b"hello \x1b[2Jthere".to_vec()),
    );
    let error = list_fails(&engine).await;
    assert_eq!(
        error.to_string(),
        "the engine reported: invalid JSON: hello there"
    );
}

#[tokio::test]
async fn html_instead_of_a_manager() {
    let manager = Manager::start().await;
    manager.on("GET /", Reply::html(200));
    let error = engine(&manager).probe().await.unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(
        why,
        format!(
            "the engine at {} doesn't answer: the endpoint answers with a web page and isn't a manager",
            manager.endpoint()
        )
    );
    assert_eq!(
        hint.unwrap(),
        "with mode = \"api\", set the endpoint to the manager itself, not to the web server (mode \
         = \"session\")"
    );
}

#[tokio::test]
async fn gateways_and_redirections() {
    let manager = Manager::start().await;
    for (reply, expected) in [
        (Reply::html(502), "its gateway answers 502 Bad Gateway"),
        (
            Reply::Raw(503, vec![], b"no upstream".to_vec()),
            "its gateway answers 503 Service Unavailable",
        ),
        (
            Reply::html(404),
            "the endpoint answers with a web page (404 Not Found) and isn't a manager",
        ),
        (
            Reply::Raw(
                302,
                vec![("Location", "https://elsewhere/".to_owned())],
                vec![],
            ),
            "it redirects to another address (302 Found)",
        ),
    ] {
        manager.on("GET /", reply);
        let error = engine(&manager).probe().await.unwrap_err();
        assert!(error.is_lost(), "{error:?}");
        assert_eq!(
            reason_and_fix(&error).0,
            format!(
                "the engine at {} doesn't answer: {expected}",
                manager.endpoint()
            )
        );
        manager.hint();
    }
}

#[tokio::test]
async fn errors_of_the_manager_itself() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    for (reply, expected) in [
        (
            Reply::problem(
                500,
                "internal-server-error",
                "Internal server error.",
                "boom",
            ),
            "Internal server error: boom",
        ),
        (
            Reply::problem(503, "server-frozen", "The server is frozen.", ""),
            "the manager is in maintenance",
        ),
        (
            Reply::problem(503, "instance-not-available", "No agents.", "all are full"),
            "No agents: all are full",
        ),
        (
            Reply::Raw(500, vec![], b"500 Internal Server Error".to_vec()),
            "the engine reported: 500 Internal Server Error: 500 Internal Server Error",
        ),
        (
            Reply::problem(
                403,
                "generic-forbidden",
                "Forbidden operation.",
                "Insufficient privileges",
            ),
            "Forbidden operation: Insufficient privileges",
        ),
    ] {
        manager.on("compute_session_nodes", reply);
        let error = list_fails(&engine).await;
        assert!(!error.is_lost(), "{error:?}");
        assert_eq!(reason_and_fix(&error).0, expected);
        manager.hint();
    }
}

#[tokio::test]
async fn errors_inside_of_a_success() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let body = json!({"data": {"compute_session_nodes": null}, "errors": [
        {"message": "Query filter parsing error"}]});
    manager.on("compute_session_nodes", Reply::Json(200, body));
    let error = list_fails(&engine).await;
    assert_eq!(
        error.to_string(),
        "the manager can't answer: Query filter parsing error"
    );
}

#[tokio::test]
async fn a_part_beside_errors_is_shown() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let body = json!({"errors": [{"message": "one field cannot be read"}], "data": {
        "compute_session_nodes": {"count": 1, "edges": [{"node": node(ONE, "alpha", "RUNNING")}]}}});
    manager.on("compute_session_nodes", Reply::Json(200, body));
    assert_eq!(engine.page(&running()).await.unwrap().sessions.len(), 1);
}

#[tokio::test]
async fn a_limit_of_requests_that_ends_soon_is_waited_for() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let wait = vec![("Retry-After", "0".to_owned())];
    manager.times(1, "compute_session_nodes", Reply::Raw(429, wait, vec![]));
    assert!(engine.page(&running()).await.is_ok());
    assert_eq!(manager.count("compute_session_nodes"), 2);
}

#[tokio::test]
async fn a_limit_of_requests_that_does_not_is_reported_and_kept() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let wait = vec![("X-RateLimit-Reset", "300".to_owned())];
    manager.on("compute_session_nodes", Reply::Raw(429, wait, vec![]));
    let expected = "too many requests: the manager's limit allows the next one in ";
    for _ in 0..3 {
        let error = list_fails(&engine).await.to_string();
        assert!(error.starts_with(expected), "{error}");
    }
    // It was asked once; what came after did not leave the house.
    assert_eq!(manager.count("compute_session_nodes"), 1);
}

#[tokio::test]
async fn an_endpoint_that_is_none() {
    let error = BackendAiEngine::new(config("manager.example"))
        .probe()
        .await
        .unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(why, "endpoint 'manager.example' isn't an address");
    assert_eq!(
        hint.unwrap(),
        "use an address like https://manager.example or http://127.0.0.1:8091"
    );
}

#[tokio::test]
async fn a_project_the_user_is_not_in() {
    let manager = Manager::start().await;
    let mut config = config(&manager.endpoint());
    config.project = Some("secret-lab".to_owned());
    let error = BackendAiEngine::new(config).probe().await.unwrap_err();
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(why, "user@lablup.com isn't in project 'secret-lab'");
    assert_eq!(
        hint.unwrap(),
        "set project of the context to one of: default, model-store"
    );
}
