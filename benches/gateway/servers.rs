//! The processes that are measured.

use std::{
    io::{BufRead as _, BufReader},
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::sync::CancellationToken;
use workbay::{
    gateway::{Access, Io, Kind, Route, TokenBook, Traffic, Upstream, new_token, serve},
    model::failure::Failure,
};

/// Where requests go, and a header line that they need.
#[derive(Clone)]
pub struct Target {
    pub port: u16,
    pub line: String,
}

/// A process that is ended with its handle.
pub struct Process(Child);

impl Process {
    /// This program in another role. Its first line is its port and the header line of requests.
    pub fn this_program(args: &[&str]) -> (Self, Target) {
        let program = std::env::current_exe().expect("this program");
        let mut command = ending_with_this(&program);
        command.args(args).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a process");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output)
            .read_line(&mut line)
            .expect("its port");
        let (port, line) = line.trim_end().split_once(' ').expect("two values");
        let (port, line) = (port.parse().expect("a port"), line.to_owned());
        (Self(child), Target { port, line })
    }

    pub fn pid(&self) -> u32 {
        self.0.id()
    }
}

/// A program that is asked to end when this one ends, however it ends.
fn ending_with_this(program: &Path) -> Command {
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM", "--"]).arg(program);
    command
}

impl Drop for Process {
    fn drop(&mut self) {
        // nginx ends its workers when it is asked to stop, not when it is killed.
        if let Some(pid) = Pid::from_raw(self.0.id().cast_signed()) {
            let _ = kill_process(pid, Signal::TERM);
        }
        let _ = self.0.wait();
    }
}

async fn listen() -> TcpListener {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))
        .await
        .expect("a port")
}

fn port(listener: &TcpListener) -> u16 {
    listener.local_addr().expect("its address").port()
}

/// A server whose answers have as many bytes as the path says, and that reads bodies of `PUT`.
pub async fn origin() {
    let listener = listen().await;
    println!("{} X-Nothing: 1", port(&listener));
    while let Ok((tcp, _)) = listener.accept().await {
        tokio::spawn(async move {
            let _ = answer_all(tcp).await;
        });
    }
}

async fn answer_all(tcp: TcpStream) -> std::io::Result<()> {
    tcp.set_nodelay(true)?;
    let mut tcp = tokio::io::BufReader::with_capacity(256 * 1024, tcp);
    let chunk = vec![b'x'; 256 * 1024];
    loop {
        let (mut target, mut length, mut line) = (String::new(), 0_u64, String::new());
        loop {
            line.clear();
            if tcp.read_line(&mut line).await? == 0 {
                return Ok(());
            }
            if target.is_empty() {
                target.clone_from(&line);
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            if line == "\r\n" {
                break;
            }
        }
        tokio::io::copy_buf(&mut (&mut tcp).take(length), &mut tokio::io::sink()).await?;
        let path = target.split(' ').nth(1).unwrap_or("/0");
        let mut left: usize = path.trim_start_matches('/').parse().unwrap_or(0);
        let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {left}\r\n\r\n").into_bytes();
        let begin = left.min(4096);
        answer.extend_from_slice(&chunk[..begin]);
        tcp.get_mut().write_all(&answer).await?;
        left -= begin;
        while left > 0 {
            let next = left.min(chunk.len());
            tcp.get_mut().write_all(&chunk[..next]).await?;
            left -= next;
        }
    }
}

struct Local(SocketAddr);

#[async_trait::async_trait]
impl Upstream for Local {
    async fn dial(&self) -> Result<Box<dyn Io>, Failure> {
        let tcp = TcpStream::connect(self.0).await;
        let tcp = tcp.map_err(|error| Failure::lost("closed").because(error.to_string()))?;
        let _ = tcp.set_nodelay(true);
        Ok(Box::new(tcp))
    }
}

/// The gateway in front of an origin.
pub async fn gateway(origin: u16) {
    let listener = listen().await;
    let secret = new_token().expect("a token");
    println!("{} X-Workbay-Token: {}", port(&listener), secret.expose());
    let route = Route {
        kind: Kind::Http,
        access: Access::Token(Arc::new(TokenBook::new(secret))),
        title: "origin of bench".into(),
        traffic: Arc::new(Traffic::default()),
        upstream: Arc::new(Local(SocketAddr::from((Ipv4Addr::LOCALHOST, origin)))),
    };
    serve(listener, route, CancellationToken::new()).await;
}

/// nginx in front of an origin, with a directory and a port of its own. `None` = it isn't installed.
pub fn nginx(origin: u16) -> Option<((Process, tempfile::TempDir), Target)> {
    Command::new("nginx")
        .arg("-v")
        .stderr(Stdio::null())
        .status()
        .ok()?;
    let directory = tempfile::tempdir().expect("a directory");
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = free.local_addr().expect("its address").port();
    drop(free);
    let root = directory.path().display();
    let text = format!(
        "worker_processes auto; daemon off; pid {root}/pid; error_log {root}/error;
         events {{ worker_connections 4096; }}
         http {{
           access_log off; client_max_body_size 0; keepalive_requests 1000000;
           client_body_temp_path {root}/body; proxy_temp_path {root}/proxy;
           fastcgi_temp_path {root}/f; uwsgi_temp_path {root}/u; scgi_temp_path {root}/s;
           upstream origin {{ server 127.0.0.1:{origin}; keepalive 64; keepalive_requests 1000000; }}
           server {{
             listen 127.0.0.1:{port};
             location / {{
               proxy_pass http://origin; proxy_http_version 1.1; proxy_set_header Connection \"\";
               proxy_set_header Host $http_host; proxy_max_temp_file_size 0; proxy_request_buffering off;
             }}
           }}
         }}"
    );
    let file = directory.path().join("nginx.conf");
    std::fs::write(&file, text).expect("the file is written");
    let mut nginx = ending_with_this(Path::new("nginx"));
    nginx.arg("-p").arg(directory.path()).arg("-c").arg(&file);
    nginx.arg("-e").arg(directory.path().join("error"));
    let child = nginx.stderr(Stdio::null()).spawn().ok()?;
    let process = Process(child);
    while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let line = "X-Nothing: 1".to_owned();
    Some(((process, directory), Target { port, line }))
}
