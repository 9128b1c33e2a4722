//! Applications, a running gateway, and raw requests.

use std::{
    convert::Infallible,
    fmt::Write as _,
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::Relaxed},
    },
};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::CancellationToken;

use crate::{
    gateway::{Access, Io, Kind, Route, TokenBook, Traffic, Upstream, new_token, serve},
    model::failure::Failure,
};

/// An application at an address.
pub(super) struct Address {
    pub(super) address: SocketAddr,
    pub(super) dials: AtomicUsize,
}

#[async_trait::async_trait]
impl Upstream for Address {
    async fn dial(&self) -> Result<Box<dyn Io>, Failure> {
        self.dials.fetch_add(1, Relaxed);
        match TcpStream::connect(self.address).await {
            Ok(tcp) => Ok(Box::new(tcp)),
            Err(error) => Err(Failure::lost("the port is closed").because(error.to_string())),
        }
    }
}

impl Address {
    pub(super) fn new(address: SocketAddr) -> Arc<Self> {
        let dials = AtomicUsize::new(0);
        Arc::new(Self { address, dials })
    }
}

/// An application that handles each connection with a function.
pub(super) async fn raw_app<F, T>(handle: F) -> Arc<Address>
where
    F: Fn(TcpStream) -> T + Send + 'static,
    T: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((tcp, _)) = listener.accept().await {
            tokio::spawn(handle(tcp));
        }
    });
    Address::new(address)
}

/// An application that answers each connection with these bytes, after the head of a request, and closes it.
pub(super) async fn fixed_app(answer: &'static [u8]) -> Arc<Address> {
    raw_app(move |mut tcp| async move {
        read_head(&mut tcp).await;
        let _ = tcp.write_all(answer).await;
    })
    .await
}

/// What an application received, one text for each request.
pub(super) type Received = Arc<Mutex<Vec<String>>>;

/// An HTTP server that answers each request with what it received: the request line, headers, an empty line, the body.
pub(super) async fn echo_app() -> (Arc<Address>, Received) {
    let received = Received::default();
    let log = received.clone();
    let app = raw_app(move |tcp| {
        let log = log.clone();
        let service = service_fn(move |request| echo(request, log.clone()));
        async move {
            let server = http1::Builder::new().serve_connection(TokioIo::new(tcp), service);
            let _ = server.await;
        }
    });
    (app.await, received)
}

async fn echo(
    request: Request<Incoming>,
    log: Received,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let (parts, body) = request.into_parts();
    let mut text = format!("{} {}\n", parts.method, parts.uri);
    for (name, value) in &parts.headers {
        writeln!(text, "{name}: {}", value.to_str().unwrap()).unwrap();
    }
    let body = body.collect().await;
    let body = body.map_or_else(
        |_| "interrupted".into(),
        http_body_util::Collected::to_bytes,
    );
    write!(text, "\n{}", String::from_utf8_lossy(&body)).unwrap();
    log.lock().unwrap().push(text.clone());
    Ok(Response::new(Full::new(text.into())))
}

/// A running gateway.
pub(super) struct Gateway {
    pub(super) port: u16,
    pub(super) tokens: Arc<TokenBook>,
    pub(super) traffic: Arc<Traffic>,
    pub(super) stop: CancellationToken,
    pub(super) served: JoinHandle<()>,
}

impl Gateway {
    /// With a token.
    pub(super) async fn start(kind: Kind, upstream: Arc<dyn Upstream>) -> Self {
        Self::with(kind, upstream, None).await
    }

    /// Without a token, for networks.
    pub(super) async fn public(kind: Kind, upstream: Arc<dyn Upstream>, allowed: &[&str]) -> Self {
        let allowed = allowed.iter().map(|it| it.parse().unwrap()).collect();
        Self::with(kind, upstream, Some(Access::Public { allowed })).await
    }

    async fn with(kind: Kind, upstream: Arc<dyn Upstream>, access: Option<Access>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let tokens = Arc::new(TokenBook::new(new_token().unwrap()));
        let traffic = Arc::new(Traffic::default());
        let stop = CancellationToken::new();
        let route = Route {
            kind,
            access: access.unwrap_or(Access::Token(tokens.clone())),
            title: "Jupyter Notebook of train-1".into(),
            traffic: traffic.clone(),
            upstream,
        };
        let served = tokio::spawn(serve(listener, route, stop.clone()));
        Self {
            port,
            tokens,
            traffic,
            stop,
            served,
        }
    }

    pub(super) async fn connect(&self) -> TcpStream {
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port))
            .await
            .unwrap()
    }

    /// Host and the cookie: the lines of a request with access.
    pub(super) fn lines(&self) -> String {
        let (port, cookie) = (self.port, self.tokens.cookie().expose());
        format!("Host: 127.0.0.1:{port}\r\nCookie: workbay_{port}={cookie}\r\n")
    }

    /// The answer to a request, which is given without the empty line at its end.
    pub(super) async fn send(&self, request: &str) -> String {
        self.exchange(&format!("{request}Connection: close\r\n\r\n"))
            .await
    }

    /// The answer to bytes, up to the end of the connection.
    pub(super) async fn exchange(&self, bytes: &str) -> String {
        let mut tcp = self.connect().await;
        tcp.write_all(bytes.as_bytes()).await.unwrap();
        read_all(&mut tcp).await
    }

    /// The answer to `GET PATH` with access and more header lines.
    pub(super) async fn get(&self, path: &str, more: &str) -> String {
        let lines = self.lines();
        self.send(&format!("GET {path} HTTP/1.1\r\n{lines}{more}"))
            .await
    }
}

/// Everything up to the end or the reset of a connection.
pub(super) async fn read_all(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads up to an empty line.
pub(super) async fn read_head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    read_until(stream, "\r\n\r\n").await
}

/// Reads until the text that was read ends with this, or to the end of the connection.
pub(super) async fn read_until(stream: &mut (impl AsyncRead + Unpin), end: &str) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(end.as_bytes()) {
        match stream.read_u8().await {
            Ok(byte) => bytes.push(byte),
            Err(_) => break,
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Waits for a condition.
pub(super) async fn until(mut condition: impl FnMut() -> bool) {
    while !condition() {
        tokio::task::yield_now().await;
    }
}

#[track_caller]
pub(super) fn assert_status(answer: &str, status: u16) {
    let expected = format!("HTTP/1.1 {status} ");
    assert!(answer.starts_with(&expected), "{status}: {answer}");
}
