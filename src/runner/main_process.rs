//! The main process of a session: says what the session was given, waits, ends quickly when asked.

use std::{fs, io::Write as _, process::ExitCode, time::Duration};

use rustix::process::{Pid, Signal, WaitOptions};
use tokio::signal::unix::{SignalKind, signal};

use super::complain;
use crate::model::inside;

/// How long programs of the session have to end after each of the two signals they get.
const FAREWELL: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Runs until SIGTERM or SIGINT (what an engine's stop sends); exit code 0.
pub(super) fn run(say: &[String]) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("the session's main process cannot start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(live(say)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&format!("the session's main process stopped: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn live(say: &[String]) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut hangup = signal(SignalKind::hangup())?;
    let mut child = signal(SignalKind::child())?;
    introduce(say);
    loop {
        let name = tokio::select! {
            _ = terminate.recv() => "SIGTERM",
            _ = interrupt.recv() => "SIGINT",
            // A hang-up is no order to end: nobody's terminal is ours.
            _ = hangup.recv() => continue,
            // Only where the engine has no init of its own are orphans ours to collect.
            _ = child.recv() => { collect(); continue }
        };
        announce(&format!("{name} received: the session ends"));
        farewell().await;
        return Ok(());
    }
}

/// The lines that make a session's log worth reading from its first line on.
fn introduce(say: &[String]) {
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    for line in say {
        announce(line);
    }
    announce(&format!("user         {}:{}", uid.as_raw(), gid.as_raw()));
    for line in mounts(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()) {
        announce(&line);
    }
    announce("ready");
}

fn announce(line: &str) {
    let mut out = std::io::stdout();
    // A log that cannot be written is no reason to end a session.
    let _ = writeln!(out, "workbay: {line}").and_then(|()| out.flush());
}

/// Mounts a person has to do with: the home and what lies below it.
fn mounts(mountinfo: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in mountinfo.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let (Some(place), Some(options)) = (fields.get(4), fields.get(5)) else {
            continue;
        };
        let below = place.strip_prefix(inside::HOME);
        if below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            let mode = if options.split(',').any(|o| o == "ro") {
                "read-only"
            } else {
                "read-write"
            };
            found.push(format!("mount        {place} ({mode})"));
        }
    }
    found
}

/// Tells every other process of the container to end and waits until they have, but not for long.
/// Most programs end at SIGTERM, in their own time; shells that a person sits at ignore it but end when
/// they are hung up. Whoever is still there at the end is killed with the container.
async fn farewell() {
    for sign in [Signal::TERM, Signal::HUP] {
        for pid in others() {
            // It may be gone already. A stopped program must go on to hear of it.
            let _ = rustix::process::kill_process(pid, sign);
            let _ = rustix::process::kill_process(pid, Signal::CONT);
        }
        let all_gone = async {
            while !others().is_empty() {
                collect();
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        };
        if tokio::time::timeout(FAREWELL, all_gone).await.is_ok() {
            return;
        }
    }
}

/// Every process of the container but the init and this one.
fn others() -> Vec<Pid> {
    let me = rustix::process::getpid();
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(Pid::from_raw)
        .filter(|pid| *pid != me && pid.as_raw_nonzero().get() != 1 && !is_zombie(*pid))
        .collect()
}

fn is_zombie(pid: Pid) -> bool {
    let stat =
        fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    // The state follows the name, which stands in parentheses and may hold anything.
    stat.rsplit_once(") ")
        .is_none_or(|(_, rest)| rest.starts_with('Z') || rest.starts_with('X'))
}

/// Takes the exit status of children and adopted orphans, so that none stays as a zombie.
fn collect() {
    while let Ok(Some(_)) = rustix::process::wait(WaitOptions::NOHANG) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_persons_mounts_are_told() {
        let info = "1 0 0:1 / / rw - overlay overlay rw\n\
                    2 1 8:1 /x /home/work rw,relatime - ext4 /dev/a rw\n\
                    3 1 8:1 /y /home/work/data ro,relatime - ext4 /dev/a rw\n\
                    4 1 8:1 /z /home/worker rw - ext4 /dev/a rw\n";
        assert_eq!(
            mounts(info),
            [
                "mount        /home/work (read-write)",
                "mount        /home/work/data (read-only)"
            ]
        );
    }
}
