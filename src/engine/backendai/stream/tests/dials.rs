//! Plain connections.

use std::time::Duration;

use bytes::Bytes;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{
    all, pipe, stdout,
    tcpproxy::{Ended, Fault},
    why,
};
use crate::engine::{
    api::{Input, Output},
    backendai::stream::dial,
};

#[tokio::test]
async fn bytes_go_both_ways_and_the_far_end_s_close_is_the_end() {
    let (pipe, mut port) = pipe().await;
    let mut dialled = dial::start(pipe);
    let ask = Input::Bytes(Bytes::from_static(b"ask"));
    dialled.input.send(ask).await.unwrap();
    let mut asked = [0; 3];
    port.bytes.read_exact(&mut asked).await.unwrap();
    assert_eq!(&asked, b"ask");
    port.bytes.write_all(b"answer").await.unwrap();
    assert_eq!(dialled.output.recv().await, Some(stdout("answer")));
    port.proxy.fault(Fault::Close(1001));
    let (_, last) = all(&mut dialled.output).await;
    assert_eq!(last, Output::End { exit_code: None });
}

#[tokio::test]
async fn a_cut_connection_is_no_end() {
    let (pipe, port) = pipe().await;
    let mut dialled = dial::start(pipe);
    port.proxy.fault(Fault::Cut);
    let (_, last) = all(&mut dialled.output).await;
    assert!(why(last).starts_with("the connection to the manager broke"));
}

#[tokio::test(start_paused = true)]
async fn a_silent_connection_is_no_end() {
    let (pipe, port) = pipe().await;
    let mut dialled = dial::start(pipe);
    port.proxy.fault(Fault::Freeze);
    let (_, last) = all(&mut dialled.output).await;
    assert!(why(last).starts_with("the manager isn't responding"));
    drop(port);
}

#[tokio::test]
async fn a_dropped_connection_is_closed_after_its_last_words() {
    let (pipe, mut port) = pipe().await;
    let dialled = dial::start(pipe);
    for word in ["last ", "", "words"] {
        let word = Input::Bytes(Bytes::from_static(word.as_bytes()));
        dialled.input.send(word).await.unwrap();
    }
    drop(dialled);
    let mut said = [0; 10];
    port.bytes.read_exact(&mut said).await.unwrap();
    assert_eq!(&said, b"last words");
    assert_eq!(port.proxy.ended().await, Ended::Farewell(Some(1000)));
}

#[tokio::test(start_paused = true)]
async fn full_both_ways_neither_waits_for_the_other() {
    const SIZE: usize = 3_000_000;
    let (pipe, port) = pipe().await;
    let mut dialled = dial::start(pipe);
    // The far end sends everything before it reads a byte, and so do we.
    let (mut from, mut to) = tokio::io::split(port.bytes);
    let far = tokio::spawn(async move {
        let writing = tokio::spawn(async move {
            to.write_all(&vec![1; SIZE]).await.unwrap();
            to
        });
        let mut came = vec![0; SIZE];
        from.read_exact(&mut came).await.unwrap();
        let to = writing.await.unwrap();
        (came, from, to)
    });
    let mut sent = 0;
    while sent < SIZE {
        let piece = Bytes::from(vec![2; 30_000.min(SIZE - sent)]);
        sent += piece.len();
        let sending = dialled.input.send(Input::Bytes(piece));
        tokio::time::timeout(Duration::from_secs(5), sending)
            .await
            .expect("what is not read does not hold up what is sent")
            .unwrap();
    }
    let mut came = 0;
    while came < SIZE {
        let Some(Output::Stdout(bytes)) = dialled.output.recv().await else {
            panic!("it ended after {came}");
        };
        assert!(bytes.iter().all(|byte| *byte == 1));
        came += bytes.len();
    }
    let (there, _, _) = far.await.unwrap();
    assert!(there.iter().all(|byte| *byte == 2));
    drop(port.proxy);
}
