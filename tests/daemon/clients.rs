//! Several clients, restarts, other people's sockets.

use std::{fs, time::Duration};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use workbay::{
    client::{Client, ClientError, ClientEvent, ConnectOptions},
    model::{failure::FailureKind, id::SessionKey, request::SessionRequest, status::Status},
    protocol::message::{Reply, Request},
};

use crate::support::{Call, TestClient, TestDaemon, eventually, test_daemon::named};

#[tokio::test]
async fn two_faces_see_the_same() {
    let daemon = TestDaemon::open().await;
    let (mut first, mut second) = (daemon.client().await, daemon.client().await);
    let id = first.run("shared").await;
    second.until_status(id, Status::Running).await;
    second.terminate(id, false).await.unwrap();
    first.until_status(id, Status::Terminated).await;
    drop(first);
    let Ok(Reply::Status { status }) = second.connection.ask(Request::Status).await else {
        panic!("no status");
    };
    assert_eq!(status.sessions, 1);
    assert_eq!(status.pid, std::process::id());
}

#[tokio::test]
async fn sessions_outlive_the_daemon() {
    let mut daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let id = client.run("lasting").await;
    let ended = client.run("ended-meanwhile").await;
    let before = client.session(id).unwrap();
    daemon.stop().await;
    let Ok(ClientEvent::Lost { .. }) = drain(client).await else {
        panic!("the TUI is not reported");
    };
    daemon.engine.die(ended, 0, false);
    daemon.start().await;
    let mut client = daemon.client().await;
    let after = client.until_status(id, Status::Running).await;
    assert_eq!(after, before);
    let ended = client.until_status(ended, Status::Terminated).await;
    let why = ended.status_message.unwrap();
    assert_eq!(
        why,
        "its main process ended with exit code 0 while workbay's daemon wasn't running"
    );
    eventually("old terminals are detached", || {
        daemon.engine.count(Call::DetachAll) == 1
    })
    .await;
}

async fn drain(mut client: TestClient) -> Result<ClientEvent, tokio::time::error::Elapsed> {
    tokio::time::timeout(crate::support::test_daemon::PATIENCE, async move {
        loop {
            if let Some(lost @ ClientEvent::Lost { .. }) = client.next_event().await {
                return lost;
            }
        }
    })
    .await
}

#[tokio::test]
async fn asking_it_to_stop_ends_it_and_frees_its_place() {
    let mut daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    assert_eq!(client.connection.ask(Request::Stop).await, Ok(Reply::Done));
    eventually("its socket is gone", || !daemon.paths().socket().exists()).await;
    daemon.stop().await;
    let failure = client.connection.ask(Request::Status).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    let error = Client::connect(&ConnectOptions::existing(daemon.paths()))
        .await
        .err();
    assert!(matches!(error, Some(ClientError::NoDaemon(_))), "{error:?}");
    daemon.start().await;
    daemon.client().await;
}

#[tokio::test]
async fn a_socket_whose_directory_vanished_is_made_again() {
    let daemon = TestDaemon::open().await;
    let socket = daemon.paths().socket();
    fs::remove_dir_all(socket.parent().unwrap()).unwrap();
    daemon.remake_socket();
    eventually("the socket is back", || socket.exists()).await;
    daemon.client().await;
}

#[tokio::test]
async fn another_protocol_is_refused_with_a_sentence() {
    let daemon = TestDaemon::open().await;
    let mut socket = tokio::net::UnixStream::connect(daemon.paths().socket())
        .await
        .unwrap();
    let hello = br#"{"say":"hello","protocol":99,"version":"9.0"}"#;
    socket.write_u32(hello.len() as u32 + 1).await.unwrap();
    socket.write_u8(0).await.unwrap();
    socket.write_all(hello).await.unwrap();
    let mut answer = Vec::new();
    socket.read_to_end(&mut answer).await.unwrap();
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.contains("is older than workbay 9.0"), "{answer}");
}

#[tokio::test]
async fn nonsense_ends_only_its_own_connection() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    for nonsense in [&b"\xff\xff\xff\xff"[..], b"GET / HTTP/1.1\r\n\r\n", b""] {
        let mut socket = tokio::net::UnixStream::connect(daemon.paths().socket())
            .await
            .unwrap();
        socket.write_all(nonsense).await.unwrap();
        socket.shutdown().await.unwrap();
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.unwrap();
    }
    client.run("unharmed").await;
}

#[tokio::test]
async fn a_tui_that_does_not_read_blocks_nobody() {
    let daemon = TestDaemon::open().await;
    let slow = daemon.client().await;
    let mut quick = daemon.client().await;
    let id = quick.run("flapping").await;
    for number in 0..600 {
        let name = format!("name-{number}");
        let expected = name.clone();
        let rename = Request::session(SessionKey::local(id), SessionRequest::Rename { name });
        quick.connection.ask(rename).await.unwrap();
        quick
            .until(id, |session| session.name == expected.as_str())
            .await;
    }
    let mut slow = slow;
    slow.until(id, |session| session.name == "name-599").await;
}

#[tokio::test]
async fn a_snapshot_of_two_hundred_sessions_is_whole() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let mut last = None;
    for number in 0..200 {
        let mut request = named(&format!("many-{number}"));
        request.mem = Some("16m".parse().unwrap());
        let id = client.launch(request).await.unwrap().id;
        // A client that sends requests without reading the answers blocks itself.
        client.until(id, |_| true).await;
        last = Some(id);
    }
    client.until_status(last.unwrap(), Status::Running).await;
    let other = tokio::time::timeout(Duration::from_secs(60), daemon.client())
        .await
        .unwrap();
    assert_eq!(other.snapshot.sessions.len(), 200);
}
