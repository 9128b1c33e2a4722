//! A session that fills the disk with the state on it can be ended, however it is asked for.

use std::{fs, path::Path, process::Command};

use crate::{
    machine::{Machine, launch},
    wait,
};

/// A small file system in the place of the state directory, where the engine sees it as well.
struct Disk<'a> {
    machine: &'a Machine,
}

impl<'a> Disk<'a> {
    fn mount(machine: &'a Machine) -> Self {
        assert!(
            rustix::process::geteuid().is_root(),
            "a disk of its own needs root: run the tests as root, as CI does"
        );
        let state = machine.path("state");
        fs::create_dir(&state).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=300m", "workbay-test"])
            .arg(&state)
            .status();
        assert!(mounted.unwrap().success());
        Self { machine }
    }
}

impl Drop for Disk<'_> {
    fn drop(&mut self) {
        // The daemon and its containers use it.
        self.machine
            .workbay(&["daemon", "stop", "--terminate-sessions", "--yes"]);
        let state = self.machine.path("state");
        let _ = Command::new("umount").arg("-l").arg(state).status();
    }
}

fn free(directory: &Path) -> u64 {
    rustix::fs::statvfs(directory).unwrap().f_bavail
}

/// A program in the session takes every block that becomes free.
fn fill(machine: &Machine, session: &str) {
    let greedy =
        "nohup sh -c 'while :; do cat /dev/zero; done >>/home/work/fill' >/dev/null 2>&1 &";
    machine.ok(&["exec", session, "--", "sh", "-c", greedy]);
    wait::until(
        "the disk is full",
        || free(&machine.path("state")),
        |it| *it == 0,
    );
}

fn end(machine: &Machine, arguments: &[&str]) {
    let output = machine.workbay(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{arguments:?}: {said}");
}

#[test]
fn a_launch_is_refused_while_less_than_the_reserve_is_free() {
    let machine = Machine::new();
    let settings = machine.path("config").join("config.toml");
    fs::write(
        settings,
        "[launch]\ncpu = 0.2\n[disk]\nlaunch-reserve = \"20m\"\n",
    )
    .unwrap();
    let disk = Disk::mount(&machine);
    machine.ok(&["launch", "--env", "host", "--name", "first", "--wait"]);
    let ballast = machine.path("state").join("ballast");
    let blocks = (free(&machine.path("state")) * 4096).saturating_sub(10 << 20);
    fs::write(&ballast, vec![1; usize::try_from(blocks).unwrap()]).unwrap();
    let refused = machine.workbay(&launch("refused", &[]));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success(), "{said}");
    assert!(
        said.contains("A launch needs 20 MiB") && said.contains("workbay rm"),
        "{said}"
    );
    assert_eq!(machine.containers().len(), 1, "nothing was created");
    fs::remove_file(&ballast).unwrap();
    machine.ok(&["launch", "--env", "host", "--name", "second", "--wait"]);
    assert_eq!(machine.containers().len(), 2);
    drop(disk);
}

#[test]
fn a_session_that_fills_the_disk_is_ended_by_each_command() {
    let machine = Machine::new();
    let disk = Disk::mount(&machine);
    for name in ["asked", "forced", "last"] {
        // What is written to this file system counts as the session's memory.
        machine.ok(&[
            "launch", "--env", "host", "--name", name, "--mem", "400m", "--wait",
        ]);
    }
    fill(&machine, "asked");
    let refused = machine.workbay(&launch("refused", &[]));
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("the disk is full"),
        "{said}"
    );
    end(&machine, &["terminate", "asked", "--yes", "--wait"]);
    assert_eq!(machine.containers().len(), 2);
    fill(&machine, "forced");
    end(
        &machine,
        &["terminate", "forced", "--force", "--yes", "--wait"],
    );
    assert_eq!(machine.containers().len(), 1);
    fill(&machine, "last");
    end(
        &machine,
        &["daemon", "stop", "--terminate-sessions", "--yes"],
    );
    assert!(machine.containers().is_empty());

    // A daemon that starts on the full disk knows all of it.
    let ended = machine.json(&["ls", "--tab", "finished", "--json"]);
    let ended = ended.as_array().unwrap();
    for name in ["asked", "forced", "last"] {
        let is_it = |it: &&serde_json::Value| it["name"] == name && it["status"] == "TERMINATED";
        assert_eq!(ended.iter().filter(is_it).count(), 1, "{name}: {ended:?}");
    }
    drop(disk);
}
