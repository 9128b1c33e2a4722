//! An engine of another machine, over TCP with TLS and by SSH.
//!
//! Where it is comes from the surroundings of a process, so the tests start this program again in others.

use std::{path::Path, process::Command};

use futures_util::StreamExt as _;
use workbay::{
    engine::{
        api::{
            ContainerState, Containers as _, DialTarget, Engine as _, Folders as _, Images as _,
            Output, Streams as _, UsageAsk,
        },
        docker::DockerEngine,
    },
    model::{
        capability::Capability,
        environment::EnvironmentSource,
        failure::FailureKind,
        id::{InstanceId, SessionId},
        text::Clean,
    },
};

use crate::{
    bench::{Bench, EngineClient, busybox, config, drain, host_spec, image_spec, mounted, plan},
    far_engine::FarEngine,
    own_user,
    pane::{until, within},
    support::SOCKET,
};

const IMAGE: &str = "workbay-test/busybox:3";
/// How the engine is reached: what its address begins with.
const WAY: &str = "WORKBAY_TEST_WAY";
/// What a refusal says, and what to do about it.
const WHY: &str = "WORKBAY_TEST_WHY";
const HINT: &str = "WORKBAY_TEST_HINT";
/// Where the SSH server there writes its log.
const LOG: &str = "WORKBAY_TEST_SSHD_LOG";

/// This program again, for one test that is meant for it.
fn again(test: &str, surroundings: &[(&str, &Path)], host: &str) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--ignored", "--exact", test, "--nocapture"])
        .env("DOCKER_HOST", host)
        .env(WAY, host);
    for (name, value) in surroundings {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{host}: {stdout}\n{said}"
    );
}

/// The same where the engine is refused, for this reason and with this to do about it.
fn again_refused(surroundings: &[(&str, &Path)], host: &str, why: &str, hint: &str) {
    let expected = [(WHY, Path::new(why)), (HINT, Path::new(hint))];
    again(
        "far::refused_with_the_hint",
        &[surroundings, &expected].concat(),
        host,
    );
}

fn path_with(dir: &Path) -> std::path::PathBuf {
    let path = std::env::var("PATH").unwrap();
    format!("{}:{path}", dir.display()).into()
}

#[test]
fn an_engine_of_another_machine() {
    let far = FarEngine::start();
    let (yes, certificates) = (Path::new("1"), far.path(""));
    let tls = [
        ("DOCKER_TLS_VERIFY", yes),
        ("DOCKER_CERT_PATH", &certificates),
    ];
    again("far::all_of_it", &tls, &far.tcp());

    let path = path_with(&far.ssh_program("known", "user"));
    again("far::all_of_it", &[("PATH", &path)], &far.ssh());
    let log = far.path("sshd.log");
    again(
        "far::few_logins",
        &[("PATH", &path), (LOG, &log)],
        &far.ssh(),
    );

    again("far::homes_of_one_away", &[("PATH", &path)], &far.ssh());

    // An unknown server, and a user that it doesn't know.
    let path = path_with(&far.ssh_program("daemon.json", "user"));
    again_refused(
        &[("PATH", &path)],
        &far.ssh(),
        "isn't known yet",
        "ssh root@",
    );
    let path = path_with(&far.ssh_program("known", "host"));
    let words = ("doesn't accept your SSH key", "ssh-copy-id");
    again_refused(&[("PATH", &path)], &far.ssh(), words.0, words.1);
    // TLS without our certificates, and with the authority's alone: then it is the engine that refuses.
    let some = tempfile::tempdir().unwrap();
    let tls = [
        ("DOCKER_TLS_VERIFY", yes),
        ("DOCKER_CERT_PATH", some.path()),
    ];
    again_refused(&tls, &far.tcp(), "TLS failed", "ca.pem");
    std::fs::copy(far.path("ca.pem"), some.path().join("ca.pem")).unwrap();
    again_refused(&tls, &far.tcp(), "TLS failed", "ca.pem");
}

#[tokio::test]
async fn an_engine_behind_a_port_of_this_machine_is_known_to_be_here() {
    let port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("tcp://{}", port.local_addr().unwrap());
    let carrying = tokio::spawn(async move {
        let mut all = tokio::task::JoinSet::new();
        while let Ok((mut ours, _)) = port.accept().await {
            all.spawn(async move {
                let mut theirs = tokio::net::UnixStream::connect(SOCKET).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut ours, &mut theirs).await;
            });
        }
    });
    let (bench, elsewhere) = (Bench::new(), tempfile::tempdir().unwrap());
    let engine = DockerEngine::new(config(bench.instance, elsewhere.path(), Some(&url)));
    let info = engine.probe().await.unwrap();
    assert_eq!(info.endpoint.as_str(), url);
    assert!(
        info.capabilities.has(Capability::HostEnvironment),
        "{info:?}"
    );
    let plan = plan("near", host_spec());
    engine.create(&plan).await.unwrap();
    engine.start(plan.session).await.unwrap();
    assert_eq!(bench.sh(plan.session, "echo here").await, "here");
    assert!(engine.home(plan.session).unwrap().is_dir());
    carrying.abort();
}

async fn refusal() -> (String, String) {
    let dir = tempfile::tempdir().unwrap();
    let engine = DockerEngine::new(config(InstanceId::random(), dir.path(), None));
    let error = engine.probe().await.unwrap_err();
    let failure = error;
    assert_eq!(failure.kind, FailureKind::Unreachable, "{failure:?}");
    let why = failure.to_string();
    let hint = failure.hint.map(Clean::into_string);
    (why, hint.unwrap_or_default())
}

#[tokio::test]
#[ignore = "run by the test above"]
async fn refused_with_the_hint() {
    let (why, hint) = refusal().await;
    let variable = |name: &str| std::env::var(name).unwrap();
    assert!(
        why.contains(&variable(WHY)) && hint.contains(&variable(HINT)),
        "{why}; {hint}"
    );
}

/// Homes that could not be deleted are not taken for deleted.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the test above"]
async fn homes_of_one_away() {
    let (bench, session) = (Bench::new(), SessionId::random());
    let volume = |instance: InstanceId| {
        let labels = [
            format!("workbay.instance={instance}"),
            format!("ai.backend.session-id={session}"),
        ];
        let words = [
            "volume", "create", "--label", &labels[0], "--label", &labels[1],
        ];
        EngineClient::of(None).run(&words)
    };
    let (ours, others) = (volume(bench.instance), volume(InstanceId::random()));
    bench.engine.probe().await.unwrap();
    // Without our program ssh does not know the server.
    let path = std::env::var("PATH").unwrap();
    let program = Path::new(path.split(':').next().unwrap()).join("ssh");
    let aside = program.with_extension("aside");
    std::fs::rename(&program, &aside).unwrap();
    let sockets = config(bench.instance, bench.dir.path(), None).runtime_dir;
    let master = master(&sockets).expect("a master");
    rustix::process::kill_process(master, rustix::process::Signal::KILL).unwrap();
    until(async || bench.engine.probe().await.err()).await;
    assert!(bench.engine.forget(session).await.is_err());
    std::fs::rename(&aside, &program).unwrap();
    bench.engine.forget(session).await.unwrap();
    let left = EngineClient::of(None).run(&["volume", "ls", "-q"]);
    assert!(!left.contains(ours.trim()), "{left}");
    assert!(
        left.contains(others.trim()),
        "another one's home went: {left}"
    );
}

/// The master of all connections whose socket is in `dir`.
fn master(dir: &Path) -> Option<rustix::process::Pid> {
    let entries = std::fs::read_dir(dir).unwrap().flatten();
    let sockets = entries.filter(|it| it.file_name().to_string_lossy().starts_with("ssh-"));
    let mut pids = sockets.filter_map(|socket| {
        let path = format!("ControlPath={}", socket.path().display());
        let mut ssh = Command::new("ssh");
        let said = ssh.args(["-O", "check", "-o", &path, "any"]).output();
        let said = String::from_utf8(said.unwrap().stderr).unwrap();
        let pid = said.split_once("pid=")?.1.split_once(')')?.0;
        rustix::process::Pid::from_raw(pid.parse().unwrap())
    });
    pids.next()
}

/// The next one, once there is a connection that is none of the earlier ones.
async fn next_master(engine: &DockerEngine, dir: &Path) -> rustix::process::Pid {
    let mut busy = Vec::new();
    for _ in 0..30 {
        // Each keeps its connection for itself.
        busy.extend(engine.events().await.ok());
        if let Some(found) = master(dir) {
            return found;
        }
    }
    panic!("no master after {} connections", busy.len());
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the test above"]
async fn few_logins() {
    use rustix::process::{Signal, kill_process};
    let log = std::env::var_os(LOG).unwrap();
    let logins = || {
        std::fs::read_to_string(&log)
            .unwrap()
            .matches("Accepted")
            .count()
    };
    let dir = tempfile::tempdir().unwrap();
    let ours = config(InstanceId::random(), dir.path(), None);
    let sockets = ours.runtime_dir.clone();
    let engine = DockerEngine::new(ours);
    let before = logins();
    engine.probe().await.unwrap();
    for _ in 0..10 {
        engine.list().await.unwrap();
        drop(engine.events().await.unwrap());
    }
    assert_eq!(logins() - before, 1);
    // A login carries ten of them at most, as servers are made: more get a login of their own.
    let mut held = tokio::task::JoinSet::new();
    for _ in 0..15 {
        let mut events = engine.events().await.unwrap();
        held.spawn(async move { events.next().await.is_none() });
    }
    until(async || (logins() - before > 1).then_some(())).await;
    engine.list().await.unwrap();
    assert!(held.try_join_next().is_none(), "one of them broke");
    held.shutdown().await;

    // One that is gone is replaced by the next connection.
    let first = master(&sockets).expect("a master");
    kill_process(first, Signal::KILL).unwrap();
    until(async || engine.list().await.ok()).await;
    let second = next_master(&engine, &sockets).await;
    assert_ne!(first, second);
    // One that hangs, as on a connection that was cut, is found to be unresponsive and dropped.
    kill_process(second, Signal::STOP).unwrap();
    assert!(engine.probe().await.is_err());
    engine.probe().await.unwrap();
    kill_process(second, Signal::KILL).unwrap();
    engine.list().await.unwrap();
    // It ends with who needs it.
    let third = next_master(&engine, &sockets).await;
    drop(engine);
    until(async || {
        rustix::process::test_kill_process(third)
            .is_err()
            .then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the test above, where an engine elsewhere is the one that is found"]
async fn all_of_it() {
    let bench = Bench::new();
    let info = bench.engine.probe().await.unwrap();
    assert_eq!(info.endpoint.as_str(), std::env::var(WAY).unwrap());
    for missing in [Capability::HostEnvironment, Capability::Folders] {
        let why = info.capabilities.why_not(missing).unwrap();
        assert!(why.as_str().contains("another machine"), "{why}");
    }
    assert!(info.capabilities.has(Capability::Terminal) && info.capabilities.has(Capability::Dial));
    let mut tar = tar::Builder::new(Vec::new());
    busybox(&mut tar);
    EngineClient::of(None).import(IMAGE, &[], tar);
    let all = bench.engine.environments().await.unwrap();
    assert!(all[0].source == EnvironmentSource::Host && all[0].unavailable.is_some());
    let image = all.iter().find(|one| one.label() == IMAGE).unwrap();
    assert_eq!(image.unavailable, None);

    refused(&bench).await;
    recreated(&bench).await;
    let mut plan = plan("first", image_spec(IMAGE));
    plan.spec.bootstrap_script = Some("echo began > began".into());
    bench.launch(&plan).await;
    let session = plan.session;
    assert_eq!(bench.engine.home(session), None, "its home is not here");
    bench.said(session, "workbay: ready").await;
    let said = bench
        .sh(
            session,
            "id -u; cat began; ls -a | grep bashrc; echo x > mine",
        )
        .await;
    assert_eq!(said, "1000\nbegan\n.bashrc");
    works(&bench, session).await;

    // Another daemon finds it as it is, and what is in its home.
    let again = DockerEngine::new(config(bench.instance, bench.dir.path(), None));
    let listed = again.list().await.unwrap().ours;
    assert_eq!(listed.len(), 1);
    assert!(matches!(listed[0].state, ContainerState::Running { .. }));
    again.stop(session, 10).await.unwrap();
    assert_eq!(bench.ended(session).await, 0);
    bench.engine.remove(session).await.unwrap();
    assert!(bench.log(session, None).await.contains("SIGTERM received"));
    let filter = format!("label=ai.backend.session-id={session}");
    let volumes = || EngineClient::of(None).run(&["volume", "ls", "-q", "--filter", &filter]);
    assert_eq!(volumes().lines().count(), 1, "the home is kept");
    bench.engine.forget(session).await.unwrap();
    assert_eq!(volumes(), "");
    own_user::works_elsewhere(&bench).await;
}

/// What cannot be there is refused in a sentence.
async fn refused(bench: &Bench) {
    let host = bench.engine.create(&plan("host", host_spec())).await;
    let said = host.unwrap_err().to_string();
    assert!(said.contains("another machine"), "{said}");
    let mut with_folder = plan("folder", image_spec(IMAGE));
    with_folder.spec.mounts = vec![mounted("data", "/home/work/data", false)];
    let said = bench.engine.create(&with_folder).await.unwrap_err();
    assert!(said.field.is_some(), "{said}");
    let why = said.to_string();
    assert!(why.contains("another machine"), "{why}");
    assert!(bench.engine.folders().await.is_err());
    let left =
        EngineClient::of(None).run(&["ps", "-aq", "--filter", "label=ai.backend.session-id"]);
    assert_eq!(left, "", "something was left behind");
}

/// A session whose home did not get there, because a daemon died, is recreated.
async fn recreated(bench: &Bench) {
    let plan = plan("half", image_spec(IMAGE));
    let first = bench.engine.create(&plan).await.unwrap();
    assert_eq!(first.state, ContainerState::Created);
    let again = bench.engine.create(&plan).await.unwrap();
    assert_eq!(first.container_id, again.container_id);
    assert!(!bench.home(plan.session).exists(), "its home is there");
    std::fs::create_dir_all(bench.home(plan.session)).unwrap();
    let anew = bench.engine.create(&plan).await.unwrap();
    assert_ne!(first.container_id, anew.container_id);
    bench.engine.remove(plan.session).await.unwrap();
    bench.engine.forget(plan.session).await.unwrap();
}

/// A pane, commands, usage, a port.
async fn works(bench: &Bench, session: SessionId) {
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@first").await;
    pane.type_text("echo $((6*7))\r").await;
    pane.wait_for("42").await;
    let clients = async || {
        let line = "TMUX= /opt/workbay/path/tmux list-clients | wc -l";
        bench.sh(session, line).await
    };
    until(async || (clients().await == "1").then_some(())).await;
    drop(pane);
    until(async || (clients().await == "0").then_some(())).await;
    // Another one of the same pane stays when the first is ended.
    let first = bench.terminal(session, "two", 80, 24).await;
    let mut second = bench.terminal(session, "two", 80, 24).await;
    drop(first);
    second.wait_for("work@first").await;
    second.type_text("echo $((6*9))\r").await;
    second.wait_for("54").await;
    drop(second);
    until(async || (clients().await == "0").then_some(())).await;

    bench.ends_a_dropped_command(session).await;

    let at = "2026-01-02T03:04:05Z".parse().unwrap();
    let usage = bench.engine.usage(&[UsageAsk::all(session)], at).await;
    assert!(usage.len() == 1 && usage[0].1.mem.0 > 0, "{usage:?}");

    let to = DialTarget {
        service: "5124".to_owned(),
        port: None,
    };
    let nobody = bench.engine.dial(session, &to).await.unwrap();
    let (_, said, end) = within(drain(nobody)).await;
    assert!(said.contains("no program answers on port 5124"), "{said}");
    assert_eq!(end, Output::End { exit_code: Some(1) });
}
