//! What passes through a terminal, and how it is closed.

use std::time::Duration;

use bytes::Bytes;

use super::{
    all, pipe, scene, stdout,
    tcpproxy::{self, Ended},
    why,
};
use crate::engine::{
    api::{Input, Output},
    backendai::stream::{
        open_terminals::OpenTerminals,
        terminal::{self, NotOpened},
    },
};

fn typed(text: &'static str) -> Input {
    Input::Bytes(Bytes::from_static(text.as_bytes()))
}

#[tokio::test(start_paused = true)]
async fn typing_waits_until_the_program_has_the_terminal() {
    let mut scene = scene(&OpenTerminals::default(), "pane").await;
    // At this moment, Ctrl-C would end the program that starts tmux.
    scene.terminal.input.send(typed("\u{3}")).await.unwrap();
    let early = tokio::time::timeout(Duration::from_millis(200), scene.ttyd.received()).await;
    assert!(early.is_err(), "{early:?} was typed too early");
    scene.ttyd.show(b"$ ").await;
    assert_eq!(scene.ttyd.received().await, "0\u{3}");
}

#[tokio::test(start_paused = true)]
async fn what_is_typed_and_shown_goes_through() {
    let mut scene = scene(&OpenTerminals::default(), "pane").await;
    assert_eq!(
        scene.ttyd.hello,
        r#"{"AuthToken":"","columns":80,"rows":24}"#
    );
    let input = &scene.terminal.input;
    input.send(typed("echo 한글\r")).await.unwrap();
    let (columns, rows) = (120, 40);
    input.send(Input::Resize { columns, rows }).await.unwrap();
    assert_eq!(scene.ttyd.received().await, "0echo 한글\r");
    assert_eq!(scene.ttyd.received().await, r#"1{"columns":120,"rows":40}"#);
    scene.ttyd.show("한글\r\n".as_bytes()).await;
    assert_eq!(scene.terminal.output.recv().await, Some(stdout("한글\r\n")));
}

#[tokio::test(start_paused = true)]
async fn an_end_of_input_is_no_end_of_a_terminal() {
    let mut scene = scene(&OpenTerminals::default(), "pane").await;
    scene.terminal.input.send(Input::Eof).await.unwrap();
    scene.terminal.input.send(typed("a")).await.unwrap();
    assert_eq!(scene.ttyd.received().await, "0a");
    let (closed, _) = tokio::sync::mpsc::channel(1);
    drop(std::mem::replace(&mut scene.terminal.input, closed));
    scene.ttyd.show(b"still here").await;
    assert_eq!(
        scene.terminal.output.recv().await,
        Some(stdout("still here"))
    );
}

#[tokio::test]
async fn a_dropped_terminal_closes_both_sockets_and_types_its_last_words() {
    let held = OpenTerminals::default();
    let mut scene = scene(&held, "pane").await;
    scene
        .terminal
        .input
        .send(typed("last words"))
        .await
        .unwrap();
    drop(scene.terminal);
    assert_eq!(scene.ttyd.received().await, "0last words");
    scene.ttyd.farewell().await;
    assert_eq!(scene.proxy.ended().await, Ended::Farewell(Some(1000)));
    // The tag is free, so the next terminal doesn't have to wait.
    let free = tokio::time::timeout(Duration::from_secs(1), held.take(super::SESSION, "pane"));
    free.await.unwrap();
}

#[tokio::test]
async fn the_same_tag_again_ends_the_older_terminal_first() {
    let held = OpenTerminals::default();
    let mut first = scene(&held, "pane").await;
    let mut other = scene(&held, "other").await;
    let second_take = tokio::spawn({
        let held = held.clone();
        async move { held.take(super::SESSION, "pane").await }
    });
    first.ttyd.farewell().await;
    assert_eq!(first.proxy.ended().await, Ended::Farewell(Some(1000)));
    let (_, last) = all(&mut first.terminal.output).await;
    assert_eq!(last, Output::End { exit_code: None });
    let _second = second_take.await.unwrap();
    other.ttyd.show(b"untouched").await;
    assert_eq!(
        other.terminal.output.recv().await,
        Some(stdout("untouched"))
    );
}

#[tokio::test(start_paused = true)]
async fn a_flood_holds_the_program_back_and_loses_nothing() {
    let mut scene = scene(&OpenTerminals::default(), "pane").await;
    let expected: Vec<u8> = (0..4_000_000_u32).map(|n| (n % 251) as u8).collect();
    let flood = expected.clone();
    let showing = tokio::spawn(async move {
        // Like ttyd, sends what it has read from its program until it is asked to pause.
        let (mut at, mut pauses) = (0, 0);
        while at < flood.len() {
            let next = (at + 40_000).min(flood.len());
            scene.ttyd.show(&flood[at..next]).await;
            at = next;
            let poll = tokio::time::timeout(Duration::from_millis(1), scene.ttyd.received());
            if let Ok(said) = poll.await {
                assert_eq!(said, "2");
                pauses += 1;
                assert_eq!(scene.ttyd.received().await, "3");
            }
        }
        scene.ttyd.end(1000).await;
        (pauses, scene.proxy)
    });
    // The output isn't read for longer than any silence that counts as a loss.
    tokio::time::sleep(Duration::from_secs(300)).await;
    let (shown, last) = all(&mut scene.terminal.output).await;
    assert_eq!(last, Output::End { exit_code: None });
    assert!(shown == expected, "{} bytes came", shown.len());
    let (pauses, _line) = showing.await.unwrap();
    assert!(pauses > 0, "the program was never held back");
}

#[tokio::test(start_paused = true)]
async fn a_terminal_where_nothing_happens_stays() {
    let mut scene = scene(&OpenTerminals::default(), "pane").await;
    let waiting = tokio::spawn(async move {
        let said = scene.ttyd.received().await;
        (said, scene.ttyd)
    });
    tokio::time::sleep(Duration::from_secs(3600)).await;
    scene.terminal.input.send(typed("back")).await.unwrap();
    let (said, mut ttyd) = waiting.await.unwrap();
    assert_eq!(said, "0back");
    ttyd.show(b"welcome").await;
    assert_eq!(scene.terminal.output.recv().await, Some(stdout("welcome")));
    drop(scene.proxy);
}

#[tokio::test]
async fn a_port_that_refuses_is_worth_another_attempt() {
    let (pipe, port) = pipe().await;
    port.proxy.fault(tcpproxy::Fault::Close(1013));
    let error = terminal::open(pipe, 80, 24).await.err();
    assert_eq!(error, Some(NotOpened::NotYet));
}

#[tokio::test]
async fn what_is_no_ttyd_is_reported() {
    use tokio::io::AsyncWriteExt as _;
    let (pipe, mut port) = pipe().await;
    let page = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    port.bytes.write_all(page).await.unwrap();
    let error = terminal::open(pipe, 80, 24).await.err();
    let expected = "the terminal service of the session answered with status 200";
    assert_eq!(error, Some(NotOpened::Failed(expected.to_owned())));
}

#[tokio::test]
async fn a_connection_that_is_cut_at_the_opening_is_reported() {
    let (pipe, port) = pipe().await;
    port.proxy.fault(tcpproxy::Fault::Cut);
    let error = terminal::open(pipe, 80, 24).await.err();
    let Some(NotOpened::Failed(why)) = error else {
        panic!("{error:?}");
    };
    assert!(
        why.starts_with("the connection to the manager broke"),
        "{why}"
    );
}

#[tokio::test]
async fn nonsense_of_ttyd_s_is_a_loss() {
    use futures_util::SinkExt as _;
    use tokio_tungstenite::tungstenite::{
        Message,
        protocol::frame::{
            Frame,
            coding::{Data, OpCode},
        },
    };
    let mut scene = scene(&OpenTerminals::default(), "pane").await;
    let torn = Frame::message(
        Bytes::from_static(b"0x"),
        OpCode::Data(Data::Continue),
        true,
    );
    scene.ttyd.socket.send(Message::Frame(torn)).await.unwrap();
    let (_, last) = all(&mut scene.terminal.output).await;
    let why = why(last);
    assert!(why.starts_with("the terminal's connection broke:"), "{why}");
}
