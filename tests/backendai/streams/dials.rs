//! Plain connections to a port.

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use workbay::engine::api::{DialTarget, Output, Streams as _};

use super::{
    last,
    manager::{Answer, RequestTopic, SESSION, StreamManager},
    tcpproxy::{Ended, Fault},
    typed,
};

fn sshd() -> DialTarget {
    DialTarget {
        service: "sshd".to_owned(),
        port: None,
    }
}

#[tokio::test]
async fn bytes_go_both_ways() {
    let mut manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    let mut dialled = manager.engine().dial(SESSION, &sshd()).await.unwrap();
    let (mut bytes, line) = manager.port().await;
    bytes.write_all(b"SSH-2.0-there\r\n").await.unwrap();
    let came = Output::Stdout(Bytes::from_static(b"SSH-2.0-there\r\n"));
    assert_eq!(dialled.output.recv().await, Some(came));
    dialled.input.send(typed("SSH-2.0-here")).await.unwrap();
    let mut said = [0; 12];
    bytes.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"SSH-2.0-here");
    line.fault(Fault::Close(1001));
    assert_eq!(last(&mut dialled).await, Output::End { exit_code: None });
}

#[tokio::test]
async fn dropped_it_is_closed_at_once() {
    let mut manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Port]);
    let dialled = manager.engine().dial(SESSION, &sshd()).await.unwrap();
    let (_bytes, line) = manager.port().await;
    drop(dialled);
    assert_eq!(line.ended().await, Ended::Farewell(Some(1000)));
}

#[tokio::test]
async fn a_port_that_refuses() {
    let manager = StreamManager::start().await;
    manager.answer(RequestTopic::Tcpproxy, [Answer::Close(1013)]);
    let mut dialled = manager.engine().dial(SESSION, &sshd()).await.unwrap();
    let Output::Lost { why } = last(&mut dialled).await else {
        panic!("a refusal is not an end");
    };
    assert_eq!(why, "no program listens on the port of the service");
}
