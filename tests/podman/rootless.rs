//! Podman without root's rights, run by workbay itself: there is no socket.
//!
//! These tests run as root. So one starts this program again as the unprivileged user, who then runs the
//! other one.

use std::{
    os::unix::fs::{PermissionsExt as _, chown},
    path::{Path, PathBuf},
    process::Command,
};

use workbay::{
    engine::{
        api::Engine as _,
        docker::{DockerConfig, DockerEngine},
    },
    model::id::InstanceId,
};

use crate::{
    bench::{Bench, EngineClient, config},
    copied::copy_program,
    life::{Expected, from_launch_to_forgetting},
};

const USER: &str = "workbay-test";
const PLACE: &str = "WORKBAY_TEST_PLACE";

/// A directory that is the user's home for one test, with their Podman's storage.
struct Home {
    dir: tempfile::TempDir,
    uid: u32,
    gid: u32,
}

impl Home {
    fn new() -> Self {
        let (uid, gid) = user();
        // Short: sockets below it have a longest path.
        let dir = tempfile::Builder::new().prefix("wb-rl-").tempdir().unwrap();
        let home = Self { dir, uid, gid };
        for sub in ["run", "tmp", ".config", ".config/containers"] {
            std::fs::create_dir(home.path(sub)).unwrap();
        }
        // The machine need not have a systemd that makes groups and keeps a journal for a user.
        let settings = "[engine]\ncgroup_manager = \"cgroupfs\"\nevents_logger = \"file\"\n";
        std::fs::write(home.path(".config/containers/containers.conf"), settings).unwrap();
        for sub in ["", "run", "tmp", ".config", ".config/containers"] {
            home.give(&home.path(sub), 0o700);
        }
        home
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn give(&self, path: &Path, mode: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        chown(path, Some(self.uid), Some(self.gid)).unwrap();
    }

    fn take(&self, from: &Path, name: &str) -> PathBuf {
        let to = self.path(name);
        copy_program(from, &to);
        self.give(&to, 0o755);
        to
    }

    /// A program as the user, with nothing of root's surroundings.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("setpriv");
        command
            .args([
                format!("--reuid={}", self.uid),
                format!("--regid={}", self.gid),
                "--init-groups".to_owned(),
                "--inh-caps=-all".to_owned(),
            ])
            .arg(program)
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", self.dir.path())
            .env("TMPDIR", self.path("tmp"))
            .env("XDG_RUNTIME_DIR", self.path("run"))
            .env(PLACE, self.dir.path());
        command
    }
}

impl Drop for Home {
    /// Containers of a failed test go, and files of ids that are mapped are removed by root.
    fn drop(&mut self) {
        let _ = self
            .command(Path::new("podman"))
            .args(["rm", "--all", "--force", "--time=0"])
            .output();
        crate::podman_engine::end_keepers(self.dir.path());
        crate::private_engine::unmount_below(self.dir.path());
    }
}

#[track_caller]
fn user() -> (u32, u32) {
    assert!(
        rustix::process::geteuid().is_root(),
        "only root can become the user {USER}: run the tests as root, as CI does"
    );
    let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
    let line = passwd
        .lines()
        .find_map(|line| line.strip_prefix(&format!("{USER}:x:")))
        .unwrap_or_else(|| panic!("the user {USER} is missing: run scripts/test-setup"));
    let mut numbers = line.split(':').map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

#[test]
fn a_session_of_a_rootless_podman() {
    let home = Home::new();
    home.take(Path::new(env!("CARGO_BIN_EXE_workbay")), "workbay");
    let tests = home.take(&std::env::current_exe().unwrap(), "tests");
    let output = home
        .command(&tests)
        .args(["--ignored", "--exact", "rootless::all_of_it", "--nocapture"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let stdout = String::from_utf8_lossy(&output.stdout);
    let log = std::fs::read_to_string(home.path("run/workbay/podman.log")).unwrap_or_default();
    assert!(
        output.status.success() && stdout.contains("1 passed"),
        "{stdout}\n{said}\npodman said:\n{log}"
    );
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "run by the test above, as another user"]
async fn all_of_it() {
    let place = PathBuf::from(std::env::var_os(PLACE).unwrap());
    let instance = InstanceId::random();
    let dir = tempfile::tempdir().unwrap();
    let ours = || DockerConfig {
        toolbox_dir: place.join("toolbox"),
        runtime_dir: place.join("run/workbay"),
        binary: place.join("workbay"),
        ..config(instance, dir.path(), Some("podman"))
    };
    let (engine, again) = (DockerEngine::new(ours()), DockerEngine::new(ours()));
    let folders = dir.path().join("folders");
    // Our service is run for the first who asks, and one is enough.
    engine.probe().await.unwrap();
    let socket = place.join("run/workbay/podman.sock");
    let mut bench = Bench::of(engine, instance, dir);
    bench.client = EngineClient::of(Some(&format!("unix://{}", socket.display())));
    let expected = Expected {
        owner: rustix::process::getuid().as_raw(),
        limits: limits_are_delegated(),
        folders: &folders,
    };
    from_launch_to_forgetting(&bench, again, &expected).await;
}

/// Control groups of version 2, and some of them given to this user.
fn limits_are_delegated() -> bool {
    std::path::Path::new("/sys/fs/cgroup/cgroup.controllers").exists()
        && std::fs::read_to_string("/proc/self/cgroup").is_ok_and(|groups| {
            let group = groups.trim().rsplit_once("::").map_or("", |(_, path)| path);
            let file = format!("/sys/fs/cgroup{group}/cgroup.controllers");
            let all = std::fs::read_to_string(file).unwrap_or_default();
            ["cpu", "memory", "pids"]
                .iter()
                .all(|one| all.split_whitespace().any(|given| given == *one))
        })
}
