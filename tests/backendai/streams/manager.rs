//! A manager as far as streams need one, over a real socket: it answers by a script and hands over
//! what it upgrades.

use std::{
    collections::{HashMap, VecDeque},
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard},
};

use jiff::Timestamp;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream},
    net::TcpListener,
    sync::mpsc,
};
use tokio_rustls::TlsAcceptor;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use workbay::{
    engine::backendai::{BackendAiConfig, BackendAiEngine, Login},
    model::{
        id::{ContextName, SessionId},
        secret::Secret,
    },
};

use super::tcpproxy::{self, TcpProxy, Ttyd};

pub const SESSION: SessionId = SessionId::from_u128(0x5e55_1011);
pub const KERNEL: &str = "0000000a-0000-4000-8000-00000000000a";
/// Of the container `sub1`.
pub const SUB: &str = "0000000b-0000-4000-8000-00000000000b";
pub const ME: &str = "user@lablup.com";

/// A connection, encrypted or not.
trait Wire: AsyncRead + AsyncWrite + Send + Unpin + 'static {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> Wire for T {}

fn certificate(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/backendai/streams/tls")
        .join(name)
}

fn acceptor() -> TlsAcceptor {
    let chain = CertificateDer::pem_file_iter(certificate("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(certificate("server.key")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain.collect::<Result<_, _>>().unwrap(), key)
        .unwrap();
    TlsAcceptor::from(Arc::new(config))
}

/// What a request is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RequestTopic {
    Version,
    Login,
    User,
    Standing,
    Containers,
    Apps,
    StartService,
    StopService,
    Tcpproxy,
    Key,
    Logs,
    TaskLogs,
}

/// How one is answered.
#[derive(Clone, Debug)]
pub enum Answer {
    Json(u16, String),
    Html(u16),
    /// A file.
    Text(String),
    /// These bytes, and the connection is closed.
    Raw(&'static str),
    /// A ttyd behind the port.
    Ttyd,
    /// The port as it is.
    Port,
    /// Upgraded, then closed with this code.
    Close(u16),
}

#[derive(Clone, Debug)]
pub struct Asked {
    pub about: RequestTopic,
    /// Path and query.
    pub target: String,
    pub body: String,
    headers: HashMap<String, String>,
}

impl Asked {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

pub struct StreamManager {
    address: SocketAddr,
    /// The certificates that a client trusts, where the manager speaks TLS.
    encrypted: bool,
    script: Arc<Mutex<AnswerScript>>,
    terminals: mpsc::UnboundedReceiver<(Ttyd, TcpProxy)>,
    ports: mpsc::UnboundedReceiver<(DuplexStream, TcpProxy)>,
}

#[derive(Default)]
struct AnswerScript {
    /// The next answers; the last one stays.
    answers: HashMap<RequestTopic, VecDeque<Answer>>,
    asked: Vec<Asked>,
}

#[derive(Clone)]
struct ManagerState {
    script: Arc<Mutex<AnswerScript>>,
    terminals: mpsc::UnboundedSender<(Ttyd, TcpProxy)>,
    ports: mpsc::UnboundedSender<(DuplexStream, TcpProxy)>,
}

impl StreamManager {
    /// One with a running session of ours that has a ttyd.
    pub async fn start() -> Self {
        Self::begin(None).await
    }

    /// The same behind TLS, with a certificate of an authority of its own.
    pub async fn start_encrypted() -> Self {
        Self::begin(Some(acceptor())).await
    }

    async fn begin(acceptor: Option<TlsAcceptor>) -> Self {
        let encrypted = acceptor.is_some();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let script = Arc::new(Mutex::new(AnswerScript::default()));
        let (terminals_in, terminals) = mpsc::unbounded_channel();
        let (ports_in, ports) = mpsc::unbounded_channel();
        let state = ManagerState {
            script: script.clone(),
            terminals: terminals_in,
            ports: ports_in,
        };
        tokio::spawn(async move {
            while let Ok((wire, _)) = listener.accept().await {
                let state = state.clone();
                match acceptor.clone() {
                    None => tokio::spawn(state.serve(wire)),
                    Some(acceptor) => tokio::spawn(async move {
                        // A client that does not trust us ends here.
                        if let Ok(wire) = acceptor.accept(wire).await {
                            state.serve(wire).await;
                        }
                    }),
                };
            }
        });
        let manager = Self {
            address,
            encrypted,
            script,
            terminals,
            ports,
        };
        let version = r#"{"version":"v9.20250722","manager":"26.9.6"}"#;
        manager.answer(RequestTopic::Version, [json(version)]);
        manager.answer(RequestTopic::User, [json(WHO)]);
        manager.stand("RUNNING");
        manager.answer(RequestTopic::Containers, [containers("sub1")]);
        manager.answer(RequestTopic::Apps, [json(APPS)]);
        manager.answer(RequestTopic::Tcpproxy, [Answer::Ttyd]);
        manager.answer(RequestTopic::TaskLogs, [no_such("No such virtual folder.")]);
        manager
    }

    /// How the next requests about something are answered; the last answer stays.
    pub fn answer<const N: usize>(&self, about: RequestTopic, answers: [Answer; N]) {
        self.lock().answers.insert(about, answers.into());
    }

    pub fn stand(&self, status: &str) {
        self.answer(
            RequestTopic::Standing,
            [standing(status, "INTERACTIVE", ME)],
        );
    }

    pub fn engine(&self) -> BackendAiEngine {
        self.engine_with(Login::Api {
            access_key: "AKIANABBDUSEREXAMPLE".to_owned(),
            secret_key: Secret::new("C8qnIo29EZvXkPK_MXcuAakYTy4NYrxwmCEyNPlf"),
        })
    }

    /// Through a web server, with a password.
    pub fn web_engine(&self) -> BackendAiEngine {
        self.engine_with(Login::Session {
            username: ME.to_owned(),
            password: Secret::new("C8qnIo29"),
        })
    }

    fn engine_with(&self, login: Login) -> BackendAiEngine {
        BackendAiEngine::new(BackendAiConfig {
            context: ContextName::new("lab").unwrap(),
            endpoint: format!(
                "{}://{}",
                if self.encrypted { "https" } else { "http" },
                self.address
            ),
            login,
            domain: None,
            project: None,
            ca_file: self.encrypted.then(|| certificate("authority.pem")),
            all_users: false,
            shares_per_device: None,
            insecure: false,
            clock: || Timestamp::UNIX_EPOCH,
        })
    }

    /// The next terminal that is opened.
    pub async fn terminal(&mut self) -> (Ttyd, TcpProxy) {
        self.terminals.recv().await.unwrap()
    }

    /// The next connection to a port.
    pub async fn port(&mut self) -> (DuplexStream, TcpProxy) {
        self.ports.recv().await.unwrap()
    }

    /// What was asked about something.
    pub fn asked(&self, about: RequestTopic) -> Vec<Asked> {
        let script = self.lock();
        let of_it = script.asked.iter().filter(|asked| asked.about == about);
        of_it.cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, AnswerScript> {
        self.script.lock().unwrap()
    }
}

const WHO: &str = r#"{"data":{"user":{"uuid":"dfa9da54-4b28-432f-be29-c0d680c7a412",
    "email":"user@lablup.com","full_name":"User","role":"user","domain_name":"default",
    "groups":[{"id":"2de2b969-1d04-48a6-af16-0bc8adb3c831","name":"default"}]}}}"#;

const APPS: &str = r#"[{"name":"sshd","protocol":"tcp","ports":[2200]},
    {"name":"ttyd","protocol":"http","ports":[7681]}]"#;

pub fn json(body: impl Into<String>) -> Answer {
    Answer::Json(200, body.into())
}

pub fn problem(status: u16, kind: &str, title: &str) -> Answer {
    let kind = format!("https://api.backend.ai/probs/{kind}");
    Answer::Json(status, format!(r#"{{"type":"{kind}","title":"{title}"}}"#))
}

pub fn no_such(title: &str) -> Answer {
    problem(404, "object-not-found", title)
}

pub fn standing(status: &str, kind: &str, owner: &str) -> Answer {
    json(format!(
        r#"{{"data":{{"compute_session":{{"name":"lab-1","type":"{kind}","status":"{status}",
        "user_email":"{owner}","main_kernel_id":"{KERNEL}"}}}}}}"#
    ))
}

pub fn containers(other: &str) -> Answer {
    json(format!(
        r#"{{"data":{{"compute_session":{{"main_kernel_id":"{KERNEL}","containers":[
        {{"id":"{KERNEL}","cluster_hostname":"main1"}},
        {{"id":"{SUB}","cluster_hostname":"{other}"}}]}}}}}}"#
    ))
}

pub fn log(text: &str) -> Answer {
    let text = serde_json::to_string(text).unwrap();
    json(format!(r#"{{"result":{{"logs":{text}}}}}"#))
}

impl ManagerState {
    /// One request a connection.
    async fn serve(self, mut wire: impl Wire) {
        let Some(asked) = read(&mut wire).await else {
            return;
        };
        let key = asked.header("sec-websocket-key").to_owned();
        let answer = {
            let mut script = self.script.lock().unwrap();
            let about = asked.about;
            script.asked.push(asked);
            let answers = script.answers.get_mut(&about);
            let answers = answers.unwrap_or_else(|| panic!("{about:?} is not in the script"));
            if answers.len() > 1 {
                answers.pop_front().unwrap()
            } else {
                answers.front().unwrap().clone()
            }
        };
        let text = match answer {
            Answer::Json(status, body) => whole(status, "application/json", &body),
            Answer::Text(text) => whole(200, "application/octet-stream", &text),
            Answer::Html(status) => whole(status, "text/html", "<html>Welcome</html>"),
            Answer::Raw(text) => text.to_owned(),
            Answer::Ttyd | Answer::Port | Answer::Close(_) => {
                return self.upgrade(wire, &key, answer).await;
            }
        };
        // The client may have gone.
        let _ = wire.write_all(text.as_bytes()).await;
        let _ = wire.shutdown().await;
    }

    async fn upgrade(self, mut wire: impl Wire, key: &str, answer: Answer) {
        let accept = derive_accept_key(key.as_bytes());
        let head = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\n\r\n"
        );
        wire.write_all(head.as_bytes()).await.unwrap();
        let port = tcpproxy::serve(wire).await;
        match answer {
            Answer::Ttyd => {
                let ttyd = tcpproxy::ttyd(port.bytes).await;
                let _ = self.terminals.send((ttyd, port.proxy));
            }
            Answer::Port => drop(self.ports.send((port.bytes, port.proxy))),
            Answer::Close(code) => {
                port.proxy.fault(tcpproxy::Fault::Close(code));
                port.proxy.ended().await;
            }
            _ => {}
        }
    }
}

fn whole(status: u16, kind: &str, body: &str) -> String {
    let session = "X-BackendAI-SessionID: ticket";
    let length = body.len();
    format!(
        "HTTP/1.1 {status} Some\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{session}\r\n\
         Connection: close\r\n\r\n{body}"
    )
}

/// One request, its body read but kept only as far as it shows what is asked.
async fn read(wire: &mut impl Wire) -> Option<Asked> {
    let mut text = Vec::new();
    let head = loop {
        if let Some(end) = text.windows(4).position(|four| four == b"\r\n\r\n") {
            break end;
        }
        if wire.read_buf(&mut text).await.ok()? == 0 {
            return None;
        }
    };
    let mut lines = std::str::from_utf8(&text[..head]).unwrap().split("\r\n");
    let target = lines.next().unwrap().split(' ').nth(1).unwrap().to_owned();
    let headers: HashMap<String, String> = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()))
        .collect();
    let length = headers.get("content-length");
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    let mut body = text.split_off(head + 4);
    while body.len() < length {
        if wire.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    let body = String::from_utf8_lossy(&body).into_owned();
    let about = about(&target, &body);
    Some(Asked {
        about,
        target,
        body,
        headers,
    })
}

fn about(target: &str, body: &str) -> RequestTopic {
    let path = target.trim_start_matches("/func");
    match path.split('?').next().unwrap() {
        "/" => RequestTopic::Version,
        "/server/login" => RequestTopic::Login,
        "/admin/gql" if body.contains("containers {") => RequestTopic::Containers,
        "/admin/gql" if body.contains("compute_session") => RequestTopic::Standing,
        "/admin/gql" => RequestTopic::User,
        "/session/_/logs" => RequestTopic::TaskLogs,
        path if path.ends_with("/download_single") => RequestTopic::Key,
        path if path.ends_with("/apps") => RequestTopic::Apps,
        path if path.ends_with("/start-service") => RequestTopic::StartService,
        path if path.ends_with("/shutdown-service") => RequestTopic::StopService,
        path if path.ends_with("/tcpproxy") => RequestTopic::Tcpproxy,
        path if path.ends_with("/logs") => RequestTopic::Logs,
        other => panic!("{other} is not played"),
    }
}
