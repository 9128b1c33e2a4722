//! Terminals from the first request to the last farewell.

use bytes::Bytes;
use workbay::engine::api::{Output, Streams as _};

use super::{
    last,
    manager::{RequestTopic, SESSION, StreamManager, json},
    request,
    tcpproxy::{Ended, Fault},
    typed,
};

#[tokio::test]
async fn with_keys_the_upgrade_is_signed() {
    let mut manager = StreamManager::start().await;
    let mut terminal = manager
        .engine()
        .attach(SESSION, request("pane"))
        .await
        .unwrap();
    let (mut ttyd, _line) = manager.terminal().await;
    assert_eq!(ttyd.hello, r#"{"AuthToken":"","columns":100,"rows":30}"#);
    ttyd.show(b"$ ").await;
    let shown = Output::Stdout(Bytes::from_static(b"$ "));
    assert_eq!(terminal.output.recv().await, Some(shown));
    terminal.input.send(typed("ls\r")).await.unwrap();
    assert_eq!(ttyd.received().await, "0ls\r");
    let asked = &manager.asked(RequestTopic::Tcpproxy)[0];
    assert_eq!(
        asked.target,
        format!("/stream/session/{SESSION}/tcpproxy?app=ttyd")
    );
    let signature = asked.header("authorization");
    let expected = "BackendAI signMethod=HMAC-SHA256, credential=AKIANABBDUSEREXAMPLE:";
    assert!(signature.starts_with(expected), "{signature}");
    assert_eq!(asked.header("x-backendai-version"), "v9.20250722");
    assert_eq!(asked.header("date"), "1970-01-01T00:00:00+00:00");
}

#[tokio::test]
async fn with_a_password_the_upgrade_bears_the_login() {
    let mut manager = StreamManager::start().await;
    let accepted = json(r#"{"authenticated":true,"data":{"access_key":"AK"}}"#);
    manager.answer(RequestTopic::Login, [accepted]);
    let _terminal = manager
        .web_engine()
        .attach(SESSION, request("pane"))
        .await
        .unwrap();
    manager.terminal().await;
    let asked = &manager.asked(RequestTopic::Tcpproxy)[0];
    assert_eq!(
        asked.target,
        format!("/func/stream/session/{SESSION}/tcpproxy?app=ttyd")
    );
    assert_eq!(asked.header("x-backendai-sessionid"), "ticket");
    assert_eq!(asked.header("authorization"), "");
}

#[tokio::test]
async fn dropped_it_is_closed_at_once_on_both_sockets() {
    let mut manager = StreamManager::start().await;
    let terminal = manager
        .engine()
        .attach(SESSION, request("pane"))
        .await
        .unwrap();
    let (mut ttyd, line) = manager.terminal().await;
    drop(terminal);
    ttyd.farewell().await;
    assert_eq!(line.ended().await, Ended::Farewell(Some(1000)));
}

#[tokio::test]
async fn an_opening_that_is_given_up_leaves_nothing_behind() {
    let mut manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [super::manager::Answer::Port]);
    let engine = manager.engine();
    let opening = tokio::spawn({
        let engine = engine.clone();
        async move { engine.attach(SESSION, request("pane")).await }
    });
    // The port is connected, and nothing answers there.
    let (_bytes, line) = manager.port().await;
    opening.abort();
    assert_eq!(line.ended().await, Ended::Gone);
    manager.answer(RequestTopic::Tcpproxy, [super::manager::Answer::Ttyd]);
    let _terminal = engine.attach(SESSION, request("pane")).await.unwrap();
    manager.terminal().await;
}

#[tokio::test]
async fn the_same_tag_again_ends_the_older_one_first() {
    let mut manager = StreamManager::start().await;
    let engine = manager.engine();
    let mut first = engine.attach(SESSION, request("pane")).await.unwrap();
    let (mut older, line) = manager.terminal().await;
    let second = tokio::spawn({
        let engine = engine.clone();
        async move { engine.attach(SESSION, request("pane")).await }
    });
    older.farewell().await;
    assert_eq!(line.ended().await, Ended::Farewell(Some(1000)));
    assert_eq!(last(&mut first).await, Output::End { exit_code: None });
    let _second = second.await.unwrap().unwrap();
    manager.terminal().await;
    assert_eq!(manager.asked(RequestTopic::Tcpproxy).len(), 2);
}

#[tokio::test]
async fn all_of_a_session_are_let_go_of() {
    let mut manager = StreamManager::start().await;
    let engine = manager.engine();
    let mut open = Vec::new();
    for tag in ["one", "two"] {
        let terminal = engine.attach(SESSION, request(tag)).await.unwrap();
        open.push((terminal, manager.terminal().await));
    }
    engine.detach_all(SESSION).await.unwrap();
    for (mut terminal, (mut ttyd, line)) in open {
        ttyd.farewell().await;
        assert_eq!(line.ended().await, Ended::Farewell(Some(1000)));
        assert_eq!(last(&mut terminal).await, Output::End { exit_code: None });
    }
}

#[tokio::test]
async fn after_a_loss_the_same_pane_comes_back() {
    let mut manager = StreamManager::start().await;
    let engine = manager.engine();
    let mut terminal = engine.attach(SESSION, request("pane")).await.unwrap();
    let (_ttyd, line) = manager.terminal().await;
    line.fault(Fault::Cut);
    assert!(matches!(last(&mut terminal).await, Output::Lost { .. }));
    // The client still has the old one when it attaches again.
    let mut again = engine.attach(SESSION, request("pane")).await.unwrap();
    let (mut ttyd, _line) = manager.terminal().await;
    ttyd.show(b"the same screen").await;
    let shown = Output::Stdout(Bytes::from_static(b"the same screen"));
    assert_eq!(again.output.recv().await, Some(shown));
}

#[tokio::test]
async fn through_tls_of_a_private_authority() {
    let mut manager = StreamManager::start_encrypted().await;
    let mut terminal = manager
        .engine()
        .attach(SESSION, request("pane"))
        .await
        .unwrap();
    let (mut ttyd, line) = manager.terminal().await;
    ttyd.show(b"$ ").await;
    let shown = Output::Stdout(Bytes::from_static(b"$ "));
    assert_eq!(terminal.output.recv().await, Some(shown));
    terminal.input.send(typed("ls\r")).await.unwrap();
    assert_eq!(ttyd.received().await, "0ls\r");
    drop(terminal);
    ttyd.farewell().await;
    assert_eq!(line.ended().await, Ended::Farewell(Some(1000)));
}
