//! What the extension "Remote - SSH" of VS Code does with a session: one `ssh -T -D PORT HOST bash` whose input is a script
//! that unpacks and starts a server, then HTTP and WebSocket to that server through the SOCKS port. The server here is a
//! small one that serves both.

use std::{
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    net::TcpListener,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use futures_util::{SinkExt as _, StreamExt as _};
use ring::digest;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};
use tokio_tungstenite::{WebSocketStream, client_async, tungstenite::Message};

use crate::{
    cli::{sessions::with_session, ssh::ssh_config},
    machine::Machine,
    terminal::PATIENCE,
};

const SERVER: &str = include_str!("server.py");
/// Unpacks the server, starts it if it doesn't run, and reports its port in the words that the extension reads.
const INSTALL: &str = include_str!("install.sh");
/// The bytes of the archive that the script brings with it.
const ARCHIVE: usize = 256 << 10;
/// Connections at the same time, as VS Code has for its windows, terminals and extensions.
const CONNECTIONS: usize = 12;

/// The connection of a window: `ssh`, and what it reads and prints.
struct Window {
    ssh: Child,
    script: ChildStdin,
    output: BufReader<ChildStdout>,
    socks: u16,
}

impl Window {
    fn open(machine: &Machine, host: &str) -> Self {
        let free = TcpListener::bind("127.0.0.1:0").unwrap();
        let socks = free.local_addr().unwrap().port();
        drop(free);
        let mut ssh = Command::new("ssh")
            .arg("-F")
            .arg(ssh_config(machine))
            .args(["-v", "-T", "-D", &socks.to_string()])
            .args(["-o", "ConnectTimeout=15", "-o", "BatchMode=yes", host])
            .arg("bash")
            .env_clear()
            .envs(machine.env())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self {
            script: ssh.stdin.take().unwrap(),
            output: BufReader::new(ssh.stdout.take().unwrap()),
            ssh,
            socks,
        }
    }

    /// Sends the script. Returns its lines until its last one.
    fn install(&mut self, archive: &[u8]) -> Vec<String> {
        let sum = hex(digest::digest(&digest::SHA256, archive).as_ref());
        let mut text = String::new();
        for line in archive.chunks(38) {
            writeln!(text, "{}", hex(line)).unwrap();
        }
        let script = INSTALL
            .replace("@SERVER@", SERVER)
            .replace("@SUM@", &sum)
            .replace("@ARCHIVE@", &text);
        // The input stays open, as long as the window is.
        self.script.write_all(script.as_bytes()).unwrap();
        self.script.flush().unwrap();
        let lines = (&mut self.output).lines().map(Result::unwrap);
        let mut said: Vec<String> = Vec::new();
        for line in lines {
            let is_last = line == "workbay-test: end";
            said.push(line);
            if is_last {
                return said;
            }
        }
        panic!("the script didn't end: {said:?}");
    }

    /// A connection to the server, through the SOCKS port.
    async fn connect(&self, port: u16) -> TcpStream {
        let mut stream = TcpStream::connect(("127.0.0.1", self.socks)).await.unwrap();
        stream.write_all(&[5, 1, 0]).await.unwrap();
        let mut chosen = [0; 2];
        stream.read_exact(&mut chosen).await.unwrap();
        assert_eq!(chosen, [5, 0]);
        let [high, low] = port.to_be_bytes();
        let name = b"127.0.0.1";
        let ask = [&[5, 1, 0, 3, name.len() as u8][..], name, &[high, low]].concat();
        stream.write_all(&ask).await.unwrap();
        let mut answer = [0; 10];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(answer[..2], [5, 0], "the server isn't reached");
        stream
    }

    async fn socket(&self, port: u16) -> WebSocketStream<TcpStream> {
        let url = format!("ws://127.0.0.1:{port}/?reconnectionToken=one");
        let stream = self.connect(port).await;
        client_async(url, stream).await.unwrap().0
    }

    fn close(mut self) {
        self.ssh.kill().unwrap();
        self.ssh.wait().unwrap();
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").unwrap();
        text
    })
}

/// The value of a line `NAME==VALUE==`.
fn value(lines: &[String], name: &str) -> String {
    let start = format!("{name}==");
    let found = lines.iter().find_map(|line| line.strip_prefix(&start));
    let found = found.unwrap_or_else(|| panic!("no {name}: {lines:?}"));
    found.trim_end_matches('=').to_owned()
}

fn bytes(count: usize) -> Vec<u8> {
    (0..count).map(|at| (at * 31 + at / 251) as u8).collect()
}

/// The server answers a request over HTTP.
async fn version(window: &Window, port: u16) -> String {
    let mut stream = window.connect(port).await;
    let request =
        format!("GET /version HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    body.trim().to_owned()
}

/// Each of several sockets brings back what it was sent, all at the same time.
async fn echoes(window: &Window, port: u16) {
    let mut sockets = Vec::new();
    for _ in 0..CONNECTIONS {
        sockets.push(window.socket(port).await);
    }
    let sent = Message::binary(bytes(300_000));
    let each = sockets.into_iter().map(async |mut socket| {
        for _ in 0..5 {
            socket.send(sent.clone()).await.unwrap();
            assert_eq!(socket.next().await.unwrap().unwrap(), sent);
        }
        socket.close(None).await.unwrap();
    });
    futures_util::future::join_all(each).await;
}

#[tokio::test]
async fn vs_code_installs_its_server_and_reaches_it_through_the_socks_port() {
    let machine = with_session("cli-vscode");
    let mut window = Window::open(&machine, "cli-vscode.workbay");
    let archive = bytes(ARCHIVE);
    let lines = window.install(&archive);
    assert_eq!(value(&lines, "unpacked"), ARCHIVE.to_string());
    assert_eq!(value(&lines, "found"), "");
    let port: u16 = value(&lines, "listeningOn").parse().unwrap();
    let used = async {
        assert_eq!(version(&window, port).await, "0123456789abcdef");
        echoes(&window, port).await;
        // A program in the terminal of VS Code, through the same server, is one of the session's user.
        let mut socket = window.socket(port).await;
        socket.send(Message::text("id -un; pwd")).await.unwrap();
        let said = socket.next().await.unwrap().unwrap();
        assert_eq!(said.into_text().unwrap().as_str(), "work\n/home/work\n");
    };
    tokio::time::timeout(PATIENCE, used).await.unwrap();

    // The window is closed or its connection breaks. The next one finds the server that runs.
    window.close();
    let mut window = Window::open(&machine, "cli-vscode.workbay");
    let again = window.install(&archive);
    assert_eq!(value(&again, "found"), value(&lines, "pid"));
    assert_eq!(value(&again, "listeningOn"), port.to_string());
    let used = async { version(&window, port).await };
    let version = tokio::time::timeout(PATIENCE, used).await.unwrap();
    assert_eq!(version, "0123456789abcdef");
    window.close();
}
