//! A separate dockerd: with its own network, data and socket, so that it may be stopped in the middle of
//! everything. Its containers outlive it (live-restore), or do not.

use std::{
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::poll;

/// Waits between two looks at whether it answers.
const LOOK: Duration = Duration::from_millis(50);
/// How long it may take until it answers, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct PrivateEngine {
    dir: tempfile::TempDir,
    process: Option<Child>,
    live_restore: bool,
}

impl PrivateEngine {
    /// A dockerd whose containers outlive it.
    pub fn start() -> Option<Self> {
        Self::start_with(true)
    }

    /// A dockerd whose images and containers share a disk for this many files.
    #[allow(dead_code, reason = "not every test program fills a disk")]
    pub fn start_on(files: u32) -> Option<Self> {
        let mut engine = Self::prepare(false)?;
        let data = engine.path("data");
        std::fs::create_dir(&data).expect("a directory");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o"])
            .args([&format!("size=300m,nr_inodes={files}"), "workbay-test"])
            .arg(&data)
            .status();
        assert!(mounted.expect("mount runs").success());
        engine.begin();
        Some(engine)
    }

    /// `None` without the rights of root.
    pub fn start_with(live_restore: bool) -> Option<Self> {
        let mut engine = Self::prepare(live_restore)?;
        engine.begin();
        Some(engine)
    }

    fn prepare(live_restore: bool) -> Option<Self> {
        if !rustix::process::geteuid().is_root() {
            return None;
        }
        let engine = Self {
            dir: tempfile::Builder::new()
                .prefix("workbay-engine-")
                .tempdir()
                .expect("a directory"),
            process: None,
            live_restore,
        };
        // The machine's own settings don't apply here.
        std::fs::write(engine.path("daemon.json"), "{}").expect("a file");
        Some(engine)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn endpoint(&self) -> String {
        format!("unix://{}", self.path("docker.sock").display())
    }

    /// Starts it (again) and waits until it answers.
    #[track_caller]
    pub fn begin(&mut self) {
        if let Err(why) = self.try_begin() {
            panic!("{why}");
        }
    }

    fn try_begin(&mut self) -> Result<(), String> {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(self.path("log"))
            .expect("a log");
        // In a network namespace of its own: a second daemon in the machine's takes away the first one's
        // bridge, and with it the network of every container there.
        let child = Command::new("unshare")
            .args(["--net", "dockerd", "--config-file"])
            .arg(self.path("daemon.json"))
            .arg("--data-root")
            .arg(self.path("data"))
            .arg("--exec-root")
            .arg(self.path("exec"))
            .arg("--pidfile")
            .arg(self.path("pid"))
            .arg("--host")
            .arg(self.endpoint())
            .args(["--bridge=none", "--iptables=false"])
            .arg(format!("--live-restore={}", self.live_restore))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("dockerd starts");
        self.process = Some(child);
        let answers = poll::blocking(LOOK, PATIENCE, || {
            if self.answers() {
                return Some(Ok(()));
            }
            let process = self.process.as_mut().expect("it was started");
            let status = process.try_wait().ok().flatten()?;
            Some(Err(format!("ended with {status}")))
        });
        answers
            .unwrap_or(Err("doesn't answer".to_owned()))
            .map_err(|how| {
                let said = std::fs::read_to_string(self.path("log")).unwrap_or_default();
                format!("dockerd {how}:\n{said}")
            })
    }

    fn answers(&self) -> bool {
        let asked = self.docker_command(&["version"]).output();
        asked.is_ok_and(|output| output.status.success())
    }

    fn docker_command(&self, args: &[&str]) -> Command {
        // A command that hangs would block the test forever.
        let mut command = Command::new("timeout");
        command.args(["--kill-after=5", "120", "docker", "-H", &self.endpoint()]);
        command.args(args);
        command
    }

    /// `docker ARGS…` on it. Returns the output.
    pub fn docker(&self, args: &[&str]) -> String {
        let output = self.docker_command(args).output().expect("docker runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Ends the daemon, not its containers.
    pub fn stop(&mut self) {
        let Some(mut process) = self.process.take() else {
            return;
        };
        let pid = process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = process.wait();
    }
}

impl Drop for PrivateEngine {
    /// Its containers outlive a daemon: they are removed by one that runs, also after a test that failed
    /// while there was none.
    fn drop(&mut self) {
        if self.process.is_some() || self.try_begin().is_ok() {
            let all = self.docker(&["ps", "-aq"]);
            for id in all.split_whitespace() {
                self.docker(&["rm", "-f", id]);
            }
        }
        self.stop();
        unmount_below(self.dir.path());
    }
}

/// A directory with mounts can't be removed.
pub fn unmount_below(dir: &Path) {
    let mounts = std::fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let places = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    let below: Vec<&str> = places
        .filter(|place| Path::new(place).starts_with(dir))
        .collect();
    for place in below.into_iter().rev() {
        let _ = Command::new("umount").args(["-l", place]).status();
    }
}
