//! Clients that are slow, idle or many.

use std::time::Duration;

use tokio::io::AsyncWriteExt as _;

use super::support::*;
use crate::gateway::{CONNECTIONS, Kind};

/// Time passes on its own whenever all tasks wait.
#[tokio::test(start_paused = true)]
async fn slow_and_silent_clients_are_closed() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    for begin in ["", "GET / HTTP/1.1\r\nHost: 127.0.0.1"] {
        let mut tcp = gateway.connect().await;
        tcp.write_all(begin.as_bytes()).await.unwrap();
        assert_eq!(read_all(&mut tcp).await, "");
    }
    // One byte at a time doesn't extend the time.
    let (mut read, mut write) = gateway.connect().await.into_split();
    let drip = tokio::spawn(async move {
        let mut bytes = "GET / HTTP/1.1\r\nX: "
            .bytes()
            .chain(std::iter::repeat(b'x'));
        while write.write_u8(bytes.next().unwrap()).await.is_ok() {
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
    assert_eq!(read_all(&mut read).await, "");
    drop(read);
    drip.await.unwrap();
    assert!(received.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_thousand_idle_connections_do_not_keep_others_out_and_are_bounded() {
    raise_limit();
    let (app, _) = echo_app().await;
    let gateway = Gateway::public(Kind::Http, app, &[]).await;
    let mut idle = Vec::new();
    for _ in 0..1000 {
        idle.push(gateway.connect().await);
    }
    assert_status(&gateway.get("/", "").await, 200);
    for _ in 1000..CONNECTIONS {
        idle.push(gateway.connect().await);
    }
    let mut excess = gateway.connect().await;
    assert_status(&read_all(&mut excess).await, 503);
    // Idle connections are no traffic: only the one request was.
    let figures = gateway.traffic.read();
    assert_eq!(figures.connections_total, 1);
    // Each that ends makes room.
    drop(idle.pop());
    loop {
        let answer = gateway.get("/", "").await;
        if answer.starts_with("HTTP/1.1 200 ") {
            break;
        }
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 503 "),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn other_users_do_not_take_the_place_of_the_owner() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let (app, _) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    // As many connections as one process may have open.
    let port = gateway.port;
    let script = format!(
        "for fd in $(seq 10 200); do eval \"exec $fd<>/dev/tcp/127.0.0.1/{port}\"; done; echo ready; read line"
    );
    let mut bash = tokio::process::Command::new("bash");
    bash.arg("-c")
        .arg(script)
        .uid(65534)
        .current_dir("/")
        .kill_on_drop(true);
    bash.stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut bash = bash.spawn().unwrap();
    let mut said = bash.stdout.take().unwrap();
    assert_eq!(read_until(&mut said, "ready\n").await, "ready\n");
    assert_status(&gateway.get("/", "").await, 200);
    bash.kill().await.unwrap();
}

/// Both ends of all connections are in this process.
fn raise_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let current = limit.maximum;
    let raised = Rlimit { current, ..limit };
    setrlimit(Resource::Nofile, raised).unwrap();
}

#[tokio::test]
async fn open_connections_end_with_the_route() {
    let (app, _) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app.clone()).await;
    let mut idle = gateway.connect().await;
    let mut used = gateway.connect().await;
    let request = format!("GET / HTTP/1.1\r\n{}\r\n", gateway.lines());
    used.write_all(request.as_bytes()).await.unwrap();
    assert_status(&read_head(&mut used).await, 200);
    assert_eq!(gateway.traffic.read().connections_now, 1);
    gateway.stop.cancel();
    read_all(&mut idle).await;
    read_all(&mut used).await;
    gateway.served.await.unwrap();
    assert_eq!(gateway.traffic.read().connections_now, 0);
    // The port is free again.
    std::net::TcpListener::bind(("127.0.0.1", gateway.port)).unwrap();
}
