//! The main process of a session: says what the session was given, does its duty, ends when asked.

use std::{fs, process::ExitCode, time::Duration};

use super::{
    complain, duty,
    log::announce,
    processes,
    signals::{Heard, Order, Signals},
};
use crate::model::inside;

/// What a command says on stderr goes to the log by a way of its own, and what it said last must not
/// stand after its end: it gets so much time to arrive.
const LAST_WORDS: Duration = Duration::from_millis(100);

/// What is asked of it.
pub(super) struct Duty {
    /// Lines that say what the session was given.
    pub(super) say: Vec<String>,
    /// There is a bootstrap script in the home.
    pub(super) bootstrap: bool,
    /// The one command of a batch session.
    pub(super) batch: Option<String>,
}

/// Runs until SIGTERM or SIGINT (what an engine's stop sends) and exits with 0; with a batch command
/// until that ends, and exits as it did.
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
    let early = if duty.bootstrap {
        duty::bootstrap(&mut signals).await
    } else {
        None
    };
    if let Some(order) = early {
        end(order).await;
        // A command that never began has not succeeded.
        return Ok(duty.batch.as_ref().map_or(0, |_| order.code()));
    }
    announce("ready");
    if let Some(command) = &duty.batch {
        let code = duty::batch(&mut signals, command).await;
        tokio::time::sleep(LAST_WORDS).await;
        announce(&format!("ended with exit code {code}"));
        processes::farewell().await;
        return Ok(code);
    }
    loop {
        match signals.next().await {
            Heard::Order(order) => {
                end(order).await;
                return Ok(0);
            }
            // Only where the engine has no init of its own are orphans ours to collect.
            Heard::Child => drop(processes::collect()),
        }
    }
}

async fn end(order: Order) {
    announce(&format!("{} received: the session ends", order.name()));
    processes::farewell().await;
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
