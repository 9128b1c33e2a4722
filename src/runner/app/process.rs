//! Processes of the container, from /proc.

use std::fs;

use rustix::process::{Pid, Signal};
use serde::{Deserialize, Serialize};

/// A process. Its start time distinguishes it from a later one with the same id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ProcessId {
    pub(super) pid: i32,
    /// In clock ticks since the boot.
    pub(super) start: u64,
}

/// What /proc/PID/stat has of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) session: i32,
    pub(super) start: u64,
    pub(super) is_zombie: bool,
}

impl ProcessId {
    /// `None` if there is no such process.
    pub(super) fn of(pid: i32) -> Option<Self> {
        let start = stat(pid)?.start;
        Some(Self { pid, start })
    }

    pub(super) fn is_alive(self) -> bool {
        stat(self.pid).is_some_and(|stat| stat.start == self.start && !stat.is_zombie)
    }
}

pub(super) fn stat(pid: i32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

fn parse(text: &str) -> Option<Stat> {
    // The name is in parentheses and can contain any characters.
    let (_, rest) = text.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    Some(Stat {
        is_zombie: matches!(*fields.first()?, "Z" | "X"),
        session: fields.get(3)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

/// All process ids of the container.
pub(super) fn all() -> Vec<i32> {
    let Ok(entries) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// The words of a command line.
pub(super) fn command_line(pid: i32) -> Vec<String> {
    let words = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    let words = words.split(|byte| *byte == 0);
    words
        .map(|word| String::from_utf8_lossy(word).into_owned())
        .collect()
}

/// The processes of a session (as in `setsid`) that still run, except its leader.
pub(super) fn members(session: i32) -> Vec<i32> {
    let is_member = |pid: &i32| {
        let stat = stat(*pid);
        *pid != session && stat.is_some_and(|stat| stat.session == session && !stat.is_zombie)
    };
    all().into_iter().filter(is_member).collect()
}

/// A process may have ended already.
pub(super) fn signal(pids: &[i32], signal: Signal) {
    for pid in pids.iter().filter_map(|pid| Pid::from_raw(*pid)) {
        let _ = rustix::process::kill_process(pid, signal);
        // A stopped process handles the signal only after SIGCONT.
        let _ = rustix::process::kill_process(pid, Signal::CONT);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_any_characters_hides_nothing() {
        let text = "7 (a) b) S 1 7 5 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 4711 1 1";
        let stat = parse(text).unwrap();
        assert_eq!((stat.session, stat.start, stat.is_zombie), (5, 4711, false));
        assert_eq!(parse("garbage"), None);
    }

    #[test]
    fn a_process_is_known_by_its_start() {
        let me = i32::try_from(std::process::id()).unwrap();
        let here = ProcessId::of(me).unwrap();
        assert!(here.is_alive());
        let other = ProcessId {
            start: here.start + 1,
            ..here
        };
        assert!(!other.is_alive());
    }
}
