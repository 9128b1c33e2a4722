//! What a session does on any Podman.

use std::{os::unix::fs::MetadataExt as _, path::Path};

use bytes::Bytes as Chunk;
use jiff::Timestamp;
use workbay::{
    engine::{
        api::{
            ContainerState, Containers as _, DialTarget, Engine as _, EventKind, ExecCommand,
            Folders as _, Images as _, Input, Output, Streams as _, UsageAsk,
        },
        docker::DockerEngine,
    },
    model::{capability::Capability, environment::SessionUser, id::SessionId},
};

use crate::{
    bench::{Bench, busybox, host_spec, image_spec, mounted, plan},
    echo_app,
    own_images::images_have_no_secrets,
    pane::{until, within},
};

pub struct Expected<'a> {
    /// uid of what sessions write on this machine.
    pub owner: u32,
    /// Whether the engine can set limits.
    pub limits: bool,
    pub folders: &'a Path,
}

/// From launch to forgetting; `again` is a daemon that restarts on the same engine.
pub async fn from_launch_to_forgetting(
    bench: &Bench,
    again: DockerEngine,
    expected: &Expected<'_>,
) {
    let info = bench.engine.probe().await.unwrap();
    assert_eq!(info.kind.as_str(), "Podman");
    for wanted in [
        Capability::HostEnvironment,
        Capability::Folders,
        Capability::Terminal,
        Capability::Dial,
        Capability::Commit,
    ] {
        assert!(info.capabilities.has(wanted), "{:?}", info.capabilities);
    }
    let environments = bench.engine.environments().await.unwrap();
    assert_eq!(environments[0].unavailable, None);
    bench.engine.create_folder("data").await.unwrap();
    let mut plan = plan("first", host_spec());
    plan.spec.mounts = vec![mounted("data", "/home/work/data", false)];
    plan.spec.apps = vec![echo_app::echo_app()];
    let mut events = bench.engine.events().await.unwrap();
    bench.launch(&plan).await;
    let session = plan.session;
    started(&mut events, session).await;

    let log = bench.said(session, "workbay: ready").await;
    let warned = log.contains("this engine can't limit");
    assert_eq!(warned, !expected.limits, "{log}");
    assert_user_and_owner(bench, session, expected).await;
    pane_and_command(bench, session).await;
    usage(bench, session).await;
    dial(bench, session).await;
    echo_app::works(bench, session).await;

    // Another daemon finds it as it is.
    let listed = again.list().await.unwrap().ours;
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].session, session);
    assert!(matches!(listed[0].state, ContainerState::Running { .. }));
    assert_eq!(listed[0].recorded.as_ref().unwrap().spec, plan.spec);
    again.rename(session, "second").await.unwrap();
    let seen = bench.engine.inspect(session).await.unwrap().unwrap();
    assert_eq!(seen.name.unwrap().as_str(), "second");

    let home = bench.engine.home(session).unwrap();
    again.stop(session, 10).await.unwrap();
    assert_eq!(bench.ended(session).await, 0);
    bench.engine.remove(session).await.unwrap();
    assert_eq!(bench.state(session).await, None);
    assert!(bench.log(session, None).await.contains("SIGTERM received"));
    bench.engine.forget(session).await.unwrap();
    assert!(!home.exists());
    assert!(bench.engine.list().await.unwrap().ours.is_empty());
    as_the_images_user(bench, expected).await;
    images_have_no_secrets(bench).await;
}

/// Whatever user that is outside: the files are ours when the session has ended.
async fn as_the_images_user(bench: &Bench, expected: &Expected<'_>) {
    for user in ["0", "1234"] {
        let name = format!("localhost/workbay-test/own-{user}:1");
        let mut tar = tar::Builder::new(Vec::new());
        busybox(&mut tar);
        let line = format!("USER {user}");
        bench.client.import(&name, &[&line], tar);
        let mut plan = plan("own", image_spec(&name));
        plan.spec.user = SessionUser::Image;
        bench.launch(&plan).await;
        let session = plan.session;
        let said = bench.sh(
            session,
            "id -u; mkdir deep; echo x > deep/file; chmod 000 deep",
        );
        assert_eq!(said.await, user);
        bench.engine.stop(session, 0).await.unwrap();
        bench.engine.remove(session).await.unwrap();
        let home = bench.engine.home(session).unwrap();
        let owner = std::fs::symlink_metadata(home.join("deep")).unwrap().uid();
        assert_eq!(owner, expected.owner, "{user}");
        bench.engine.forget(session).await.unwrap();
        assert!(!home.exists());
    }
}

async fn started(
    events: &mut futures_util::stream::BoxStream<
        'static,
        workbay::engine::api::Result<workbay::engine::api::EngineEvent>,
    >,
    session: SessionId,
) {
    use futures_util::StreamExt as _;
    loop {
        let event = within(events.next()).await.expect("no event").unwrap();
        if event.session == session && event.kind == EventKind::Started {
            return;
        }
    }
}

async fn assert_user_and_owner(bench: &Bench, session: SessionId, expected: &Expected<'_>) {
    let owner = expected.owner;
    assert_eq!(
        bench
            .sh(session, "id -u; id -un; echo $HOME; hostname")
            .await,
        format!("{owner}\nwork\n/home/work\nmain1")
    );
    bench
        .sh(
            session,
            "echo x > mine; echo x > data/kept; cat /usr/bin/env > /dev/null",
        )
        .await;
    let home = bench.engine.home(session).unwrap();
    let uid = |path: &Path| std::fs::metadata(path).unwrap().uid();
    assert_eq!(uid(&home.join("mine")), owner);
    assert_eq!(uid(&expected.folders.join("data/kept")), owner);
    let (said, code) = bench.run(session, &["touch", "/usr/share/mine"]).await;
    assert_ne!(code, Some(0), "{said}");
}

async fn pane_and_command(bench: &Bench, session: SessionId) {
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@first").await;
    pane.type_text("echo $((6*7)) $COLUMNS\r").await;
    pane.wait_for("42 80").await;
    pane.resize(100, 30).await;
    // The size comes beside what is typed.
    let wait = "until [ \"$(stty size)\" = '30 100' ]; do sleep 0.1; done; echo re''sized\r";
    pane.type_text(wait).await;
    pane.wait_for("resized").await;

    bench.ends_a_dropped_command(session).await;
}

async fn usage(bench: &Bench, session: SessionId) {
    let mut pane = bench.terminal(session, "busy", 80, 24).await;
    pane.wait_for("work@first").await;
    pane.type_text("while :; do :; done\r").await;
    let begun = tokio::time::Instant::now();
    let asked = [UsageAsk::all(session)];
    until(async || {
        let passed = jiff::SignedDuration::try_from(begun.elapsed()).unwrap();
        let now = Timestamp::UNIX_EPOCH + passed;
        let sample = bench.engine.usage(&asked, now).await;
        let usage = &sample.first()?.1;
        (usage.mem.0 > 0 && usage.cpu?.millis() > 100).then_some(())
    })
    .await;
    pane.type_text("\u{3}").await;
}

/// A service in the session reaches us and we reach it, by the session's own loopback.
async fn dial(bench: &Bench, session: SessionId) {
    let served = ExecCommand {
        argv: ["/bin/busybox", "nc", "-l", "-p", "5123"]
            .map(str::to_owned)
            .to_vec(),
        tty: None,
        kernel: None,
    };
    let mut server = bench.engine.exec(session, served).await.unwrap();
    let said = Chunk::from_static(b"welcome\n");
    server.input.send(Input::Bytes(said)).await.unwrap();
    let to = DialTarget {
        service: "5123".to_owned(),
        port: None,
    };
    // It takes one connection, when it listens.
    let mut dialled = until(async || {
        let mut dialled = bench.engine.dial(session, &to).await.unwrap();
        match within(dialled.output.recv()).await {
            Some(Output::Stdout(bytes)) => Some((bytes, dialled)),
            _ => None,
        }
    })
    .await;
    assert_eq!(dialled.0, "welcome\n");
    let line = Chunk::from_static(b"hello\n");
    dialled.1.input.send(Input::Bytes(line)).await.unwrap();
    let output = within(server.output.recv()).await.unwrap();
    assert!(
        matches!(&output, Output::Stdout(bytes) if bytes == "hello\n"),
        "{output:?}"
    );
    dialled.1.input.send(Input::Eof).await.unwrap();
    let end = within(dialled.1.output.recv()).await;
    assert_eq!(end, Some(Output::End { exit_code: Some(0) }));
    let nobody = DialTarget {
        service: "5124".to_owned(),
        port: None,
    };
    let refused = bench.engine.dial(session, &nobody).await.unwrap();
    let (_, said, end) = crate::bench::drain(refused).await;
    assert!(said.contains("no program answers on port 5124"), "{said}");
    assert_eq!(end, Output::End { exit_code: Some(1) });
}
