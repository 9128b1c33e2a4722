//! Files and directories with an umask of 0.

use std::{fs, os::unix::fs::PermissionsExt as _, path::Path, process::Command};

use crate::machine::{BINARY, Machine, launch};

/// `workbay ARGS…` with umask 0.
#[track_caller]
fn openly(machine: &Machine, args: &[&str]) {
    let output = Command::new("sh")
        .args(["-c", "umask 0; exec \"$0\" \"$@\"", BINARY])
        .args(args)
        .envs(machine.env())
        .output()
        .expect("sh starts");
    assert!(output.status.success(), "{args:?}: {output:?}");
}

fn mode(path: &Path) -> u32 {
    let meta = fs::symlink_metadata(path).expect("it is there");
    meta.permissions().mode() & 0o777
}

/// Everything below that others may do more with than `denied` allows; homes are their programs' own.
fn open(path: &Path, denied: u32, found: &mut Vec<String>) {
    let kind = fs::symlink_metadata(path).expect("it is there").file_type();
    if kind.is_symlink() || path.ends_with("scratches") {
        return;
    }
    if mode(path) & denied != 0 {
        found.push(format!("{:o} {}", mode(path), path.display()));
    }
    if kind.is_dir() {
        for entry in fs::read_dir(path).expect("it can be read").flatten() {
            open(&entry.path(), denied, found);
        }
    }
}

#[test]
fn what_is_written_under_umask_0_is_not_open_to_others() {
    let machine = Machine::new();
    let contexts = machine.path("config/contexts.toml");
    openly(&machine, &["context", "use", "local"]);
    assert_eq!(mode(&contexts), 0o600);
    openly(&machine, &launch("open", &["--wait"]));
    let recipe = machine.path("open.toml");
    let report = machine.path("report.txt");
    openly(
        &machine,
        &["export", "open", "--output", &recipe.to_string_lossy()],
    );
    openly(
        &machine,
        &[
            "export",
            "open",
            "--force",
            "--output",
            &recipe.to_string_lossy(),
        ],
    );
    openly(&machine, &["doctor", "--report", &report.to_string_lossy()]);
    assert_eq!((mode(&recipe), mode(&report)), (0o600, 0o600));
    let mut found = Vec::new();
    for kind in ["state", "data", "cache", "runtime"] {
        let path = machine.path(kind);
        if path.exists() {
            open(&path, 0o022, &mut found);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(mode(&machine.state()), 0o700);
    for private in ["daemon.lock", "workbay.db", "daemon.log"] {
        let path = machine.state().join(private);
        if path.exists() {
            assert_eq!(mode(&path), 0o600, "{private}");
        }
    }
}
