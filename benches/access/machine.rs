//! Private directories, a daemon and a session of the host environment, removed at the end.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

pub const SESSION: &str = "bench-access";

pub struct Machine {
    dir: tempfile::TempDir,
}

impl Machine {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        let machine = Self { dir };
        let config = machine.path("config");
        fs::create_dir(&config).expect("a directory");
        fs::write(
            config.join("resources.toml"),
            "[host]\ncpu = 1000\nmem = \"1t\"\n",
        )
        .expect("a file");
        machine.workbay(&[
            "launch", "--env", "host", "--name", SESSION, "--cpu", "2", "--mem", "2g", "--wait",
        ]);
        machine
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A program with workbay's directories in its environment.
    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let mut command = Command::new(program.as_ref());
        for kind in ["CONFIG", "STATE", "CACHE", "DATA", "RUNTIME"] {
            let dir = self.path(&kind.to_lowercase());
            command.env(format!("WORKBAY_{kind}_DIR"), dir);
        }
        command
    }

    /// The output of `workbay ARGS…`, which must succeed.
    pub fn workbay(&self, args: &[&str]) -> String {
        let output = self
            .command(env!("CARGO_BIN_EXE_workbay"))
            .args(args)
            .output()
            .expect("workbay starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            output.status.success(),
            "workbay {args:?}: {}",
            text(&output.stderr)
        );
        text(&output.stdout)
    }

    pub fn json(&self, args: &[&str]) -> serde_json::Value {
        serde_json::from_str(&self.workbay(args)).expect("JSON")
    }

    /// The session's home directory on this machine.
    pub fn home(&self) -> PathBuf {
        let shown = self.json(&["show", SESSION, "--json"]);
        shown["home"].as_str().expect("its home").into()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.workbay(&["terminate", SESSION, "--force", "--yes", "--wait"]);
        self.workbay(&["rm", SESSION, "--yes"]);
        self.workbay(&["daemon", "stop"]);
    }
}
