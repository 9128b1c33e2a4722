//! A session from its making to its forgetting.

use futures_util::StreamExt as _;
use workbay::{
    engine::api::{
        ContainerState, Containers as _, EventKind, ExecCommand, Images as _, LogChunk, Output,
        Streams as _,
    },
    model::{
        environment::Environment,
        failure::FailureKind,
        id::SessionId,
        log::{LogOptions, LogSource},
        resources::{Bytes, Cpu},
    },
};

use crate::support::{
    Bench, busybox_image, containers, docker, host_spec, image_spec, plan, record, try_docker,
    until, within,
};

/// The whole log as it is now.
async fn log(bench: &Bench, session: SessionId, tail: Option<u32>) -> String {
    let options = LogOptions {
        follow: false,
        tail,
        kernel: None,
        timestamps: false,
        before: None,
    };
    let stream = bench.engine.logs(session, options).await.unwrap();
    let chunks: Vec<LogChunk> = within(stream.map(Result::unwrap).collect()).await;
    assert!(chunks.iter().all(|chunk| chunk.source == LogSource::Stdout));
    let bytes: Vec<u8> = chunks
        .iter()
        .flat_map(|chunk| chunk.bytes.to_vec())
        .collect();
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn from_launch_to_forgetting() {
    let bench = Bench::new();
    let plan = plan("first", host_spec());
    let made = bench.engine.create(&plan).await.unwrap();
    assert_eq!(made.state, ContainerState::Created);
    assert_eq!(made.name.unwrap().as_str(), "first");
    let again = bench.engine.create(&plan).await.unwrap();
    assert_eq!(again.container_id, made.container_id, "made twice");
    bench.engine.start(plan.session).await.unwrap();
    bench.engine.start(plan.session).await.unwrap();
    let state = bench.state(plan.session).await.unwrap();
    assert!(
        matches!(
            state,
            ContainerState::Running {
                started_at: Some(_)
            }
        ),
        "{state:?}"
    );

    until(async || {
        log(&bench, plan.session, None)
            .await
            .contains("workbay: ready")
            .then_some(())
    })
    .await;
    let said = log(&bench, plan.session, None).await;
    for line in [
        "session      first",
        "environment  host:test",
        "memory 256 MiB",
        "user         1000:1000",
        "/home/work",
    ] {
        assert!(said.contains(line), "'{line}' is not in {said}");
    }

    bench.engine.stop(plan.session, 10).await.unwrap();
    let state = bench.state(plan.session).await.unwrap();
    assert!(
        matches!(
            state,
            ContainerState::Exited {
                exit_code: 0,
                oom_killed: false,
                finished_at: Some(_)
            }
        ),
        "{state:?}"
    );
    bench.engine.stop(plan.session, 10).await.unwrap();
    bench.engine.remove(plan.session).await.unwrap();
    bench.engine.remove(plan.session).await.unwrap();
    assert_eq!(bench.state(plan.session).await, None);
    assert!(containers(plan.session).is_empty());

    let saved = log(&bench, plan.session, None).await;
    assert!(
        saved.starts_with(&said) && saved.contains("SIGTERM received"),
        "{saved}"
    );
    assert_eq!(log(&bench, plan.session, Some(1)).await.lines().count(), 1);
    assert!(
        bench.home(plan.session).join(".bashrc").exists(),
        "the home is kept"
    );
    bench.engine.forget(plan.session).await.unwrap();
    assert!(!bench.home(plan.session).exists());
    let gone = bench
        .engine
        .logs(
            plan.session,
            LogOptions {
                follow: false,
                tail: None,
                kernel: None,
                timestamps: false,
                before: None,
            },
        )
        .await;
    assert!(
        gone.err()
            .is_some_and(|error| error.kind == FailureKind::NotFound)
    );
}

#[tokio::test]
async fn a_stop_is_quick_and_lets_programs_end_by_themselves() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let line = "trap 'echo bye > farewell; exit' TERM; echo set; while :; do sleep 0.1; done";
    let command = ExecCommand {
        argv: ["sh", "-c", line].map(str::to_owned).to_vec(),
        tty: None,
        kernel: None,
    };
    let mut polite = bench.engine.exec(session, command).await.unwrap();
    assert!(matches!(
        within(polite.output.recv()).await,
        Some(Output::Stdout(_))
    ));
    bench.engine.stop(session, 30).await.unwrap();
    let state = bench.state(session).await.unwrap();
    assert!(
        matches!(state, ContainerState::Exited { exit_code: 0, .. }),
        "killed, not ended: {state:?}"
    );
    let farewell = std::fs::read_to_string(bench.home(session).join("farewell")).unwrap();
    assert_eq!(farewell, "bye\n");
}

#[tokio::test]
async fn a_force_stop_kills() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench.engine.stop(session, 0).await.unwrap();
    let killed = until(async || match bench.state(session).await? {
        ContainerState::Exited { exit_code, .. } => Some(exit_code),
        _ => None,
    });
    assert_eq!(killed.await, 137);
}

#[tokio::test]
async fn a_lost_store_can_be_rebuilt_from_the_labels() {
    let bench = Bench::new();
    let mut plan = plan("kept", host_spec());
    plan.spec
        .env
        .insert("GREETING".into(), "안녕 \"you\"".into());
    bench.launch(&plan).await;
    let listing = bench.engine.list().await.unwrap();
    assert_eq!(listing.ours.len(), 1);
    let recorded = listing.ours[0].recorded.clone().unwrap();
    assert_eq!(recorded.spec, plan.spec);
    assert_eq!(recorded.created_at, plan.created_at);
    assert_eq!(recorded.name.as_str(), "kept");
    assert_eq!(recorded.owner.as_str(), "tester");
    let record = record(plan.session);
    let labels = &record["Config"]["Labels"];
    assert_eq!(labels["ai.backend.session-id"], plan.session.to_string());
    assert_eq!(labels["ai.backend.kernel-id"], plan.kernel.to_string());
}

#[tokio::test]
async fn two_instances_never_touch_each_other_but_count_each_other() {
    let (one, two) = (Bench::new(), Bench::new());
    let mut whole = plan("theirs", host_spec());
    whole.spec.cpu = Cpu::from_millis(700);
    whole.spec.mem = Bytes::mib(128);
    one.launch(&whole).await;
    let listing = two.engine.list().await.unwrap();
    assert!(listing.ours.is_empty());
    assert!(
        listing.others.cpu >= Cpu::from_millis(700),
        "{:?}",
        listing.others
    );
    assert!(listing.others.mem >= Bytes::mib(128));
    assert_eq!(two.state(whole.session).await, None);
    two.engine.stop(whole.session, 0).await.unwrap();
    two.engine.remove(whole.session).await.unwrap();
    let renamed = two.engine.rename(whole.session, "mine").await;
    assert!(
        renamed
            .as_ref()
            .is_err_and(|error| error.kind == FailureKind::NotFound)
    );
    let state = one.state(whole.session).await;
    assert!(
        matches!(state, Some(ContainerState::Running { .. })),
        "{state:?}"
    );
}

#[tokio::test]
async fn a_rename_changes_the_container_and_nothing_else() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench.engine.rename(session, "other.name").await.unwrap();
    bench.engine.rename(session, "other.name").await.unwrap();
    let seen = bench.engine.inspect(session).await.unwrap().unwrap();
    assert_eq!(seen.name.unwrap().as_str(), "other.name");
    assert_eq!(seen.recorded.unwrap().name.as_str(), "bench");
}

#[tokio::test]
async fn what_happens_is_reported_from_the_moment_it_was_asked() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mut events = bench.engine.events().await.unwrap();
    // Nobody has read the stream yet: what happens now must not be missed.
    bench.engine.rename(session, "renamed").await.unwrap();
    let id = containers(session).remove(0);
    // Under load this engine sometimes fails to freeze a container; then nothing happened.
    until(async || try_docker(&["pause", &id]).then_some(())).await;
    docker(&["unpause", &id]);
    bench.run(session, &["true"]).await;
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    let mut kinds = Vec::new();
    while kinds.last() != Some(&EventKind::Removed) {
        let event = within(events.next()).await.unwrap().unwrap();
        assert_eq!(event.session, session);
        kinds.push(event.kind);
    }
    // The engine reports the second before as well.
    kinds.retain(|kind| *kind != EventKind::Started);
    assert_eq!(
        kinds,
        [
            EventKind::Renamed {
                name: "renamed".into()
            },
            EventKind::Paused,
            EventKind::Unpaused,
            EventKind::Died { exit_code: 137 },
            EventKind::Removed,
        ]
    );
}

#[tokio::test]
async fn a_session_that_runs_out_of_memory_is_reported() {
    let bench = Bench::new();
    let mut plan = plan("greedy", host_spec());
    plan.spec.mem = Bytes::mib(64);
    bench.launch(&plan).await;
    let mut events = bench.engine.events().await.unwrap();
    let (_, code) = bench.run(plan.session, &["tail", "/dev/zero"]).await;
    assert_eq!(code, Some(137));
    loop {
        if within(events.next()).await.unwrap().unwrap().kind == EventKind::OutOfMemory {
            break;
        }
    }
}

#[tokio::test]
async fn another_daemon_of_the_same_instance_finds_everything() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let next = crate::support::engine(bench.instance, bench.dir.path(), None);
    let listing = next.list().await.unwrap();
    assert_eq!(
        listing
            .ours
            .iter()
            .map(|seen| seen.session)
            .collect::<Vec<_>>(),
        [session]
    );
    next.stop(session, 0).await.unwrap();
    next.remove(session).await.unwrap();
    assert_eq!(bench.state(session).await, None);
}

#[tokio::test]
async fn an_image_that_is_gone_is_reported_and_leaves_nothing() {
    let bench = Bench::new();
    let plan = plan("gone", image_spec("workbay-test/never-was:1"));
    let error = bench.engine.create(&plan).await.unwrap_err();
    assert!(error.kind == FailureKind::NoImage, "{error}");
    assert!(
        error.to_string().contains("workbay-test/never-was:1"),
        "{error}"
    );
    assert!(error.sentence().contains("env pull"), "{error}");
    assert!(containers(plan.session).is_empty());
    assert!(!bench.home(plan.session).exists());
}

#[tokio::test]
async fn a_create_the_engine_refuses_leaves_nothing() {
    let bench = Bench::new();
    let mut plan = plan("broken", image_spec(busybox_image()));
    // No check of ours knows that an engine takes no NUL in a variable.
    plan.spec.env.insert("BAD".into(), "a\0b".into());
    let error = match bench.engine.create(&plan).await {
        Err(error) => error,
        Ok(_) => bench.engine.start(plan.session).await.unwrap_err(),
    };
    assert!(!error.is_lost(), "{error}");
    assert!(containers(plan.session).is_empty());
    assert!(!bench.home(plan.session).exists());
}

#[tokio::test]
async fn local_images_are_environments_and_ours_is_hidden() {
    let bench = Bench::new();
    bench.host_session().await;
    let image = busybox_image();
    let all = bench.engine.environments().await.unwrap();
    assert_eq!(all[0].name.as_str(), "host");
    assert_eq!(all[0].unavailable, None);
    let labels: Vec<String> = all.iter().map(Environment::label).collect();
    assert!(labels.iter().any(|label| label == image), "{labels:?}");
    assert!(
        !labels.iter().any(|label| label.starts_with("workbay/host")),
        "{labels:?}"
    );
}

#[tokio::test]
async fn a_stranger_with_our_labels_is_not_taken_for_a_session() {
    let bench = Bench::new();
    let label = format!("workbay.instance={}", bench.instance);
    busybox_image();
    docker(&[
        "create",
        "--label",
        &label,
        "--label",
        "ai.backend.session-id=nonsense",
        busybox_image(),
        "sleep",
        "1",
    ]);
    assert!(bench.engine.list().await.unwrap().ours.is_empty());
}
