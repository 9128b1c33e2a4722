//! Apps of sessions: Jupyter, apps of the catalog and of labels, and ports that programs listen on.

use std::collections::BTreeMap;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use workbay::{
    engine::api::{Apps as _, DialTarget, Streams as _},
    model::{
        app::{App, AppArgument, AppSource, AppStart, AppState},
        app_definition::AppDefinition,
        failure::FailureKind,
        id::SessionId,
        resources::{Bytes, Cpu},
        spec::LaunchSpec,
        text::Clean,
    },
};

use crate::support::{Bench, busybox_image, host_spec, image_spec, plan, until, within};

/// An app of the catalog that is a shell script.
fn script(name: &str, line: &str) -> AppDefinition {
    AppDefinition {
        command: ["sh", "-c", line].map(str::to_owned).to_vec(),
        ..AppDefinition::of(name)
    }
}

async fn session(bench: &Bench, spec: LaunchSpec) -> SessionId {
    let plan = plan("apps", spec);
    bench.launch(&plan).await;
    plan.session
}

async fn with_apps(bench: &Bench, apps: Vec<AppDefinition>) -> SessionId {
    let spec = LaunchSpec {
        apps,
        ..host_spec()
    };
    session(bench, spec).await
}

async fn app(bench: &Bench, session: SessionId, name: &str) -> Option<App> {
    let apps = within(bench.engine.apps(session)).await.unwrap();
    apps.into_iter().find(|app| app.name == *name)
}

/// The whole answer to a request for a page.
async fn get(bench: &Bench, session: SessionId, port: u16, path: &str) -> String {
    ask(bench, session, port, &format!("GET {path}")).await
}

/// The whole answer to a request without a body.
async fn ask(bench: &Bench, session: SessionId, port: u16, line: &str) -> String {
    let to = DialTarget {
        service: port.to_string(),
        port: None,
    };
    let mut stream = bench.engine.connect(session, &to).await.unwrap();
    let request = format!(
        "{line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer)).await.unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test]
async fn jupyter_starts_answers_and_ends() {
    let bench = Bench::new();
    let spec = LaunchSpec {
        cpu: Cpu::from_millis(1000),
        mem: Bytes::mib(512),
        ..host_spec()
    };
    let session = session(&bench, spec).await;
    let stopped = app(&bench, session, "jupyter").await.unwrap();
    assert_eq!(
        (&stopped.state, stopped.source, stopped.startable),
        (&AppState::Stopped, AppSource::Installed, true)
    );
    let start = AppStart::of("jupyter");
    let started = bench.engine.start_app(session, &start).await.unwrap();
    assert_eq!(
        (&started.state, started.path.as_str()),
        (&AppState::Running, "/tree")
    );
    let port = started.ports[0];
    let answer = get(&bench, session, port, "/api").await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    // A second start finds it.
    let again = bench.engine.start_app(session, &start).await.unwrap();
    assert_eq!(again.ports[0], port);
    let listed = app(&bench, session, "jupyter").await.unwrap();
    assert_eq!((listed.state, listed.ports[0]), (AppState::Running, port));
    let page = get(&bench, session, port, "/api/contents").await;
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    // A kernel listens on five ports, which are nobody else's.
    let made = ask(&bench, session, port, "POST /api/kernels").await;
    assert!(made.starts_with("HTTP/1.1 201"), "{made}");
    until(async || {
        let count = bench.sh(session, "grep -c ' 0A ' /proc/net/tcp").await;
        (count.parse::<u32>().unwrap() >= 6).then_some(())
    })
    .await;
    let apps = within(bench.engine.apps(session)).await.unwrap();
    let listening: Vec<&App> = apps
        .iter()
        .filter(|app| app.source == AppSource::Listening)
        .collect();
    assert!(listening.is_empty(), "{listening:?}");
    let (engine, running) = (bench.engine.clone(), session);
    let end = tokio::spawn(async move { engine.app_end(running, "jupyter").await });
    within(bench.engine.stop_app(session, "jupyter"))
        .await
        .unwrap();
    within(end).await.unwrap().unwrap();
    assert_eq!(
        app(&bench, session, "jupyter").await.unwrap().state,
        AppState::Stopped
    );
    let log = bench.engine.app_log(session, "jupyter").await.unwrap();
    assert!(!log.is_empty());
    // Stopping what doesn't run succeeds.
    bench.engine.stop_app(session, "jupyter").await.unwrap();
}

#[tokio::test]
async fn a_failing_app_shows_its_last_lines() {
    let bench = Bench::new();
    let line = "for n in $(seq 1 30); do echo line $n; done; echo cannot bind >&2; exit 3";
    let apps = vec![
        script("broken", line),
        script("nothing", "exec /no/such/program"),
    ];
    let session = with_apps(&bench, apps).await;
    let start = AppStart::of("broken");
    let error = bench.engine.start_app(session, &start).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Failed);
    assert!(error.what.as_str().contains("exit code 3"), "{error}");
    let why = error.why.unwrap();
    let lines: Vec<&str> = why.as_str().lines().collect();
    assert_eq!(
        (lines.len(), lines[0], lines[19]),
        (20, "line 12", "cannot bind")
    );
    let broken = app(&bench, session, "broken").await.unwrap();
    let AppState::Failed { why } = broken.state else {
        panic!("not failed: {broken:?}");
    };
    assert_eq!(why, "it ended with exit code 3: cannot bind");
    assert_eq!(
        bench.engine.app_end(session, "broken").await.unwrap(),
        Some(3)
    );
    let log = bench.engine.app_log(session, "broken").await.unwrap();
    assert_eq!((log.len(), log[0].as_str()), (31, "line 1"));
    let error = bench
        .engine
        .start_app(session, &AppStart::of("nothing"))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("/no/such/program"), "{error}");
    let error = bench
        .engine
        .start_app(session, &AppStart::of("unknown"))
        .await
        .unwrap_err();
    assert!(error.is_not_found());
    assert!(error.hint.unwrap().as_str().contains("broken"));
}

#[tokio::test]
async fn an_app_gets_its_arguments_and_variables_and_its_end_is_known() {
    let bench = Bench::new();
    let serve =
        "echo starts with $GIVEN $OWN; exec python3 -u -m http.server -b 127.0.0.1 -d {dir} {port}";
    let served = AppDefinition {
        title: Some("Files".into()),
        arguments: vec![AppArgument {
            name: "dir".into(),
            title: "Directory".into(),
            default: "/home/work".into(),
        }],
        variables: BTreeMap::from([("OWN".to_owned(), "port {port}".to_owned())]),
        ..script("files", serve)
    };
    let session = with_apps(&bench, vec![served]).await;
    bench
        .sh(
            session,
            "mkdir /home/work/site; echo hello > /home/work/site/index.html",
        )
        .await;
    let start = |argument: &str| AppStart {
        arguments: [(argument.to_owned(), "/home/work/site".to_owned())].into(),
        env: [("GIVEN".to_owned(), "me".to_owned())].into(),
        ..AppStart::of("files")
    };
    let error = bench
        .engine
        .start_app(session, &start("dri"))
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::Usage);
    // Two starts at once are one.
    let wanted = start("dir");
    let (one, other) = tokio::join!(
        bench.engine.start_app(session, &wanted),
        bench.engine.start_app(session, &wanted)
    );
    let (one, other) = (one.unwrap(), other.unwrap());
    assert_eq!((one.title.as_str(), &one.ports), ("Files", &other.ports));
    let port = one.ports[0];
    let page = get(&bench, session, port, "/").await;
    assert!(page.ends_with("hello\n"), "{page}");
    let log = bench.engine.app_log(session, "files").await.unwrap();
    let expected = format!("starts with me port {port}");
    assert!(log.contains(&Clean::new(&expected)), "{log:?}");
    let (engine, running) = (bench.engine.clone(), session);
    let end = tokio::spawn(async move { engine.app_end(running, "files").await });
    bench.sh(session, "pkill -KILL -f http.serve[r]").await;
    assert_eq!(within(end).await.unwrap().unwrap(), Some(137));
    let ended = app(&bench, session, "files").await.unwrap();
    assert!(matches!(ended.state, AppState::Failed { .. }), "{ended:?}");
    // It gets its earlier port again.
    let again = bench.engine.start_app(session, &wanted).await.unwrap();
    assert_eq!((again.state, again.ports[0]), (AppState::Running, port));
    // A restart has what was given before.
    within(bench.engine.stop_app(session, "files"))
        .await
        .unwrap();
    let again = AppStart {
        again: true,
        ..AppStart::of("files")
    };
    bench.engine.start_app(session, &again).await.unwrap();
    assert!(get(&bench, session, port, "/").await.ends_with("hello\n"));
    let log = bench.engine.app_log(session, "files").await.unwrap();
    assert!(log.contains(&Clean::new(&expected)), "{log:?}");
}

#[tokio::test]
async fn a_program_started_by_hand_is_found_by_its_port() {
    let bench = Bench::new();
    let spec = LaunchSpec {
        preopen_ports: vec![9001],
        ..host_spec()
    };
    let session = session(&bench, spec).await;
    let preopened = app(&bench, session, "9001").await.unwrap();
    assert_eq!(
        (preopened.source, preopened.state),
        (AppSource::Preopened, AppState::Stopped)
    );
    for port in ["9001", "9002"] {
        let line = format!(
            "setsid python3 -m http.server -b 127.0.0.1 {port} >/dev/null 2>&1 </dev/null &"
        );
        bench.sh(session, &line).await;
    }
    let found = until(async || {
        let found = app(&bench, session, "9002").await?;
        let preopened = app(&bench, session, "9001").await?;
        (preopened.state == AppState::Running).then_some(found)
    })
    .await;
    assert_eq!(
        (found.source, found.title.as_str()),
        (AppSource::Listening, "python3")
    );
    assert_eq!((found.state, found.startable), (AppState::Running, false));
    let error = bench.engine.stop_app(session, "9002").await.unwrap_err();
    assert!(
        error.to_string().contains("wasn't started by workbay"),
        "{error}"
    );
    let (engine, running) = (bench.engine.clone(), session);
    let end = tokio::spawn(async move { engine.app_end(running, "9002").await });
    bench
        .sh(session, "pkill -f 'server -b 127.0.0.1 900[2]'")
        .await;
    match within(end).await.unwrap() {
        Ok(code) => assert_eq!(code, None),
        Err(failure) => assert_eq!(failure.kind, FailureKind::NotFound, "it ended first"),
    }
    assert_eq!(app(&bench, session, "9002").await, None);
}

#[tokio::test]
async fn connections_are_direct_and_also_work_without_the_shared_directory() {
    let bench = Bench::new();
    let session = session(&bench, image_spec(busybox_image())).await;
    let serve = "while true; do echo served | nc -l -p 7000; done >/dev/null 2>&1 </dev/null &";
    bench.sh(session, serve).await;
    let read = async || {
        let to = DialTarget {
            service: "7000".to_owned(),
            port: None,
        };
        let mut stream = bench.engine.connect(session, &to).await.ok()?;
        let mut text = String::new();
        within(stream.read_to_string(&mut text)).await.ok()?;
        (text == "served\n").then_some(())
    };
    until(read).await;
    let shared = bench.home(session).with_file_name("run");
    let socket = shared.join("connect.sock");
    assert!(socket.exists());
    let to = DialTarget {
        service: "1".to_owned(),
        port: None,
    };
    let refused = bench.engine.connect(session, &to).await.err().unwrap();
    assert!(
        refused.to_string().contains("no program answers on port 1"),
        "{refused}"
    );
    std::fs::remove_file(&socket).unwrap();
    until(read).await;
}

#[tokio::test]
async fn an_empty_environment_has_no_apps() {
    let bench = Bench::new();
    let session = session(&bench, image_spec(busybox_image())).await;
    assert_eq!(within(bench.engine.apps(session)).await.unwrap(), []);
    let error = bench.engine.app_log(session, "jupyter").await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
    let error = bench.engine.stop_app(session, "jupyter").await.unwrap_err();
    assert!(error.is_not_found(), "{error}");
}
