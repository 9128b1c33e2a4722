//! Sessions of several containers.

use futures_util::StreamExt as _;
use workbay::{
    engine::api::{
        AttachRequest, ContainerState, Containers as _, CreatePlan, Engine as _, EventKind,
        ExecCommand, Output, Streams as _, SubSighting, UsageAsk,
    },
    model::{
        failure::FailureKind,
        id::{KernelId, SessionId},
        resources::{Bytes, Cpu},
        shell_start::ShellStart,
        spec::LaunchSpec,
    },
};

use crate::support::{
    Bench, Terminal, busybox_image, containers, docker, drain, host_spec, image_spec, networks,
    plan, until, within,
};

pub fn cluster(spec: LaunchSpec, subs: usize) -> CreatePlan {
    let spec = LaunchSpec {
        cpu: Cpu::from_millis(100),
        mem: Bytes::mib(64),
        cluster_size: subs as u32 + 1,
        ..spec
    };
    CreatePlan {
        subs: (0..subs).map(|_| KernelId::random()).collect(),
        ..plan("cluster", spec)
    }
}

async fn subs(bench: &Bench, session: SessionId) -> Vec<SubSighting> {
    let seen = bench.engine.inspect(session).await.unwrap();
    seen.expect("a session").subs
}

fn networks_of(session: SessionId) -> Vec<String> {
    networks(&format!("ai.backend.session-id={session}"))
}

/// A shell line in one of the session's containers, by the engine's own client.
fn sh(container: &str, line: &str) -> String {
    docker(&["exec", container, "sh", "-c", line])
        .trim()
        .to_owned()
}

#[tokio::test]
async fn three_containers_reach_each_other_by_name_and_end_without_a_trace() {
    let bench = Bench::new();
    let plan = cluster(host_spec(), 2);
    let session = plan.session;
    let made = bench.engine.create(&plan).await.unwrap();
    assert_eq!(made.kernel, plan.kernel);
    assert_eq!(made.state, ContainerState::Created);
    let again = bench.engine.create(&plan).await.unwrap();
    assert_eq!(again, made, "made twice");
    bench.engine.start(session).await.unwrap();
    bench.engine.start(session).await.unwrap();

    let others = subs(&bench, session).await;
    let names: Vec<&str> = others.iter().map(|sub| sub.hostname.as_str()).collect();
    assert_eq!(names, ["sub1", "sub2"]);
    let kernels: Vec<KernelId> = others.iter().map(|sub| sub.kernel).collect();
    assert_eq!(kernels, plan.subs);
    assert!(
        others
            .iter()
            .all(|sub| matches!(sub.state, ContainerState::Running { .. }))
    );

    let mut all = vec![("main1", made.container_id.as_str())];
    all.extend(
        others
            .iter()
            .map(|sub| (sub.hostname.as_str(), sub.container_id.as_str())),
    );
    for (name, container) in &all {
        assert_eq!(sh(container, "cat /proc/sys/kernel/hostname"), *name);
        assert_eq!(sh(container, "echo $BACKENDAI_CLUSTER_HOST"), *name);
        let hosts = sh(
            container,
            "echo $BACKENDAI_CLUSTER_HOSTS $BACKENDAI_CLUSTER_SIZE",
        );
        assert_eq!(hosts, "main1,sub1,sub2 3");
        for (other, _) in &all {
            let found = sh(container, &format!("getent hosts {other}"));
            assert!(
                found.contains(other),
                "{name} does not find {other}: {found}"
            );
        }
    }
    // A name that is found is also an address that answers.
    docker(&[
        "exec",
        "-d",
        all[2].1,
        "sh",
        "-c",
        "echo hello | /bin/busybox nc -l -p 9999",
    ]);
    until(async || {
        let line = "/bin/busybox nc sub2 9999 < /dev/null";
        let (said, _) = bench.run(session, &["sh", "-c", line]).await;
        (said.trim() == "hello").then_some(())
    })
    .await;

    bench.engine.stop(session, 10).await.unwrap();
    let ended = subs(&bench, session).await;
    assert!(
        ended
            .iter()
            .all(|sub| matches!(sub.state, ContainerState::Exited { .. })),
        "{ended:?}"
    );
    bench.engine.remove(session).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    assert!(containers(session).is_empty());
    assert!(networks_of(session).is_empty());

    // Each has its own log, kept as its own.
    let main = bench.log(session, None).await;
    assert!(main.contains("workbay: cluster      main1 of 3"), "{main}");
    assert_eq!(bench.log(session, Some(plan.kernel)).await, main);
    let second = bench.log(session, Some(plan.subs[1])).await;
    assert!(
        second.contains("workbay: cluster      sub2 of 3"),
        "{second}"
    );
    let unknown = workbay::model::log::LogOptions {
        kernel: Some(KernelId::random()),
        ..Default::default()
    };
    let unknown = workbay::engine::api::Streams::logs(&*bench.engine, session, unknown).await;
    assert!(
        unknown
            .err()
            .is_some_and(|error| error.kind == FailureKind::NotFound)
    );
    bench.engine.forget(session).await.unwrap();
    assert!(!bench.home(session).exists());
}

#[tokio::test]
async fn a_cluster_is_one_session_in_every_answer() {
    let (bench, other) = (Bench::new(), Bench::new());
    let plan = cluster(image_spec(busybox_image()), 2);
    bench.launch(&plan).await;
    let next = crate::support::engine(bench.instance, bench.dir.path(), None);
    let listing = next.list().await.unwrap();
    assert_eq!(listing.ours.len(), 1);
    let seen = &listing.ours[0];
    assert_eq!((seen.kernel, seen.subs.len()), (plan.kernel, 2));
    assert_eq!(seen.recorded.as_ref().unwrap().spec, plan.spec);

    // Others count each container once.
    let others = other.engine.list().await.unwrap().others;
    assert!(
        others.cpu >= Cpu::from_millis(300) && others.mem >= Bytes::mib(192),
        "{others:?}"
    );

    // Commands go to the main one, logs to the one that is named, usage is the sum.
    assert_eq!(
        bench.sh(plan.session, "echo $BACKENDAI_CLUSTER_ROLE").await,
        "main"
    );
    let log = until(async || {
        let log = next_log(&bench, &plan, 0).await;
        log.contains("ready").then_some(log)
    })
    .await;
    assert!(log.contains("sub1 of 3"), "{log}");
    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    assert_eq!(
        bench
            .engine
            .usage(&[UsageAsk::all(plan.session)], at)
            .await
            .len(),
        1
    );

    // A rename applies to all containers.
    bench
        .engine
        .rename(plan.session, "other.name")
        .await
        .unwrap();
    let names = docker(&["ps", "--format", "{{.Names}}", "--filter", &label(&bench)]);
    assert!(
        names
            .lines()
            .all(|name| name.starts_with("workbay.other.name.")),
        "{names}"
    );
    next.stop(plan.session, 0).await.unwrap();
    next.remove(plan.session).await.unwrap();
    assert_eq!(bench.state(plan.session).await, None);
    assert!(networks_of(plan.session).is_empty());
}

async fn next_log(bench: &Bench, plan: &CreatePlan, sub: usize) -> String {
    bench.log(plan.session, Some(plan.subs[sub])).await
}

fn label(bench: &Bench) -> String {
    format!("label=workbay.instance={}", bench.instance)
}

/// A terminal in one of the session's containers.
pub async fn attach_in(
    bench: &Bench,
    session: SessionId,
    tag: &str,
    kernel: Option<KernelId>,
) -> Terminal {
    let request = AttachRequest {
        tag: tag.to_owned(),
        columns: 80,
        rows: 24,
        start: ShellStart {
            kernel,
            ..ShellStart::default()
        },
    };
    let attached = bench.engine.attach(session, request).await.unwrap();
    Terminal::new(attached, 80, 24)
}

#[tokio::test]
async fn each_container_of_a_cluster_has_shells_and_takes_commands() {
    let bench = Bench::new();
    let plan = cluster(host_spec(), 2);
    bench.launch(&plan).await;
    let host = async |kernel: Option<KernelId>| {
        let command = ExecCommand {
            argv: ["sh", "-c", "echo $BACKENDAI_CLUSTER_HOST"]
                .map(str::to_owned)
                .to_vec(),
            tty: None,
            kernel,
        };
        let attached = bench.engine.exec(plan.session, command).await.unwrap();
        drain(attached).await.0.trim().to_owned()
    };
    assert_eq!(host(None).await, "main1");
    assert_eq!(host(Some(plan.kernel)).await, "main1");
    assert_eq!(host(Some(plan.subs[0])).await, "sub1");
    assert_eq!(host(Some(plan.subs[1])).await, "sub2");

    // A shell there comes back to the same one, and has nothing to do with the main container's.
    let attach = |tag, kernel| attach_in(&bench, plan.session, tag, kernel);
    let mut shell = attach("there", Some(plan.subs[1])).await;
    shell
        .type_text("here=$BACKENDAI_CLUSTER_HOST; echo in-$here\n")
        .await;
    shell.wait_for("in-sub2").await;
    drop(shell);
    let mut again = attach("there", Some(plan.subs[1])).await;
    again.type_text("echo still-$here\n").await;
    again.wait_for("still-sub2").await;
    let mut main = attach("main", None).await;
    main.type_text("echo in-$BACKENDAI_CLUSTER_HOST-$here.\n")
        .await;
    main.wait_for("in-main1-.").await;
    // What a daemon that died left there is detached in each of them.
    bench.engine.detach_all(plan.session).await.unwrap();
    for terminal in [&mut again, &mut main] {
        let ended = within(terminal.end()).await;
        assert!(matches!(ended, Output::End { .. }), "{ended:?}");
    }

    let unknown = ExecCommand {
        argv: vec!["true".to_owned()],
        tty: None,
        kernel: Some(KernelId::random()),
    };
    let error = bench.engine.exec(plan.session, unknown).await.err();
    assert!(
        error
            .as_ref()
            .is_some_and(|error| error.kind == FailureKind::NotFound),
        "{error:?}"
    );
}

#[tokio::test]
async fn what_happens_to_the_others_is_no_end_of_the_session() {
    let bench = Bench::new();
    let plan = cluster(image_spec(busybox_image()), 1);
    bench.launch(&plan).await;
    let mut events = bench.engine.events().await.unwrap();
    let sub = subs(&bench, plan.session).await.remove(0);
    docker(&["kill", sub.container_id.as_str()]);
    loop {
        let event = within(events.next()).await.unwrap().unwrap();
        assert!(
            !matches!(event.kind, EventKind::Died { .. }),
            "the main one did not end"
        );
        let state = subs(&bench, plan.session).await.remove(0).state;
        if event.kind == EventKind::SubChanged && matches!(state, ContainerState::Exited { .. }) {
            break;
        }
    }
    let state = bench.state(plan.session).await;
    assert!(
        matches!(state, Some(ContainerState::Running { .. })),
        "{state:?}"
    );

    // Without its main container it isn't a cluster any more, and what is left can be removed.
    let main = crate::support::record(plan.session)["Id"].clone();
    docker(&["rm", "-f", main.as_str().unwrap()]);
    let state = until(async || {
        let seen = bench.engine.list().await.unwrap().ours.pop()?;
        matches!(seen.state, ContainerState::Dead { .. }).then_some(seen)
    })
    .await;
    assert_eq!(state.subs.len(), 1);
    bench.engine.stop(plan.session, 0).await.unwrap();
    bench.engine.remove(plan.session).await.unwrap();
    assert!(containers(plan.session).is_empty() && networks_of(plan.session).is_empty());
}

#[tokio::test]
async fn running_others_go_with_a_main_container_that_ended() {
    let bench = Bench::new();
    let mut plan = cluster(image_spec(busybox_image()), 1);
    plan.spec.session_type = workbay::model::session::SessionType::Batch;
    plan.spec.startup_command = Some("echo done".into());
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    let state = subs(&bench, plan.session).await.remove(0).state;
    assert!(matches!(state, ContainerState::Running { .. }), "{state:?}");
    assert!(!next_log(&bench, &plan, 0).await.contains("echo done"));
    bench.engine.remove(plan.session).await.unwrap();
    assert!(containers(plan.session).is_empty() && networks_of(plan.session).is_empty());
}

#[tokio::test]
async fn a_cluster_that_fails_half_way_leaves_nothing() {
    let bench = Bench::new();
    let mut broken = cluster(image_spec(busybox_image()), 2);
    // The engine takes no name twice: the main container, made last, cannot be made.
    broken.kernel = broken.subs[0];
    let error = bench.engine.create(&broken).await.unwrap_err();
    assert!(!error.is_lost(), "{error}");
    assert!(containers(broken.session).is_empty());
    assert!(networks_of(broken.session).is_empty());
    assert!(!bench.home(broken.session).exists());
}

#[tokio::test]
async fn a_cluster_a_crash_left_half_made_is_recreated() {
    let bench = Bench::new();
    let plan = cluster(image_spec(busybox_image()), 2);
    let made = bench.engine.create(&plan).await.unwrap();
    // The main container is made last: this is what a crash just before it leaves.
    docker(&["rm", made.container_id.as_str()]);
    let next = crate::support::engine(bench.instance, bench.dir.path(), None);
    let whole = next.create(&plan).await.unwrap();
    assert_eq!(
        (whole.state, whole.subs.len()),
        (ContainerState::Created, 2)
    );
    assert_eq!(containers(plan.session).len(), 3);
    assert_eq!(networks_of(plan.session).len(), 1);
    next.start(plan.session).await.unwrap();
}

#[tokio::test]
async fn the_network_of_a_cluster_passes_as_much_as_the_engines_own() {
    let bench = Bench::new();
    let (plan, single) = (cluster(host_spec(), 1), bench.host_session().await);
    bench.launch(&plan).await;
    let line = "cat /sys/class/net/eth0/mtu";
    assert_eq!(
        bench.sh(plan.session, line).await,
        bench.sh(single, line).await
    );
}

#[tokio::test]
async fn a_network_that_was_left_goes_with_the_rest() {
    let bench = Bench::new();
    let session = SessionId::random();
    let network = |name: &str| {
        let (instance, of) = (
            format!("workbay.instance={}", bench.instance),
            format!("ai.backend.session-id={session}"),
        );
        docker(&[
            "network", "create", "--label", &instance, "--label", &of, name,
        ]);
    };
    network(&format!("workbay-test-{}", session.short()));
    bench.engine.remove(session).await.unwrap();
    assert!(networks_of(session).is_empty());
    network(&format!("workbay-test-{}", session.short()));
    bench.engine.forget(session).await.unwrap();
    assert!(networks_of(session).is_empty());
}
