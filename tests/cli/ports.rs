//! `workbay app` and `workbay port`, on the real engine.

use std::{
    io::{Read as _, Write as _},
    net::TcpStream,
    process::Command,
};

use crate::{
    cli::{
        run,
        sessions::{until, with_session},
    },
    machine::Machine,
};

/// Starts a web server in the session, which serves a file of its own.
fn serve(machine: &Machine, session: &str, port: u16) {
    let script = format!(
        "mkdir -p web && echo 'served by {session}' > web/index.html && cd web && \
         (setsid python3 -m http.server {port} --bind 127.0.0.1 >/dev/null 2>&1 &)"
    );
    machine.ok(&["exec", session, "--", "sh", "-c", &script]);
    until("the session's web server listens", || {
        let apps = machine.json(&["app", "ls", session, "--json"]);
        let listens = |app: &serde_json::Value| app["ports"][0] == port;
        apps.as_array().unwrap().iter().any(listens)
    });
}

/// The response to a plain request, with its head.
fn get(port: u16, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{headers}Connection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

/// The port and the path of a URL on this machine.
pub(crate) fn parts(url: &str) -> (u16, &str) {
    let rest = url.trim().strip_prefix("http://127.0.0.1:").unwrap();
    let (port, path) = rest.split_at(rest.find('/').unwrap());
    (port.parse().unwrap(), path)
}

/// Follows the redirect of a URL with a token, as a browser does.
fn browse(url: &str) -> String {
    browse_with_cookie(url).0
}

/// The same, with the cookie that the token was exchanged for.
pub(crate) fn browse_with_cookie(url: &str) -> (String, String) {
    let (port, path) = parts(url);
    let answer = get(port, path, "");
    let header = |name: &str| {
        let line = answer.lines().find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found
                .eq_ignore_ascii_case(name)
                .then(|| value.trim().to_owned())
        });
        line.unwrap_or_else(|| panic!("no {name} in {answer}"))
    };
    let cookie = header("set-cookie");
    let cookie = cookie.split(';').next().unwrap().to_owned();
    let location = header("location");
    assert!(!location.contains("token"), "{location}");
    let answer = get(port, &location, &format!("Cookie: {cookie}\r\n"));
    (answer, cookie)
}

/// The status that curl gets as another user of this machine.
fn status_for_another_user(url: &str) -> String {
    let output = Command::new("setpriv")
        .args(["--reuid", "65534", "--regid", "65534", "--clear-groups"])
        .args(["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", url])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_port_of_a_session_is_reached_only_with_its_token() {
    let machine = with_session("cli-port");
    serve(&machine, "cli-port", 9321);
    let opened = machine.json(&["port", "open", "cli-port", "9321", "--json"]);
    let url = opened["url"].as_str().unwrap();
    let (port, _) = parts(url);
    assert_eq!(opened["port"], port);
    assert!(get(port, "/", "").starts_with("HTTP/1.1 403"));
    // Another user of this machine, even with the token, which stays valid.
    assert_eq!(status_for_another_user(url), "403");
    assert!(browse(url).contains("served by cli-port"));
    // The token works once.
    let (_, path) = parts(url);
    assert!(get(port, path, "").starts_with("HTTP/1.1 403"));
    let again = machine.ok(&["port", "url", &port.to_string()]);
    assert!(browse(&again).contains("served by cli-port"));

    let listed = machine.json(&["port", "ls", "--json"]);
    assert_eq!(listed.as_array().unwrap().len(), 1);
    assert_eq!(listed[0]["port"], port);
    assert!(listed[0]["traffic"]["sent"].as_u64() > Some(0), "{listed}");
    let table = machine.ok(&["port", "ls", "cli-port"]);
    assert!(
        table.contains("Port 9321") && table.contains("open"),
        "{table}"
    );
    assert!(!table.contains("token"), "{table}");

    // The next daemon opens it on the same port.
    machine.ok(&["daemon", "stop"]);
    let url = machine.ok(&["port", "url", "1"]);
    assert_eq!(parts(&url).0, port);
    until("the session answers through the new daemon", || {
        browse(&machine.ok(&["port", "url", "1"])).contains("served by cli-port")
    });

    machine.ok(&["port", "close", "1"]);
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err());
    let (code, _, err) = run(&machine, &["port", "close", "1"]);
    assert_eq!(code, 3, "{err}");
}

#[test]
fn a_port_is_closed_with_its_session() {
    let machine = with_session("cli-port-end");
    serve(&machine, "cli-port-end", 9322);
    let url = machine.ok(&["port", "open", "cli-port-end", "9322"]);
    let (port, _) = parts(&url);
    machine.ok(&["terminate", "cli-port-end", "--force", "--yes", "--wait"]);
    until("the port is closed", || {
        TcpStream::connect(("127.0.0.1", port)).is_err()
    });
    assert_eq!(
        machine.json(&["port", "ls", "--json"]),
        serde_json::json!([])
    );
}

#[test]
fn what_cannot_be_opened_is_named() {
    let machine = with_session("cli-port-bad");
    for (arguments, code, words) in [
        (
            ["port", "open", "cli-port-bad", "70000"].as_slice(),
            2,
            "invalid port 70000",
        ),
        (&["port", "open", "cli-port-bad", "0"], 2, "invalid port 0"),
        (
            &["port", "open", "cli-port-bad", "nothing"],
            3,
            "no app 'nothing'",
        ),
        (
            &["port", "open", "cli-port-bad", "80", "--port", "22"],
            2,
            "invalid preferred port 22",
        ),
        (
            &["port", "open", "cli-port-bad", "80", "--public"],
            2,
            "--yes",
        ),
        (
            &[
                "port",
                "open",
                "cli-port-bad",
                "80",
                "--public",
                "--yes",
                "--allow",
                "10.0.0.0/99",
            ],
            2,
            "invalid network",
        ),
        (&["port", "url", "9"], 3, "no open port 9"),
        (&["app", "start", "cli-port-bad", "nothing"], 3, "nothing"),
        (&["app", "logs", "cli-port-bad", "nothing"], 3, "nothing"),
    ] {
        let (found, out, err) = run(&machine, arguments);
        assert!(err.contains(words), "{arguments:?}: {out}{err}");
        assert_eq!(found, code, "{arguments:?}: {err}");
    }
    // A program that doesn't listen is an answer of the gateway, not a closed connection.
    let url = machine.ok(&["port", "open", "cli-port-bad", "9323"]);
    assert!(browse(&url).starts_with("HTTP/1.1 502"), "{}", browse(&url));
}

/// The preferred port is used, and if it is taken, the answer says so.
#[test]
fn the_preferred_port_comes_first() {
    let machine = with_session("cli-port-wish");
    let free = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let wish = free.to_string();
    let open = ["port", "open", "cli-port-wish", "9324", "--port", &wish];
    assert_eq!(parts(&machine.ok(&open)).0, free);
    let (code, out, err) = run(
        &machine,
        &["port", "open", "cli-port-wish", "9325", "--port", &wish],
    );
    assert_eq!(code, 0, "{err}");
    assert_ne!(parts(&out).0, free);
    assert!(err.contains(&format!("port {wish} is in use")), "{err}");
}
