//! A bench of its own for each test of an engine: an instance nobody else has, a state directory, and an
//! end that leaves nothing in the engine.

use std::{
    future::{Future, poll_fn},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    task::Poll,
};

use futures_util::StreamExt as _;
use workbay::{
    engine::{
        api::{
            AttachRequest, Attached, ContainerState, Containers, CreatePlan, ExecCommand, Output,
            Streams,
        },
        docker::{DockerConfig, DockerEngine},
    },
    model::{
        environment::EnvironmentSource,
        id::{InstanceId, KernelId, SessionId},
        log::LogOptions,
        network::NetworkRules,
        resources::{Bytes, Cpu},
        settings::SaveLimits,
        spec::{LaunchSpec, Mounted},
    },
};

use crate::pane::{Terminal, until, within};

/// Polls `work` up to `polls` times and drops it. Each poll is about one more answer of the engine. Returns whether the
/// work had finished.
pub async fn dropped_after<T>(polls: usize, work: impl Future<Output = T>) -> bool {
    let mut work = std::pin::pin!(work);
    let mut left = polls;
    poll_fn(|context| {
        if left == 0 {
            return Poll::Ready(false);
        }
        left -= 1;
        work.as_mut().poll(context).map(|_| true)
    })
    .await
}

pub struct Bench {
    pub engine: Arc<DockerEngine>,
    pub client: EngineClient,
    pub instance: InstanceId,
    pub dir: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        Self::on(None)
    }

    /// A bench on the engine with this address.
    pub fn on(endpoint: Option<&str>) -> Self {
        let (instance, dir) = (InstanceId::random(), tempfile::tempdir().unwrap());
        let mut bench = Self::of(
            DockerEngine::new(config(instance, dir.path(), endpoint)),
            instance,
            dir,
        );
        bench.client = EngineClient::of(endpoint);
        bench
    }

    /// Where a shell is preferred.
    pub fn preferring(shell: &str) -> Self {
        let shell = Some(shell.to_owned());
        Self::set(|config| DockerConfig { shell, ..config })
    }

    /// With these settings of the network.
    pub fn networked(network: NetworkRules) -> Self {
        Self::set(|config| DockerConfig { network, ..config })
    }

    /// With these directories of this machine as folders.
    pub fn with_host_paths(host_paths: Vec<workbay::model::settings::HostPath>) -> Self {
        Self::set(|config| DockerConfig {
            host_paths,
            ..config
        })
    }

    fn set(change: impl FnOnce(DockerConfig) -> DockerConfig) -> Self {
        let (instance, dir) = (InstanceId::random(), tempfile::tempdir().unwrap());
        let engine = DockerEngine::new(change(config(instance, dir.path(), None)));
        Self::of(engine, instance, dir)
    }

    /// A bench with an engine made elsewhere. Its sessions are ended, too.
    pub fn of(engine: DockerEngine, instance: InstanceId, dir: tempfile::TempDir) -> Self {
        Self {
            engine: Arc::new(engine),
            client: EngineClient::of(None),
            instance,
            dir,
        }
    }

    pub async fn launch(&self, plan: &CreatePlan) {
        self.engine.create(plan).await.unwrap();
        self.engine.start(plan.session).await.unwrap();
    }

    /// A running session in the host environment.
    pub async fn host_session(&self) -> SessionId {
        let plan = plan("bench", host_spec());
        self.launch(&plan).await;
        plan.session
    }

    pub async fn state(&self, session: SessionId) -> Option<ContainerState> {
        self.engine
            .inspect(session)
            .await
            .unwrap()
            .map(|seen| seen.state)
    }

    /// Output and exit code of a command in the session.
    pub async fn run(&self, session: SessionId, argv: &[&str]) -> (String, Option<i64>) {
        let command = ExecCommand {
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
            tty: None,
            kernel: None,
        };
        let attached = self.engine.exec(session, command).await.unwrap();
        let (out, err, end) = drain(attached).await;
        let Output::End { exit_code } = end else {
            panic!("the line broke: {end:?}");
        };
        (out + &err, exit_code)
    }

    /// What a shell line prints, without the last line break.
    pub async fn sh(&self, session: SessionId, line: &str) -> String {
        let (text, code) = self.run(session, &["sh", "-c", line]).await;
        assert_eq!(code, Some(0), "`{line}` said: {text}");
        text.trim_end().to_owned()
    }

    /// A command whose output isn't read any more is ended.
    pub async fn ends_a_dropped_command(&self, session: SessionId) {
        let sleeping = ExecCommand {
            argv: ["sleep", "7654321"].map(str::to_owned).to_vec(),
            tty: None,
            kernel: None,
        };
        let dropped = self.engine.exec(session, sleeping.clone()).await.unwrap();
        let sleepers = async || {
            let line = "cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c '[7]654321' || true";
            self.sh(session, line).await
        };
        until(async || (sleepers().await == "1").then_some(())).await;
        drop(dropped);
        until(async || (sleepers().await == "0").then_some(())).await;
        // The same at every point where the start waits for the engine.
        let mut polls = 1;
        while !dropped_after(polls, self.engine.exec(session, sleeping.clone())).await {
            polls += 1;
        }
        until(async || (sleepers().await == "0").then_some(())).await;
    }

    pub async fn terminal(
        &self,
        session: SessionId,
        tag: &str,
        columns: u16,
        rows: u16,
    ) -> Terminal {
        let request = AttachRequest {
            tag: tag.to_owned(),
            columns,
            rows,
            start: workbay::model::shell_start::ShellStart::default(),
        };
        Terminal::new(
            self.engine.attach(session, request).await.unwrap(),
            columns,
            rows,
        )
    }

    /// The current log of a container, by default of the main one.
    pub async fn log(&self, session: SessionId, kernel: Option<KernelId>) -> String {
        let options = LogOptions {
            kernel,
            ..LogOptions::default()
        };
        let mut stream = self.engine.logs(session, options).await.unwrap();
        let mut bytes = Vec::new();
        while let Some(chunk) = within(stream.next()).await {
            bytes.extend_from_slice(&chunk.unwrap().bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Waits until the log contains `words`. Returns the log.
    pub async fn said(&self, session: SessionId, words: &str) -> String {
        until(async || {
            let log = self.log(session, None).await;
            log.contains(words).then_some(log)
        })
        .await
    }

    /// Waits for the main process to end. Returns its exit code.
    pub async fn ended(&self, session: SessionId) -> i64 {
        until(async || match self.state(session).await {
            Some(ContainerState::Exited { exit_code, .. }) => Some(exit_code),
            _ => None,
        })
        .await
    }

    pub fn home(&self, session: SessionId) -> PathBuf {
        self.dir
            .path()
            .join("state/sessions")
            .join(session.to_string())
            .join("work")
    }
}

impl Drop for Bench {
    /// Also after a failed test.
    fn drop(&mut self) {
        let filter = format!("label=workbay.instance={}", self.instance);
        let left = self.client.run(&["ps", "-aq", "--filter", &filter]);
        let ids: Vec<&str> = left.lines().collect();
        if !ids.is_empty() {
            self.client
                .run(&[&["rm", "-f", "-v"], ids.as_slice()].concat());
        }
        for network in self
            .client
            .networks(&format!("workbay.instance={}", self.instance))
        {
            self.client.run(&["network", "rm", &network]);
        }
    }
}

/// The engine's own client, on this machine's engine or on another one.
pub struct EngineClient {
    host: Option<String>,
}

impl EngineClient {
    pub fn of(endpoint: Option<&str>) -> Self {
        Self {
            host: endpoint.map(str::to_owned),
        }
    }

    fn output(&self, args: &[&str]) -> std::process::Output {
        // A command that hangs would block the test forever.
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", "120", "docker"]);
        if let Some(host) = &self.host {
            command.args(["-H", host]);
        }
        command.args(args).output().unwrap()
    }

    /// Returns the unchanged output.
    #[allow(dead_code, reason = "only the tests of Podman read archives")]
    pub fn bytes(&self, args: &[&str]) -> Vec<u8> {
        let output = self.output(args);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker {args:?}: {said}");
        output.stdout
    }

    /// It must succeed. After a failed test it only cleans up: a second panic would end all of
    /// them.
    pub fn run(&self, args: &[&str]) -> String {
        let output = self.output(args);
        let said = String::from_utf8_lossy(&output.stderr);
        let is_well = output.status.success() || std::thread::panicking();
        assert!(is_well, "docker {args:?}: {said}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The same, but it may fail.
    pub fn succeeds(&self, args: &[&str]) -> bool {
        self.output(args).status.success()
    }

    /// Ids of networks with this label.
    pub fn networks(&self, label: &str) -> Vec<String> {
        let filter = format!("label={label}");
        let listed = self.run(&["network", "ls", "-q", "--filter", &filter]);
        listed.lines().map(str::to_owned).collect()
    }

    /// Creates an image of an archive and lines of a Dockerfile, unless it exists.
    pub fn import(&self, name: &str, lines: &[&str], tar: tar::Builder<Vec<u8>>) {
        if self.succeeds(&["image", "inspect", name]) {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("image.tar");
        std::fs::write(&path, tar.into_inner().unwrap()).unwrap();
        let label = ["--change", "LABEL workbay.test=1"];
        let lines = lines.iter().flat_map(|line| ["--change", line]);
        let words = ["import"].into_iter().chain(label).chain(lines);
        let end = [path.to_str().unwrap(), name];
        self.run(&words.chain(end).collect::<Vec<_>>());
    }
}

pub fn config(instance: InstanceId, dir: &Path, endpoint: Option<&str>) -> DockerConfig {
    DockerConfig {
        instance,
        state_dir: dir.join("state"),
        toolbox_dir: Path::new(env!("CARGO_TARGET_TMPDIR")).join("toolbox"),
        folders_dir: dir.join("folders"),
        host_paths: Vec::new(),
        saved_dir: dir.join("saved"),
        save_limits: SaveLimits {
            most: Bytes(Bytes::GIB),
            keep_free: Bytes(0),
        },
        dotfiles_dir: dir.join("dotfiles"),
        runtime_dir: dir.join("run"),
        network: NetworkRules::default(),
        accelerators: std::collections::BTreeMap::new(),
        endpoint: endpoint.map(str::to_owned),
        shell: None,
        binary: PathBuf::from(env!("CARGO_BIN_EXE_workbay")),
    }
}

pub fn plan(name: &str, spec: LaunchSpec) -> CreatePlan {
    CreatePlan {
        session: SessionId::random(),
        kernel: KernelId::random(),
        name: name.to_owned(),
        owner: "tester".to_owned(),
        created_at: "2026-01-02T03:04:05Z".parse().unwrap(),
        spec,
        pids: 256,
        subs: Vec::new(),
        secrets: std::collections::BTreeMap::new(),
    }
}

pub fn host_spec() -> LaunchSpec {
    LaunchSpec::new(
        EnvironmentSource::Host,
        "host:test".to_owned(),
        Cpu::from_millis(500),
        Bytes::mib(256),
        Bytes::mib(16),
    )
}

pub fn image_spec(reference: &str) -> LaunchSpec {
    LaunchSpec {
        source: EnvironmentSource::Image {
            reference: reference.to_owned(),
        },
        environment_label: reference.to_owned(),
        ..host_spec()
    }
}

/// A static busybox and its names.
pub fn busybox(tar: &mut tar::Builder<Vec<u8>>) {
    let busybox = std::fs::read("/bin/busybox").expect("apt-get install busybox-static");
    file(tar, "bin/busybox", 0o755, &busybox);
    for name in [
        "sh", "ls", "cat", "echo", "env", "id", "sleep", "stty", "tty", "which", "ping", "nc",
        "true", "touch", "df", "grep", "kill", "clear", "wc",
    ] {
        link(tar, &format!("bin/{name}"), "busybox");
    }
    file(tar, "tmp/.keep", 0o644, b"");
}

pub fn link(tar: &mut tar::Builder<Vec<u8>>, name: &str, to: &str) {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(tar::EntryType::Symlink);
    header.set_size(0);
    tar.append_link(&mut header, name, to).unwrap();
}

pub fn file(tar: &mut tar::Builder<Vec<u8>>, name: &str, mode: u32, contents: &[u8]) {
    let mut header = tar::Header::new_gnu();
    header.set_mode(mode);
    header.set_size(contents.len() as u64);
    tar.append_data(&mut header, name, contents).unwrap();
}

/// Everything a program printed, and how it ended.
pub async fn drain(mut attached: Attached) -> (String, String, Output) {
    drop(attached.input);
    let (mut out, mut err) = (Vec::new(), Vec::new());
    loop {
        match within(attached.output.recv())
            .await
            .expect("the stream ended without an end")
        {
            Output::Stdout(bytes) => out.extend_from_slice(&bytes),
            Output::Stderr(bytes) => err.extend_from_slice(&bytes),
            end => {
                let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                return (text(out), text(err), end);
            }
        }
    }
}

/// A folder of a launch.
pub fn mounted(folder: &str, target: &str, read_only: bool) -> Mounted {
    Mounted {
        folder: folder.to_owned(),
        target: target.to_owned(),
        read_only,
    }
}
