//! Shells and commands by `ssh`.

use std::{
    io::Write as _,
    process::{Output, Stdio},
    sync::atomic::Ordering,
};

use super::server::{SshTestServer, fails, succeeds};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs a command with this input.
fn with_input(server: &SshTestServer, options: &[&str], command: &str, input: &[u8]) -> Output {
    let mut ssh = server.ssh(options);
    let mut child = ssh
        .arg(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let typing = std::thread::spawn(move || {
        // The program may end before it has read everything.
        let _ = stdin.write_all(&input);
    });
    let output = child.wait_with_output().unwrap();
    typing.join().unwrap();
    output
}

#[test]
fn a_command_has_its_output_its_errors_and_its_exit_code() {
    let server = SshTestServer::new();
    let output = server.run("echo out; echo err >&2; exit 42");
    assert_eq!(output.status.code(), Some(42));
    assert_eq!(
        (text(&output.stdout), text(&output.stderr)),
        ("out\n".into(), "err\n".into())
    );
    let output = server.run("pwd; printf %s \"$SSH_CONNECTION\"");
    let home = server.home().canonicalize().unwrap();
    assert_eq!(
        text(&output.stdout),
        format!("{}\n127.0.0.1 0 127.0.0.1 22", home.display())
    );
    assert!(server.session.uses.load(Ordering::Relaxed) >= 2);
}

#[test]
fn input_comes_back_through_cat_in_any_amount() {
    let server = SshTestServer::new();
    let input: Vec<u8> = (0..24_000_000_u32)
        .map(|number| (number % 251) as u8)
        .collect();
    let output = with_input(&server, &[], "cat", &input);
    assert!(
        output.status.success() && output.stdout == input,
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn large_output_arrives_through_new_keys() {
    let server = SshTestServer::new();
    let options = ["-o", "RekeyLimit=1M"];
    let mut ssh = server.ssh(&options);
    let output = ssh.arg("head -c 30000000 /dev/zero").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    assert_eq!(output.stdout.len(), 30_000_000);
    let input = vec![7; 8_000_000];
    let output = with_input(&server, &options, "cat", &input);
    assert!(
        output.status.success() && output.stdout == input,
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn a_program_that_reads_nothing_ends_as_usual() {
    let server = SshTestServer::new();
    let output = with_input(&server, &[], "exec 0<&-; echo done", &vec![1; 12_000_000]);
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(0), "done\n".into())
    );
}

#[test]
fn a_terminal_has_the_type_the_size_and_the_variables_of_the_client() {
    let server = SshTestServer::new();
    let mut ssh = server.ssh(&["-tt", "-o", "SendEnv=LC_WORKBAY", "-o", "SetEnv=LANG=C"]);
    ssh.env("TERM", "vt220").env("LC_WORKBAY", "a 'b' $c");
    ssh.arg("tty >/dev/null && echo terminal; echo $TERM; echo \"$LC_WORKBAY $LANG\"; stty size");
    let printed = succeeds(&mut ssh).replace('\r', "");
    assert_eq!(printed, "terminal\nvt220\na 'b' $c C\n24 80\n");
    // PATH isn't for the client to set.
    let mut ssh = server.ssh(&["-o", "SetEnv=PATH=/nowhere"]);
    assert_ne!(succeeds(ssh.arg("echo $PATH")), "/nowhere\n");
}

#[test]
fn a_login_shell_reads_its_commands_from_a_pipe() {
    let server = SshTestServer::new();
    let mut ssh = server.ssh(&["-T"]);
    let mut child = ssh
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(b"echo one\nexit 5\n")
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(5), "one\n".into())
    );
}

#[test]
fn tmux_is_the_shell_of_who_asks_for_it() {
    let server = SshTestServer::new();
    let mut ssh = server.command("ssh");
    let ssh = ssh.args(["-tt", "-p", &server.port.to_string(), "work+tmux@127.0.0.1"]);
    let output = ssh.output().unwrap();
    assert_eq!(
        (output.status.code(), text(&output.stdout)),
        (Some(3), "in tmux\r\n".into())
    );
    let tags = server.session.tags.lock().unwrap().clone();
    assert!(tags.len() == 1 && tags[0].starts_with("ssh-"), "{tags:?}");
    // A command is a command.
    let mut ssh = server.command("ssh");
    let ssh = ssh.args([
        "-p",
        &server.port.to_string(),
        "work+tmux@127.0.0.1",
        "echo plain",
    ]);
    assert_eq!(succeeds(ssh), "plain\n");
}

#[test]
fn sentences_of_workbay_are_in_the_language_of_the_client() {
    use std::os::unix::ffi::OsStrExt as _;
    let server = SshTestServer::new();
    let said = |variables: &str| {
        let option = format!("SetEnv={variables}");
        let options: &[&str] = if variables.is_empty() {
            &[]
        } else {
            &["-o", &option]
        };
        let mut ssh = server.ssh(options);
        fails(ssh.arg(std::ffi::OsStr::from_bytes(b"echo \xff")))
    };
    let (english, korean) = ("the command isn't UTF-8", "명령이 UTF-8이 아닙니다");
    for (variables, expected) in [
        ("", english),
        ("LANG=ko_KR.UTF-8", korean),
        ("LC_ALL=ko_KR.UTF-8 LANG=C", korean),
        ("LC_MESSAGES=en_US.UTF-8 LANG=ko_KR.UTF-8", english),
        ("LC_MESSAGES=ko_KR.UTF-8 LANG=en_US.UTF-8", korean),
        ("LANG=ko_KR.EUC-KR", english),
        ("LANG=fr_FR.UTF-8", english),
    ] {
        let text = said(variables);
        assert!(text.contains(expected), "{variables}: {text}");
    }
}

#[test]
fn only_the_right_key_and_user_get_in() {
    let server = SshTestServer::new();
    let mut wrong_user = server.command("ssh");
    let port = server.port.to_string();
    let said = fails(wrong_user.args(["-p", &port, "root@127.0.0.1", "true"]));
    assert!(said.contains("Permission denied (publickey)"), "{said}");
    let stranger = format!("IdentityFile={}", server.stranger().display());
    let mut command = std::process::Command::new("ssh");
    command.env_remove("SSH_AUTH_SOCK").args(["-o", &stranger]);
    let options = server.options();
    let known: Vec<&String> = options
        .iter()
        .filter(|one| !one.contains("IdentityFile"))
        .collect();
    // Without the right key one `-o` is left over at the end.
    command.args(&known[..known.len() - 1]);
    let said = fails(command.args(["-p", &port, "work@127.0.0.1", "true"]));
    assert!(said.contains("Permission denied (publickey)"), "{said}");
}

#[test]
fn nobody_gets_in_when_the_session_has_ended() {
    let server = SshTestServer::new();
    server.session.live.store(false, Ordering::Relaxed);
    let said = fails(server.ssh(&[]).arg("true"));
    assert!(said.contains("this session isn't running"), "{said}");
    assert!(said.contains("Permission denied"), "{said}");
}

#[test]
fn stopping_the_server_ends_connections_and_their_programs() {
    let server = SshTestServer::new();
    let mut ssh = server.ssh(&[]);
    let child = ssh
        .arg("echo ready > ready; exec sleep 1000")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !server.home().join("ready").exists() {
        std::thread::yield_now();
    }
    server.stop.cancel();
    let output = child.wait_with_output().unwrap();
    assert!(
        text(&output.stderr).contains("SSH server has stopped"),
        "{}",
        text(&output.stderr)
    );
    server.wait_for_ended(1);
}

#[test]
fn many_commands_share_one_connection() {
    let server = SshTestServer::new();
    let socket = server.client().join("mux");
    let control = format!("ControlPath={}", socket.display());
    let mut master = server.ssh(&["-M", "-N", "-o", &control]);
    let mut master = master.spawn().unwrap();
    while !socket.exists() {
        std::thread::yield_now();
    }
    std::thread::scope(|scope| {
        for number in 0..20 {
            let (server, control) = (&server, &control);
            scope.spawn(move || {
                let mut ssh = server.ssh(&["-o", control]);
                let output = ssh
                    .arg(format!("echo {number}; exit {number}"))
                    .output()
                    .unwrap();
                let said = text(&output.stderr);
                assert_eq!(output.status.code(), Some(number), "{said}");
                assert_eq!(text(&output.stdout), format!("{number}\n"));
            });
        }
    });
    // One that reads nothing doesn't stop the others.
    let mut silent = server.ssh(&["-o", &control]);
    let mut silent = silent
        .arg("exec sleep 1000")
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    silent
        .stdin
        .as_mut()
        .unwrap()
        .write_all(&vec![0; 3_000_000])
        .unwrap();
    let mut ssh = server.ssh(&["-o", &control]);
    assert_eq!(succeeds(ssh.arg("echo alive")), "alive\n");
    for child in [&mut silent, &mut master] {
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
