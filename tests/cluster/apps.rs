//! Apps, ports, copies and SSH of a session, through the engine and through the built program.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Command,
};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use workbay::{
    engine::api::{DialTarget, ExecCommand, Output},
    model::{
        app::{AppSource, AppStart, AppState, ProxyOptions},
        failure::FailureKind,
        id::SessionId,
        spec::LaunchRequest,
    },
};

use crate::{
    built::machine,
    machine::{BINARY, Machine},
    support::{Bench, small, within},
};

const ONLY_THE_CLUSTER: &str = "\n[contexts.local]\nkind = \"docker\"\nenabled = false\n";

/// Room for Jupyter, and a port of its own.
fn with_apps() -> LaunchRequest {
    LaunchRequest {
        mem: Some("512m".parse().unwrap()),
        preopen_ports: vec![9000],
        ..small()
    }
}

/// Starts a program in the session that keeps running on its own.
async fn background(bench: &Bench, session: SessionId, program: &str) {
    let line = format!("({program}) >/dev/null 2>&1 </dev/null &");
    shell(bench, session, &line).await;
}

async fn shell(bench: &Bench, session: SessionId, line: &str) {
    let command = ExecCommand {
        argv: ["sh", "-c", line].map(str::to_owned).to_vec(),
        tty: None,
        kernel: None,
    };
    let mut running = within(bench.engine.exec(session, command)).await.unwrap();
    loop {
        match within(running.output.recv())
            .await
            .expect("an end is reported")
        {
            Output::End { exit_code } => return assert_eq!(exit_code, Some(0)),
            Output::Lost { why } => panic!("{why}"),
            _ => {}
        }
    }
}

/// The whole answer to a request for a page, or nothing as long as the program doesn't listen.
async fn get(bench: &Bench, session: SessionId, service: &str, path: &str) -> Option<String> {
    let to = DialTarget {
        service: service.to_owned(),
        port: None,
    };
    let mut stream = within(bench.engine.connect(session, &to)).await.ok()?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.ok()?;
    // The answer comes although our side has ended.
    stream.shutdown().await.ok()?;
    let mut answer = Vec::new();
    within(stream.read_to_end(&mut answer)).await.ok()?;
    (!answer.is_empty()).then(|| String::from_utf8_lossy(&answer).into_owned())
}

#[tokio::test]
async fn apps_start_take_arguments_answer_and_stop() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(with_apps()).await;
    let id = ours.id();
    let apps = within(bench.engine.apps(id)).await.unwrap();
    let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "ttyd", "sshd", "jupyter", "web", "broken", "webdemo", "9000"
        ]
    );
    let preopened = &apps[6];
    assert_eq!(
        (
            preopened.source,
            preopened.ports.as_slice(),
            preopened.startable
        ),
        (AppSource::Preopened, &[9000][..], false)
    );

    shell(&bench, id, "mkdir -p site; echo mine > site/index.html").await;
    let mut start = AppStart::of("web");
    let arguments = [("directory".to_owned(), "/home/work/site".to_owned())];
    start.arguments = BTreeMap::from(arguments);
    let web = bench.engine.start_app(id, &start).await.unwrap();
    assert_eq!(
        (web.state, web.ports.as_slice()),
        (AppState::Running, &[8082][..])
    );
    let page = get(&bench, id, "web", "/").await.unwrap();
    assert!(
        page.starts_with("HTTP/1.0 200") && page.ends_with("mine\n"),
        "{page}"
    );
    within(bench.engine.stop_app(id, "web")).await.unwrap();
    // A connection starts it again, without its argument.
    let page = get(&bench, id, "web", "/").await.unwrap();
    assert!(page.contains("Directory listing"), "{page}");

    let error = bench.engine.start_app(id, &AppStart::of("broken")).await;
    let error = error.unwrap_err();
    assert_eq!(error.kind, FailureKind::Refused, "{error:?}");
    assert!(error.to_string().contains("/no/such/program"), "{error:?}");
    within(bench.engine.stop_app(id, "web")).await.unwrap();
    start.arguments = BTreeMap::from([("port".to_owned(), "1".to_owned())]);
    let error = bench.engine.start_app(id, &start).await.unwrap_err();
    // By the session, or by workbay where the manager lists what an app takes.
    let said = error.to_string();
    assert!(
        said.contains("--port") || said.contains("no argument 'port'"),
        "{said}"
    );
    let error = bench.engine.start_app(id, &AppStart::of("none")).await;
    assert!(error.unwrap_err().is_not_found());

    // A port that no service has is reached, and one that nothing listens on is reported.
    background(
        &bench,
        id,
        "cd site; python3 -m http.server -b 127.0.0.1 9123",
    )
    .await;
    let page = bench
        .until_some(async || get(&bench, id, "9123", "/").await)
        .await;
    assert!(page.ends_with("mine\n"), "{page}");
    let to = DialTarget {
        service: "9124".to_owned(),
        port: None,
    };
    let error = within(bench.engine.connect(id, &to)).await.map(drop);
    let error = error.unwrap_err().to_string();
    assert!(error.contains("9124"), "{error}");
}

/// A page by its URL, with the cookie that the URL's token gives.
fn page(url: &str) -> (String, String) {
    let rest = url.strip_prefix("http://").unwrap();
    let (host, path) = rest.split_once('/').unwrap();
    let first = fetch(host, &format!("/{path}"), "");
    let header = |name: &str| {
        let lines = first.lines().find_map(|line| {
            let (found, value) = line.split_once(": ")?;
            found.eq_ignore_ascii_case(name).then(|| value.to_owned())
        });
        lines.unwrap_or_else(|| panic!("no {name} in {first}"))
    };
    let cookie = header("set-cookie");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let location = header("location");
    let location = location
        .strip_prefix(&format!("http://{host}"))
        .unwrap_or(&location);
    (fetch(host, location, &cookie), cookie)
}

fn fetch(host: &str, path: &str, cookie: &str) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

fn url(machine: &Machine, args: &[&str]) -> String {
    machine.json(args)["url"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_gateway_leads_to_apps_and_ports() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(with_apps()).await;
    let machine = machine(ONLY_THE_CLUSTER);
    let session = ours.id().to_string();

    let address = url(&machine, &["app", "start", "--json", &session, "jupyter"]);
    let (_, cookie) = page(&address);
    let host = address.split('/').nth(2).unwrap();
    // Some releases answer a start before the app listens.
    let answer = bench
        .until_some(async || {
            let again = fetch(host, "/api/status", &cookie);
            again.starts_with("HTTP/1.1 200").then_some(again)
        })
        .await;
    assert!(answer.contains("\"kernels\""), "{answer}");
    assert!(!fetch(host, "/api/status", "").starts_with("HTTP/1.1 200"));

    let address = url(&machine, &["app", "start", "--json", &session, "ttyd"]);
    let (answer, _) = page(&address);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");

    background(
        &bench,
        ours.id(),
        "echo preopened > index.html; python3 -m http.server 9000",
    )
    .await;
    let address = url(&machine, &["port", "open", "--json", &session, "9000"]);
    let (answer, cookie) = page(&address);
    let host = address.split('/').nth(2).unwrap();
    // The program inside may still be starting.
    let answer = bench
        .until_some(async || {
            let again = fetch(host, "/", &cookie);
            (again.starts_with("HTTP/1.1 200")).then_some(again)
        })
        .await
        + &answer;
    assert!(answer.contains("preopened\n"), "{answer}");
    machine.ok(&["app", "stop", &session, "jupyter"]);
}

/// `ssh`, `sftp` and the like with the program's own options.
fn run(machine: &Machine, program: &str, args: &[&str]) -> (Option<i32>, String) {
    let output = Command::new("timeout")
        .args(["--kill-after=5", "120", program])
        .args(args)
        .envs(machine.env())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        output.status.code(),
        String::from_utf8_lossy(&said).into_owned(),
    )
}

#[tokio::test]
async fn files_are_copied_and_openssh_gets_in() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let machine = machine(ONLY_THE_CLUSTER);
    let session = ours.id().to_string();
    let here = machine.path("files");
    fs::create_dir_all(here.join("tree/deep")).unwrap();
    let bytes: Vec<u8> = (0..5_000_000_u32).map(|it| (it * 7 % 253) as u8).collect();
    fs::write(here.join("tree/deep/big"), &bytes).unwrap();
    fs::write(here.join("tree/-x 한글"), "odd").unwrap();
    let tree = here.join("tree").display().to_string();
    machine.ok(&["cp", &tree, &format!("{session}:copy")]);
    machine.ok(&[
        "cp",
        &format!("{session}:copy"),
        &here.display().to_string(),
    ]);
    assert!(fs::read(here.join("copy/deep/big")).unwrap() == bytes);
    assert_eq!(
        fs::read_to_string(here.join("copy/-x 한글")).unwrap(),
        "odd"
    );
    let missing = machine.workbay(&["cp", &format!("{session}:missing"), &tree]);
    let said = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(
        !missing.status.success() && said.contains("No such file"),
        "{said}"
    );

    let (code, said) = run(
        &machine,
        BINARY,
        &["ssh", &session, "whoami; cat copy/-x*; exit 7"],
    );
    assert_eq!(code, Some(7), "{said}");
    assert!(said.contains("work\nodd"), "{said}");
    // The session keeps its own key.
    let (code, said) = run(
        &machine,
        BINARY,
        &["exec", &session, "--", "head", "-c", "10", "id_container"],
    );
    assert_eq!((code, said.as_str()), (Some(0), "-----BEGIN"));

    let config = here.join("ssh_config");
    fs::write(&config, machine.ok(&["ssh-config"])).unwrap();
    let config = config.display().to_string();
    let host = format!("{session}.workbay");
    let batch = here.join("batch");
    fs::write(
        &batch,
        format!("get copy/deep/big {}\n", here.join("got").display()),
    )
    .unwrap();
    let batch = batch.display().to_string();
    let (code, said) = run(&machine, "sftp", &["-F", &config, "-b", &batch, &host]);
    assert_eq!(code, Some(0), "{said}");
    assert!(fs::read(here.join("got")).unwrap() == bytes);
}

/// A page by the URL of the cluster's app proxy, through its redirects and with its cookie, as a browser gets it.
fn follow(url: &str) -> String {
    let jar = tempfile::NamedTempFile::new().unwrap();
    let output = Command::new("curl")
        .args(["-s", "-L", "--compressed", "--max-time", "60", "-c"])
        .arg(jar.path())
        .arg("-b")
        .arg(jar.path())
        .arg(url)
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[tokio::test]
async fn the_clusters_app_proxy_leads_to_apps() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(with_apps()).await;
    let open = async |app: &str, options: ProxyOptions| {
        let start = AppStart::of(app);
        let opened = bench.engine.proxy_app(ours.id(), &start, &options);
        within(opened).await.unwrap()
    };
    let opened = open("ttyd", ProxyOptions::default()).await;
    assert_eq!(opened.address, None);
    let page = follow(&opened.url);
    assert!(page.contains("ttyd"), "{}", &page[..page.len().min(300)]);
    // Without its cookie, the proxy asks everyone who has no permit to log in.
    let public = ProxyOptions {
        public: true,
        ..ProxyOptions::default()
    };
    let page = follow(&open("jupyter", public).await.url);
    assert!(
        page.to_lowercase().contains("jupyter"),
        "{}",
        &page[..page.len().min(300)]
    );
    // This cluster's proxy has a worker for pages only.
    let (start, options) = (AppStart::of("sshd"), ProxyOptions::default());
    let opened = bench.engine.proxy_app(ours.id(), &start, &options);
    let error = within(opened).await.unwrap_err();
    let said = error.to_string();
    // That of 25.15 closes the connection instead of answering so.
    let known = ["Worker not available", "app proxy at 127.0.0.1"];
    assert!(known.iter().any(|it| said.contains(it)), "{said}");
    assert!(error.hint.is_some());
}
