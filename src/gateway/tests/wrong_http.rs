//! Requests that two servers could read differently, and heads without an end.

use super::support::*;
use crate::gateway::Kind;

/// A second request within the first one, if its length is read in another way.
const HIDDEN: &str = "GET /hidden HTTP/1.1\r\nHost: x\r\n\r\n";

#[tokio::test]
async fn one_request_never_becomes_two() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let lines = gateway.lines();
    let chunked = "Transfer-Encoding: chunked\r\n";
    for (head, body) in [
        // Both lengths: the chunks count, and the connection ends.
        (
            format!("Content-Length: 6\r\n{chunked}"),
            format!("0\r\n\r\n{HIDDEN}"),
        ),
        (
            format!("{chunked}Content-Length: 6\r\n"),
            format!("0\r\n\r\n{HIDDEN}"),
        ),
        (
            "Content-Length: 0\r\nContent-Length: 40\r\n".to_owned(),
            HIDDEN.to_owned(),
        ),
        ("Content-Length: 0, 40\r\n".to_owned(), HIDDEN.to_owned()),
        ("Content-Length: +0\r\n".to_owned(), HIDDEN.to_owned()),
        ("Content-Length : 40\r\n".to_owned(), HIDDEN.to_owned()),
        (
            "Transfer-Encoding: chunked, identity\r\n".to_owned(),
            HIDDEN.to_owned(),
        ),
        (
            "Transfer-Encoding: xchunked\r\n".to_owned(),
            HIDDEN.to_owned(),
        ),
        (
            "Transfer-Encoding : chunked\r\n".to_owned(),
            HIDDEN.to_owned(),
        ),
        (
            "X: 1\r\n Content-Length: 40\r\n".to_owned(),
            HIDDEN.to_owned(),
        ),
        (
            "X: 1\r\n\tTransfer-Encoding: chunked\r\n".to_owned(),
            HIDDEN.to_owned(),
        ),
        ("X: 1\rContent-Length: 40\r\n".to_owned(), HIDDEN.to_owned()),
        (chunked.to_owned(), format!("zz\r\n{HIDDEN}")),
        (chunked.to_owned(), format!("-1\r\n{HIDDEN}")),
        (chunked.to_owned(), format!("1\r\nab\r\n0\r\n\r\n{HIDDEN}")),
        (chunked.to_owned(), format!("ffffffffffffffff1\r\n{HIDDEN}")),
    ] {
        received.lock().unwrap().clear();
        let request = format!("POST /shown HTTP/1.1\r\n{lines}{head}\r\n{body}");
        let answer = gateway.exchange(&request).await;
        let answers = answer.matches("HTTP/1.1 ").count();
        assert!(answers <= 1, "{head}{body}: {answer}");
        let seen = received.lock().unwrap().clone();
        assert!(seen.len() <= 1, "{head}{body}: {seen:?}");
        let is_hidden = |it: &String| it.starts_with("GET /hidden");
        assert!(!seen.iter().any(is_hidden), "{head}{body}: {seen:?}");
    }
}

#[tokio::test]
async fn each_message_has_one_length_on_its_way() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let lines = gateway.lines();
    let close = "Connection: close\r\n";
    for (head, expected) in [
        (
            "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 3\r\n",
            "content-length: 3\n",
        ),
        (
            "GET / HTTP/1.1\r\nContent-Length: 3\r\n",
            "content-length: 3\n",
        ),
    ] {
        let answer = gateway
            .exchange(&format!("{head}{lines}{close}\r\nabc"))
            .await;
        assert_status(&answer, 200);
        let seen = received.lock().unwrap().pop().unwrap();
        assert_eq!(seen.matches(expected).count(), 1, "{seen}");
        assert!(
            seen.ends_with("\n\nabc") && !seen.contains("transfer-encoding"),
            "{seen}"
        );
    }
    for method in ["POST", "GET", "DELETE"] {
        let head = format!("{method} / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n{lines}{close}");
        let answer = gateway
            .exchange(&format!("{head}\r\n3\r\nabc\r\n0\r\n\r\n"))
            .await;
        assert_status(&answer, 200);
        let seen = received.lock().unwrap().pop().unwrap();
        assert!(
            seen.contains("transfer-encoding: chunked\n") && seen.ends_with("\n\nabc"),
            "{seen}"
        );
        assert!(!seen.contains("content-length"), "{seen}");
    }
}

#[tokio::test]
async fn what_is_not_http_gets_an_error() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    for request in [
        "\x16\x03\x01\x02\x00\x01\x00\x01",
        "GET\r\n\r\n",
        "GET / HTTP/9.9\r\n\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
    ] {
        let answer = gateway.exchange(request).await;
        assert!(
            answer.is_empty() || answer.starts_with("HTTP/1.1 4"),
            "{request}: {answer}"
        );
    }
    assert!(received.lock().unwrap().is_empty());
}

#[tokio::test]
async fn large_heads_are_refused() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let lines = gateway.lines();
    let long = "x".repeat(40 * 1024);
    let many = "X-Many: 1\r\n".repeat(200);
    for (request, status) in [
        (
            format!("GET / HTTP/1.1\r\n{lines}X-Long: {long}\r\n\r\n"),
            431,
        ),
        (format!("GET / HTTP/1.1\r\n{lines}{many}\r\n"), 431),
        (format!("GET /{long} HTTP/1.1\r\n{lines}\r\n"), 431),
    ] {
        assert_status(&gateway.exchange(&request).await, status);
    }
    assert!(received.lock().unwrap().is_empty());
}

#[tokio::test]
async fn old_clients_get_an_answer_that_they_understand() {
    let (app, received) = echo_app().await;
    let gateway = Gateway::start(Kind::Http, app).await;
    let request = format!("GET /old HTTP/1.0\r\n{}\r\n", gateway.lines());
    let answer = gateway.exchange(&request).await;
    assert!(
        answer.starts_with("HTTP/1.0 200 ") && !answer.contains("chunked"),
        "{answer}"
    );
    assert!(received.lock().unwrap()[0].starts_with("GET /old\n"));
}
