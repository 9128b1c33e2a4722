//! Terminals and connections into a session.

use workbay::engine::api::{AttachRequest, Attached, DialTarget, Input, Output};

use crate::{
    pane::Pane,
    support::{Bench, read_until, small, too_large, within},
};

#[tokio::test]
async fn a_terminal_answers_takes_its_size_and_comes_back_to_the_same_shell() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let mut pane = Pane::open(&bench, ours.id(), "pane-a").await;
    pane.type_("echo $((6*7)) is the answer; KEPT=still-here\r")
        .await;
    pane.wait_for_line("42 is the answer").await;
    pane.resize(100, 30).await;
    // The size reaches the session separately, and tmux takes the last row for itself.
    pane.type_("until stty size | grep -q ' 100$'; do sleep 0.1; done; echo now $(stty size)\r")
        .await;
    pane.wait_for_line("now 29 100").await;
    drop(pane);

    let mut pane = Pane::open(&bench, ours.id(), "pane-a").await;
    pane.type_("echo [$KEPT]\r").await;
    pane.wait_for_line("[still-here]").await;
}

#[tokio::test]
async fn a_service_is_dialled() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let target = DialTarget {
        service: "ttyd".to_owned(),
        port: None,
    };
    let mut line = bench.engine.dial(ours.id(), &target).await.unwrap();
    let request = b"GET /token HTTP/1.1\r\nHost: session\r\nConnection: close\r\n\r\n";
    line.input
        .send(Input::Bytes(request.to_vec().into()))
        .await
        .unwrap();
    let mut said = String::new();
    read_until(&mut line, &mut said, |said| said.contains("\"token\"")).await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
    // The other side closes after its answer.
    let end = within(end_of(line)).await;
    assert!(matches!(end, Output::End { .. }), "{end:?}");
}

#[tokio::test]
async fn a_service_that_is_not_there_is_reported() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let target = DialTarget {
        service: "no-such-service".to_owned(),
        port: None,
    };
    let refused = within(bench.engine.dial(ours.id(), &target)).await;
    let why = refused.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("no-such-service"), "{why}");
}

#[tokio::test]
async fn a_session_that_waits_has_no_terminal() {
    let bench = Bench::new().await;
    let ours = bench.enqueue(too_large()).await;
    let request = AttachRequest {
        tag: "pane".to_owned(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    };
    let refused = within(bench.engine.attach(ours.id(), request)).await;
    let why = refused.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("run"), "{why}");
}

async fn end_of(mut line: Attached) -> Output {
    loop {
        match line.output.recv().await.expect("an end is reported") {
            Output::Stdout(_) | Output::Stderr(_) => {}
            end => return end,
        }
    }
}
