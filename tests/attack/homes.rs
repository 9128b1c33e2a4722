//! Trees that a session leaves in its home: deep, wide, locked, or pointing elsewhere. Terminating it and
//! restarting the daemon removes all of it and nothing else.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    attack::ground::Ground,
    attack::report,
    machine::{Machine, launch},
    wait,
};

/// What each session runs in its home, and its name.
const TREES: &[(&str, &str)] = &[
    (
        "deep",
        "import os\nfor _ in range(20000): os.mkdir('d'); os.chdir('d')",
    ),
    ("wide", "for i in range(20000): open(f'{i}', 'w').close()"),
    (
        "locked",
        "import os\nfor _ in range(200): os.mkdir('d'); os.chdir('d'); open('f', 'w').close()\n\
         for _ in range(200): os.chdir('..'); os.chmod('d', 0)",
    ),
    (
        "links",
        "import os\nos.symlink('/', 'root'); os.symlink('..', 'up'); os.symlink('loop', 'loop')\n\
         os.symlink(os.environ['CANARY'], 'canary'); os.mkfifo('fifo')",
    ),
    (
        "names",
        "import os\nfor name in [b'\\n', b'\\x1b[2J', b'\\xff\\xfe', b'a' * 255, b'-rf', b' ']: os.mkdir(name)",
    ),
    (
        "branches",
        "import os\nfor b in range(20):\n os.makedirs(f'b{b}'); os.chdir(f'b{b}')\n \
         for _ in range(600): os.mkdir('d'); os.chdir('d')\n os.chdir(os.environ['HOME'])",
    ),
];

fn grow(machine: &Machine, name: &str, program: &str, canary: &Path) {
    machine.ok(&launch(name, &["--wait"]));
    let canary = format!("CANARY={}", canary.display());
    machine.ok(&["exec", name, "--", "env", &canary, "python3", "-c", program]);
}

/// Removes what a failed attack leaves by a program that does not recurse: the test's own directory is removed
/// by one that does.
struct Cleanup(PathBuf);

impl Drop for Cleanup {
    fn drop(&mut self) {
        let _ = Command::new("rm").arg("-rf").arg(&self.0).status();
    }
}

/// The directories of sessions that are still on disk.
fn remains(machine: &Machine) -> Vec<String> {
    let Ok(entries) = fs::read_dir(machine.state().join("sessions")) else {
        return Vec::new();
    };
    entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn whatever_a_session_leaves_is_removed_and_the_daemon_runs_on() {
    let Ground { machine, .. } = &Ground::new();
    let canary = machine.path("canary");
    fs::create_dir(&canary).unwrap();
    fs::write(canary.join("precious"), "x").unwrap();
    machine.ok(&["ls"]);
    let _cleanup = Cleanup(machine.state().join("sessions"));
    for (name, program) in TREES {
        grow(machine, name, program, &canary);
    }
    let config = machine.path("config").join("config.toml");
    fs::write(config, "[launch]\ncpu = 0.2\n[history]\nkeep-days = 0\n").unwrap();
    machine.ok(&["terminate", "--all", "--force", "--yes"]);
    machine.ok(&["daemon", "stop"]);
    machine.ok(&["ls"]);
    wait::while_it_continues("nothing is left", || remains(machine), Vec::is_empty);
    assert!(canary.join("precious").exists(), "a link was followed");
    let pid = machine.daemon_pid().expect("the daemon runs");
    machine.ok(&["ls"]);
    assert_eq!(machine.daemon_pid(), Some(pid), "the daemon was replaced");
    report::held(
        "homes 20,000 levels deep, with 20,000 entries, locked directories, links and odd names",
        format!("{} homes", TREES.len()),
        "removed after the session, nothing outside touched, the daemon keeps running",
    );
}
