//! Files by `sftp`, `scp`, `rsync` and `git`.

use std::{
    fs,
    io::Write as _,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::Path,
    process::Stdio,
};

use super::server::{SshTestServer, succeeds};

fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(|number| (number * 7 % 253) as u8).collect()
}

/// Runs commands of `sftp`; returns what it prints, and whether all succeeded.
fn sftp(server: &SshTestServer, batch: &str) -> (String, bool) {
    let mut command = server.command("sftp");
    let port = server.port.to_string();
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

fn does(server: &SshTestServer, batch: &str) -> String {
    let (said, success) = sftp(server, batch);
    assert!(success, "{said}");
    said
}

fn refuses(server: &SshTestServer, batch: &str, reason: &str) {
    let (said, success) = sftp(server, batch);
    assert!(!success && said.contains(reason), "{batch}: {said}");
}

#[test]
fn sftp_does_all_that_its_commands_offer() {
    let server = SshTestServer::new();
    let content = bytes(3_000_001);
    fs::write(server.client().join("big"), &content).unwrap();
    fs::set_permissions(
        server.client().join("big"),
        fs::Permissions::from_mode(0o750),
    )
    .unwrap();
    let said = does(
        &server,
        "pwd\nmkdir d\nput -pf big d/big\nget -p d/big back\nln d/big d/hard\nln -s big d/soft\nrename d/hard d/other\n\
         chmod 600 d/big\nls -la d\ndf d\nmkdir d/e\nrmdir d/e\ntruncate\n"
            .replace("truncate\n", "")
            .as_str(),
    );
    let home = server.home().canonicalize().unwrap();
    assert!(
        said.contains(&format!("Remote working directory: {}", home.display())),
        "{said}"
    );
    assert!(said.contains("-rw-------"), "{said}");
    assert!(
        said.contains("lrwxrwxrwx") && said.contains("Avail"),
        "{said}"
    );
    assert!(fs::read(server.client().join("back")).unwrap() == content);
    let (there, here) = (home.join("d/big"), server.client().join("back"));
    assert_eq!(fs::metadata(&there).unwrap().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(&here).unwrap().mode() & 0o777, 0o750);
    let time = |path: &Path| fs::metadata(path).unwrap().mtime();
    assert_eq!(time(&there), time(&server.client().join("big")));
    assert_eq!(
        fs::read_link(home.join("d/soft")).unwrap(),
        Path::new("big")
    );
    assert!(home.join("d/other").exists() && !home.join("d/hard").exists());
    does(&server, "rm d/*\nrmdir d\n");
    assert!(!home.join("d").exists());
}

#[test]
fn refusals_have_their_reasons() {
    let server = SshTestServer::new();
    fs::write(server.home().join("a"), "").unwrap();
    fs::write(server.home().join("b"), "").unwrap();
    fs::create_dir(server.home().join("full")).unwrap();
    fs::write(server.home().join("full/x"), "").unwrap();
    refuses(&server, "get missing\n", "not found");
    refuses(&server, "rm missing\n", "No such file");
    refuses(&server, "rmdir full\n", "Failure");
    refuses(&server, "mkdir a\n", "Failure");
    refuses(&server, "cd /proc/1/nothing\n", "No such file");
    fs::write(server.client().join("small"), "x").unwrap();
    refuses(&server, "put small missing/new\n", "No such file");
    // The version 3 of the protocol never replaces a file; OpenSSH's extension does.
    does(&server, "rename a b\n");
    refuses(&server, "rename -l b full/x\n", "Failure");
}

#[test]
fn whole_trees_go_both_ways_with_every_name() {
    let server = SshTestServer::new();
    let names = [
        "plain",
        "with space",
        "täst 한글",
        "-dash",
        "quote'\"",
        "new\nline",
    ];
    let tree = server.client().join("tree");
    fs::create_dir_all(tree.join("deep/er")).unwrap();
    for name in names {
        fs::write(tree.join("deep/er").join(name), name).unwrap();
    }
    for number in 0..450 {
        fs::write(tree.join(format!("{number}")), bytes(number)).unwrap();
    }
    does(&server, "put -R tree\n");
    does(&server, "get -R tree back\n");
    for name in names {
        let back = server.client().join("back/deep/er").join(name);
        assert_eq!(fs::read_to_string(back).unwrap(), name);
    }
    assert_eq!(
        fs::read_dir(server.client().join("back")).unwrap().count(),
        451
    );
}

#[test]
fn sftp_resumes_a_transfer() {
    let server = SshTestServer::new();
    let content = bytes(900_000);
    fs::write(server.client().join("big"), &content).unwrap();
    fs::write(server.home().join("big"), &content[..300_000]).unwrap();
    does(&server, "reput big\n");
    assert!(fs::read(server.home().join("big")).unwrap() == content);
    fs::write(server.client().join("part"), &content[..500_001]).unwrap();
    does(&server, "reget big part\n");
    assert!(fs::read(server.client().join("part")).unwrap() == content);
}

#[test]
fn scp_copies_with_both_protocols() {
    let server = SshTestServer::new();
    let content = bytes(2_000_003);
    fs::write(server.client().join("file"), &content).unwrap();
    let port = server.port.to_string();
    for protocol in ["-s", "-O"] {
        let there = format!("work@127.0.0.1:there{protocol}");
        let mut to = server.command("scp");
        succeeds(to.args([protocol, "-p", "-P", &port, "file", &there]));
        let mut from = server.command("scp");
        succeeds(from.args([protocol, "-P", &port, &there, "back"]));
        assert!(
            fs::read(server.client().join("back")).unwrap() == content,
            "{protocol}"
        );
    }
}

#[test]
fn rsync_copies_and_deletes() {
    let server = SshTestServer::new();
    let source = server.client().join("source");
    fs::create_dir_all(source.join("sub")).unwrap();
    fs::write(source.join("sub/big"), bytes(5_000_000)).unwrap();
    fs::write(source.join("old"), "old").unwrap();
    let rsync = |from: &str, to: &str| {
        let mut rsync = server.command("rsync");
        rsync.args(["-a", "--delete", "-e", &server.ssh_line(), from, to]);
        succeeds(&mut rsync);
    };
    rsync("source/", "work@127.0.0.1:copy/");
    fs::remove_file(source.join("old")).unwrap();
    rsync("source/", "work@127.0.0.1:copy/");
    assert!(!server.home().join("copy/old").exists());
    rsync("work@127.0.0.1:copy/", "back/");
    assert!(fs::read(server.client().join("back/sub/big")).unwrap() == bytes(5_000_000));
}

#[test]
fn git_clones_and_pushes() {
    let server = SshTestServer::new();
    let git = |arguments: &[&str], directory: &Path| {
        let mut git = server.command("git");
        git.current_dir(directory)
            .env("GIT_SSH_COMMAND", server.ssh_line())
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .args(["-c", "user.name=n", "-c", "user.email=e@example.org"])
            .args(["-c", "init.defaultBranch=main"])
            .args(arguments);
        succeeds(&mut git)
    };
    let there = server.home();
    git(&["init", "--bare", "project.git"], &there);
    let url = format!(
        "ssh://work@127.0.0.1:{}{}/project.git",
        server.port,
        there.display()
    );
    git(&["clone", &url, "clone"], &server.client());
    let clone = server.client().join("clone");
    fs::write(clone.join("file"), bytes(1_500_000)).unwrap();
    git(&["add", "."], &clone);
    git(&["commit", "-m", "One"], &clone);
    git(&["push", "origin", "HEAD:main"], &clone);
    git(&["clone", "-b", "main", &url, "again"], &server.client());
    assert!(fs::read(server.client().join("again/file")).unwrap() == bytes(1_500_000));
}
