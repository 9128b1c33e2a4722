//! The four faults of a terminal: its own WebSocket runs inside the pipe's, and either of them may
//! close or become silent. Tests which faults are an end, which are a loss, and what is reported.

use super::{Scene, all, scene, tcpproxy::Fault, why};
use crate::engine::{api::Output, backendai::stream::open_terminals::OpenTerminals};

async fn open() -> Scene {
    scene(&OpenTerminals::default(), "pane").await
}

#[tokio::test]
async fn inner_closed_the_shell_has_ended() {
    for code in [1000, 1001, 1011] {
        let mut scene = open().await;
        scene.ttyd.show(b"logout\r\n").await;
        scene.ttyd.end(code).await;
        let (shown, last) = all(&mut scene.terminal.output).await;
        assert_eq!(shown, b"logout\r\n");
        assert_eq!(last, Output::End { exit_code: None });
    }
}

#[tokio::test(start_paused = true)]
async fn inner_silent_the_terminal_does_not_answer() {
    let mut scene = open().await;
    scene.ttyd.show(b"$ ").await;
    // ttyd doesn't answer from now on. The proxy still does.
    let (shown, last) = all(&mut scene.terminal.output).await;
    assert_eq!(shown, b"$ ");
    assert_eq!(why(last), "the terminal in the session stopped answering");
    drop((scene.ttyd, scene.proxy));
}

#[tokio::test]
async fn outer_closed_the_connection_is_lost_and_the_shell_lives() {
    for (code, said) in [
        (
            1000,
            "the connection to the terminal in the session was closed",
        ),
        (
            1001,
            "the connection to the terminal in the session was closed",
        ),
        (
            1011,
            "the manager closed the connection to the session (code 1011)",
        ),
        (1013, "no program listens on the port of the service"),
    ] {
        let mut scene = open().await;
        scene.proxy.fault(Fault::Close(code));
        let (_, last) = all(&mut scene.terminal.output).await;
        assert_eq!(why(last), said);
    }
}

#[tokio::test(start_paused = true)]
async fn outer_silent_the_connection_to_the_manager_is_lost() {
    let mut scene = open().await;
    scene.proxy.fault(Fault::Freeze);
    let (_, last) = all(&mut scene.terminal.output).await;
    assert_eq!(why(last), "the manager isn't responding: no answer for 20s");
    drop((scene.ttyd, scene.proxy));
}

#[tokio::test]
async fn outer_cut_the_connection_to_the_manager_is_lost() {
    let mut scene = open().await;
    scene.proxy.fault(Fault::Cut);
    let (_, last) = all(&mut scene.terminal.output).await;
    assert_eq!(
        why(last),
        "the connection to the manager broke: the connection was closed without a message"
    );
}
