//! A machine of one's own for a test: private state, configuration and runtime directories, and
//! everything made in the engine removed at the end.

use std::{
    io::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
    time::Duration,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    io::retry_on_intr,
    process::{Pid, PidfdFlags, pidfd_open},
};

use crate::schemas;

pub const BINARY: &str = env!("CARGO_BIN_EXE_workbay");

/// Directories of one test and what runs in them.
pub struct Machine {
    dir: tempfile::TempDir,
    extra: Vec<(String, String)>,
}

/// A `resources.toml` with which no session waits, even if other users have sessions on the engine.
pub const LARGE: &str = "[host]\ncpu = 1000\nmem = \"1t\"\n";

impl Machine {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new()
            .prefix("workbay-test-")
            .tempdir()
            .expect("a directory");
        // Tests run side by side on one engine, maybe beside other sessions: each takes little of
        // it and takes it to be large, so that none waits.
        let config = dir.path().join("config");
        std::fs::create_dir(&config).expect("a directory");
        std::fs::write(
            config.join("config.toml"),
            "[launch]\ncpu = 0.2\n[disk]\nlaunch-reserve = \"0\"\n",
        )
        .expect("a file");
        std::fs::write(config.join("resources.toml"), LARGE).expect("a file");
        Self {
            dir,
            extra: Vec::new(),
        }
    }

    /// Sets a variable for everything run from now on.
    pub fn set(&mut self, name: &str, value: &str) {
        self.extra.retain(|(n, _)| n != name);
        self.extra.push((name.to_owned(), value.to_owned()));
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn env(&self) -> Vec<(String, String)> {
        // Empty is the same as not set: a user's own contexts are no part of a test.
        let foreign = ["WORKBAY_CONTEXT", "BACKEND_ENDPOINT"];
        let foreign = foreign.map(|name| (name.to_owned(), String::new()));
        let mut env: Vec<(String, String)> = ["CONFIG", "STATE", "CACHE", "DATA", "RUNTIME"]
            .iter()
            .map(|kind| {
                let dir = self.path(&kind.to_lowercase());
                (
                    format!("WORKBAY_{kind}_DIR"),
                    dir.to_string_lossy().into_owned(),
                )
            })
            .chain(foreign)
            .collect();
        env.extend(self.extra.clone());
        env
    }

    /// `workbay ARGS…` without a terminal. JSON must follow its documented schema.
    #[track_caller]
    pub fn workbay(&self, args: &[&str]) -> Output {
        let output = bounded(BINARY)
            .args(args)
            .envs(self.env())
            .output()
            .expect("workbay starts");
        schemas::check_output(args, &output.stdout);
        output
    }

    /// The same, with text on its standard input.
    #[track_caller]
    #[allow(dead_code, reason = "only some test programs use it")]
    pub fn workbay_with_input(&self, args: &[&str], input: &str) -> Output {
        let mut child = bounded(BINARY)
            .args(args)
            .envs(self.env())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("workbay starts");
        let mut stdin = child.stdin.take().expect("a standard input");
        stdin.write_all(input.as_bytes()).expect("it reads");
        drop(stdin);
        child.wait_with_output().expect("it ends")
    }

    /// The same, which must succeed. Returns the output.
    #[track_caller]
    pub fn ok(&self, args: &[&str]) -> String {
        let output = self.workbay(args);
        assert!(
            output.status.success(),
            "workbay {args:?} ended with {}:\n{}{}",
            output.status,
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// The same, read as JSON.
    #[track_caller]
    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        let text = self.ok(args);
        serde_json::from_str(&text)
            .unwrap_or_else(|why| panic!("workbay {args:?} printed no JSON ({why}): {text}"))
    }

    /// The directory of the daemon's own files: it has this machine's name.
    pub fn state(&self) -> PathBuf {
        let entries = std::fs::read_dir(self.path("state")).expect("a state directory");
        let mut directories = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let found = directories.find(|path| path.join("daemon.lock").exists());
        found.expect("a daemon was here")
    }

    /// The daemon's process id, if one runs here.
    pub fn daemon_pid(&self) -> Option<i32> {
        let output = self.workbay(&["daemon", "status", "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&output.stdout).ok()?;
        i32::try_from(status.get("pid")?.as_i64()?).ok()
    }

    /// `kill -9` of the daemon, and waits until it is gone.
    #[track_caller]
    pub fn kill_daemon(&self) {
        let pid = self.daemon_pid().expect("a daemon runs");
        let killed = Command::new("kill")
            .args(["-9", &pid.to_string()])
            .status()
            .expect("kill runs");
        assert!(killed.success());
        assert!(ends_within(pid, Duration::from_secs(60)), "it still runs");
    }

    /// The ids of this state database's containers, in any state.
    pub fn containers(&self) -> Vec<String> {
        let Some(instance) = self.instance() else {
            return Vec::new();
        };
        let label = format!("label=workbay.instance={instance}");
        self.docker(&["ps", "-aq", "--filter", &label])
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// `docker ARGS…` on the engine this machine uses. Returns the output.
    pub fn docker(&self, args: &[&str]) -> String {
        let host = self.extra.iter().find(|(name, _)| name == "DOCKER_HOST");
        let mut words = Vec::new();
        if let Some((_, host)) = host {
            words.extend(["-H", host.as_str()]);
        }
        words.extend(args);
        docker(&words)
    }

    /// The ids of the networks of this state database's clusters.
    pub fn networks(&self) -> Vec<String> {
        let Some(instance) = self.instance() else {
            return Vec::new();
        };
        let label = format!("label=workbay.instance={instance}");
        self.docker(&["network", "ls", "-q", "--filter", &label])
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// The id of this machine's state database, from the file that shows whether a daemon runs.
    pub fn instance(&self) -> Option<String> {
        let entries = std::fs::read_dir(self.path("state")).ok()?;
        let mut files = entries.filter_map(|entry| Some(entry.ok()?.path().join("instance")));
        let text = files.find_map(|file| std::fs::read_to_string(file).ok())?;
        Some(text.trim().to_owned())
    }
}

impl Drop for Machine {
    /// Ends the daemon, which would otherwise react to changes of its containers, and removes the
    /// containers and networks of this state database.
    fn drop(&mut self) {
        let _ = self.workbay(&["daemon", "stop"]);
        let containers = self.containers();
        if !containers.is_empty() {
            let mut args = vec!["rm", "-f"];
            args.extend(containers.iter().map(String::as_str));
            self.docker(&args);
        }
        let networks = self.networks();
        if !networks.is_empty() {
            let mut args = vec!["network", "rm"];
            args.extend(networks.iter().map(String::as_str));
            self.docker(&args);
        }
    }
}

/// The words that launch a small session in the host environment, with `more` after them.
pub fn launch<'a>(name: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let words = ["launch", "--env", "host", "--name", name, "--mem", "64m"];
    [&words, more].concat()
}

/// A command with a time limit: a test that hangs shows nothing.
fn bounded(program: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args(["--kill-after=5", "240", program]);
    command
}

/// `docker ARGS…`. Returns the output.
pub fn docker(args: &[&str]) -> String {
    let output = bounded("docker").args(args).output().expect("docker runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Waits until a process has ended, at most this long. Returns whether it has.
pub fn ends_within(pid: i32, patience: Duration) -> bool {
    let pid = Pid::from_raw(pid).expect("a process id");
    // It has ended already, and its number is free again.
    let Ok(process) = pidfd_open(pid, PidfdFlags::empty()) else {
        return true;
    };
    let patience = Timespec::try_from(patience).expect("a short time");
    let mut ends = [PollFd::new(&process, PollFlags::IN)];
    let ready = retry_on_intr(|| rustix::event::poll(&mut ends, Some(&patience)));
    ready.expect("the process can be waited for") > 0
}
