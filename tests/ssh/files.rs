//! Files by `sftp`, `scp`, `rsync` and `git`.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
    process::Stdio,
};

use super::server::{SshHouse, succeeds};

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|number| (number * 7 % 253) as u8).collect()
}

/// Runs commands of `sftp`; returns what it prints, and whether all succeeded.
fn sftp(house: &SshHouse, batch: &str) -> (String, bool) {
    let mut command = house.command("sftp");
    let port = house.port.to_string();
    let mut child = command
        .args(["-b", "-", "-P", &port, "work@127.0.0.1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(batch.as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (
        String::from_utf8_lossy(&said).into_owned(),
        output.status.success(),
    )
}

fn does(house: &SshHouse, batch: &str) -> String {
    let (said, success) = sftp(house, batch);
    assert!(success, "{said}");
    said
}

fn refuses(house: &SshHouse, batch: &str, reason: &str) {
    let (said, success) = sftp(house, batch);
    assert!(!success && said.contains(reason), "{batch}: {said}");
}

#[test]
fn sftp_does_all_that_its_commands_offer() {
    let house = SshHouse::new();
    let content = bytes(3_000_001);
    fs::write(house.client().join("big"), &content).unwrap();
    fs::set_permissions(
        house.client().join("big"),
        fs::Permissions::from_mode(0o750),
    )
    .unwrap();
    let said = does(
        &house,
        "pwd\nmkdir d\nput -pf big d/big\nget -p d/big back\nln d/big d/hard\nln -s big d/soft\nrename d/hard d/other\n\
         chmod 600 d/big\nls -la d\ndf d\nmkdir d/e\nrmdir d/e\ntruncate\n"
            .replace("truncate\n", "")
            .as_str(),
    );
    let home = house.home().canonicalize().unwrap();
    assert!(
        said.contains(&format!("Remote working directory: {}", home.display())),
        "{said}"
    );
    assert!(said.contains("-rw-------"), "{said}");
    assert!(
        said.contains("lrwxrwxrwx") && said.contains("Avail"),
        "{said}"
    );
    assert!(fs::read(house.client().join("back")).unwrap() == content);
    let (there, here) = (home.join("d/big"), house.client().join("back"));
    assert_eq!(fs::metadata(&there).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&here).unwrap().mode() & 0o777, 0o750);
    let time = |path: &Path| fs::metadata(path).unwrap().mtime();
    assert_eq!(time(&there), time(&house.client().join("big")));
    assert_eq!(
        fs::read_link(home.join("d/soft")).unwrap(),
        Path::new("big")
    );
    assert!(home.join("d/other").exists() && !home.join("d/hard").exists());
    does(&house, "rm d/*\nrmdir d\n");
    assert!(!home.join("d").exists());
}

#[test]
fn refusals_have_their_reasons() {
    let house = SshHouse::new();
    fs::write(house.home().join("a"), "").unwrap();
    fs::write(house.home().join("b"), "").unwrap();
    fs::create_dir(house.home().join("full")).unwrap();
    fs::write(house.home().join("full/x"), "").unwrap();
    refuses(&house, "get missing\n", "not found");
    refuses(&house, "rm missing\n", "No such file");
    refuses(&house, "rmdir full\n", "Failure");
    refuses(&house, "mkdir a\n", "Failure");
    refuses(&house, "cd /proc/1/nothing\n", "No such file");
    fs::write(house.client().join("small"), "x").unwrap();
    refuses(&house, "put small missing/new\n", "No such file");
    // The version 3 of the protocol never replaces a file; OpenSSH's extension does.
    does(&house, "rename a b\n");
    refuses(&house, "rename -l b full/x\n", "Failure");
}

#[test]
fn whole_trees_go_both_ways_with_every_name() {
    let house = SshHouse::new();
    let names = [
        "plain",
        "with space",
        "täst 한글",
        "-dash",
        "quote'\"",
        "new\nline",
    ];
    let tree = house.client().join("tree");
    fs::create_dir_all(tree.join("deep/er")).unwrap();
    for name in names {
        fs::write(tree.join("deep/er").join(name), name).unwrap();
    }
    for number in 0..450 {
        fs::write(tree.join(format!("{number}")), bytes(number)).unwrap();
    }
    does(&house, "put -R tree\n");
    does(&house, "get -R tree back\n");
    for name in names {
        let back = house.client().join("back/deep/er").join(name);
        assert_eq!(fs::read_to_string(back).unwrap(), name);
    }
    assert_eq!(
        fs::read_dir(house.client().join("back")).unwrap().count(),
        451
    );
}

#[test]
fn sftp_resumes_a_transfer() {
    let house = SshHouse::new();
    let content = bytes(900_000);
    fs::write(house.client().join("big"), &content).unwrap();
    fs::write(house.home().join("big"), &content[..300_000]).unwrap();
    does(&house, "reput big\n");
    assert!(fs::read(house.home().join("big")).unwrap() == content);
    fs::write(house.client().join("part"), &content[..500_001]).unwrap();
    does(&house, "reget big part\n");
    assert!(fs::read(house.client().join("part")).unwrap() == content);
}

#[test]
fn scp_copies_with_both_protocols() {
    let house = SshHouse::new();
    let content = bytes(2_000_003);
    fs::write(house.client().join("file"), &content).unwrap();
    let port = house.port.to_string();
    for protocol in ["-s", "-O"] {
        let there = format!("work@127.0.0.1:there{protocol}");
        let mut to = house.command("scp");
        succeeds(to.args([protocol, "-p", "-P", &port, "file", &there]));
        let mut from = house.command("scp");
        succeeds(from.args([protocol, "-P", &port, &there, "back"]));
        assert!(
            fs::read(house.client().join("back")).unwrap() == content,
            "{protocol}"
        );
    }
}

#[test]
fn rsync_copies_and_deletes() {
    let house = SshHouse::new();
    let source = house.client().join("source");
    fs::create_dir_all(source.join("sub")).unwrap();
    fs::write(source.join("sub/big"), bytes(5_000_000)).unwrap();
    fs::write(source.join("old"), "old").unwrap();
    let rsync = |from: &str, to: &str| {
        let mut rsync = house.command("rsync");
        rsync.args(["-a", "--delete", "-e", &house.ssh_line(), from, to]);
        succeeds(&mut rsync);
    };
    rsync("source/", "work@127.0.0.1:copy/");
    fs::remove_file(source.join("old")).unwrap();
    rsync("source/", "work@127.0.0.1:copy/");
    assert!(!house.home().join("copy/old").exists());
    rsync("work@127.0.0.1:copy/", "back/");
    assert!(fs::read(house.client().join("back/sub/big")).unwrap() == bytes(5_000_000));
}

#[test]
fn git_clones_and_pushes() {
    let house = SshHouse::new();
    let git = |arguments: &[&str], directory: &Path| {
        let mut git = house.command("git");
        git.current_dir(directory)
            .env("GIT_SSH_COMMAND", house.ssh_line())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
            .args(["-c", "init.defaultBranch=main"])
            .args(arguments);
        succeeds(&mut git)
    };
    let there = house.home();
    git(&["init", "--bare", "project.git"], &there);
    let url = format!(
        "ssh://work@127.0.0.1:{}{}/project.git",
        house.port,
        there.display()
    );
    git(&["clone", &url, "clone"], &house.client());
    let clone = house.client().join("clone");
    fs::write(clone.join("file"), bytes(1_500_000)).unwrap();
    git(&["add", "."], &clone);
    git(&["commit", "-m", "One"], &clone);
    git(&["push", "origin", "HEAD:main"], &clone);
    git(&["clone", "-b", "main", &url, "again"], &house.client());
    assert!(fs::read(house.client().join("again/file")).unwrap() == bytes(1_500_000));
}
