//! Finding the engine, losing it, finding it again.

use std::time::Duration;

use futures_util::StreamExt as _;
use workbay::{
    engine::api::{Containers as _, ExecCommand, Output, Streams as _},
    model::{
        capability::Capability,
        failure::{Failure, FailureKind},
        id::InstanceId,
        text::Clean,
    },
};

use crate::{
    relay::{Manner, Relay},
    support::{Bench, SOCKET, drain, engine, host_spec, plan, probe, within},
};

#[tokio::test]
async fn the_engine_reports_what_it_is() {
    let bench = Bench::new();
    let info = probe(&bench.engine).await.unwrap();
    assert_eq!(info.kind.as_str(), "Docker");
    assert!(
        info.version
            .as_str()
            .starts_with(|c: char| c.is_ascii_digit()),
        "{}",
        info.version
    );
    assert!(
        info.api_version.as_str().starts_with("1."),
        "{}",
        info.api_version
    );
    assert!(
        info.endpoint.as_str().starts_with("unix:///"),
        "{}",
        info.endpoint
    );
    assert!(info.cpus.millis() >= 1000 && info.memory.0 > 0);
    assert!(
        info.capabilities.has(Capability::HostEnvironment),
        "{:?}",
        info.capabilities
    );
    let again = probe(&bench.engine).await.unwrap();
    assert_eq!(again, info);
}

#[tokio::test]
async fn an_engine_that_is_not_there_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("none.sock");
    let url = format!("unix://{}", socket.display());
    let lost = engine(InstanceId::random(), dir.path(), Some(&url));
    let error = probe(&lost).await.unwrap_err();
    assert!(error.is_lost());
    assert!(error.to_string().contains(&url));
    let hint = error.hint.unwrap().into_string();
    assert!(hint.contains("DOCKER_HOST"));
    assert!(lost.list().await.unwrap_err().is_lost());

    // A socket nobody listens on.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let error = probe(&lost).await.unwrap_err();
    assert!(error.to_string().contains("isn't running"), "{error}");
}

#[tokio::test]
async fn an_engine_that_comes_up_later_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("late.sock");
    let url = format!("unix://{}", socket.display());
    let late = engine(InstanceId::random(), dir.path(), Some(&url));
    assert!(probe(&late).await.unwrap_err().is_lost());
    std::os::unix::fs::symlink(SOCKET, &socket).unwrap();
    assert_eq!(probe(&late).await.unwrap().kind.as_str(), "Docker");
}

#[tokio::test]
async fn a_lost_engine_ends_what_hangs_on_it_and_is_taken_up_again() {
    let bench = Bench::new();
    let socket = bench.dir.path().join("relay.sock");
    let relay = Relay::start(&socket, SOCKET.as_ref());
    let engine = engine(bench.instance, bench.dir.path(), Some(&relay.endpoint()));
    let plan = plan("cut.off", host_spec());
    engine.create(&plan).await.unwrap();
    engine.start(plan.session).await.unwrap();
    let mut events = engine.events().await.unwrap();
    let waiting = ExecCommand {
        argv: ["sleep", "1000"].map(str::to_owned).to_vec(),
        tty: None,
        kernel: None,
    };
    let mut command = engine.exec(plan.session, waiting).await.unwrap();

    relay.cut();
    let end = within(command.output.recv()).await;
    assert!(matches!(end, Some(Output::Lost { .. })), "{end:?}");
    let lost = loop {
        match within(events.next())
            .await
            .expect("the events ended without a word")
        {
            Ok(_) => {}
            Err(error) => break error,
        }
    };
    assert!(lost.is_lost(), "{lost}");
    let error = engine.list().await.unwrap_err();
    assert!(
        error.is_lost() && error.to_string().contains("relay.sock"),
        "{error}"
    );

    let _relay = Relay::start(&socket, SOCKET.as_ref());
    probe(&engine).await.unwrap();
    let listing = engine.list().await.unwrap();
    assert_eq!(listing.ours.len(), 1);
}

#[tokio::test]
async fn an_engine_that_hangs_is_reported_with_its_address_and_comes_back_automatically() {
    let bench = Bench::new();
    let relay = Relay::start(&bench.dir.path().join("relay.sock"), SOCKET.as_ref());
    let engine = engine(bench.instance, bench.dir.path(), Some(&relay.endpoint()));
    let silent = |failure: Failure| {
        assert_eq!(failure.kind, FailureKind::Unreachable, "{failure:?}");
        let why = failure.to_string();
        let hint = failure.hint.map(Clean::into_string);
        assert!(why.contains(&relay.endpoint()), "{why}");
        assert!(why.contains("didn't answer for"), "{why}");
        assert!(hint.as_ref().unwrap().contains("journalctl"), "{hint:?}");
    };
    // From the first request on.
    relay.set(Manner::Silent);
    silent(probe(&engine).await.unwrap_err());
    relay.set(Manner::Through);
    probe(&engine).await.unwrap();
    // On an open connection.
    relay.set(Manner::Silent);
    silent(engine.ping().await.unwrap_err());
    silent(probe(&engine).await.unwrap_err());
    relay.set(Manner::Through);
    engine.ping().await.unwrap();
    probe(&engine).await.unwrap();
}

#[tokio::test]
async fn an_engine_that_takes_two_seconds_for_each_answer_is_slow_and_not_lost() {
    let bench = Bench::new();
    let relay = Relay::start(&bench.dir.path().join("relay.sock"), SOCKET.as_ref());
    relay.set(Manner::Slow(Duration::from_secs(2)));
    let engine = engine(bench.instance, bench.dir.path(), Some(&relay.endpoint()));
    probe(&engine).await.unwrap();
    engine.ping().await.unwrap();
    let plan = plan("slow", host_spec());
    engine.create(&plan).await.unwrap();
    engine.start(plan.session).await.unwrap();
    let words = ["echo", "slow"].map(str::to_owned).to_vec();
    let command = ExecCommand {
        argv: words,
        tty: None,
        kernel: None,
    };
    let (said, _, end) = drain(engine.exec(plan.session, command).await.unwrap()).await;
    assert_eq!(
        (said.as_str(), end),
        ("slow\n", Output::End { exit_code: Some(0) })
    );
}
