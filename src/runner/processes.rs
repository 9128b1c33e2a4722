//! The other processes of the container: telling them to end, taking their exit status.

use std::{fs, time::Duration};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

/// How long programs of the session have to end after each of the two signals they get.
const FAREWELL: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Tells every other process of the container to end and waits until they have, but not for long.
/// Most programs end at SIGTERM, in their own time; shells that a person sits at ignore it but end when
/// they are hung up. Whoever is still there at the end is killed with the container.
pub(super) async fn farewell() {
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
pub(super) fn collect() -> Vec<(Pid, u8)> {
    let mut ended = Vec::new();
    while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
        if let Some(code) = exit_code(status) {
            ended.push((pid, code));
        }
    }
    ended
}

/// As a shell counts it: 128 and the signal for what was killed.
fn exit_code(status: WaitStatus) -> Option<u8> {
    let code = status
        .exit_status()
        .or_else(|| status.terminating_signal().map(|signal| 128 + signal))?;
    u8::try_from(code).ok()
}
