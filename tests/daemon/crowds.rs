//! More clients than there are places, and clients that never finish a message.

use tokio::{io::AsyncWriteExt, net::UnixStream};
use workbay::{
    client::{Client, ClientEvent, ConnectOptions},
    model::{failure::FailureKind, id::ContextName, request::ContextRequest, text::Clean},
    protocol::message::{Reply, Request},
};

use crate::support::TestDaemon;

const CROWD: usize = 300;

async fn ask_for_status(options: &ConnectOptions) {
    let (connection, _events) = Client::connect(options).await.unwrap();
    let answer = connection.ask(Request::Status).await;
    assert!(matches!(answer, Ok(Reply::Status { .. })), "{answer:?}");
}

#[tokio::test]
async fn clients_that_only_said_hello_keep_nobody_out() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let options = ConnectOptions::existing(daemon.paths());
    let mut crowd = Vec::new();
    for _ in 0..CROWD {
        crowd.push(Client::connect(&options).await.unwrap());
    }
    ask_for_status(&options).await;
    // The client that made room is notified, and one that works isn't affected.
    let (_, events) = &mut crowd[0];
    let Some(ClientEvent::Lost { why }) = events.recv().await else {
        panic!("the oldest is not reported");
    };
    assert!(why.as_str().contains("connections were in use"), "{why}");
    client.run("unharmed").await;
}

#[tokio::test]
async fn clients_that_follow_notices_keep_nobody_out() {
    let daemon = TestDaemon::open().await;
    let options = ConnectOptions::existing(daemon.paths());
    let (mut crowd, mut refused) = (Vec::new(), Vec::new());
    for _ in 0..CROWD {
        let (connection, events) = Client::connect(&options).await.unwrap();
        match connection.ask(Request::Subscribe).await {
            Ok(_) => crowd.push((connection, events)),
            Err(failure) => refused.push(failure),
        }
    }
    assert!(crowd.len() < CROWD && !refused.is_empty());
    for failure in refused {
        assert_eq!(failure.kind, FailureKind::Refused);
        assert!(failure.message().as_str().contains("clients are connected"));
    }
    ask_for_status(&options).await;
}

#[tokio::test]
async fn unfinished_messages_block_nobody() {
    let daemon = TestDaemon::open().await;
    let options = ConnectOptions::existing(daemon.paths());
    let mut crowd = Vec::new();
    for _ in 0..20 {
        let mut socket = UnixStream::connect(daemon.paths().socket()).await.unwrap();
        let hello = serde_json::json!({
            "say": "hello", "version": env!("CARGO_PKG_VERSION"),
            "protocol": workbay::protocol::message::PROTOCOL,
        });
        let hello = hello.to_string();
        socket.write_u32(hello.len() as u32 + 1).await.unwrap();
        socket.write_u8(0).await.unwrap();
        socket.write_all(hello.as_bytes()).await.unwrap();
        socket.write_u32(1024 * 1024).await.unwrap();
        socket.write_u8(0).await.unwrap();
        // As much as the daemon accepts.
        let body = vec![b' '; 1024 * 1024 - 10];
        let written = tokio::spawn(async move {
            let _ = socket.write_all(&body).await;
            std::future::pending::<()>().await;
        });
        crowd.push(written);
    }
    ask_for_status(&options).await;
    daemon.client().await.run("unharmed").await;
    for task in crowd {
        task.abort();
    }
}

#[tokio::test]
async fn a_request_that_is_too_long_fails_alone() {
    let daemon = TestDaemon::open().await;
    let client = daemon.client().await;
    let long = Request::context(
        ContextName::local(),
        ContextRequest::FindOwner {
            email: "x".repeat(2 * 1024 * 1024),
        },
    );
    let failure = client.connection.ask(long).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Usage);
    let expected = Clean::new("the request is too long: ");
    assert!(failure.message().as_str().starts_with(expected.as_str()));
    assert!(client.connection.ask(Request::Status).await.is_ok());
}
