//! Ending a program that was started beside a session: the engine starts such programs but has no word
//! for ending them.

use std::{fs, time::Duration};

use rustix::process::{Pid, Signal};

use super::line::Line;

/// Time between asking to end and killing.
const GRACE: Duration = Duration::from_millis(500);

/// Ends the program of exec `exec` in `container`, politely first. It works through this machine's
/// process table: sessions run as the caller (or the caller is root).
pub(super) async fn end(line: &Line, exec: &str, container: &str) {
    if line.remote.is_some() {
        return;
    }
    for (sign, wait) in [
        (Signal::HUP, GRACE),
        (Signal::TERM, GRACE),
        (Signal::KILL, Duration::ZERO),
    ] {
        let Some(pid) = running(line, exec, container).await else {
            return;
        };
        // It leads its own group; children of a shell that has job control have groups of their own,
        // which the hang-up of their terminal reaches.
        let group = rustix::process::kill_process_group(pid, sign);
        if group.is_err() && rustix::process::kill_process(pid, sign).is_err() {
            return;
        }
        let gone = async {
            while belongs(pid, container) {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        if tokio::time::timeout(wait, gone).await.is_ok() {
            return;
        }
    }
}

/// The program's process here, if it still runs and is what we think it is.
async fn running(line: &Line, exec: &str, container: &str) -> Option<Pid> {
    let known = line.docker.inspect_exec(exec).await.ok()?;
    if known.running != Some(true) {
        return None;
    }
    let pid = Pid::from_raw(i32::try_from(known.pid?).ok()?)?;
    belongs(pid, container).then_some(pid)
}

/// Process ids are used again: only one in the container's own group of processes is touched.
fn belongs(pid: Pid, container: &str) -> bool {
    let file = format!("/proc/{}/cgroup", pid.as_raw_nonzero());
    fs::read_to_string(file).is_ok_and(|groups| groups.contains(container))
}
