//! A session that is this machine: programs run here, in a directory of the test.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    process::{Child, ChildStdin, Command},
    sync::mpsc,
};
use workbay::{
    engine::api::{Attached, HelperTask, Input, Output},
    model::failure::Failure,
    ssh_server::{Io, SessionAccess},
    terminal::pty::{Pty, PtyCommand, PtyOutput},
};

const WORKBAY: &str = env!("CARGO_BIN_EXE_workbay");

pub struct LocalSession {
    home: PathBuf,
    pub live: AtomicBool,
    /// How often the session was used.
    pub uses: AtomicUsize,
    /// Tags of clients of tmux.
    pub tags: std::sync::Mutex<Vec<String>>,
}

impl LocalSession {
    pub fn new(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            live: AtomicBool::new(true),
            uses: AtomicUsize::new(0),
            tags: std::sync::Mutex::default(),
        }
    }

    fn pipes(&self, argv: &[String]) -> Result<Attached, Failure> {
        let mut command = Command::new(&argv[0]);
        command
            .args(&argv[1..])
            .current_dir(&self.home)
            .env("HOME", &self.home)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let child = command
            .spawn()
            .map_err(|error| Failure::reported(error.to_string()))?;
        Ok(attach(child))
    }

    fn terminal(&self, argv: Vec<String>, (columns, rows): (u16, u16)) -> Attached {
        let home = self.home.to_string_lossy().into_owned();
        let enter = ["sh", "-c", r#"cd "$0" && exec "$@""#, &home];
        let argv = enter.map(str::to_owned).into_iter().chain(argv).collect();
        let (pty, mut from) = Pty::start(&PtyCommand {
            argv,
            env: vec![("HOME".to_owned(), home.clone())],
            columns,
            rows,
        })
        .unwrap();
        let (write, output) = mpsc::channel(4);
        let (input, mut read) = mpsc::channel(64);
        tokio::spawn(async move {
            let typed = pty.input();
            loop {
                tokio::select! {
                    one = from.recv() => {
                        let one = match one {
                            Some(PtyOutput::Bytes(bytes)) => Output::Stdout(bytes),
                            Some(PtyOutput::Exited { exit_code }) => Output::End { exit_code },
                            None => return,
                        };
                        if write.send(one).await.is_err() {
                            return;
                        }
                    }
                    one = read.recv() => match one {
                        Some(Input::Bytes(bytes)) => drop(typed.send(bytes).await),
                        Some(Input::Resize { columns, rows }) => pty.resize(columns, rows),
                        Some(Input::Eof) => {}
                        None => return,
                    },
                }
            }
        });
        Attached { output, input }
    }
}

fn attach(mut child: Child) -> Attached {
    let (write, output) = mpsc::channel(16);
    let (input, read) = mpsc::channel(64);
    let typing = tokio::spawn(type_in(child.stdin.take().unwrap(), read));
    let (out, err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    tokio::spawn(async move {
        let both = async {
            tokio::join!(
                print(out, &write, Output::Stdout),
                print(err, &write, Output::Stderr)
            )
        };
        tokio::select! {
            () = write.closed() => {
                child.start_kill().unwrap();
                child.wait().await.unwrap();
            }
            _ = both => {
                let status = child.wait().await.unwrap();
                let exit_code = status.code().map(i64::from);
                let _ = write.send(Output::End { exit_code }).await;
            }
        }
        typing.abort();
    });
    Attached { output, input }
}

async fn type_in(mut stdin: ChildStdin, mut read: mpsc::Receiver<Input>) {
    while let Some(one) = read.recv().await {
        match one {
            Input::Bytes(bytes) => {
                if stdin.write_all(&bytes).await.is_err() {
                    return;
                }
            }
            Input::Eof => return,
            Input::Resize { .. } => {}
        }
    }
}

async fn print(
    mut from: impl AsyncRead + Unpin,
    to: &mpsc::Sender<Output>,
    kind: fn(Bytes) -> Output,
) {
    let mut buffer = BytesMut::new();
    loop {
        buffer.reserve(64 * 1024);
        match from.read_buf(&mut buffer).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                if to.send(kind(buffer.split().freeze())).await.is_err() {
                    return;
                }
            }
        }
    }
}

#[async_trait]
impl SessionAccess for LocalSession {
    fn user(&self) -> &'static str {
        "work"
    }

    fn hosts(&self) -> Vec<String> {
        vec!["training".to_owned()]
    }

    async fn exec(&self, argv: Vec<String>, tty: Option<(u16, u16)>) -> Result<Attached, Failure> {
        match tty {
            Some(size) => Ok(self.terminal(argv, size)),
            None => self.pipes(&argv),
        }
    }

    async fn tmux(&self, tag: String, size: (u16, u16)) -> Result<Attached, Failure> {
        self.tags.lock().unwrap().push(tag);
        let argv = ["sh", "-c", "echo in tmux; exit 3"].map(str::to_owned);
        Ok(self.terminal(argv.to_vec(), size))
    }

    async fn helper(&self, task: HelperTask) -> Result<Attached, Failure> {
        let mut argv = vec![WORKBAY.to_owned(), "runner".to_owned()];
        match task {
            HelperTask::Sftp => argv.push("sftp".to_owned()),
            HelperTask::Files => argv.push("files".to_owned()),
            HelperTask::Listen { address, port } => {
                argv.extend(["listen".to_owned(), address, port.to_string()]);
            }
            HelperTask::Pack { path } => argv.extend(["pack".to_owned(), path]),
            HelperTask::Unpack { path } => argv.extend(["unpack".to_owned(), path]),
        }
        self.pipes(&argv)
    }

    async fn dial(&self, _host: String, port: u16) -> Result<Box<dyn Io>, Failure> {
        let stream = TcpStream::connect(("127.0.0.1", port)).await;
        let stream = stream.map_err(|error| Failure::refused(error.to_string()))?;
        Ok(Box::new(stream))
    }

    fn used(&self) {
        self.uses.fetch_add(1, Ordering::Relaxed);
    }

    fn is_live(&self) -> bool {
        self.live.load(Ordering::Relaxed)
    }
}
