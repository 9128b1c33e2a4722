//! A bench of its own for each test: an instance nobody else has, a state directory, and an end that
//! leaves nothing in the engine.

use std::{
    future::Future,
    path::{Path, PathBuf},
    process::Command,
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes as Chunk;
use futures_util::StreamExt as _;
use jiff::Timestamp;
use workbay::{
    engine::{
        api::{
            AttachRequest, Attached, ContainerState, Containers, CreatePlan, Engine, ExecCommand,
            Input, Output, Streams,
        },
        docker::{DockerConfig, DockerEngine},
    },
    model::{
        environment::EnvironmentSource,
        id::{InstanceId, KernelId, SessionId},
        log::LogOptions,
        resources::{Bytes, Cpu},
        spec::{LaunchSpec, Mounted},
    },
    terminal::emulator::Emulator,
};

/// Long enough for a loaded machine; a test that works never waits for it.
const DEADLINE: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Where the engine of this machine listens.
pub const SOCKET: &str = "/var/run/docker.sock";

pub struct Bench {
    pub engine: Arc<DockerEngine>,
    pub instance: InstanceId,
    pub dir: tempfile::TempDir,
}

impl Bench {
    pub fn new() -> Self {
        let (instance, dir) = (InstanceId::random(), tempfile::tempdir().unwrap());
        let engine = engine(instance, dir.path(), None);
        Self::of(engine, instance, dir)
    }

    /// Where a shell is preferred.
    pub fn preferring(shell: &str) -> Self {
        let (instance, dir) = (InstanceId::random(), tempfile::tempdir().unwrap());
        let engine = DockerEngine::new(DockerConfig {
            shell: Some(shell.to_owned()),
            ..config(instance, dir.path(), None)
        });
        Self::of(engine, instance, dir)
    }

    /// With an engine made elsewhere, whose sessions are ended all the same.
    pub fn of(engine: DockerEngine, instance: InstanceId, dir: tempfile::TempDir) -> Self {
        Self {
            engine: Arc::new(engine),
            instance,
            dir,
        }
    }

    pub async fn launch(&self, plan: &CreatePlan) {
        self.engine.create(plan).await.unwrap();
        self.engine.start(plan.session).await.unwrap();
    }

    /// A host session that runs.
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
            start: workbay::model::shell::ShellStart::default(),
        };
        Terminal::new(
            self.engine.attach(session, request).await.unwrap(),
            columns,
            rows,
        )
    }

    /// The whole log of a kernel as it is now, of the main one where none is named.
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

    /// Waits until the log holds `words`; the log.
    pub async fn said(&self, session: SessionId, words: &str) -> String {
        until(async || {
            let log = self.log(session, None).await;
            log.contains(words).then_some(log)
        })
        .await
    }

    /// Waits for the main process to end; its exit code.
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
        let left = docker(&["ps", "-aq", "--filter", &filter]);
        let ids: Vec<&str> = left.lines().collect();
        if !ids.is_empty() {
            docker(&[&["rm", "-f", "-v"], ids.as_slice()].concat());
        }
        for network in networks(&format!("workbay.instance={}", self.instance)) {
            docker(&["network", "rm", &network]);
        }
    }
}

pub fn engine(instance: InstanceId, dir: &Path, endpoint: Option<&str>) -> DockerEngine {
    DockerEngine::new(config(instance, dir, endpoint))
}

fn config(instance: InstanceId, dir: &Path, endpoint: Option<&str>) -> DockerConfig {
    DockerConfig {
        instance,
        state_dir: dir.join("state"),
        toolbox_dir: Path::new(env!("CARGO_TARGET_TMPDIR")).join("toolbox"),
        folders_dir: dir.join("folders"),
        saved_dir: dir.join("saved"),
        dotfiles_dir: dir.join("dotfiles"),
        accelerators: std::collections::BTreeMap::new(),
        endpoint: endpoint.map(str::to_owned),
        shell: None,
        binary: PathBuf::from(env!("CARGO_BIN_EXE_workbay")),
    }
}

/// The main container's full record, as the engine's own client shows it.
pub fn record(session: SessionId) -> serde_json::Value {
    let said = docker(&[&["inspect"], refs(&containers(session)).as_slice()].concat());
    let all: Vec<serde_json::Value> = serde_json::from_str(&said).unwrap();
    let main = |one: &serde_json::Value| one["Config"]["Hostname"] == "main1";
    all.into_iter().find(main).expect("a main container")
}

fn refs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Ids of the session's containers.
pub fn containers(session: SessionId) -> Vec<String> {
    let filter = format!("label=ai.backend.session-id={session}");
    let listed = docker(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
    listed.lines().map(str::to_owned).collect()
}

/// Ids of networks with this label.
pub fn networks(label: &str) -> Vec<String> {
    let filter = format!("label={label}");
    let listed = docker(&["network", "ls", "-q", "--filter", &filter]);
    listed.lines().map(str::to_owned).collect()
}

/// The engine's own client; it must succeed.
pub fn docker(args: &[&str]) -> String {
    let output = Command::new("docker").args(args).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "docker {args:?}: {said}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The same, where it may fail.
pub fn try_docker(args: &[&str]) -> bool {
    Command::new("docker")
        .args(args)
        .output()
        .unwrap()
        .status
        .success()
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

/// An image with nothing in it but a static busybox and its names.
pub fn busybox_image() -> &'static str {
    static IMAGE: OnceLock<&str> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let name = "workbay-test/busybox:3";
        let mut tar = tar::Builder::new(Vec::new());
        busybox(&mut tar);
        import(name, tar);
        name
    })
}

/// An image that holds one empty file.
pub fn empty_image() -> &'static str {
    static IMAGE: OnceLock<&str> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let name = "workbay-test/empty:1";
        let mut tar = tar::Builder::new(Vec::new());
        file(&mut tar, "nothing", 0o644, b"");
        import(name, tar);
        name
    })
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

pub fn import(name: &str, tar: tar::Builder<Vec<u8>>) {
    if try_docker(&["image", "inspect", name]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("image.tar");
    std::fs::write(&path, tar.into_inner().unwrap()).unwrap();
    docker(&[
        "import",
        "--change",
        "LABEL workbay.test=1",
        path.to_str().unwrap(),
        name,
    ]);
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

/// Waits for `what`, but not for ever.
pub async fn within<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(DEADLINE, what)
        .await
        .expect("it did not happen")
}

/// Looks again and again until `what` is there.
pub async fn until<T, F: Future<Output = Option<T>>>(mut what: impl FnMut() -> F) -> T {
    within(async {
        loop {
            if let Some(found) = what().await {
                return found;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    })
    .await
}

/// A pane: what a person sees of an attached terminal.
pub struct Terminal {
    pub attached: Attached,
    screen: vt100::Parser,
    /// What our own emulator makes of it.
    pub emulator: Emulator,
}

impl Terminal {
    #[expect(clippy::disallowed_methods, reason = "sizes of tests are sane")]
    pub fn new(attached: Attached, columns: u16, rows: u16) -> Self {
        Self {
            attached,
            screen: vt100::Parser::new(cells(rows), cells(columns), 0),
            emulator: Emulator::new(columns, rows),
        }
    }

    async fn process(&mut self, bytes: &[u8]) {
        self.screen.process(bytes);
        self.emulator.feed(bytes, Timestamp::UNIX_EPOCH);
        let answers = Chunk::from(self.emulator.take_answers());
        if !answers.is_empty() {
            // A client that has gone needs none.
            let _ = self.attached.input.send(Input::Bytes(answers)).await;
        }
    }

    pub async fn type_text(&self, text: &str) {
        let bytes = Chunk::copy_from_slice(text.as_bytes());
        self.attached.input.send(Input::Bytes(bytes)).await.unwrap();
    }

    pub async fn resize(&mut self, columns: u16, rows: u16) {
        self.screen
            .screen_mut()
            .set_size(cells(rows), cells(columns));
        self.emulator.resize(columns, rows);
        self.attached
            .input
            .send(Input::Resize { columns, rows })
            .await
            .unwrap();
    }

    pub fn text(&self) -> String {
        self.screen.screen().contents()
    }

    /// Reads until the screen holds `text`.
    pub async fn wait_for(&mut self, text: &str) {
        self.wait_until(text, |pane| pane.text().contains(text))
            .await;
    }

    /// Reads until something holds.
    pub async fn wait_until(&mut self, text: &str, holds: impl Fn(&Self) -> bool) {
        while !holds(self) {
            let seen = tokio::time::timeout(DEADLINE, self.attached.output.recv()).await;
            match seen {
                Ok(Some(Output::Stdout(bytes))) => self.process(&bytes).await,
                other => panic!("'{text}' did not come but {other:?}; seen: {}", self.text()),
            }
        }
    }

    /// Reads to the end.
    pub async fn end(&mut self) -> Output {
        loop {
            match within(self.attached.output.recv())
                .await
                .expect("no end came")
            {
                Output::Stdout(bytes) => self.process(&bytes).await,
                end => return end,
            }
        }
    }
}

fn cells(count: u16) -> std::num::NonZero<u16> {
    std::num::NonZero::new(count).unwrap()
}

/// Names the trait, so that tests can call `probe` on the concrete engine.
pub async fn probe(
    engine: &DockerEngine,
) -> workbay::engine::api::Result<workbay::model::capability::EngineInfo> {
    Engine::probe(engine).await
}

/// A folder of a launch.
pub fn mounted(folder: &str, target: &str, read_only: bool) -> Mounted {
    Mounted {
        folder: folder.to_owned(),
        target: target.to_owned(),
        read_only,
    }
}
