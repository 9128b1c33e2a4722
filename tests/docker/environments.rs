//! The host environment: this machine's userland, and nothing of it writable.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::support::Bench;

#[tokio::test]
async fn programs_of_this_machine_run_and_its_files_are_safe() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    assert_eq!(
        bench.sh(session, "tmux -V").await,
        bench.sh(session, "/usr/bin/tmux -V").await
    );
    let (said, code) = bench
        .run(
            session,
            &[
                "touch",
                "/usr/share/mine",
                "/etc/profile",
                "/opt/workbay/mine",
            ],
        )
        .await;
    assert_ne!(code, Some(0));
    assert_eq!(
        said.matches("ead-only file system").count() + said.matches("ermission denied").count(),
        3,
        "{said}"
    );
}

#[tokio::test]
async fn nothing_below_the_read_only_mounts_is_writable() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let mounts = bench.sh(session, "cat /proc/self/mountinfo").await;
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let below = ["/usr", "/bin", "/lib", "/opt/workbay", "/etc/ssl"]
            .iter()
            .any(|dir| fields[4].starts_with(dir));
        if below {
            assert!(
                fields[5].split(',').any(|option| option == "ro"),
                "writable: {line}"
            );
        }
    }
    assert!(mounts.contains(" /usr ro,"), "{mounts}");
}

#[tokio::test]
async fn a_file_system_mounted_below_usr_is_read_only_too() {
    let mounted = MountedDirectory::over_an_empty_directory();
    let bench = Bench::new();
    let session = bench.host_session().await;
    let place = mounted.0.display();
    assert_eq!(bench.sh(session, &format!("cat {place}/seen")).await, "x");
    let (said, code) = bench
        .run(session, &["touch", &format!("{place}/mine")])
        .await;
    assert_ne!(code, Some(0));
    assert!(said.contains("Read-only file system"), "{said}");
}

/// A file system of our own below /usr that is writable by all users. The directory was there before and
/// stays: sessions of other tests that begin meanwhile mount it too.
struct MountedDirectory(PathBuf);

impl MountedDirectory {
    fn over_an_empty_directory() -> Self {
        let usual = ["etc", "games", "include", "sbin", "src"];
        let place = usual
            .iter()
            .map(|name| Path::new("/usr/local").join(name))
            .find(|dir| fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_none()))
            .expect("no empty directory below /usr/local to mount on");
        let mount = |args: &[&str]| {
            Command::new("mount")
                .args(args)
                .arg(&place)
                .status()
                .unwrap()
        };
        assert!(mount(&["-t", "tmpfs", "-o", "mode=0777", "tmpfs"]).success());
        fs::write(place.join("seen"), "x").unwrap();
        Self(place)
    }
}

impl Drop for MountedDirectory {
    fn drop(&mut self) {
        Command::new("umount")
            .arg("-l")
            .arg(&self.0)
            .status()
            .unwrap();
    }
}

/// A file that only root may read, removed when this goes.
struct Canary(std::path::PathBuf);

impl Canary {
    fn new() -> Self {
        let dir = std::path::Path::new("/etc/ssl/private");
        std::fs::create_dir_all(dir).unwrap();
        let path = dir.join(format!("workbay-test-{}.key", std::process::id()));
        std::fs::write(&path, "canary").unwrap();
        Self(path)
    }
}

impl Drop for Canary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[tokio::test]
async fn root_in_the_host_environment_does_not_reach_this_machines_keys() {
    let canary = Canary::new();
    let bench = Bench::new();
    let session = bench.host_session().await;
    let container = crate::support::containers(session).pop().unwrap();
    let as_root =
        |line: &str| crate::support::docker(&["exec", "-u", "0", &container, "sh", "-c", line]);
    let listed =
        as_root("ls /etc; echo --; ls /etc/ssl; echo --; find -L /etc -name '*.key'; true");
    assert!(
        listed.contains("passwd") && listed.contains("certs"),
        "{listed}"
    );
    assert!(
        !listed.contains("private") && !listed.contains("shadow"),
        "{listed}"
    );
    let name = canary.0.file_name().unwrap().to_str().unwrap();
    assert!(!listed.contains(name), "{listed}");
    // Not by its path, nor by way of what is mounted beside it.
    for path in [
        format!("/etc/ssl/private/{name}"),
        format!("/etc/ssl/certs/../private/{name}"),
    ] {
        let line = format!("cat {path} 2>/dev/null || echo refused");
        assert_eq!(as_root(&line).trim(), "refused", "{path}");
    }
}
