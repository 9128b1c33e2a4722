//! The main process of a session: logs what the session was given, runs its scripts and commands, and ends on a signal.

use std::{fs, process::ExitCode, time::Duration};

use super::{
    complain, connector, duty,
    log::announce,
    processes,
    signals::{SignalEvent, Signals, StopOrder},
};
use crate::model::{inside, own_line};

/// Time for the command's last output on stderr to arrive. It reaches the log separately from stdout, and must not
/// come after the line that reports the end of the command.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What the main process has to do.
pub(super) struct Duty {
    /// Start lines that describe the session's resources.
    pub(super) say: Vec<String>,
    /// Whether the home directory has a bootstrap script to run.
    pub(super) bootstrap: bool,
    /// The command of a batch session.
    pub(super) batch: Option<String>,
}

/// Runs until SIGTERM or SIGINT (sent when the engine stops the container) and exits with 0. A batch session
/// runs until its command ends, and exits with the exit code of the command.
pub(super) fn run(duty: &Duty) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
    {
        Ok(runtime) => runtime,
        Err(error) => {
            complain(&format!("the session's main process can't start: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(live(duty)) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            complain(&format!("the session's main process stopped: {error}"));
            ExitCode::FAILURE
        }
    }
}

async fn live(duty: &Duty) -> std::io::Result<u8> {
    let mut signals = Signals::listen()?;
    introduce(&duty.say);
    connector::listen();
    let early = if duty.bootstrap {
        duty::bootstrap(&mut signals).await
    } else {
        None
    };
    if let Some(order) = early {
        end(order).await;
        // A batch command that never started counts as failed.
        return Ok(duty.batch.as_ref().map_or(0, |_| order.code()));
    }
    announce(&own_line::ready());
    if let Some(command) = &duty.batch {
        let code = duty::batch(&mut signals, command).await;
        tokio::time::sleep(LAST_WORDS).await;
        announce(&own_line::ended(code));
        processes::farewell().await;
        return Ok(code);
    }
    loop {
        match signals.next().await {
            SignalEvent::Order(order) => {
                end(order).await;
                return Ok(0);
            }
            // Orphans become children of this process only if the engine adds no init to the container.
            SignalEvent::Child => drop(processes::collect()),
        }
    }
}

async fn end(order: StopOrder) {
    announce(&own_line::signal_ends(order.name()));
    processes::farewell().await;
}

/// Logs the start lines, the user and the mounts.
fn introduce(say: &[String]) {
    let (uid, gid) = (rustix::process::getuid(), rustix::process::getgid());
    for line in say {
        announce(line);
    }
    announce(&own_line::user(uid.as_raw(), gid.as_raw()));
    for line in mounts(&fs::read_to_string("/proc/self/mountinfo").unwrap_or_default()) {
        announce(&line);
    }
}

/// Returns a line for each mount at or below the home directory.
fn mounts(mountinfo: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in mountinfo.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let (Some(place), Some(options)) = (fields.get(4), fields.get(5)) else {
            continue;
        };
        let below = place.strip_prefix(inside::HOME);
        if below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) {
            found.push(if options.split(',').any(|o| o == "ro") {
                own_line::mount_read_only(place)
            } else {
                own_line::mount_read_write(place)
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_users_mounts_are_reported() {
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
