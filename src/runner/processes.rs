//! Ends the other processes of the container and collects their exit statuses.

use std::{fs, time::Duration};

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};

/// How long programs of the session have to end after each of the two signals.
const FAREWELL: Duration = Duration::from_secs(1);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Asks all other processes of the container to end, and waits a short time until they have. Most programs end at
/// SIGTERM. Interactive shells ignore it but end at SIGHUP. Processes that remain are killed with the container.
pub(super) async fn farewell() {
    for sign in [Signal::TERM, Signal::HUP] {
        for pid in others() {
            // The process may have ended already. A stopped one handles the signal only after SIGCONT.
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

/// Returns all processes of the container except the init and this one.
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
    // The state follows the name, which is in parentheses and can contain any characters.
    stat.rsplit_once(") ")
        .is_none_or(|(_, rest)| rest.starts_with('Z') || rest.starts_with('X'))
}

/// Collects the exit statuses of children and adopted orphans, so that none remains as a zombie.
pub(super) fn collect() -> Vec<(Pid, u8)> {
    let mut ended = Vec::new();
    while let Ok(Some((pid, status))) = rustix::process::wait(WaitOptions::NOHANG) {
        if let Some(code) = exit_code(status) {
            ended.push((pid, code));
        }
    }
    ended
}

/// The exit code as shells report it: 128 plus the signal for a killed process.
fn exit_code(status: WaitStatus) -> Option<u8> {
    let code = status
        .exit_status()
        .or_else(|| status.terminating_signal().map(|signal| 128 + signal))?;
    u8::try_from(code).ok()
}
