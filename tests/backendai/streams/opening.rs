//! what may block a terminal or a connection, each with its sentence.

use workbay::{
    engine::api::{DialTarget, Streams as _},
    model::failure::FailureKind,
};

use super::{
    manager::{Answer, RequestTopic, SESSION, StreamManager, json, no_such, problem, standing},
    refusal, request,
};

async fn dial_refusal(manager: &StreamManager, service: &str, port: Option<u16>) -> String {
    let to = DialTarget {
        service: service.to_owned(),
        port,
    };
    let opened = manager.engine().dial(SESSION, &to).await;
    opened.err().expect("it was opened").to_string()
}

#[tokio::test]
async fn a_session_that_does_not_run() {
    let manager = StreamManager::start().await;
    for status in ["PENDING", "CREATING", "TERMINATED", "RESCHEDULING"] {
        manager.stand(status);
        assert_eq!(
            refusal(&manager).await.to_string(),
            format!("the engine refused: the session isn't running (it is {status})")
        );
    }
    // The manager would have opened the one that now has the name.
    assert_eq!(manager.asked(RequestTopic::Tcpproxy).len(), 0);
}

#[tokio::test]
async fn a_session_that_is_not_there() {
    let manager = StreamManager::start().await;
    let gone = json(r#"{"data":{"compute_session":null}}"#);
    manager.answer(RequestTopic::Standing, [gone]);
    assert_eq!(
        refusal(&manager).await.to_string(),
        format!("session {SESSION} doesn't exist on the engine any more")
    );
}

#[tokio::test]
async fn another_users_session() {
    let manager = StreamManager::start().await;
    let other = standing("RUNNING", "INTERACTIVE", "other@lablup.com");
    manager.answer(RequestTopic::Standing, [other]);
    assert_eq!(
        refusal(&manager).await.to_string(),
        "session 'lab-1' belongs to other@lablup.com. The manager opens terminals and connections \
         only in your own sessions"
    );
    assert_eq!(manager.asked(RequestTopic::Tcpproxy).len(), 0);
}

#[tokio::test]
async fn a_service_that_is_not_offered() {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [no_such("No such app service.")]);
    assert_eq!(
        dial_refusal(&manager, "jupyter", None).await,
        "the session has no service 'jupyter'. Available: sshd, ttyd"
    );
    manager.answer(
        RequestTopic::Tcpproxy,
        [problem(400, "invalid-api-params", "Missing or invalid")],
    );
    assert_eq!(
        dial_refusal(&manager, "sshd", Some(22)).await,
        "service 'sshd' has no port 22. Available: 2200"
    );
    let asked = manager.asked(RequestTopic::Tcpproxy).pop().unwrap();
    assert!(asked.target.ends_with("/tcpproxy?app=sshd&port=22"));
}

/// Managers before 26.3 don't find any port that a connection names.
#[tokio::test]
async fn older_managers_get_no_port() {
    let manager = StreamManager::start().await;
    let version = r#"{"version":"v9.20250722","manager":"25.15.12"}"#;
    manager.answer(RequestTopic::Version, [json(version)]);
    manager.answer(RequestTopic::Tcpproxy, [no_such("No such app service.")]);
    for (port, asked) in [(2200, "/tcpproxy?app=sshd"), (2299, "/tcpproxy?app=2299")] {
        dial_refusal(&manager, "sshd", Some(port)).await;
        let last = manager.asked(RequestTopic::Tcpproxy).pop().unwrap();
        assert!(last.target.ends_with(asked), "{}", last.target);
    }
}

#[tokio::test]
async fn a_service_that_is_coming_up_is_waited_for() {
    let not_yet = [
        no_such("No such app service."),
        problem(500, "app-service-start-failed", "Not yet"),
        Answer::Close(1013),
        Answer::Close(1001),
    ];
    for answer in not_yet {
        let mut manager = StreamManager::start().await;
        manager.answer(RequestTopic::Tcpproxy, [answer, Answer::Ttyd]);
        let _terminal = manager
            .engine()
            .attach(SESSION, request("pane"))
            .await
            .unwrap();
        manager.terminal().await;
        assert_eq!(manager.asked(RequestTopic::Tcpproxy).len(), 2);
    }
}

#[tokio::test]
async fn a_session_that_ends_meanwhile_is_not_waited_for() {
    let manager = StreamManager::start().await;
    let [running, ended] =
        ["RUNNING", "TERMINATED"].map(|s| standing(s, "INTERACTIVE", "user@lablup.com"));
    manager.answer(RequestTopic::Standing, [running, ended]);
    manager.answer(RequestTopic::Tcpproxy, [no_such("No such app service.")]);
    assert_eq!(
        refusal(&manager).await.to_string(),
        "the engine refused: the session isn't running (it is TERMINATED)"
    );
}

#[tokio::test]
async fn keys_that_are_not_accepted_any_more() {
    let manager = StreamManager::start().await;
    let refused = || problem(401, "auth-failed", "Credential/signature mismatch.");
    manager.answer(RequestTopic::Tcpproxy, [refused()]);
    manager.answer(RequestTopic::Apps, [refused()]);
    let error = refusal(&manager).await;
    assert!(error.kind == FailureKind::Denied, "{error:?}");
    assert!(
        error
            .to_string()
            .contains("doesn't accept the keys of context 'lab'")
    );
}

#[tokio::test]
async fn an_expired_login_is_recreated_once() {
    let mut manager = StreamManager::start().await;
    let accepted = json(r#"{"authenticated":true,"data":{"access_key":"AK"}}"#);
    manager.answer(RequestTopic::Login, [accepted]);
    let expired = || problem(401, "auth-failed", "Unauthorized access");
    manager.answer(RequestTopic::Tcpproxy, [expired(), Answer::Ttyd]);
    manager.answer(RequestTopic::Apps, [expired(), json("[]")]);
    let _terminal = manager
        .web_engine()
        .attach(SESSION, request("pane"))
        .await
        .unwrap();
    manager.terminal().await;
    assert_eq!(manager.asked(RequestTopic::Login).len(), 2);
}

#[tokio::test]
async fn a_web_page_where_a_manager_should_be() {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Html(200)]);
    manager.answer(RequestTopic::Apps, [Answer::Html(200)]);
    let error = refusal(&manager).await.to_string();
    assert!(error.contains("a web page and isn't a manager"), "{error}");
}

#[tokio::test]
async fn a_refusal_that_will_not_pass() {
    let manager = StreamManager::start().await;
    manager.answer(
        RequestTopic::Tcpproxy,
        [problem(403, "generic-forbidden", "Forbidden operation.")],
    );
    let error = refusal(&manager).await.to_string();
    let expected = "the manager refuses the connection to service 'ttyd': it answered 403";
    assert!(error.starts_with(expected), "{error}");
    assert_eq!(manager.asked(RequestTopic::Tcpproxy).len(), 1);
}
