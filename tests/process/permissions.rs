//! As an ordinary user: sockets, directories and the identity inside a container. Root passes every
//! permission check, so these run the program as the unprivileged user that the test set-up made.

use std::{
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::Path,
    process::{Command, Output},
};

use crate::{
    copied::copy_program,
    machine::{BINARY, LARGE, Machine, docker, launch},
};

const USER: &str = "workbay-test";

/// A machine of the unprivileged user: a copy of the program and directories that are theirs.
struct Theirs {
    home: tempfile::TempDir,
}

impl Theirs {
    fn new() -> Self {
        assert!(
            Path::new("/proc/self").metadata().expect("proc").uid() == 0,
            "run as root (as CI does): the tests then act as the user {USER}"
        );
        let home = tempfile::Builder::new()
            .prefix("workbay-user-")
            .tempdir()
            .expect("a directory");
        copy_program(BINARY, home.path().join("workbay"));
        let config = home.path().join("config");
        std::fs::create_dir(&config).expect("a directory");
        std::fs::write(config.join("resources.toml"), LARGE).expect("a file");
        let owned = Command::new("chown")
            .arg("-R")
            .arg(USER)
            .arg(home.path())
            .status()
            .expect("chown runs");
        assert!(
            owned.success(),
            "the user {USER} is missing: run scripts/test-setup"
        );
        Self { home }
    }

    fn workbay(&self, args: &[&str]) -> Output {
        let home = self.home.path();
        let mut command = Command::new("setpriv");
        command.args(["--reuid", USER, "--regid", USER, "--init-groups", "--"]);
        command
            .arg(home.join("workbay"))
            .args(args)
            .current_dir(home)
            .env("HOME", home);
        for kind in ["CONFIG", "STATE", "CACHE", "RUNTIME"] {
            command.env(
                format!("WORKBAY_{kind}_DIR"),
                home.join(kind.to_lowercase()),
            );
        }
        command.output().expect("setpriv runs")
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> String {
        let output = self.workbay(args);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(
            output.status.success(),
            "workbay {args:?}: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        text
    }
}

impl Drop for Theirs {
    fn drop(&mut self) {
        let _ = self.workbay(&["terminate", "--all", "--force", "--yes"]);
        let status = self.workbay(&["daemon", "status", "--json"]);
        if let Ok(status) = serde_json::from_slice::<serde_json::Value>(&status.stdout)
            && let Some(instance) = status["instance"].as_str()
        {
            for id in docker(&[
                "ps",
                "-aq",
                "--filter",
                &format!("label=workbay.instance={instance}"),
            ])
            .lines()
            {
                docker(&["rm", "-f", id]);
            }
        }
        let _ = self.workbay(&["daemon", "stop"]);
    }
}

#[test]
fn the_socket_and_its_directory_are_the_users_alone() {
    let theirs = Theirs::new();
    let status: serde_json::Value = serde_json::from_str(&{
        theirs.ok(&["ls"]);
        theirs.ok(&["daemon", "status", "--json"])
    })
    .expect("JSON");
    let socket = Path::new(status["socket"].as_str().expect("a socket"));
    assert_eq!(
        socket.metadata().expect("the socket").permissions().mode() & 0o777,
        0o600
    );
    let folder = socket.parent().expect("a directory");
    assert_eq!(
        folder
            .metadata()
            .expect("the directory")
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
}

#[test]
fn another_user_is_refused_by_the_daemon_itself() {
    let theirs = Theirs::new();
    theirs.ok(&["ls"]);
    // Root may open any socket; the daemon looks at who it is.
    let mut machine = Machine::new();
    for kind in ["CONFIG", "STATE", "CACHE", "RUNTIME"] {
        let folder = theirs.home.path().join(kind.to_lowercase());
        machine.set(&format!("WORKBAY_{kind}_DIR"), &folder.to_string_lossy());
    }
    let output = machine.workbay(&["ls"]);
    assert!(!output.status.success());
    let message = String::from_utf8_lossy(&output.stderr).to_lowercase();
    assert!(message.contains("user"), "{message}");
}

#[test]
fn a_session_runs_as_the_caller_and_its_files_are_theirs() {
    let theirs = Theirs::new();
    theirs.ok(&launch("mine-alone", &["--wait"]));
    let uid = std::fs::metadata(theirs.home.path().join("workbay"))
        .expect("the copy")
        .uid();
    assert_eq!(
        theirs.ok(&["exec", "mine-alone", "--", "id", "-u"]).trim(),
        uid.to_string()
    );
    theirs.ok(&[
        "exec",
        "mine-alone",
        "--",
        "sh",
        "-c",
        "echo kept > /home/work/file",
    ]);
    let session: serde_json::Value =
        serde_json::from_str(&theirs.ok(&["show", "mine-alone", "--json"])).expect("JSON");
    let file = Path::new(session["home"].as_str().expect("a scratch directory")).join("file");
    assert_eq!(
        std::fs::metadata(file)
            .expect("the file on this side")
            .uid(),
        uid
    );
}
