//! The sshd of a session behind a port: it accepts the session's key and runs the commands it gets
//! by a real shell.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
};

use bytes::Bytes;
use russh::{
    Channel, ChannelMsg, ChannelOpenFailure, ChannelReadHalf, Sig,
    keys::{HashAlg, PrivateKey},
    server::{self, Auth, ChannelOpenHandle, Msg, Session, VerifiedPublicKey},
};
use rustix::process::{Pid, Signal, kill_process};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream},
    process::{Child, ChildStdin, Command},
    sync::mpsc,
};

/// What a client asked a program for, beside its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SshdEvent {
    Terminal(u32, u32),
    Size(u32, u32),
    HungUp,
    /// The client ended its half.
    Eof,
    /// The channel is closed, or the connection is gone.
    Closed,
}

/// One of the keys beside this file.
pub fn key(name: &str) -> String {
    std::fs::read_to_string(keys().join(name)).unwrap()
}

fn keys() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/backendai/streams/ssh")
}

fn private(name: &str) -> PrivateKey {
    russh::keys::decode_secret_key(&key(name), None).unwrap()
}

/// How it is set up.
#[derive(Clone, Copy, Debug)]
pub struct Sshd {
    /// The key it shows.
    pub host: &'static str,
    /// The key it takes.
    pub takes: &'static str,
    /// Whether it runs commands.
    pub runs: bool,
    /// The sshd it leads to, of the container `sub1`.
    pub sub: Option<&'static Self>,
    /// The directory that is used as /home/work.
    pub home: Option<&'static str>,
}

pub const USUAL: Sshd = Sshd {
    host: "host",
    takes: "id_container",
    runs: true,
    sub: None,
    home: None,
};

/// Of a container that is reached through another one.
pub const SUB: Sshd = Sshd {
    host: "stranger",
    takes: "id_cluster",
    ..USUAL
};

/// Of the main container of a cluster session.
pub const MAIN: Sshd = Sshd {
    sub: Some(&SUB),
    ..USUAL
};

impl Sshd {
    /// Answers at a port; what clients ask for is reported.
    pub fn serve(self, bytes: DuplexStream) -> mpsc::UnboundedReceiver<SshdEvent> {
        let (sender, events) = mpsc::unbounded_channel();
        self.serve_and_report(bytes, sender);
        events
    }

    fn serve_and_report<S>(self, bytes: S, sender: mpsc::UnboundedSender<SshdEvent>)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let config = Arc::new(server::Config {
            keys: vec![private(self.host)],
            auth_rejection_time: std::time::Duration::ZERO,
            ..server::Config::default()
        });
        let door = Door { sshd: self, sender };
        tokio::spawn(async move {
            if let Ok(running) = server::run_stream(config, bytes, door).await {
                // A client that is cut off is what some tests are about.
                let _ = running.await;
            }
        });
    }
}

struct Door {
    sshd: Sshd,
    sender: mpsc::UnboundedSender<SshdEvent>,
}

impl server::Handler for Door {
    type Error = russh::Error;

    async fn auth_publickey(
        &mut self,
        user: &str,
        key: VerifiedPublicKey<'_>,
    ) -> Result<Auth, Self::Error> {
        let taken = private(self.sshd.takes)
            .public_key()
            .fingerprint(HashAlg::Sha256);
        if user == "work" && key.public_key.fingerprint(HashAlg::Sha256) == taken {
            return Ok(Auth::Accept);
        }
        Ok(Auth::reject())
    }

    async fn channel_open_session(
        &mut self,
        channel: Channel<Msg>,
        reply: ChannelOpenHandle,
        session: &mut Session,
    ) -> Result<(), Self::Error> {
        let handle = session.handle();
        tokio::spawn(serve(channel, handle, self.sshd, self.sender.clone()));
        reply.accept().await;
        Ok(())
    }

    async fn channel_open_direct_tcpip(
        &mut self,
        channel: Channel<Msg>,
        host: &str,
        port: u32,
        _: &str,
        _: u32,
        reply: ChannelOpenHandle,
        _: &mut Session,
    ) -> Result<(), Self::Error> {
        let known = (host, port) == ("sub1", 2200);
        let Some(sub) = self.sshd.sub.filter(|_| known) else {
            reply.reject(ChannelOpenFailure::ConnectFailed).await;
            return Ok(());
        };
        reply.accept().await;
        sub.serve_and_report(channel.into_stream(), self.sender.clone());
        Ok(())
    }
}

async fn serve(
    mut channel: Channel<Msg>,
    handle: server::Handle,
    sshd: Sshd,
    sender: mpsc::UnboundedSender<SshdEvent>,
) {
    let id = channel.id();
    let command = loop {
        match channel.wait().await {
            Some(ChannelMsg::RequestPty {
                col_width,
                row_height,
                ..
            }) => {
                let _ = sender.send(SshdEvent::Terminal(col_width, row_height));
                handle.channel_success(id).await.unwrap();
            }
            Some(ChannelMsg::Exec { command, .. }) if sshd.runs => break command,
            Some(ChannelMsg::Exec { .. }) => handle.channel_failure(id).await.unwrap(),
            Some(_) => {}
            None => return,
        }
    };
    handle.channel_success(id).await.unwrap();
    // The keys of the containers are beside this file.
    let command = String::from_utf8(command).unwrap();
    let command = command.replace("/home/config/ssh", &keys().display().to_string());
    let command = command.replace("/home/work", sshd.home.unwrap_or("/home/work"));
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id().unwrap()).unwrap()).unwrap();
    let stdin = child.stdin.take().unwrap();
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let (from, to) = channel.split();
    let (mut plain, mut errors) = (to.make_writer(), to.make_writer_ext(Some(1)));
    let output = async {
        let copy = tokio::join!(
            tokio::io::copy(&mut stdout, &mut plain),
            tokio::io::copy(&mut stderr, &mut errors)
        );
        drop(copy);
        ended(&mut child).await
    };
    let exit = tokio::select! {
        exit = output => exit,
        () = listen(from, stdin, pid, sender) => return,
    };
    match exit {
        Ok(code) => handle.exit_status_request(id, code).await.unwrap(),
        Err(signal) => {
            let sent = handle.exit_signal_request(id, signal, false, String::new(), String::new());
            sent.await.unwrap();
        }
    }
    // The client may have gone before.
    let _ = handle.eof(id).await;
    let _ = handle.close(id).await;
}

async fn ended(child: &mut Child) -> Result<u32, Sig> {
    use std::os::unix::process::ExitStatusExt as _;
    let status = child.wait().await.unwrap();
    match (status.code(), status.signal()) {
        (Some(code), _) => Ok(code.cast_unsigned()),
        (None, Some(9)) => Err(Sig::KILL),
        (None, Some(15)) => Err(Sig::TERM),
        (None, other) => Err(Sig::Custom(format!("{other:?}"))),
    }
}

/// Hands in what the client says, until it says no more.
async fn listen(
    mut from: ChannelReadHalf,
    stdin: ChildStdin,
    pid: Pid,
    sender: mpsc::UnboundedSender<SshdEvent>,
) {
    // The task that waits for the program receives nothing from the client meanwhile.
    let (feed, fed) = mpsc::unbounded_channel();
    tokio::spawn(feed_in(stdin, fed));
    let mut feed = Some(feed);
    loop {
        let said = from.wait().await;
        let event = match said {
            Some(ChannelMsg::Data { data }) => {
                if let Some(feed) = &feed {
                    let _ = feed.send(data);
                }
                continue;
            }
            Some(ChannelMsg::Eof) => {
                feed = None;
                SshdEvent::Eof
            }
            Some(ChannelMsg::WindowChange {
                col_width,
                row_height,
                ..
            }) => SshdEvent::Size(col_width, row_height),
            Some(ChannelMsg::Signal { signal: Sig::HUP }) => {
                let _ = kill_process(pid, Signal::HUP);
                SshdEvent::HungUp
            }
            Some(ChannelMsg::Close) | None => {
                let _ = sender.send(SshdEvent::Closed);
                return;
            }
            Some(_) => continue,
        };
        let _ = sender.send(event);
    }
}

async fn feed_in(mut stdin: ChildStdin, mut fed: mpsc::UnboundedReceiver<Bytes>) {
    while let Some(bytes) = fed.recv().await {
        // A program need not read all there is.
        if stdin.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// Speaks like an sshd first, and then like nothing that is known.
pub async fn babble(mut bytes: DuplexStream) {
    let said = [b"SSH-2.0-odd\r\n".as_slice(), &[0xff; 256]].concat();
    bytes.write_all(&said).await.unwrap();
    let mut received = Vec::new();
    // Until the client has had enough of it.
    let _ = bytes.read_to_end(&mut received).await;
}
