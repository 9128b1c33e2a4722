//! A server on a port of the loopback, and OpenSSH's programs that know only this server.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Arc,
};

use tokio::{net::TcpListener, runtime::Runtime, sync::watch};
use tokio_util::sync::CancellationToken;
use workbay::ssh_server::{self, ClientKey, HostKey, Keys};

use super::local::LocalSession;

/// A server with one session, whose home directory is `home()`.
pub struct SshTestServer {
    directory: tempfile::TempDir,
    pub session: Arc<LocalSession>,
    pub port: u16,
    pub stop: CancellationToken,
    /// How many connections have ended.
    pub ended: watch::Receiver<usize>,
    runtime: Option<Runtime>,
}

impl SshTestServer {
    pub fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["session", "client"] {
            fs::create_dir(directory.path().join(name)).unwrap();
        }
        let session = Arc::new(LocalSession::new(&directory.path().join("session")));
        let key = ClientKey::generate("training").unwrap();
        write_key(&directory.path().join("id_container"), &key);
        let stranger = ClientKey::generate("stranger").unwrap();
        write_key(&directory.path().join("id_stranger"), &stranger);
        let keys = Arc::new(Keys::parse("authorized_keys", &key.public).unwrap());
        let host_key = Arc::new(HostKey::generate().unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let stop = CancellationToken::new();
        let (count, ended) = watch::channel(0);
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let port = listener.local_addr().unwrap().port();
        let known = format!("[127.0.0.1]:{port} {}\n", host_key.public_line());
        fs::write(directory.path().join("known_hosts"), known).unwrap();
        let (access, stopping) = (Arc::clone(&session), stop.clone());
        runtime.spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).unwrap();
                let (host_key, keys) = (Arc::clone(&host_key), Arc::clone(&keys));
                let (access, stop, count) = (Arc::clone(&access), stopping.clone(), count.clone());
                tokio::spawn(async move {
                    let served = ssh_server::serve(stream, host_key, keys, access, stop).await;
                    drop(served);
                    count.send_modify(|count| *count += 1);
                });
            }
        });
        Self {
            directory,
            session,
            port,
            stop,
            ended,
            runtime: Some(runtime),
        }
    }

    /// The session's home directory.
    pub fn home(&self) -> PathBuf {
        self.directory.path().join("session")
    }

    /// A directory of the client.
    pub fn client(&self) -> PathBuf {
        self.directory.path().join("client")
    }

    pub fn key(&self) -> PathBuf {
        self.directory.path().join("id_container")
    }

    pub fn stranger(&self) -> PathBuf {
        self.directory.path().join("id_stranger")
    }

    pub fn runtime(&self) -> &Runtime {
        self.runtime.as_ref().unwrap()
    }

    /// The options by which a program of OpenSSH reads no file of this machine.
    pub fn options(&self) -> Vec<String> {
        let known = self.directory.path().join("known_hosts");
        let known = known.display();
        let mut options = vec!["-F".to_owned(), "none".to_owned()];
        for option in [
            format!("UserKnownHostsFile={known}"),
            "GlobalKnownHostsFile=none".to_owned(),
            "StrictHostKeyChecking=yes".to_owned(),
            "BatchMode=yes".to_owned(),
            "IdentitiesOnly=yes".to_owned(),
            format!("IdentityFile={}", self.key().display()),
        ] {
            options.extend(["-o".to_owned(), option]);
        }
        options
    }

    /// A command with these options, and an environment without an agent.
    pub fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.client())
            .env("HOME", self.client())
            .env_remove("SSH_AUTH_SOCK")
            .stdin(Stdio::null());
        if program != "rsync" && program != "git" {
            command.args(self.options());
        }
        command
    }

    /// `ssh` with more options before the host.
    pub fn ssh(&self, options: &[&str]) -> Command {
        let mut command = self.command("ssh");
        command.args(["-p", &self.port.to_string()]);
        command.args(options).arg("work@127.0.0.1");
        command
    }

    /// What `rsync -e` and `GIT_SSH_COMMAND` need.
    pub fn ssh_line(&self) -> String {
        let quoted = |word: &String| shlex::try_quote(word).unwrap().into_owned();
        let options: Vec<String> = self.options().iter().map(quoted).collect();
        format!("ssh -p {} {}", self.port, options.join(" "))
    }

    /// Runs a command in the session.
    pub fn run(&self, command: &str) -> Output {
        self.ssh(&[]).arg(command).output().unwrap()
    }

    /// Waits until that many connections have ended.
    pub fn wait_for_ended(&self, wanted: usize) {
        let mut ended = self.ended.clone();
        self.runtime().block_on(async move {
            ended.wait_for(|count| *count >= wanted).await.unwrap();
        });
    }
}

impl Drop for SshTestServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn write_key(path: &Path, key: &ClientKey) {
    fs::write(path, key.private.expose()).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

/// The standard output of a command that must succeed.
pub fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {text}{errors}");
    text
}

/// The standard error of a command that must fail.
pub fn fails(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(!output.status.success(), "{command:?} succeeded");
    String::from_utf8_lossy(&output.stderr).into_owned()
}
