//! The app launcher and the port board: what they list, what they ask for, and what answers show.

use jiff::SignedDuration;
use workbay::{
    app::{effect::Effect, panels::apps::AppLauncher},
    model::{
        app::{
            App, AppArgument, AppCategory, AppProtocol, AppSource, AppState, ProxyUrl, presentation,
        },
        capability::{Capability, EngineState},
        change::Change,
        failure::Failure,
        forward::{Forward, ForwardTarget, ForwardTraffic, OpenedForward, PublicAccess, SshAccess},
        request::{AppRequest, ForwardRequest},
        session::Session,
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request, Snapshot},
};

use crate::{
    screen::{Screen, facts, noon},
    world::{ago, key, session, snapshot},
};

/// Sessions on an engine that connects to ports.
pub(crate) fn world(sessions: Vec<Session>) -> Snapshot {
    let mut snapshot = snapshot(sessions);
    if let EngineState::Connected { info } = &mut snapshot.contexts[0].engine {
        let missing = &mut info.capabilities.missing;
        missing.retain(|(lacking, _)| *lacking != Capability::Dial);
    }
    snapshot
}

pub(crate) fn train() -> Snapshot {
    world(vec![session(1, "train-resnet", Status::Running, 125)])
}

fn app(name: &str, ports: &[u16], state: AppState) -> App {
    let (title, category, path) = presentation(name);
    App {
        name: Clean::new(name),
        title,
        category,
        protocol: AppProtocol::Http,
        ports: ports.to_vec(),
        source: AppSource::Installed,
        state,
        path,
        arguments: Vec::new(),
        startable: true,
    }
}

fn apps() -> Vec<App> {
    let mut board = app("tensorboard", &[], AppState::Stopped);
    board.arguments.push(AppArgument {
        name: Clean::new("logdir"),
        title: Clean::new("Log directory"),
        default: Clean::new("/home/work/logs"),
    });
    let failed = AppState::Failed {
        why: Clean::new("OSError: [Errno 98] Address already in use"),
    };
    let listening = App {
        category: AppCategory::Listening,
        source: AppSource::Listening,
        startable: false,
        ..app("5000", &[5000], AppState::Running)
    };
    vec![
        app("ttyd", &[7681], AppState::Stopped),
        app("jupyter", &[8888], AppState::Running),
        app("jupyterlab", &[8090], AppState::Starting),
        app("code-server", &[], failed),
        board,
        listening,
    ]
}

pub(crate) fn forward(id: u64, n: u128, name: &str, title: &str, port: u16) -> Forward {
    Forward {
        id,
        session: key(n),
        session_name: Clean::new(name),
        target: ForwardTarget::App {
            app: Clean::new("jupyter"),
            port: None,
        },
        title: Clean::new(title),
        protocol: AppProtocol::Http,
        address: "127.0.0.1".parse().unwrap(),
        port,
        path: Clean::new("/tree"),
        address_url: Clean::new(&format!("http://127.0.0.1:{port}")),
        public: None,
        opened_at: ago(50),
        broken: None,
        traffic: ForwardTraffic::default(),
    }
}

pub(crate) fn public(mut forward: Forward) -> Forward {
    forward.address_url = Clean::new(&format!("http://gpu1:{}", forward.port));
    forward.public = Some(PublicAccess {
        allowed: vec![Clean::new("10.0.0.0/8")],
        until: Some(noon() + SignedDuration::from_hours(8)),
    });
    forward
}

pub(crate) fn jupyter() -> Forward {
    forward(1, 1, "train-resnet", "Jupyter Notebook", 10250)
}

pub(crate) fn opened(forward: Forward) -> Reply {
    let url = match forward.public {
        Some(_) => format!("{}{}", forward.address_url, forward.path),
        None => format!(
            "http://127.0.0.1:{}/tree?workbay_token=3f2a9c0d1e2b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d",
            forward.port
        ),
    };
    let opened = Box::new(OpenedForward {
        forward,
        url,
        remark: None,
    });
    Reply::Opened { opened }
}

fn asked_of_app(request: &Request) -> Option<&AppRequest> {
    match request {
        Request::App { request, .. } => Some(request),
        _ => None,
    }
}

fn is_list(request: &Request) -> bool {
    asked_of_app(request) == Some(&AppRequest::List)
}

fn is_open(request: &Request) -> bool {
    matches!(asked_of_app(request), Some(AppRequest::Open { .. }))
}

pub(crate) fn is_url(request: &Request) -> bool {
    let url = |request: &ForwardRequest| matches!(request, ForwardRequest::Url { .. });
    matches!(request, Request::Forward { request } if url(request))
}

pub(crate) fn launcher(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows).daemon(train()).press("a")
}

pub(crate) fn listed(screen: Screen) -> Screen {
    screen.answer(is_list, Ok(Reply::Apps { apps: apps() }))
}

fn with_public() -> Change {
    Change::Forwards {
        forwards: vec![public(jupyter())],
    }
}

#[test]
fn the_apps_of_a_session_80x24() {
    let screen = listed(launcher(80, 24)).notice(with_public()).press("down");
    insta::assert_snapshot!(screen.text());
}

#[test]
fn the_apps_of_a_session_140x40() {
    let screen = listed(launcher(140, 40))
        .notice(with_public())
        .press("down");
    insta::assert_snapshot!(screen.text());
}

#[test]
fn loading_failed_and_empty() {
    let screen = launcher(80, 24);
    assert!(screen.sees("Loading the apps"), "{}", screen.text());
    assert!(screen.sees("SSH / SFTP"));
    let failure = Failure::unsupported("this engine has no apps")
        .hint("forward a port, or use an engine with apps");
    let screen = screen.answer(is_list, Err(failure));
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("R");
    assert!(screen.sees("Loading the apps"));
    let screen = screen.answer(is_list, Ok(Reply::Apps { apps: Vec::new() }));
    assert!(
        screen.sees("No apps found in this session."),
        "{}",
        screen.text()
    );
}

#[test]
fn one_key_starts_an_app_and_shows_its_url_without_the_token() {
    let screen = listed(launcher(80, 24)).press("enter").wait(3);
    assert!(screen.sees("Starting Console…  3s"), "{}", screen.text());
    let mut console = jupyter();
    console.title = Clean::new("Console");
    let screen = screen.answer(is_open, Ok(opened(console)));
    insta::assert_snapshot!(screen.text());
    let token = "3f2a9c0d";
    assert!(!screen.sees(token));
    let screen = screen.press("v");
    assert!(screen.sees(token));
    // Every use has a URL of its own, because a token works once.
    let screen = screen.press("y").answer(is_url, Ok(opened(jupyter())));
    let copies = |screen: &Screen, wanted: &str| {
        let mut effects = screen.effects().iter();
        effects.any(|it| matches!(it, Effect::Copy { text, .. } if text.contains(wanted)))
    };
    assert!(copies(&screen, token));
    let screen = screen.press("Y");
    assert!(copies(&screen, "ssh -L 10250:127.0.0.1:10250 jin@10.1.2.3"));
    let screen = screen.press("o").answer(is_url, Ok(opened(jupyter())));
    let browses = |it: &Effect| matches!(it, Effect::Browse { url, .. } if url.contains(token));
    assert!(screen.effects().iter().any(browses));
    let screen = screen.press("q");
    assert!(screen.sees("Only public forwards have a QR code"));
    assert!(!screen.press("esc esc").is_open::<AppLauncher>());
}

#[test]
fn a_failed_start_shows_the_last_lines_of_the_app() {
    let mut failure = Failure::refused("Console ended before it answered on port 7681")
        .hint("fix the cause, then try again");
    let lines: Vec<String> = (1..30).map(|n| format!("ttyd line {n}")).collect();
    failure.why = Some(Clean::multiline(&lines.join("\n")));
    let screen = listed(launcher(80, 24)).press("enter");
    let screen = screen.answer(is_open, Err(failure));
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("g");
    assert!(
        screen.sees("ttyd line 1\n") || screen.sees("ttyd line 2 "),
        "{}",
        screen.text()
    );
    let screen = screen.press("enter");
    assert!(screen.sees("Starting Console"), "{}", screen.text());
}

#[test]
fn a_start_continues_in_the_background() {
    let screen = listed(launcher(80, 24)).press("enter esc");
    let screen = listed(screen).press("esc");
    assert!(!screen.is_open::<AppLauncher>());
    let screen = screen.answer(is_open, Ok(opened(jupyter())));
    let text = "Console of train-resnet is open at";
    assert!(screen.sees(text), "{}", screen.text());
    let screen = listed(launcher(80, 24)).press("enter esc esc");
    let screen = screen.answer(is_open, Err(Failure::refused("no memory is left")));
    assert!(screen.sees("no memory is left"), "{}", screen.text());
}

#[test]
fn an_app_with_arguments_asks_for_them() {
    let screen = listed(launcher(80, 24)).press("down down down down enter");
    insta::assert_snapshot!(screen.text());
    let screen = screen
        .press("ctrl-u")
        .typed("/data/logs")
        .press("tab")
        .typed("A=1 B=2");
    let screen = screen.press("tab").typed("80").press("enter");
    assert!(
        screen.sees("invalid preferred port '80'"),
        "{}",
        screen.text()
    );
    let screen = screen.typed("80").press("enter");
    let asked = screen.wishes();
    let start = asked.iter().find_map(|it| match asked_of_app(it)? {
        AppRequest::Open { start, options } => Some((start, options)),
        _ => None,
    });
    let (start, options) = start.unwrap();
    assert_eq!(start.app, "tensorboard");
    assert_eq!(start.arguments["logdir"], "/data/logs");
    assert_eq!((&*start.env["A"], &*start.env["B"]), ("1", "2"));
    assert_eq!(options.preferred_port, Some(8080));
    assert_eq!(options.public, None);
}

/// The options of Jupyter, with the field for public marked and switched on.
fn made_public(screen: Screen) -> Screen {
    listed(screen).press("down e tab tab").typed(" ")
}

#[test]
fn a_public_forward_is_confirmed_by_a_word() {
    let screen = made_public(launcher(80, 24));
    insta::assert_snapshot!("options_of_a_public_forward", screen.text());
    let screen = screen
        .press("tab")
        .typed("10.0.0.0/8, 192.168.1.0/24")
        .press("enter");
    insta::assert_snapshot!("a_public_forward_is_confirmed", screen.text());
    let screen = screen.press("enter").typed("yes").press("enter");
    assert!(screen.sees("type 'public' or 'train-resnet' to confirm"));
    assert!(!screen.wishes().iter().any(|it| is_open(it)));
    let screen = screen.press("ctrl-u").typed("train-resnet").press("enter");
    let asked = screen.wishes();
    let public = asked.iter().find_map(|it| match asked_of_app(it)? {
        AppRequest::Open { options, .. } => options.public.clone(),
        _ => None,
    });
    let public = public.unwrap();
    assert_eq!(public.allowed, ["10.0.0.0/8", "192.168.1.0/24"]);
    assert_eq!(public.expires.unwrap().to_string(), "8h");
    let screen = screen.answer(is_open, Ok(opened(self::public(jupyter()))));
    insta::assert_snapshot!("a_public_forward_is_open", screen.text());
    let screen = screen.press("q");
    insta::assert_snapshot!("the_qr_code_of_a_public_forward", screen.text());
    assert!(screen.sees("http://10.1.2.3:10250/tree"));
}

#[test]
fn public_forwards_can_be_forbidden() {
    let mut facts = facts();
    facts.apps.open_to_public = false;
    let screen = made_public(Screen::with(80, 24, facts).daemon(train()).press("a"));
    assert!(screen.sees("not allowed by the setting apps.open-to-public"));
    assert!(!screen.sees("Allowed networks"), "{}", screen.text());
}

#[test]
fn stopping_and_restarting_ask_first() {
    let is_stop = |request: &Request| matches!(asked_of_app(request), Some(AppRequest::Stop { app }) if app == "jupyter");
    let screen = listed(launcher(80, 24)).press("down s");
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("enter");
    assert!(
        !screen.wishes().iter().any(|it| is_stop(it)),
        "No is marked"
    );
    let screen = screen.press("r y").answer(is_stop, Ok(Reply::Done));
    let screen = screen.answer(is_open, Ok(opened(jupyter())));
    assert!(
        screen.sees("Jupyter Notebook is open on port 10250"),
        "{}",
        screen.text()
    );
    let screen = listed(screen.press("esc"))
        .press("s y")
        .answer(is_stop, Ok(Reply::Done));
    assert!(screen.sees("Jupyter Notebook stopped"), "{}", screen.text());
    let screen = screen.press("up s");
    assert!(screen.sees("Console isn't running"), "{}", screen.text());
}

#[test]
fn the_log_of_an_app_is_shown() {
    let is_log = |request: &Request| matches!(asked_of_app(request), Some(AppRequest::Log { .. }));
    let screen = listed(launcher(80, 24)).press("l");
    assert!(screen.sees("Loading the log"));
    let lines = (0..60).map(|n| Clean::new(&format!("line {n}"))).collect();
    let screen = screen.answer(is_log, Ok(Reply::AppLog { lines }));
    assert!(screen.sees("line 59"), "{}", screen.text());
    let screen = screen.press("g");
    assert!(screen.sees("line 0") && !screen.sees("line 59"));
    let screen = screen
        .press("R")
        .answer(is_log, Ok(Reply::AppLog { lines: Vec::new() }));
    assert!(screen.sees("It has printed nothing yet."));
}

#[test]
fn any_port_is_forwarded() {
    let screen = listed(launcher(80, 24)).press("G up enter");
    assert!(
        screen.sees("Forward a port of train-resnet"),
        "{}",
        screen.text()
    );
    let screen = screen.press("enter");
    assert!(screen.sees("invalid port ''. Use a number from 1 to 65535"));
    let screen = screen.typed("8000").press("tab").typed(" ").press("enter");
    let open = screen.wishes().into_iter().find_map(|it| match it {
        Request::Forward {
            request: ForwardRequest::Open {
                target, options, ..
            },
        } => Some((target.clone(), options.clone())),
        _ => None,
    });
    let (target, options) = open.unwrap();
    assert_eq!(target, ForwardTarget::Port { port: 8000 });
    assert_eq!(options.protocol, Some(AppProtocol::Tcp));
}

#[test]
fn the_commands_for_ssh() {
    let screen = listed(launcher(80, 24)).press("G enter");
    assert!(screen.sees("Preparing the keys"));
    let access = SshAccess {
        user: Clean::new("work"),
        identity_file: "/home/jin/.local/state/workbay/apps/ssh/a1b20001/id".to_owned(),
        known_hosts_file: "/home/jin/.local/state/workbay/apps/ssh/a1b20001/known_hosts".to_owned(),
        host_key_alias: "train-resnet.workbay".to_owned(),
    };
    let is_ssh = |request: &Request| matches!(request, Request::SshAccess { .. });
    let screen = screen.answer(is_ssh, Ok(Reply::SshAccess { access }));
    insta::assert_snapshot!("ssh_80x24", screen.text());
    let is_port = |request: &Request| {
        let open = |it: &ForwardRequest| matches!(it, ForwardRequest::Open { .. });
        matches!(request, Request::Forward { request } if open(request))
    };
    let mut forward = jupyter();
    forward.target = ForwardTarget::Ssh;
    forward.port = 10251;
    let screen = screen
        .press("enter")
        .answer(is_port, Ok(opened(forward)))
        .press("G up up up up");
    insta::assert_snapshot!("ssh_with_a_port_80x24", screen.text());
    let screen = screen.press("y");
    let copied = |it: &Effect| matches!(it, Effect::Copy { text, .. } if text.starts_with("ssh -p 10251 -i /home/jin"));
    assert!(screen.effects().iter().any(copied));
    // The keys of URLs say why they do nothing.
    let mut screen = screen;
    for (key, why) in [
        ("o", "A browser can't open SSH"),
        ("v", "contain no token"),
        ("q", "have no QR code"),
        ("enter", "Port 10251 is open"),
    ] {
        screen = screen.press(key);
        assert!(screen.sees(why), "{key}: {}", screen.text());
    }
}

/// The same on an engine with an app proxy.
fn on_a_cluster(columns: u16, rows: u16) -> Screen {
    let mut world = train();
    if let EngineState::Connected { info } = &mut world.contexts[0].engine {
        let missing = &mut info.capabilities.missing;
        missing.retain(|(lacking, _)| *lacking != Capability::AppProxy);
    }
    listed(Screen::new(columns, rows).daemon(world).press("a"))
}

fn proxied(url: &str, address: Option<&str>) -> Reply {
    Reply::Proxied {
        proxied: ProxyUrl {
            url: url.to_owned(),
            address: address.map(str::to_owned),
        },
    }
}

#[test]
fn an_app_is_opened_at_the_proxy_of_a_cluster() {
    let here = listed(launcher(100, 30)).press("down p");
    assert!(here.sees("no app proxy"), "{}", here.text());
    assert!(!here.sees("cluster's proxy"), "{}", here.text());
    let screen = on_a_cluster(100, 30).press("down p");
    let is_proxy = |request: &Request| {
        let asked = asked_of_app(request);
        matches!(asked, Some(AppRequest::Proxy { start, .. }) if start.app == "jupyter")
    };
    assert!(screen.sees("Opening"), "{}", screen.text());
    let url =
        "https://proxy.example:10205/setup?token=3f2a9c0d1e2b4c5d6e7f8091a2b3c4d5&app=jupyter";
    let screen = screen.answer(is_proxy, Ok(proxied(url, None)));
    insta::assert_snapshot!(screen.text());
    assert!(!screen.sees("3f2a9c0d"), "{}", screen.text());
    let shown = screen.press("v");
    assert!(shown.sees("3f2a9c0d"), "{}", shown.text());
    let screen = on_a_cluster(80, 24).press("down p");
    let screen = screen.answer(is_proxy, Ok(proxied(url, Some("proxy.example:10206"))));
    assert!(screen.sees("proxy.example:10206"), "{}", screen.text());
    assert!(!screen.sees("browser"), "{}", screen.text());
    let mut screen = screen;
    for (key, why) in [
        ("o", "Browsers can't open this app"),
        ("v", "contains no token"),
        ("Y", "needs no ssh command"),
        ("q", "Only opened ports"),
        ("enter", "Already open"),
    ] {
        screen = screen.press(key);
        assert!(screen.sees(why), "{key}: {}", screen.text());
    }
    let screen = on_a_cluster(80, 24).press("down p");
    let refused = Failure::refused("the cluster has no app proxy").hint("press Enter");
    let screen = screen.answer(is_proxy, Err(refused));
    assert!(screen.sees("has no app proxy"), "{}", screen.text());
}
