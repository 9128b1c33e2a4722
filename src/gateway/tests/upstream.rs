//! Applications that don't listen, die, or answer garbage.

use std::{future::pending, sync::Arc};

use tokio::io::AsyncWriteExt as _;

use super::support::*;
use crate::{
    gateway::{Io, Kind, Upstream},
    model::failure::Failure,
};

/// An application whose port never accepts.
struct Silent;

#[async_trait::async_trait]
impl Upstream for Silent {
    async fn dial(&self) -> Result<Box<dyn Io>, Failure> {
        pending().await
    }
}

/// An application whose container doesn't run.
struct Gone;

#[async_trait::async_trait]
impl Upstream for Gone {
    async fn dial(&self) -> Result<Box<dyn Io>, Failure> {
        let failure = Failure::not_found("the container doesn't run").because("<b>out of memory");
        Err(failure.hint("relaunch the session"))
    }
}

const HTML: &str = "Accept: text/html\r\n";

#[tokio::test(start_paused = true)]
async fn an_application_that_never_accepts_is_named() {
    let gateway = Gateway::start(Kind::Http, Arc::new(Silent)).await;
    let answer = gateway.get("/", HTML).await;
    assert_status(&answer, 504);
    let said = "Jupyter Notebook of train-1 doesn&#39;t answer: it doesn&#39;t accept connections";
    assert!(answer.contains(said), "{answer}");
}

#[tokio::test]
async fn a_failure_to_dial_is_explained() {
    let gateway = Gateway::start(Kind::Http, Arc::new(Gone)).await;
    let answer = gateway.get("/", HTML).await;
    assert_status(&answer, 502);
    let said = "the container doesn&#39;t run: &lt;b&gt;out of memory. Relaunch the session";
    assert!(answer.contains(said), "{answer}");
    // Nothing listens on the port.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let closed = Address::new(listener.local_addr().unwrap());
    drop(listener);
    let gateway = Gateway::start(Kind::Http, closed).await;
    assert_status(&gateway.get("/", "").await, 502);
}

#[tokio::test]
async fn garbage_and_early_ends_are_explained() {
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "x".repeat(600 * 1024)).leak();
    for (answer, said) in [
        (&b""[..], "closed the connection without an answer"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Le",
            "closed the connection without an answer",
        ),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "isn't valid HTTP"),
        (b"\x15\x03\x01\x00\x02\x02\x16", "isn't valid HTTP"),
        (b"HTTP/1.1 2000 OK\r\n\r\n", "isn't valid HTTP"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "isn't valid HTTP",
        ),
        (
            b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "isn't valid HTTP",
        ),
        (b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", "isn't valid HTTP"),
        (long.as_bytes(), "is too large"),
    ] {
        let gateway = Gateway::start(Kind::Http, fixed_app(answer).await).await;
        let page = gateway.get("/", "").await;
        assert_status(&page, 502);
        assert!(
            page.contains("Jupyter Notebook of train-1 doesn't answer: "),
            "{page}"
        );
        assert!(page.contains(said), "{page}");
    }
}

#[tokio::test]
async fn an_upload_to_an_application_that_died_gets_an_answer() {
    let app = raw_app(|mut tcp| async move {
        read_head(&mut tcp).await;
    })
    .await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let mut tcp = gateway.connect().await;
    let lines = gateway.lines();
    let head = format!("POST / HTTP/1.1\r\n{lines}Content-Length: 100000000\r\n\r\n");
    tcp.write_all(head.as_bytes()).await.unwrap();
    assert_status(&read_head(&mut tcp).await, 502);
}

/// Time passes on its own whenever all tasks wait, so the wait below is longer than every limit.
#[tokio::test(start_paused = true)]
async fn an_answer_may_take_any_time() {
    let app = raw_app(|mut tcp| async move {
        read_head(&mut tcp).await;
        tokio::time::sleep(std::time::Duration::from_hours(1)).await;
        let head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n";
        tcp.write_all(head).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_hours(1)).await;
        tcp.write_all(b"late").await.unwrap();
    })
    .await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let answer = gateway.get("/", "").await;
    assert_status(&answer, 200);
    assert!(answer.ends_with("late"), "{answer}");
}
