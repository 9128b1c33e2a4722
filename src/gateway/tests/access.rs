//! Tokens, cookies, Host, Origin, networks, other users.

use std::{os::unix::process::CommandExt as _, process::Command};

use super::support::*;
use crate::gateway::{Kind, url};

#[tokio::test]
async fn a_one_time_token_becomes_a_cookie_and_disappears() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let (port, token) = (gateway.port, gateway.tokens.issue().unwrap());
    let url = url(port, &token, "/lab?a=1");
    let path = url
        .strip_prefix(&format!("http://127.0.0.1:{port}"))
        .unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n");
    let answer = gateway.send(&request).await;
    assert_status(&answer, 303);
    assert!(answer.contains("location: /lab?a=1\r\n"), "{answer}");
    let cookie = format!("set-cookie: workbay_{port}=");
    let cookie = answer.split_once(&cookie).unwrap().1;
    let (cookie, attributes) = cookie.split_once(';').unwrap();
    assert!(
        attributes.starts_with(" Path=/; HttpOnly; SameSite=Lax\r\n"),
        "{answer}"
    );
    assert_ne!(cookie, gateway.tokens.secret().expose());
    assert!(!answer.contains(token.expose()), "{answer}");
    // It works once.
    let again = gateway.send(&request).await;
    assert_status(&again, 403);
    assert!(
        again.contains("used before") && again.contains("workbay port open"),
        "{again}"
    );
    // The cookie does, and neither reaches the application.
    let cookies = format!("Cookie: x=1; workbay_{port}={cookie}; workbay_1=2\r\n");
    let lines = format!("Host: 127.0.0.1:{port}\r\n{cookies}");
    let answer = gateway
        .send(&format!("POST /a?workbay_token=x&b=2 HTTP/1.1\r\n{lines}"))
        .await;
    assert_status(&answer, 200);
    let seen = received.lock().unwrap().concat();
    assert!(
        seen.starts_with("POST /a?b=2\n") && seen.contains("cookie: x=1\n"),
        "{seen}"
    );
    assert!(!seen.contains("workbay"), "{seen}");
    // A browser with the cookie may open a URL that was used before.
    assert_status(&gateway.get(path, "").await, 303);
}

#[tokio::test]
async fn the_redirect_never_leads_to_another_host() {
    let (app, _) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    for path in ["//evil.example/", "/%5Cevil.example", "///evil.example"] {
        let token = gateway.tokens.issue().unwrap();
        let path = format!("{path}?workbay_token={}", token.expose());
        let answer = gateway.get(&path, "").await;
        assert_status(&answer, 303);
        let target = answer.split_once("location: ").unwrap().1;
        assert!(
            target.starts_with('/') && !target.starts_with("//"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn without_a_valid_token_nothing_reaches_the_application() {
    let (app, received) = echo_app().await;
    let (other_app, _) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app.clone()).await;
    let other = Gateway::start(Kind::Http, other_app).await;
    let port = gateway.port;
    let secret = gateway.tokens.secret().expose();
    let others = other.tokens.cookie().expose();
    let others_token = other.tokens.issue().unwrap();
    for (target, line) in [
        ("/", String::new()),
        ("/?workbay_token=", String::new()),
        ("/?workbay_token=wrong", String::new()),
        // The secret isn't for URLs.
        (&format!("/?workbay_token={secret}"), String::new()),
        (
            &format!("/?workbay_token={}", others_token.expose()),
            String::new(),
        ),
        ("/", format!("Cookie: workbay_{port}={others}\r\n")),
        ("/", format!("Cookie: workbay_{}={others}\r\n", other.port)),
        ("/", format!("Cookie: workbay_{port}={secret}\r\n")),
        ("/", "X-Workbay-Token: wrong\r\n".to_owned()),
        ("/", "Authorization: Bearer wrong\r\n".to_owned()),
        ("/", format!("Authorization: token {secret}\r\n")),
    ] {
        let head = format!("GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{line}");
        let answer = gateway.send(&head).await;
        assert_status(&answer, 403);
        // Strangers don't get to know what runs here.
        assert!(!answer.contains("train-1"), "{answer}");
        assert!(answer.contains("workbay port open"), "{answer}");
    }
    assert!(received.lock().unwrap().is_empty());
    assert_eq!(app.dials.load(std::sync::atomic::Ordering::Relaxed), 0);
    let figures = gateway.traffic.read();
    assert_eq!((figures.bytes_in, figures.connections_total), (0, 0));
}

#[tokio::test]
async fn clients_without_cookies_send_the_secret_in_a_header() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let secret = gateway.tokens.secret().expose();
    let host = format!("Host: localhost:{}\r\n", gateway.port);
    for line in [
        format!("X-Workbay-Token: {secret}\r\n"),
        format!("Authorization: bearer {secret}\r\n"),
        format!("X-Workbay-Token: {secret}\r\nAuthorization: token of-jupyter\r\n"),
    ] {
        let answer = gateway
            .send(&format!("DELETE /api HTTP/1.1\r\n{host}{line}"))
            .await;
        assert_status(&answer, 200);
    }
    let seen = received.lock().unwrap().clone();
    assert!(!seen.concat().contains(secret), "{seen:?}");
    assert!(
        seen[2].contains("authorization: token of-jupyter\n"),
        "{seen:?}"
    );
    assert!(!seen[1].contains("authorization"), "{seen:?}");
}

#[tokio::test]
async fn other_names_for_this_machine_are_refused() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let (port, cookie) = (gateway.port, gateway.tokens.cookie().expose());
    let get = async |hosts: &str, cookie_port: u16| {
        let cookie = format!("Cookie: workbay_{cookie_port}={cookie}\r\n");
        gateway
            .send(&format!("GET / HTTP/1.1\r\n{hosts}{cookie}"))
            .await
    };
    for (name, status) in [
        (format!("127.0.0.1:{port}"), 200),
        (format!("LOCALHOST:{port}"), 200),
        (format!("[::1]:{port}"), 200),
        // A name that an attacker's DNS resolves to 127.0.0.1.
        (format!("evil.example:{port}"), 403),
        (format!("localhost.evil.example:{port}"), 403),
        (format!("127.0.0.1.evil.example:{port}"), 403),
        (format!("10.0.0.1:{port}"), 403),
        (format!("evil.example@127.0.0.1:{port}"), 400),
        (format!("127.0.0.1:{port}/evil"), 400),
        (String::new(), 400),
    ] {
        let answer = get(&format!("Host: {name}\r\n"), port).await;
        assert_status(&answer, status);
    }
    let two = format!("Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n");
    assert_status(&get(&two, port).await, 400);
    assert_status(&get("", port).await, 400);
    // `ssh -L 9000:127.0.0.1:PORT` on the user's own machine.
    assert_status(&get("Host: localhost:9000\r\n", 9000).await, 200);
    let seen = received.lock().unwrap().concat();
    assert!(!seen.contains("evil"), "{seen}");
}

#[tokio::test]
async fn the_target_is_always_the_own_application() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let lines = gateway.lines();
    for target in [
        "GET http://evil.example/",
        "GET http://127.0.0.1:1/",
        "CONNECT evil.example:443",
        "CONNECT 127.0.0.1:22",
    ] {
        let answer = gateway.send(&format!("{target} HTTP/1.1\r\n{lines}")).await;
        assert_status(&answer, 400);
    }
    // Paths are the application's, unchanged.
    let answer = gateway.get("/../..//etc/%2e%2e/passwd?x=%00", "").await;
    assert_status(&answer, 200);
    let seen = received.lock().unwrap().concat();
    assert!(
        seen.starts_with("GET /../..//etc/%2e%2e/passwd?x=%00\n"),
        "{seen}"
    );
}

#[tokio::test]
async fn pages_of_other_sites_and_ports_are_refused() {
    let (app, _) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let (port, lines) = (gateway.port, gateway.lines());
    let upgrade = "Upgrade: websocket\r\nConnection: upgrade\r\n";
    for (origin, is_valid) in [
        (format!("http://127.0.0.1:{port}"), true),
        (format!("https://127.0.0.1:{port}"), true),
        ("http://evil.example".to_owned(), false),
        (format!("http://localhost:{port}"), false),
        ("http://127.0.0.1:1".to_owned(), false),
        ("http://127.0.0.1".to_owned(), false),
        (format!("http://127.0.0.1:{port}.evil.example"), false),
        (format!("ftp://127.0.0.1:{port}"), false),
        ("null".to_owned(), false),
        (String::new(), false),
    ] {
        let line = format!("Origin: {origin}\r\n");
        let status = if is_valid { 200 } else { 403 };
        for method in ["POST", "PUT", "PATCH", "DELETE", "PROPFIND"] {
            let answer = gateway
                .send(&format!("{method} / HTTP/1.1\r\n{lines}{line}"))
                .await;
            assert_status(&answer, status);
        }
        assert_status(&gateway.get("/", &line).await, 200);
        let request = format!("GET / HTTP/1.1\r\n{lines}{line}{upgrade}\r\n");
        let mut tcp = gateway.connect().await;
        tokio::io::AsyncWriteExt::write_all(&mut tcp, request.as_bytes())
            .await
            .unwrap();
        assert_status(&read_head(&mut tcp).await, status);
    }
    // A browser says who uses the cookie.
    for (line, status) in [
        (
            "Sec-Fetch-Site: same-site\r\nSec-Fetch-Mode: no-cors\r\n",
            403,
        ),
        (
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: cors\r\n",
            403,
        ),
        (
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n",
            200,
        ),
        (
            "Sec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n",
            200,
        ),
    ] {
        assert_status(&gateway.get("/", line).await, status);
    }
}

#[tokio::test]
async fn public_ports_need_no_token_but_an_allowed_network() {
    let (app, _) = echo_app().await;
    for (allowed, status) in [
        (&[][..], 200),
        (&["127.0.0.0/8"], 200),
        (&["10.0.0.0/8", "127.0.0.1"], 200),
        (&["10.0.0.0/8"], 403),
    ] {
        let gateway = Gateway::public(Kind::Http, app.clone(), allowed).await;
        let request = "GET / HTTP/1.1\r\nHost: gpu.example:8888\r\n";
        assert_status(&gateway.send(request).await, status);
        let forged = "POST / HTTP/1.1\r\nHost: gpu.example\r\nOrigin: http://evil.example\r\n";
        assert_status(&gateway.send(forged).await, 403);
    }
}

#[tokio::test]
async fn other_users_of_this_machine_are_refused() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let request = format!(
        "GET / HTTP/1.1\r\n{}Connection: close\r\n\r\n",
        gateway.lines()
    );
    let (own, other) = (
        as_user(0, gateway.port, &request),
        as_user(65534, gateway.port, &request),
    );
    assert_status(&own.await, 200);
    let other = other.await;
    assert_status(&other, 403);
    assert!(
        other.contains("another user") && !other.contains("train-1"),
        "{other}"
    );
    assert_eq!(received.lock().unwrap().len(), 1);
}

/// The answer to bytes that a process of another user sends.
pub(super) async fn as_user(uid: u32, port: u16, bytes: &str) -> String {
    let script = format!("exec 3<>/dev/tcp/127.0.0.1/{port} && printf '%s' \"$0\" >&3; cat <&3");
    let mut bash = Command::new("bash");
    bash.arg("-c")
        .arg(script)
        .arg(bytes)
        .uid(uid)
        .current_dir("/");
    let output = tokio::task::spawn_blocking(move || bash.output());
    let output = output.await.unwrap().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}
