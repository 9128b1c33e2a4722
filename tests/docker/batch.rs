//! What a session's main process runs on its own.

use workbay::{
    engine::api::{ContainerState, Containers as _, CreatePlan},
    model::{session::SessionType, spec::LaunchSpec},
};

use crate::support::{
    Bench, busybox_image, docker, empty_image, host_spec, image_spec, plan, until,
};

fn batch(command: &str, spec: LaunchSpec) -> CreatePlan {
    let spec = LaunchSpec {
        session_type: SessionType::Batch,
        startup_command: Some(command.to_owned()),
        ..spec
    };
    plan("batch", spec)
}

#[tokio::test]
async fn a_command_runs_in_the_home_and_its_success_is_the_sessions() {
    let bench = Bench::new();
    let plan = batch(
        "pwd; echo out; echo err >&2\necho \"$BACKENDAI_SESSION_NAME\" > made",
        host_spec(),
    );
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    let log = bench.log(plan.session, None).await;
    let at = |words: &str| {
        log.find(words)
            .unwrap_or_else(|| panic!("no {words} in {log}"))
    };
    assert!(
        at("workbay: ready\n") < at("workbay: command: pwd; echo out; echo err >&2 … and 1 more")
    );
    assert!(at("workbay: command: ") < at("/home/work\n"));
    assert!(at("/home/work\n") < at("workbay: ended with exit code 0\n"));
    assert!(log.contains("\nout\n") && log.contains("err\n"), "{log}");
    let made = std::fs::read_to_string(bench.home(plan.session).join("made")).unwrap();
    assert_eq!(made, "batch\n");
    bench.engine.remove(plan.session).await.unwrap();
    let kept = bench.log(plan.session, Some(plan.kernel)).await;
    assert_eq!(kept, log, "the saved log differs");
}

#[tokio::test]
async fn a_failure_and_a_signal_are_exit_codes() {
    let bench = Bench::new();
    for (command, code) in [
        ("exit 7", 7),
        ("kill -USR1 $$", 138),
        ("no-such-program", 127),
    ] {
        let plan = batch(command, image_spec(busybox_image()));
        bench.launch(&plan).await;
        assert_eq!(bench.ended(plan.session).await, code, "{command}");
        let log = bench.log(plan.session, None).await;
        // What it says on stderr reaches the log separately and may come later.
        let line = format!("workbay: ended with exit code {code}\n");
        assert!(log.contains(&line), "{log}");
    }
}

#[tokio::test]
async fn a_command_learns_that_it_is_to_end_and_has_the_last_word() {
    let bench = Bench::new();
    let plan = batch(
        "trap 'echo saved; exit 3' TERM; echo waiting; while :; do sleep 0.1; done",
        host_spec(),
    );
    bench.launch(&plan).await;
    bench.said(plan.session, "\nwaiting\n").await;
    bench.engine.stop(plan.session, 30).await.unwrap();
    assert_eq!(bench.ended(plan.session).await, 3);
    let log = bench.log(plan.session, None).await;
    assert!(log.contains("SIGTERM received and sent"), "{log}");
    assert!(log.contains("\nsaved\n"), "{log}");

    // One that says nothing ends by the signal, with all that it started.
    let plan = batch("echo waiting; sleep 1000; echo never", host_spec());
    bench.launch(&plan).await;
    bench.said(plan.session, "\nwaiting\n").await;
    bench.engine.stop(plan.session, 30).await.unwrap();
    assert_eq!(bench.ended(plan.session).await, 143);
    assert!(!bench.log(plan.session, None).await.contains("\nnever"));

    // An interrupt is handed on as what it is.
    let plan = batch(
        "trap 'exit 9' INT; echo waiting; while :; do sleep 0.1; done",
        host_spec(),
    );
    bench.launch(&plan).await;
    bench.said(plan.session, "\nwaiting\n").await;
    docker(&[
        "kill",
        "-s",
        "INT",
        &crate::support::containers(plan.session)[0],
    ]);
    assert_eq!(bench.ended(plan.session).await, 9);
}

#[tokio::test]
async fn an_image_without_a_shell_says_so() {
    let bench = Bench::new();
    let plan = batch("echo hi", image_spec(empty_image()));
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 127);
    let log = bench.log(plan.session, None).await;
    assert!(log.contains("has no shell (bash, sh or ash)"), "{log}");
}

#[tokio::test]
async fn a_terminal_beside_a_batch_command_ends_with_it() {
    let bench = Bench::new();
    let plan = batch("while [ ! -e go ]; do sleep 0.05; done", host_spec());
    bench.launch(&plan).await;
    let mut pane = bench.terminal(plan.session, "one", 80, 24).await;
    pane.wait_for("work@batch").await;
    pane.type_text("touch go\r").await;
    assert_eq!(bench.ended(plan.session).await, 0);
}

#[tokio::test]
async fn the_bootstrap_script_comes_first_and_its_failure_ends_nothing() {
    let bench = Bench::new();
    let mut plan = batch("cat early", host_spec());
    plan.spec.bootstrap_script = Some("echo from-$(basename $0) > early\nexit 4\n".into());
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    let log = bench.log(plan.session, None).await;
    assert!(
        log.contains("workbay: bootstrap.sh failed with exit code 4. The session keeps running\n"),
        "{log}"
    );
    let at = |words: &str| {
        log.find(words)
            .unwrap_or_else(|| panic!("no {words} in {log}"))
    };
    assert!(at("workbay: runs bootstrap.sh\n") < at("workbay: ready\n"));
    assert!(log.contains("\nfrom-bootstrap.sh\n"), "{log}");
}

#[tokio::test]
async fn a_bootstrap_script_without_end_does_not_hold_a_stop_up() {
    let bench = Bench::new();
    let mut plan = plan("stuck", image_spec(busybox_image()));
    plan.spec.bootstrap_script = Some("#!/bin/sh\necho begun\nsleep 1000\n".into());
    bench.launch(&plan).await;
    bench.said(plan.session, "begun\n").await;
    let state = bench.state(plan.session).await;
    assert!(
        matches!(state, Some(ContainerState::Running { .. })),
        "{state:?}"
    );
    bench.engine.stop(plan.session, 30).await.unwrap();
    assert_eq!(bench.ended(plan.session).await, 0);
    assert!(!bench.log(plan.session, None).await.contains("ready"));
}

#[tokio::test]
async fn a_bootstrap_script_in_an_image_without_a_shell_is_reported() {
    let bench = Bench::new();
    let mut plan = plan("shellless", image_spec(empty_image()));
    plan.spec.bootstrap_script = Some("echo never".into());
    bench.launch(&plan).await;
    let log = bench.said(plan.session, "workbay: ready").await;
    assert!(log.contains("bootstrap.sh didn't run: "), "{log}");
    until(async || {
        let running = matches!(
            bench.state(plan.session).await,
            Some(ContainerState::Running { .. })
        );
        running.then_some(())
    })
    .await;
}
