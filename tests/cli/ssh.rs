//! OpenSSH's programs in a session, through `workbay ssh` and `ssh-config`, on the real engine.

use std::{fs, path::PathBuf, process::Command};

use crate::{
    cli::{run, sessions::with_session},
    machine::Machine,
};

/// The file with the configuration that workbay prints.
pub(super) fn ssh_config(machine: &Machine) -> PathBuf {
    let config = machine.path("ssh_config");
    if !config.exists() {
        fs::write(&config, machine.ok(&["ssh-config"])).unwrap();
    }
    config
}

/// Runs one of OpenSSH's programs with it.
fn client(machine: &Machine, program: &str, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(program)
        .arg("-F")
        .arg(ssh_config(machine))
        .args(["-o", "BatchMode=yes"])
        .args(arguments)
        .env_clear()
        .envs(machine.env())
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap(),
        text(&output.stdout),
        text(&output.stderr),
    )
}

#[test]
fn openssh_reaches_a_session_by_its_name() {
    let machine = with_session("cli-ssh");
    let (code, out, err) = client(&machine, "ssh", &["cli-ssh.workbay", "id -un; pwd; exit 7"]);
    assert_eq!((code, out.as_str()), (7, "work\n/home/work\n"), "{err}");
    let file = machine.path("file");
    fs::write(&file, vec![9; 5 << 20]).unwrap();
    let file = file.display().to_string();
    for mode in ["-s", "-O"] {
        let (code, _, err) = client(&machine, "scp", &[mode, &file, "cli-ssh.workbay:copy"]);
        assert_eq!(code, 0, "scp {mode}: {err}");
        let size = machine.ok(&["exec", "cli-ssh", "--", "stat", "-c", "%s %U", "copy"]);
        assert_eq!(size, format!("{} work\n", 5 << 20));
        machine.ok(&["exec", "cli-ssh", "--", "rm", "copy"]);
    }
    let (code, out, err) = run(
        &machine,
        &["ssh", "cli-ssh", "-o", "BatchMode=yes", "echo $HOME"],
    );
    assert_eq!((code, out.as_str()), (0, "/home/work\n"), "{err}");
}

/// SFTP shows the container's files, not those of this machine.
#[test]
fn sftp_does_not_leave_the_container() {
    let machine = with_session("cli-sftp");
    let secret = machine.path("secret");
    fs::write(&secret, "of this machine").unwrap();
    let target = machine.path("stolen").display().to_string();
    for path in [
        secret.display().to_string(),
        format!("../../../../../..{}", secret.display()),
    ] {
        let from = format!("cli-sftp.workbay:{path}");
        let (code, _, err) = client(&machine, "scp", &[&from, &target]);
        assert_ne!(code, 0, "{path} was read");
        assert!(err.contains("No such file"), "{err}");
    }
}

#[test]
fn a_session_has_a_port_and_a_key_of_its_own() {
    let machine = with_session("cli-ssh-port");
    let other = machine.ok(&[
        "launch",
        "--name",
        "cli-ssh-other",
        "--cpu",
        "0.1",
        "--mem",
        "64m",
        "--shm",
        "16m",
        "--wait",
    ]);
    assert!(other.starts_with("cli-ssh-other "), "{other}");
    let opened = machine.json(&["port", "open", "cli-ssh-port", "ssh", "--json"]);
    let port = opened["port"].to_string();
    let key = machine.path("id_container").display().to_string();
    machine.ok(&["cp", "cli-ssh-port:id_container", &key]);
    let arguments = |key: &str, user: &str| {
        [
            "-p",
            &port,
            "-i",
            key,
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "StrictHostKeyChecking=no",
            "-o",
            "UserKnownHostsFile=/dev/null",
            &format!("{user}@127.0.0.1"),
            "hostname; echo $BACKENDAI_SESSION_NAME",
        ]
        .map(str::to_owned)
        .to_vec()
    };
    let log_in = |key: &str, user: &str| {
        let arguments = arguments(key, user);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        client(&machine, "ssh", &arguments)
    };
    let (code, out, err) = log_in(&key, "work");
    assert_eq!((code, out.as_str()), (0, "main1\ncli-ssh-port\n"), "{err}");
    // Another user of the session, and the key of another session.
    assert_eq!(log_in(&key, "root").0, 255);
    machine.ok(&["port", "open", "cli-ssh-other", "ssh"]);
    let foreign = machine.path("foreign").display().to_string();
    machine.ok(&["cp", "cli-ssh-other:id_container", &foreign]);
    assert_eq!(log_in(&foreign, "work").0, 255);
}
