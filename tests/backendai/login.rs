//! Session mode: one login, recreated once, never hammered.

use serde_json::json;
use workbay::{
    engine::{
        api::Engine,
        backendai::{BackendAiConfig, BackendAiEngine, Login},
        manager::Manager as _,
    },
    model::{failure::FailureKind, one_time_code::OneTimeCode, secret::Secret},
};

use super::{
    ONE, config,
    manager::{Manager, PASSWORD, Reply, USER, node},
    reason_and_fix, running,
};

fn web_config(manager: &Manager) -> BackendAiConfig {
    BackendAiConfig {
        login: Login::Session {
            username: USER.to_owned(),
            password: Secret::new(PASSWORD),
        },
        ..config(&manager.endpoint())
    }
}

fn web_engine(manager: &Manager) -> BackendAiEngine {
    BackendAiEngine::new(web_config(manager))
}

fn logins(manager: &Manager) -> usize {
    manager.count("POST /server/login")
}

#[tokio::test]
async fn one_login_serves_all_requests() {
    let manager = Manager::web().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    let engine = web_engine(&manager);
    let (info, page) = tokio::join!(engine.probe(), async { engine.page(&running()).await });
    info.unwrap();
    assert_eq!(page.unwrap().sessions.len(), 1);
    assert_eq!(logins(&manager), 1);
    let asked = manager.asked();
    let rest = asked
        .iter()
        .filter(|a| a.target != "/server/login" && a.target != "/func/");
    for request in rest {
        assert!(request.target.starts_with("/func/"), "{}", request.target);
        assert!(
            !request.headers.contains_key("authorization"),
            "nothing is signed"
        );
    }
}

#[tokio::test]
async fn a_wrong_password_is_tried_once_for_each_probe() {
    let manager = Manager::web().await;
    manager.set(|state| state.password = "another".to_owned());
    let engine = web_engine(&manager);
    let error = engine.probe().await.unwrap_err();
    assert!(error.kind == FailureKind::Denied, "{error:?}");
    let (why, hint) = reason_and_fix(&error);
    assert_eq!(
        why,
        format!(
            "the login of context 'prod' at {} wasn't accepted: Credential/signature mismatch: \
             User credential mismatch",
            manager.endpoint()
        )
    );
    assert_eq!(
        hint.unwrap(),
        "check username and password of the context. The web server may belong to another domain"
    );
    for _ in 0..5 {
        assert!(engine.page(&running()).await.is_err());
    }
    assert_eq!(logins(&manager), 1, "requests do not hammer the login");
    assert!(engine.probe().await.is_err());
    assert_eq!(logins(&manager), 2, "a probe retries");
    manager.set(|state| state.password = PASSWORD.to_owned());
    engine.probe().await.unwrap();
}

#[tokio::test]
async fn an_expired_login_is_recreated_once() {
    let manager = Manager::web().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    let engine = web_engine(&manager);
    engine.probe().await.unwrap();
    manager.forget_logins();
    assert_eq!(engine.page(&running()).await.unwrap().sessions.len(), 1);
    assert_eq!(logins(&manager), 2);
    // Refused though the login is fresh: no third one.
    let refused = json!({"type": "https://api.backend.ai/probs/auth-failed", "title": "Refused."});
    manager.on("compute_session_nodes", Reply::Json(401, refused));
    let error = engine.page(&running()).await.unwrap_err();
    assert!(error.kind == FailureKind::Denied, "{error:?}");
    assert_eq!(
        reason_and_fix(&error).0,
        format!(
            "the manager at {} doesn't accept the login of context 'prod': Refused",
            manager.endpoint()
        )
    );
    assert_eq!(logins(&manager), 3);
}

#[tokio::test]
async fn an_expired_login_and_a_changed_password() {
    let manager = Manager::web().await;
    let engine = web_engine(&manager);
    engine.probe().await.unwrap();
    manager.forget_logins();
    manager.set(|state| state.password = "another".to_owned());
    for _ in 0..4 {
        let error = engine.page(&running()).await.unwrap_err();
        assert!(
            reason_and_fix(&error).0.contains("wasn't accepted"),
            "{error}"
        );
    }
    assert_eq!(logins(&manager), 2);
}

#[tokio::test]
async fn a_login_with_a_one_time_password() {
    let manager = Manager::web().await;
    manager.put(node(ONE, "alpha", "RUNNING"));
    manager.set(|state| state.one_time_code = Some("492039"));
    let engine = web_engine(&manager);
    let code = |text: &str| OneTimeCode::parse(text).unwrap();
    let error = engine.probe().await.unwrap_err();
    assert_eq!(error.kind, FailureKind::NeedsCode, "{error:?}");
    let hint = "run `workbay context login prod` and type the one-time password";
    assert_eq!(reason_and_fix(&error).1.as_deref(), Some(hint));

    // A wrong code is used up.
    engine.use_code(code("000000")).await.unwrap();
    let error = engine.probe().await.unwrap_err();
    assert_eq!(error.kind, FailureKind::NeedsCode, "{error:?}");
    assert!(error.to_string().contains("Invalid TOTP code"), "{error}");
    let error = engine.probe().await.unwrap_err();
    assert!(
        error.to_string().contains("Authentication needed"),
        "{error}"
    );

    // The right one serves all requests of its login, and not the next login.
    engine.use_code(code("492039")).await.unwrap();
    engine.probe().await.unwrap();
    assert_eq!(engine.page(&running()).await.unwrap().sessions.len(), 1);
    manager.forget_logins();
    let error = engine.page(&running()).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::NeedsCode, "{error:?}");
}

#[tokio::test]
async fn keys_need_no_one_time_password() {
    let manager = Manager::start().await;
    let engine = BackendAiEngine::new(config(&manager.endpoint()));
    let code = OneTimeCode::parse("492039").unwrap();
    let error = engine.use_code(code).await.unwrap_err();
    assert!(
        error.to_string().contains("signs its requests with keys"),
        "{error}"
    );
}

#[tokio::test]
async fn answers_to_a_login() {
    let unregistered = json!({"authenticated": false, "data": {
        "type": "https://api.backend.ai/probs/require-totp-registration",
        "title": "Two-Factor Authentication registration required."}});
    let expired = json!({"authenticated": false, "data": {
        "type": "https://api.backend.ai/probs/password-expired", "title": "Password expired."}});
    let no_id = json!({"authenticated": true, "data": {}});
    for (reply, why, hint) in [
        (
            Reply::Json(200, unregistered),
            "the login of context 'prod' at ENDPOINT wasn't accepted: Two-Factor Authentication \
             registration required",
            "this account must have one-time passwords: set them up in the WebUI first",
        ),
        (
            Reply::Json(401, expired),
            "the login of context 'prod' at ENDPOINT wasn't accepted: Password expired",
            "set a new password in the WebUI first, then in the configuration of the context",
        ),
        (
            Reply::Raw(429, vec![("Retry-After", "1200".to_owned())], vec![]),
            "too many failed logins: the web server blocks this account for a while",
            "try again in 20 min",
        ),
        (
            Reply::problem(404, "url-not-found", "Unknown URL path.", ""),
            "the engine at ENDPOINT doesn't answer: the endpoint doesn't accept logins",
            "with mode = \"session\", set the endpoint to the web server for logins. For the \
             manager itself, use mode = \"api\" and keys",
        ),
        (
            Reply::html(502),
            "the engine at ENDPOINT doesn't answer: its gateway answers 502 Bad \
             Gateway",
            "the manager is down or starting. Try again later",
        ),
        (
            Reply::Json(200, no_id),
            "the engine reported: a login without an id (header X-BackendAI-SessionID). The web \
             server is too old",
            "",
        ),
    ] {
        let manager = Manager::web().await;
        manager.on("POST /server/login", reply);
        let error = web_engine(&manager).probe().await.unwrap_err();
        let (said, fix) = reason_and_fix(&error);
        assert_eq!(said, why.replace("ENDPOINT", &manager.endpoint()));
        assert_eq!(fix.unwrap_or_default(), hint);
    }
}

#[tokio::test]
async fn a_web_server_that_was_down_is_logged_in_to_later() {
    let manager = Manager::web().await;
    manager.times(1, "POST /server/login", Reply::Close);
    let engine = web_engine(&manager);
    assert!(engine.page(&running()).await.unwrap_err().is_lost());
    // It said nothing about the password: the next request may try.
    assert!(engine.page(&running()).await.is_ok());
}
