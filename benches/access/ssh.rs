//! SSH and SFTP by workbay's server against OpenSSH's, with OpenSSH's clients.

use std::{
    fs,
    io::Read as _,
    path::Path,
    process::{Child, Command, Stdio},
};

use super::{
    compare,
    machine::{Machine, SESSION},
    timed,
};

/// The size of the file that is copied.
const SIZE: usize = 256 << 20;

/// How to reach a server, and a directory there.
struct Target {
    options: Vec<String>,
    host: String,
    directory: String,
}

/// OpenSSH's server, ended with its handle.
struct Sshd(Child);

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn measure(machine: &Machine) {
    let ours = workbay(machine);
    let (_sshd, theirs) = openssh(machine);
    let file = machine.path("file");
    fs::write(&file, vec![7; SIZE]).expect("a file");
    let file = file.display().to_string();
    prompt(&ours, &theirs);
    let sends = |target: &Target| {
        timed(|| {
            ssh(
                target,
                &format!("cat >{}/copy", target.directory),
                Some(&file),
            );
        })
    };
    let [ours_took, their] = compare(
        "ssh, 256 MiB to the session",
        || sends(&ours),
        "sshd",
        || sends(&theirs),
    );
    goal(their / ours_took);
    let reads =
        |target: &Target| timed(|| ssh(target, &format!("cat {}/copy", target.directory), None));
    let [ours_took, their] = compare(
        "ssh, 256 MiB from the session",
        || reads(&ours),
        "sshd",
        || reads(&theirs),
    );
    goal(their / ours_took);
    let puts = |target: &Target| {
        timed(|| {
            scp(target, &file, &target.remote("copy"));
        })
    };
    let [ours_took, their] = compare(
        "sftp, 256 MiB to the session",
        || puts(&ours),
        "sshd",
        || puts(&theirs),
    );
    goal(their / ours_took);
    let back = machine.path("back").display().to_string();
    let gets = |target: &Target| {
        timed(|| {
            scp(target, &target.remote("copy"), &back);
        })
    };
    let [ours_took, their] = compare(
        "sftp, 256 MiB from the session",
        || gets(&ours),
        "sshd",
        || gets(&theirs),
    );
    goal(their / ours_took);
}

fn prompt(ours: &Target, theirs: &Target) {
    let begins = |target: &Target| timed(|| first_byte(target));
    let [ours, theirs] = compare(
        "ssh until the prompt",
        || begins(ours),
        "sshd",
        || begins(theirs),
    );
    println!("goal: {:.2}x of sshd's time (max 1.3)", ours / theirs);
}

fn goal(ratio: f64) {
    println!("goal: {ratio:.2}x of sshd's throughput (min 0.7)");
}

/// A port of workbay's server for the session.
fn workbay(machine: &Machine) -> Target {
    let opened = machine.json(&["port", "open", SESSION, "ssh", "--json"]);
    let port = opened["port"].as_u64().expect("a port");
    let key = machine.path("key");
    machine.workbay(&[
        "cp",
        &format!("{SESSION}:id_container"),
        &key.display().to_string(),
    ]);
    Target {
        options: options(port, &key),
        host: "work@127.0.0.1".to_owned(),
        directory: "/home/work".to_owned(),
    }
}

/// A server of OpenSSH for this user, whose directory is the home directory of the session.
fn openssh(machine: &Machine) -> (Sshd, Target) {
    let dir = machine.path("sshd");
    fs::create_dir(&dir).expect("a directory");
    let key = dir.join("key");
    for file in [&key, &dir.join("host")] {
        let done = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f"])
            .arg(file)
            .status();
        assert!(done.expect("ssh-keygen").success());
    }
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|it| it.local_addr())
        .expect("a port")
        .port();
    let config = dir.join("config");
    let text = format!(
        "Port {port}\nListenAddress 127.0.0.1\nHostKey {0}/host\nAuthorizedKeysFile {0}/key.pub\nPidFile none\n\
         PermitRootLogin yes\nStrictModes no\nUsePAM no\nSubsystem sftp internal-sftp\n",
        dir.display()
    );
    fs::write(&config, text).expect("a file");
    fs::create_dir_all("/run/sshd").expect("the directory of sshd");
    let child = Command::new("/usr/sbin/sshd")
        .args(["-D", "-e", "-f"])
        .arg(&config)
        .stderr(Stdio::null())
        .spawn();
    let server = Sshd(child.expect("OpenSSH's server"));
    let user = std::env::var("USER").unwrap_or_else(|_| "root".to_owned());
    let target = Target {
        options: options(u64::from(port), &key),
        host: format!("{user}@127.0.0.1"),
        directory: machine.home().display().to_string(),
    };
    while !try_ssh(&target, "true") {
        std::thread::yield_now();
    }
    (server, target)
}

fn options(port: u64, key: &Path) -> Vec<String> {
    let port = format!("Port={port}");
    let key = format!("IdentityFile={}", key.display());
    let mut options = Vec::new();
    for option in [
        port.as_str(),
        &key,
        "IdentitiesOnly=yes",
        "BatchMode=yes",
        "StrictHostKeyChecking=no",
        "UserKnownHostsFile=/dev/null",
        "LogLevel=ERROR",
    ] {
        options.extend(["-o".to_owned(), option.to_owned()]);
    }
    options
}

impl Target {
    fn remote(&self, name: &str) -> String {
        format!("{}:{}/{name}", self.host, self.directory)
    }

    fn ssh(&self) -> Command {
        let mut command = Command::new("ssh");
        command.args(["-F", "none"]).args(&self.options);
        command
    }
}

/// Runs a command there, with a file as its input.
fn ssh(target: &Target, command: &str, input: Option<&str>) {
    let input = input.map_or_else(Stdio::null, |file| {
        fs::File::open(file).expect("the file").into()
    });
    let done = target
        .ssh()
        .args([&target.host, command])
        .stdin(input)
        .stdout(Stdio::null())
        .status();
    assert!(done.expect("ssh").success(), "{command}");
}

fn try_ssh(target: &Target, command: &str) -> bool {
    let done = target
        .ssh()
        .args([&target.host, command])
        .stderr(Stdio::null())
        .status();
    done.expect("ssh").success()
}

fn scp(target: &Target, from: &str, to: &str) {
    let done = Command::new("scp")
        .args(["-q", "-F", "none"])
        .args(&target.options)
        .args([from, to])
        .status();
    assert!(done.expect("scp").success(), "{from} {to}");
}

/// Starts a shell on a terminal and reads the first byte that it prints.
fn first_byte(target: &Target) {
    let mut child = target
        .ssh()
        .args(["-tt", &target.host])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("ssh");
    let mut byte = [0];
    child
        .stdout
        .as_mut()
        .expect("its output")
        .read_exact(&mut byte)
        .expect("a prompt");
    child.kill().expect("ssh runs");
    child.wait().expect("ssh ends");
}
