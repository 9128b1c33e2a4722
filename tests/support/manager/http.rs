//! As much of HTTP/1.1 as a test server needs.

use std::{collections::BTreeMap, fmt::Write as _};

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use super::Reply;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Names in lowercase.
    pub headers: BTreeMap<String, String>,
    pub body: String,
}

impl Asked {
    /// Whether its line (`POST /session`) begins with `part` or its body contains it.
    pub fn contains(&self, part: &str) -> bool {
        format!("{} {}", self.method, self.target).starts_with(part) || self.body.contains(part)
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap_or_default()
    }
}

#[derive(Default)]
pub(super) struct HttpReader(Vec<u8>);

impl HttpReader {
    /// The next request of a connection; `None` at its end.
    pub(super) async fn next(&mut self, stream: &mut TcpStream) -> Option<Asked> {
        let head_end = loop {
            if let Some(at) = self.0.windows(4).position(|w| w == b"\r\n\r\n") {
                break at;
            }
            self.more(stream).await?;
            if !self.0[0].is_ascii_uppercase() {
                // A client speaks TLS to us: as a real server, we say that this isn't HTTP.
                stream
                    .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    .await
                    .ok()?;
                return None;
            }
        };
        let head = String::from_utf8_lossy(&self.0[..head_end]).into_owned();
        self.0.drain(..head_end + 4);
        let mut lines = head.lines();
        let mut words = lines.next()?.split(' ');
        let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
        let headers: BTreeMap<String, String> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length: usize = headers
            .get("content-length")
            .and_then(|n| n.parse().ok())
            .unwrap_or(0);
        while self.0.len() < length {
            self.more(stream).await?;
        }
        let body = self.0.drain(..length).collect::<Vec<u8>>();
        Some(Asked {
            method,
            target,
            headers,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    async fn more(&mut self, stream: &mut TcpStream) -> Option<()> {
        let mut part = [0; 8192];
        let count = stream.read(&mut part).await.ok()?;
        self.0.extend_from_slice(&part[..count]);
        (count > 0).then_some(())
    }
}

/// Plays a reply. Returns whether the connection can continue.
pub(super) async fn write(stream: &mut TcpStream, reply: Reply) -> bool {
    match reply {
        Reply::Json(204, _) => send(stream, &head(204, &[], None)).await,
        Reply::Json(status, body) => {
            let body = body.to_string();
            let kind = if status < 400 {
                "application/json"
            } else {
                "application/problem+json"
            };
            let headers = [("Content-Type", format!("{kind}; charset=utf-8"))];
            let mut bytes = head(status, &headers, Some(body.len()));
            bytes.extend_from_slice(body.as_bytes());
            send(stream, &bytes).await
        }
        Reply::Raw(status, headers, body) => {
            let mut bytes = head(status, &headers, Some(body.len()));
            bytes.extend_from_slice(&body);
            send(stream, &bytes).await
        }
        Reply::Cut(at, body) => {
            let body = body.to_string();
            let headers = [("Content-Type", "application/json".to_owned())];
            let mut bytes = head(200, &headers, Some(body.len()));
            bytes.extend_from_slice(&body.as_bytes()[..at]);
            send(stream, &bytes).await;
            false
        }
        Reply::Close | Reply::Gate(_) => false,
        Reply::Silence => {
            // Waits until the other side gives up.
            let mut rest = [0; 64];
            while stream.read(&mut rest).await.is_ok_and(|count| count > 0) {}
            false
        }
        Reply::Events(texts) => {
            let headers = [("Content-Type", "text/event-stream".to_owned())];
            let mut bytes = head(200, &headers, None);
            bytes.truncate(bytes.len() - 2);
            bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
            send(stream, &bytes).await;
            let mut texts = texts.lock().await;
            while let Some(text) = texts.recv().await {
                let chunk = format!("{:x}\r\n{text}\r\n", text.len());
                if !send(stream, chunk.as_bytes()).await {
                    return false;
                }
            }
            send(stream, b"0\r\n\r\n").await
        }
    }
}

fn head(status: u16, headers: &[(&'static str, String)], length: Option<usize>) -> Vec<u8> {
    let mut head = format!(
        "HTTP/1.1 {status} Something\r\nDate: Sat, 21 Nov 2026 12:26:00 GMT\r\nServer: BackendAI\r\n"
    );
    for (name, value) in headers {
        let _ = write!(head, "{name}: {value}\r\n");
    }
    if let Some(length) = length {
        let _ = write!(head, "Content-Length: {length}\r\n");
    }
    head.push_str("\r\n");
    head.into_bytes()
}

async fn send(stream: &mut TcpStream, bytes: &[u8]) -> bool {
    stream.write_all(bytes).await.is_ok() && stream.flush().await.is_ok()
}
