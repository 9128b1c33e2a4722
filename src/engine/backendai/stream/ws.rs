//! Connects to the port of a service: TCP, TLS if the endpoint uses it, and the WebSocket of the
//! manager's tcpproxy.

use std::{fmt::Write as _, io, sync::Arc, time::Duration};

use reqwest::{StatusCode, Url, header::HeaderMap};
use rustls::pki_types::ServerName;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::TlsConnector;
use tokio_tungstenite::tungstenite::{
    self, client::IntoClientRequest as _, handshake::client::Request, protocol::WebSocketConfig,
};

use super::{
    super::request::{http::Http, manager_error::declined, problem::ErrorBody},
    pipe::PortPipe,
    services::{self, ListedService},
};
use crate::{
    engine::{
        api::{DialTarget, Result},
        tcp,
    },
    model::{failure::Failure, id::SessionId, text::Clean},
};

const CONNECT: Duration = Duration::from_secs(10);
/// Time limit for the answer. It is long because the manager starts the service before it answers.
const ANSWER: Duration = Duration::from_secs(30);

/// The longest message. The manager doesn't send longer slices.
const MESSAGE_MAX: usize = 16 * 1024 * 1024;

/// The connection to the manager, plain or encrypted.
pub(super) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for T {}
pub(super) type BoxedStream = Box<dyn ByteStream>;

/// Why the connection failed.
#[derive(Clone, Debug)]
pub(super) enum OpenError {
    /// The service isn't ready, with the reason. Another attempt may succeed.
    NotYet(String),
    Failed(Failure),
}

pub(super) type OpenResult<T> = std::result::Result<T, OpenError>;

impl From<Failure> for OpenError {
    fn from(error: Failure) -> Self {
        Self::Failed(error)
    }
}

/// Connects to a port of a service of our session. The manager starts the service if necessary, with these options.
pub(super) async fn open(
    http: &Http,
    session: SessionId,
    to: &DialTarget,
    options: &[(&str, String)],
) -> OpenResult<PortPipe<BoxedStream>> {
    let (url, headers) = http.upgrade(&path(session, to, options)).await?;
    let line = connect(http, &url).await?;
    let request = request(&url, headers).map_err(|error| declined(error.to_string()))?;
    let config = WebSocketConfig::default()
        .read_buffer_size(64 * 1024)
        .max_message_size(Some(MESSAGE_MAX))
        .max_frame_size(Some(MESSAGE_MAX));
    let work = tokio_tungstenite::client_async_with_config(request, line, Some(config));
    let Ok(answered) = timeout(ANSWER, work).await else {
        return Err(http.whom.late(ANSWER).into());
    };
    match answered {
        Ok((socket, _)) => Ok(PortPipe::new(socket)),
        Err(tungstenite::Error::Http(answer)) => {
            // The body has only what arrived together with the head.
            let words = answer.body().as_deref().unwrap_or_default();
            Err(refused(http, session, to, answer.status(), words).await)
        }
        Err(error) => {
            let why = tr_sent!("a WebSocket can't be opened: {error}", error);
            Err(http.whom.unreachable(why, None).into())
        }
    }
}

fn path(session: SessionId, to: &DialTarget, options: &[(&str, String)]) -> String {
    let mut path = format!(
        "/stream/session/{session}/tcpproxy?app={}",
        escape(&to.service)
    );
    if let Some(port) = to.port {
        // Writing to a string cannot fail.
        let _ = write!(path, "&port={port}");
    }
    for (name, value) in options {
        let _ = write!(path, "&{name}={}", escape(value));
    }
    path
}

/// Percent-encodes a value of a query.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte));
            }
            // Writing to a string cannot fail.
            _ => drop(write!(escaped, "%{byte:02X}")),
        }
    }
    escaped
}

async fn connect(http: &Http, url: &Url) -> Result<BoxedStream> {
    let (host, port) = http.place().peer();
    // An IPv6 address has brackets only in URLs.
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let work = async {
        let tcp = TcpStream::connect((host, port)).await?;
        // TCP keepalive works besides our own pings, which stop when the pipe isn't read.
        tcp::prepare(&tcp);
        if url.scheme() != "https" {
            return Ok(Box::new(tcp) as BoxedStream);
        }
        let name = ServerName::try_from(host.to_owned()).map_err(io::Error::other)?;
        let tls = TlsConnector::from(Arc::clone(&http.tls()));
        Ok(Box::new(tls.connect(name, tcp).await?) as BoxedStream)
    };
    match timeout(CONNECT, work).await {
        Ok(connected) => connected.map_err(|error: io::Error| http.whom.connecting(&error)),
        Err(_) => Err(http.whom.late(CONNECT)),
    }
}

fn request(url: &Url, headers: HeaderMap) -> tungstenite::Result<Request> {
    // http becomes ws, https wss.
    let address = url.as_str().replacen("http", "ws", 1);
    let mut request = address.into_client_request()?;
    request.headers_mut().extend(headers);
    Ok(request)
}

/// Explains a refusal. Most answers of the manager say little, so this asks which services the
/// session offers.
async fn refused(
    http: &Http,
    session: SessionId,
    to: &DialTarget,
    status: StatusCode,
    words: &[u8],
) -> OpenError {
    // This request also renews an expired login, and reports a wrong key or clock.
    let offered = match services::list(http, session).await {
        Ok(offered) => offered,
        Err(error) => return OpenError::Failed(error),
    };
    if let Some(why) = lacking(&offered, to) {
        return OpenError::Failed(Failure::not_found(why));
    }
    let mut said = status.as_u16().to_string();
    if let Some(problem) = ErrorBody::read(words) {
        let _ = write!(said, ", {}", problem.sentence());
    }
    let service = Clean::new(&to.service);
    if may_pass(status) {
        OpenError::NotYet(tr_sent!(
            "service '{service}' isn't running yet (the manager answered {said})",
            service,
            said
        ))
    } else {
        OpenError::Failed(declined(tr_sent!(
            "the manager refuses the connection to service '{service}': it answered {said}",
            service,
            said
        )))
    }
}

/// Whether another attempt may succeed: the service is starting, the login was renewed, or the
/// manager failed temporarily.
fn may_pass(status: StatusCode) -> bool {
    status.is_server_error()
        || matches!(
            status,
            StatusCode::NOT_FOUND | StatusCode::UNAUTHORIZED | StatusCode::TOO_MANY_REQUESTS
        )
}

/// Which part of the target isn't offered; `None` if the manager lists no service yet.
fn lacking(offered: &[ListedService], to: &DialTarget) -> Option<String> {
    let service = Clean::new(&to.service);
    if offered.is_empty() {
        return None;
    }
    let Some(found) = offered.iter().find(|one| one.name == to.service) else {
        let names = offered.iter().map(|one| one.name.as_str());
        return Some(tr_sent!(
            "the session has no service '{service}'. Available: {names}",
            service,
            names = Clean::new(&names.collect::<Vec<_>>().join(", "))
        ));
    };
    let port = to.port.filter(|port| !found.ports.contains(port))?;
    let ports: Vec<String> = found.ports.iter().map(u16::to_string).collect();
    Some(tr_sent!(
        "service '{service}' has no port {port}. Available: {ports}",
        service,
        port,
        ports = ports.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(service: &str, port: Option<u16>) -> DialTarget {
        DialTarget {
            service: service.to_owned(),
            port,
        }
    }

    #[test]
    fn a_path_is_one_whatever_the_service_is_called() {
        let id = SessionId::from_u128(7);
        assert_eq!(
            path(id, &target("ttyd", None), &[]),
            format!("/stream/session/{id}/tcpproxy?app=ttyd")
        );
        let options = [("envs", r#"{"A":"b"}"#.to_owned())];
        let odd = path(id, &target("a&b c/한", Some(80)), &options);
        let end = "?app=a%26b%20c%2F%ED%95%9C&port=80&envs=%7B%22A%22%3A%22b%22%7D";
        assert!(odd.ends_with(end), "{odd}");
    }

    #[test]
    fn what_a_session_does_not_offer_is_reported() {
        let one = |name: &str, ports: &[u16]| ListedService {
            name: name.to_owned(),
            ports: ports.to_vec(),
            ..ListedService::default()
        };
        let offered = [one("sshd", &[2200]), one("ttyd", &[7681])];
        let said = |service, port| lacking(&offered, &target(service, port));
        assert_eq!(said("ttyd", None), None);
        assert_eq!(said("ttyd", Some(7681)), None);
        assert_eq!(
            said("jupyter", None).unwrap(),
            "the session has no service 'jupyter'. Available: sshd, ttyd"
        );
        assert_eq!(
            said("sshd", Some(22)).unwrap(),
            "service 'sshd' has no port 22. Available: 2200"
        );
        assert_eq!(lacking(&[], &target("ttyd", None)), None);
    }
}
