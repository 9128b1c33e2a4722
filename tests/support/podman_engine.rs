//! A separate rootful Podman: with its own network, storage and socket, so that the machine's is
//! untouched.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Once,
    time::Duration,
};

use crate::{poll, private_engine::unmount_below};

/// Waits between two looks at whether it answers.
const LOOK: Duration = Duration::from_millis(50);
/// How long it may take until it answers or ends, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

pub struct PodmanEngine {
    dir: tempfile::TempDir,
    process: Option<Child>,
}

impl PodmanEngine {
    /// It needs root and podman.
    #[track_caller]
    pub fn start() -> Self {
        // Its bridge and its rules don't affect the machine's.
        Self::started(&["unshare", "--net"])
    }

    /// A Podman that reaches registries on this machine's loopback. No container may run there: its network
    /// would be the machine's.
    #[track_caller]
    pub fn for_images() -> Self {
        Self::started(&["env"])
    }

    #[track_caller]
    fn started(outer: &[&str]) -> Self {
        assert!(
            rustix::process::geteuid().is_root(),
            "a rootful Podman needs root: run the tests as root, as CI does"
        );
        let dir = tempfile::Builder::new().prefix("workbay-podman-").tempdir();
        let mut engine = Self {
            dir: dir.expect("a directory"),
            process: None,
        };
        std::fs::create_dir(engine.path("cni")).expect("a directory");
        // Neither the settings nor the journal of the machine are this one's.
        let settings = "[engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n\
                        [network]\nnetwork_backend = \"cni\"\n";
        std::fs::write(engine.path("containers.conf"), settings).expect("a file");
        let registries = "[[registry]]\nlocation = \"127.0.0.1\"\ninsecure = true\n";
        std::fs::write(engine.path("registries.conf"), registries).expect("a file");
        engine.make_locks();
        engine.begin(outer);
        engine
    }

    /// The first Podman since the machine began makes locks that all of them share. Two at once fail ("libpod_lock: file
    /// exists").
    fn make_locks(&self) {
        static ONE: Once = Once::new();
        ONE.call_once(|| {
            let output = self.podman(&["info"]).output().expect("podman");
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "podman info: {error}");
        });
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn endpoint(&self) -> String {
        format!("unix://{}", self.path("podman.sock").display())
    }

    fn podman(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("podman");
        command
            .env("CONTAINERS_CONF", self.path("containers.conf"))
            .env("CONTAINERS_REGISTRIES_CONF", self.path("registries.conf"))
            .arg("--root")
            .arg(self.path("storage"))
            .arg("--runroot")
            .arg(self.path("run"))
            .arg("--tmpdir")
            .arg(self.path("tmp"))
            .arg("--network-config-dir")
            .arg(self.path("cni"))
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    #[track_caller]
    fn begin(&mut self, outer: &[&str]) {
        let log = std::fs::File::create(self.path("log")).expect("a log");
        let inner = self.podman(&["system", "service", "--time=0", &self.endpoint()]);
        let child = run_by(outer, &inner)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn();
        let mut child = child.expect("unshare is there");
        let end = poll::blocking(LOOK, PATIENCE, || {
            if self.answers() {
                return Some(None);
            }
            Some(Some(child.try_wait().ok().flatten()?))
        });
        if end != Some(None) {
            let said = std::fs::read_to_string(self.path("log")).unwrap_or_default();
            panic!(
                "podman doesn't answer: {end:?} (is it installed? `scripts/test-setup` does):\n{said}"
            );
        }
        self.process = Some(child);
    }

    fn answers(&self) -> bool {
        std::os::unix::net::UnixStream::connect(self.path("podman.sock")).is_ok()
    }
}

impl Drop for PodmanEngine {
    /// Also after a failed test.
    fn drop(&mut self) {
        // A command that hangs would block the test forever.
        let removal = self.podman(&["rm", "--all", "--force", "--time=0"]);
        let _ = run_by(&["timeout", "--kill-after=5", "120"], &removal).output();
        if let Some(mut process) = self.process.take() {
            let pid = process.id().to_string();
            let _ = Command::new("kill").args(["-TERM", &pid]).status();
            let _ = process.wait();
        }
        end_keepers(self.dir.path());
        unmount_below(self.dir.path());
    }
}

/// The command, run by another command that gets its words.
fn run_by(outer: &[&str], inner: &Command) -> Command {
    let mut command = Command::new(outer[0]);
    command.args(&outer[1..]);
    command.arg(inner.get_program()).args(inner.get_args());
    for (name, value) in inner.get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    command.stdin(Stdio::null());
    command
}

/// Podman keeps a process for each command that was run, five minutes beyond its end; it would make the
/// storage again. Returns when none is left.
pub fn end_keepers(dir: &Path) {
    let dir = dir.to_str().expect("a plain path");
    poll::blocking(LOOK, PATIENCE, || {
        let left = processes_of(dir);
        for pid in &left {
            // It may have ended meanwhile.
            let _ = rustix::process::kill_process(*pid, rustix::process::Signal::KILL);
        }
        left.is_empty().then_some(())
    });
}

/// Podman's own processes that were called with a path below `dir`.
fn processes_of(dir: &str) -> Vec<rustix::process::Pid> {
    let entries = std::fs::read_dir("/proc").expect("processes");
    let ours = entries.flatten().filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let command = std::fs::read(entry.path().join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command);
        let is_podmans = command.contains("conmon") || command.contains("podman");
        (is_podmans && command.contains(dir)).then(|| rustix::process::Pid::from_raw(pid))?
    });
    ours.collect()
}
