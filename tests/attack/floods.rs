//! Many connections and huge unfinished messages at the daemon's socket. Commands still get their answer.

use std::{
    fs,
    io::{Read, Write},
    os::unix::net::UnixStream,
    path::PathBuf,
    time::Duration,
};

use workbay::protocol::message::PROTOCOL;

use crate::{attack::ground::Ground, attack::report, machine::Machine};

/// More than the daemon serves at once.
const CONNECTIONS: usize = 300;
const UNFINISHED: usize = 20;
/// Announced by each unfinished message, in bytes.
const ANNOUNCED: u32 = 60 * 1024 * 1024;

fn socket(machine: &Machine) -> PathBuf {
    let entries = fs::read_dir(machine.path("runtime")).expect("a runtime directory");
    let mut sockets = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "sock"));
    sockets.next().expect("the daemon's socket")
}

/// How long a greeting waits for its answer, which may never come.
const PATIENCE: Duration = Duration::from_secs(1);

/// Connects and says hello; `None` where the daemon refuses.
fn greet(machine: &Machine) -> Option<UnixStream> {
    let mut connection = UnixStream::connect(socket(machine)).ok()?;
    let version = env!("CARGO_PKG_VERSION");
    let hello = format!(r#"{{"say":"hello","protocol":{PROTOCOL},"version":"{version}"}}"#);
    let length = u32::try_from(hello.len() + 1).unwrap();
    let mut message = length.to_be_bytes().to_vec();
    message.push(0);
    message.extend_from_slice(hello.as_bytes());
    connection.write_all(&message).ok()?;
    connection.set_read_timeout(Some(PATIENCE)).ok()?;
    let mut first = [0];
    (connection.read(&mut first).ok()? == 1).then_some(connection)
}

/// The daemon's resident memory, in KiB.
fn memory(machine: &Machine) -> u64 {
    let pid = machine.daemon_pid().expect("the daemon runs");
    let status = fs::read_to_string(format!("/proc/{pid}/status")).expect("its status");
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().nth(1));
    number.expect("VmRSS").parse().expect("a number")
}

#[test]
fn connections_that_do_nothing_do_not_lock_out_a_command() {
    let Ground { machine, .. } = &Ground::new();
    machine.ok(&["ls"]);
    let before = machine.daemon_pid();
    let idle: Vec<_> = (0..CONNECTIONS).map(|_| greet(machine)).collect();
    machine.ok(&["ls"]);
    assert_eq!(machine.daemon_pid(), before);
    drop(idle);
    report::held(
        "idle connections to the daemon",
        CONNECTIONS,
        "`ls` still gets its answer",
    );
}

#[test]
fn unfinished_messages_cost_no_memory() {
    let Ground { machine, .. } = &Ground::new();
    machine.ok(&["ls"]);
    let before = memory(machine);
    let mut unfinished = Vec::new();
    for _ in 0..UNFINISHED {
        let Some(mut connection) = greet(machine) else {
            continue;
        };
        let mut message = ANNOUNCED.to_be_bytes().to_vec();
        message.push(0);
        message.extend_from_slice(&[b' '; 4096]);
        // The daemon may refuse the length at once.
        let _ = connection.write_all(&message);
        unfinished.push(connection);
    }
    machine.ok(&["ls"]);
    let grown = memory(machine).saturating_sub(before);
    assert!(
        grown < u64::from(ANNOUNCED) / 1024,
        "the daemon grew by {grown} KiB"
    );
    report::held(
        "messages announced with 60 MiB and never finished",
        UNFINISHED,
        "the daemon's memory does not grow with what is announced",
    );
}
