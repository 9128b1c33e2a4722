//! A connection that is cut in every phase: always a sentence, never a hang.

use tokio::task::JoinHandle;
use workbay::engine::api::{Attached, Output, Result, Streams as _};

use super::{
    last,
    manager::{Answer, RequestTopic, SESSION, StreamManager},
    refusal, request,
    tcpproxy::Fault,
};

#[tokio::test]
async fn before_and_within_the_answer_to_the_upgrade() {
    for answer in [
        "",
        "HTTP/1.1 101 Switching Pro",
        "HTTP/1.1 101 OK\r\n\r\n",
        "SSH-2.0-x\r\n\r\n",
    ] {
        let manager = StreamManager::start().await;
        manager.answer(RequestTopic::Tcpproxy, [Answer::Raw(answer)]);
        let error = refusal(&manager).await;
        assert!(error.is_lost(), "{answer:?}: {error:?}");
        assert!(
            error.to_string().contains("a WebSocket can't be opened"),
            "{error}"
        );
    }
}

/// A terminal that was being opened was not, and the reason says so.
async fn failed_for_the_cut(opening: JoinHandle<Result<Attached>>) {
    let error = opening.await.unwrap().err().expect("it was opened");
    let error = error.to_string();
    assert!(
        error.starts_with("the connection to the manager broke"),
        "{error}"
    );
}

#[tokio::test]
async fn before_ttyd_answers() {
    let mut manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    let engine = manager.engine();
    let opening = tokio::spawn(async move { engine.attach(SESSION, request("pane")).await });
    let (_bytes, line) = manager.port().await;
    line.fault(Fault::Cut);
    failed_for_the_cut(opening).await;
}

#[tokio::test]
async fn within_ttyd_s_answer() {
    use tokio::io::AsyncWriteExt as _;
    let mut manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    let engine = manager.engine();
    let opening = tokio::spawn(async move { engine.attach(SESSION, request("pane")).await });
    let (mut bytes, line) = manager.port().await;
    bytes.write_all(b"HTTP/1.1 101 Swit").await.unwrap();
    line.fault(Fault::Cut);
    failed_for_the_cut(opening).await;
}

#[tokio::test]
async fn once_it_is_open() {
    let mut manager = StreamManager::start().await;
    let mut terminal = manager
        .engine()
        .attach(SESSION, request("pane"))
        .await
        .unwrap();
    let (mut ttyd, line) = manager.terminal().await;
    ttyd.show(b"$ ").await;
    assert!(matches!(
        terminal.output.recv().await,
        Some(Output::Stdout(_))
    ));
    line.fault(Fault::Cut);
    let Output::Lost { why } = last(&mut terminal).await else {
        panic!("a broken connection does not end a shell");
    };
    assert!(
        why.as_str()
            .starts_with("the connection to the manager broke"),
        "{why}"
    );
}
