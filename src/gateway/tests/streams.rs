//! Bodies, upgrades and events pass as they come, and incomplete ones are seen to be incomplete.

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::support::*;
use crate::gateway::Kind;

#[tokio::test]
async fn a_connection_of_the_client_and_of_the_application_serve_many_requests() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app.clone()).await;
    let lines = gateway.lines();
    let mut tcp = gateway.connect().await;
    for at in 0..20 {
        let body = format!("body {at}");
        let length = body.len();
        let head = format!("PUT /{at} HTTP/1.1\r\n{lines}Content-Length: {length}\r\n\r\n");
        tcp.write_all((head + &body).as_bytes()).await.unwrap();
        let head = read_head(&mut tcp).await;
        assert_status(&head, 200);
        assert!(
            read_until(&mut tcp, &body)
                .await
                .starts_with(&format!("PUT /{at}\n"))
        );
        // The connection to the application is free again.
        until(|| gateway.traffic.read().bytes_out > 0).await;
    }
    assert_eq!(received.lock().unwrap().len(), 20);
    let dials = app.dials.load(std::sync::atomic::Ordering::Relaxed);
    assert!(dials < 20, "{dials}");
    assert_eq!(gateway.traffic.read().connections_total, 1);
}

#[tokio::test]
async fn an_idle_connection_that_the_application_closed_is_not_used() {
    // Keeps the connection open in its answer, and closes it.
    let app = fixed_app(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").await;
    let gateway = Gateway::start(Kind::Http, app).await;
    for _ in 0..50 {
        let answer = gateway.get("/", "").await;
        assert_status(&answer, 200);
    }
}

#[tokio::test]
async fn events_pass_at_once() {
    let app = raw_app(|mut tcp| async move {
        read_head(&mut tcp).await;
        let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        tcp.write_all(head).await.unwrap();
        // Each event follows only when the client has seen the one before.
        while read_until(&mut tcp, "\r\n").await == "1\r\n" {
            let data = read_until(&mut tcp, "\r\n").await;
            let event = format!("data: {}\n\n", data.trim());
            tcp.write_all(event.as_bytes()).await.unwrap();
        }
    })
    .await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let mut tcp = gateway.connect().await;
    let lines = gateway.lines();
    let head = format!("POST / HTTP/1.1\r\n{lines}Transfer-Encoding: chunked\r\n\r\n");
    tcp.write_all(head.as_bytes()).await.unwrap();
    assert_status(&read_head(&mut tcp).await, 200);
    for byte in ["1", "2", "3"] {
        tcp.write_all(format!("1\r\n{byte}\r\n").as_bytes())
            .await
            .unwrap();
        let event = format!("data: {byte}\n\n");
        assert!(read_until(&mut tcp, &event).await.ends_with(&event));
    }
}

#[tokio::test]
async fn a_body_is_asked_for_only_with_access() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let expect = "Expect: 100-continue\r\nContent-Length: 3\r\n\r\n";
    let mut tcp = gateway.connect().await;
    let head = format!("PUT / HTTP/1.1\r\n{}{expect}", gateway.lines());
    tcp.write_all(head.as_bytes()).await.unwrap();
    assert_status(&read_head(&mut tcp).await, 100);
    tcp.write_all(b"abc").await.unwrap();
    assert_status(&read_head(&mut tcp).await, 200);
    assert!(received.lock().unwrap()[0].ends_with("\n\nabc"));
    let mut stranger = gateway.connect().await;
    let head = format!("PUT / HTTP/1.1\r\nHost: 127.0.0.1:1\r\n{expect}");
    stranger.write_all(head.as_bytes()).await.unwrap();
    assert_status(&read_head(&mut stranger).await, 403);
}

#[tokio::test]
async fn upgraded_connections_carry_bytes_both_ways() {
    let app = raw_app(|mut tcp| async move {
        let head = read_head(&mut tcp).await;
        assert!(
            head.contains("connection: upgrade\r\n") && head.contains("upgrade: websocket\r\n")
        );
        let head =
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
            Sec-WebSocket-Accept: x\r\n\r\nhello ";
        tcp.write_all(head).await.unwrap();
        let (mut read, mut write) = tcp.split();
        tokio::io::copy(&mut read, &mut write).await.unwrap();
        write.write_all(b"bye").await.unwrap();
    })
    .await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let mut tcp = gateway.connect().await;
    let upgrade = "Upgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n\r\n";
    let head = format!("GET /ws HTTP/1.1\r\n{}{upgrade}", gateway.lines());
    tcp.write_all(head.as_bytes()).await.unwrap();
    let head = read_head(&mut tcp).await;
    assert_status(&head, 101);
    assert!(
        head.contains("upgrade: websocket\r\n") && head.contains("sec-websocket-accept: x\r\n")
    );
    read_until(&mut tcp, "hello ").await;
    let sent: Vec<u8> = (0..1_000_000_u32).map(|it| it as u8).collect();
    let expected = [sent.as_slice(), b"bye"].concat();
    let (mut read, mut write) = tcp.into_split();
    let upload = tokio::spawn(async move {
        write.write_all(&sent).await.unwrap();
        write.shutdown().await.unwrap();
        write
    });
    let mut seen = Vec::new();
    read.read_to_end(&mut seen).await.unwrap();
    assert!(seen == expected, "{} bytes", seen.len());
    upload.await.unwrap();
    let figures = gateway.traffic.read();
    assert!(
        figures.bytes_in > 1_000_000 && figures.bytes_out > 1_000_000,
        "{figures:?}"
    );
    until(|| gateway.traffic.read().connections_now == 0).await;
}

#[tokio::test]
async fn a_refused_upgrade_is_an_ordinary_answer() {
    let (app, _) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let upgrade = "Upgrade: websocket\r\nConnection: Upgrade, close\r\n\r\n";
    let head = format!("GET / HTTP/1.1\r\n{}{upgrade}", gateway.lines());
    assert_status(&gateway.exchange(&head).await, 200);
    // The application must not switch without being asked.
    let app = fixed_app(b"HTTP/1.1 101 x\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n").await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let answer = gateway.get("/", "").await;
    assert_status(&answer, 502);
}

#[tokio::test]
async fn an_interrupted_upload_is_interrupted_for_the_application() {
    let (sender, mut ended) = tokio::sync::mpsc::channel(1);
    let app = raw_app(move |mut tcp| {
        let sender = sender.clone();
        async move {
            let begin = read_until(&mut tcp, "begun").await;
            sender.send(begin.into_bytes()).await.unwrap();
            let mut rest = Vec::new();
            let _ = tcp.read_to_end(&mut rest).await;
            sender.send(rest).await.unwrap();
        }
    })
    .await;
    let gateway = Gateway::start(Kind::Http, app).await;
    for length in ["Content-Length: 1000000", "Transfer-Encoding: chunked"] {
        let mut tcp = gateway.connect().await;
        let lines = gateway.lines();
        let head = format!("POST / HTTP/1.1\r\n{lines}{length}\r\n\r\n");
        tcp.write_all(head.as_bytes()).await.unwrap();
        tcp.write_all(b"5\r\nbegun\r\n").await.unwrap();
        assert!(ended.recv().await.unwrap().ends_with(b"begun"));
        drop(tcp);
        let rest = ended.recv().await.unwrap();
        // No final chunk.
        assert!(!rest.ends_with(b"0\r\n\r\n"), "{rest:?}");
    }
    until(|| gateway.traffic.read().connections_now == 0).await;
}

#[tokio::test]
async fn a_client_that_disconnects_ends_its_request() {
    let (sender, mut ended) = tokio::sync::mpsc::channel(1);
    let app = raw_app(move |mut tcp| {
        let sender = sender.clone();
        async move {
            let head = read_head(&mut tcp).await;
            sender.send(head).await.unwrap();
            // A long poll, without an answer.
            let end = read_all(&mut tcp).await;
            sender.send(end).await.unwrap();
        }
    })
    .await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let mut tcp = gateway.connect().await;
    let head = format!("GET /poll HTTP/1.1\r\n{}\r\n", gateway.lines());
    tcp.write_all(head.as_bytes()).await.unwrap();
    assert!(ended.recv().await.unwrap().starts_with("GET /poll "));
    drop(tcp);
    assert_eq!(ended.recv().await.unwrap(), "");
}

#[tokio::test]
async fn an_interrupted_download_is_interrupted_for_the_client() {
    for (head, begin) in [
        ("Content-Length: 1000000", "begun"),
        ("Transfer-Encoding: chunked", "5\r\nbegun\r\n"),
    ] {
        let app = raw_app(move |mut tcp| async move {
            read_head(&mut tcp).await;
            let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{begin}");
            tcp.write_all(answer.as_bytes()).await.unwrap();
            // The client has the beginning before the container disappears.
            read_all(&mut tcp).await;
        })
        .await;
        for version in ["HTTP/1.1", "HTTP/1.0"] {
            let gateway = Gateway::start(Kind::Http, app.clone()).await;
            let mut tcp = gateway.connect().await;
            let request = format!("GET /file {version}\r\n{}\r\n", gateway.lines());
            tcp.write_all(request.as_bytes()).await.unwrap();
            read_until(&mut tcp, "begun").await;
            // The route ends in the middle.
            gateway.stop.cancel();
            let mut rest = Vec::new();
            let end = tcp.read_to_end(&mut rest).await;
            assert!(end.is_err(), "{head} {version}: {rest:?}");
            assert!(!rest.ends_with(b"0\r\n\r\n"), "{rest:?}");
            gateway.served.await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_container_that_disappears_resets_the_download() {
    for (head, begin) in [
        ("Content-Length: 1000000", "begun"),
        ("Transfer-Encoding: chunked", "5\r\nbegun\r\n"),
        ("Transfer-Encoding: chunked", "5\r\nbegun\r\n9\r\nun"),
    ] {
        let go = std::sync::Arc::new(tokio::sync::Notify::new());
        let gone = go.clone();
        let app = raw_app(move |mut tcp| {
            let gone = gone.clone();
            async move {
                read_head(&mut tcp).await;
                let answer = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n{begin}");
                tcp.write_all(answer.as_bytes()).await.unwrap();
                gone.notified().await;
            }
        })
        .await;
        for version in ["HTTP/1.1", "HTTP/1.0"] {
            let gateway = Gateway::start(Kind::Http, app.clone()).await;
            let mut tcp = gateway.connect().await;
            let request = format!("GET /file {version}\r\n{}\r\n", gateway.lines());
            tcp.write_all(request.as_bytes()).await.unwrap();
            read_until(&mut tcp, "begun").await;
            go.notify_one();
            let mut rest = Vec::new();
            let end = tcp.read_to_end(&mut rest).await;
            assert!(end.is_err(), "{head} {version}: {rest:?}");
            assert!(!rest.ends_with(b"0\r\n\r\n"), "{rest:?}");
        }
    }
}
