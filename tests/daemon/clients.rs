//! Several faces, restarts, other people's sockets.

use std::{fs, time::Duration};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use workbay::{
    client::{Client, ClientError, ClientEvent, ConnectOptions},
    model::{failure::FailureKind, id::SessionKey, request::SessionRequest, status::Status},
    protocol::message::{Reply, Request},
};

use crate::support::{Call, Face, House, eventually, house::named};

#[tokio::test]
async fn two_faces_see_the_same() {
    let house = House::open().await;
    let (mut first, mut second) = (house.face().await, house.face().await);
    let id = first.run("shared").await;
    second.until_status(id, Status::Running).await;
    second.terminate(id, false).await.unwrap();
    first.until_status(id, Status::Terminated).await;
    drop(first);
    let Ok(Reply::Status { status }) = second.client.ask(Request::Status).await else {
        panic!("no status");
    };
    assert_eq!(status.sessions, 1);
    assert_eq!(status.pid, std::process::id());
}

#[tokio::test]
async fn sessions_outlive_the_daemon() {
    let mut house = House::open().await;
    let mut face = house.face().await;
    let id = face.run("lasting").await;
    let ended = face.run("ended-meanwhile").await;
    let before = face.session(id).unwrap();
    house.stop().await;
    let Ok(ClientEvent::Lost { .. }) = drain(face).await else {
        panic!("the TUI is not reported");
    };
    house.engine.die(ended, 0, false);
    house.start().await;
    let mut face = house.face().await;
    let after = face.until_status(id, Status::Running).await;
    assert_eq!(after, before);
    let ended = face.until_status(ended, Status::Terminated).await;
    let why = ended.status_message.unwrap();
    assert_eq!(
        why,
        "its main process ended with exit code 0 while workbay's daemon wasn't running"
    );
    eventually("old terminals are detached", || {
        house.engine.count(Call::DetachAll) == 1
    })
    .await;
}

async fn drain(mut face: Face) -> Result<ClientEvent, tokio::time::error::Elapsed> {
    tokio::time::timeout(crate::support::house::PATIENCE, async move {
        loop {
            if let Some(lost @ ClientEvent::Lost { .. }) = face.next_event().await {
                return lost;
            }
        }
    })
    .await
}

#[tokio::test]
async fn asking_it_to_stop_ends_it_and_frees_its_place() {
    let mut house = House::open().await;
    let face = house.face().await;
    assert_eq!(face.client.ask(Request::Stop).await, Ok(Reply::Done));
    eventually("its socket is gone", || !house.paths().socket().exists()).await;
    house.stop().await;
    let failure = face.client.ask(Request::Status).await.unwrap_err();
    assert_eq!(failure.kind, FailureKind::Unreachable);
    let error = Client::connect(&ConnectOptions::existing(house.paths()))
        .await
        .err();
    assert!(matches!(error, Some(ClientError::NoDaemon(_))), "{error:?}");
    house.start().await;
    house.face().await;
}

#[tokio::test]
async fn a_socket_whose_directory_vanished_is_made_again() {
    let house = House::open().await;
    let socket = house.paths().socket();
    fs::remove_dir_all(socket.parent().unwrap()).unwrap();
    house.remake_socket();
    eventually("the socket is back", || socket.exists()).await;
    house.face().await;
}

#[tokio::test]
async fn another_protocol_is_refused_with_a_sentence() {
    let house = House::open().await;
    let mut socket = tokio::net::UnixStream::connect(house.paths().socket())
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
    let house = House::open().await;
    let mut face = house.face().await;
    for nonsense in [&b"\xff\xff\xff\xff"[..], b"GET / HTTP/1.1\r\n\r\n", b""] {
        let mut socket = tokio::net::UnixStream::connect(house.paths().socket())
            .await
            .unwrap();
        socket.write_all(nonsense).await.unwrap();
        socket.shutdown().await.unwrap();
        let mut rest = Vec::new();
        socket.read_to_end(&mut rest).await.unwrap();
    }
    face.run("unharmed").await;
}

#[tokio::test]
async fn a_face_that_does_not_read_blocks_nobody() {
    let house = House::open().await;
    let slow = house.face().await;
    let mut quick = house.face().await;
    let id = quick.run("flapping").await;
    for number in 0..600 {
        let name = format!("name-{number}");
        let expected = name.clone();
        let rename = Request::session(SessionKey::local(id), SessionRequest::Rename { name });
        quick.client.ask(rename).await.unwrap();
        quick
            .until(id, |session| session.name == expected.as_str())
            .await;
    }
    let mut slow = slow;
    slow.until(id, |session| session.name == "name-599").await;
}

#[tokio::test]
async fn a_snapshot_of_two_hundred_sessions_is_whole() {
    let house = House::open().await;
    let mut face = house.face().await;
    let mut last = None;
    for number in 0..200 {
        let mut request = named(&format!("many-{number}"));
        request.mem = Some("16m".parse().unwrap());
        let id = face.launch(request).await.unwrap().id;
        // A client that asks without ever reading blocks itself.
        face.until(id, |_| true).await;
        last = Some(id);
    }
    face.until_status(last.unwrap(), Status::Running).await;
    let other = tokio::time::timeout(Duration::from_secs(60), house.face())
        .await
        .unwrap();
    assert_eq!(other.snapshot.sessions.len(), 200);
}
