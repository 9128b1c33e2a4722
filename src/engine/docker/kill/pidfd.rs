//! Handles of this machine's processes, so that a signal reaches the intended process or none.
//!
//! A process id can be reused right after it was checked. A pidfd stays with its process: the code opens it first,
//! then checks the process. A signal sent through it reaches this process or, after its end, none. This needs
//! Linux 5.3; on older kernels nothing is signaled.
//!
//! A group has no pidfd. (Linux 6.9 can signal the group of a pidfd's process; older kernels return an error for that
//! flag.) So the code finds the group's members in the process table, opens each and signals them one at a time.

use std::{fs, io, os::fd::OwnedFd, time::Duration};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal},
};

/// How often a group is searched again for members that started while the others were being killed.
const CHECKS: usize = 16;

/// One process.
#[derive(Debug)]
pub(super) struct ProcessHandle {
    pid: Pid,
    handle: OwnedFd,
}

impl ProcessHandle {
    /// The process with this id, if it runs and `is_meant` accepts it.
    pub fn take(pid: Pid, is_meant: impl Fn(Pid) -> bool) -> io::Result<Option<Self>> {
        let handle = match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => handle,
            Err(Errno::SRCH) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let held = Self { pid, handle };
        // The check was about this process only if it hasn't ended since.
        let is_it = is_meant(pid) && !held.has_ended();
        Ok(is_it.then_some(held))
    }

    pub fn has_ended(&self) -> bool {
        ends_within(&self.handle, Duration::ZERO)
    }

    /// Waits up to `wait` for the process to end; returns whether it has ended.
    pub async fn ends_within(&self, wait: Duration) -> bool {
        let Ok(handle) = self.handle.try_clone() else {
            return false;
        };
        let ended = tokio::task::spawn_blocking(move || ends_within(&handle, wait));
        ended.await.unwrap_or(false)
    }

    /// Returns whether the process still existed to get the signal.
    pub fn signal(&self, sign: Signal) -> bool {
        pidfd_send_signal(&self.handle, sign).is_ok()
    }

    /// Signals the process and those members of its group that `is_meant` accepts. A killed process can start others
    /// until it is dead, so these are killed as well.
    pub fn signal_group(&self, sign: Signal, is_meant: impl Fn(Pid) -> bool) -> bool {
        let reached = self.signal(sign);
        let checks = if sign == Signal::KILL { CHECKS } else { 1 };
        let mut signalled = vec![self.pid];
        for _ in 0..checks {
            let new = self.members(&signalled, &is_meant);
            if new.is_empty() {
                break;
            }
            for member in new {
                member.signal(sign);
                signalled.push(member.pid);
            }
        }
        reached
    }

    fn members(&self, known: &[Pid], is_meant: impl Fn(Pid) -> bool) -> Vec<Self> {
        let in_group = |pid: Pid| group_of(pid) == Some(self.pid) && is_meant(pid);
        let others = processes().filter(|pid| !known.contains(pid) && in_group(*pid));
        let held = others.filter_map(|pid| Self::take(pid, in_group).ok().flatten());
        held.collect()
    }
}

/// A pidfd becomes readable when its process has ended.
fn ends_within(handle: &OwnedFd, wait: Duration) -> bool {
    let wait = Timespec {
        tv_sec: wait.as_secs().try_into().unwrap_or(i64::MAX),
        tv_nsec: wait.subsec_nanos().into(),
    };
    loop {
        match poll(&mut [PollFd::new(handle, PollFlags::IN)], Some(&wait)) {
            Err(Errno::INTR) => {}
            ready => return matches!(ready, Ok(1..)),
        }
    }
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

/// The process group of a process.
fn group_of(pid: Pid) -> Option<Pid> {
    group_in(&fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?)
}

/// The process group in the text of `/proc/PID/stat`. A process that has ended and isn't gone yet has the group -1.
fn group_in(stat: &str) -> Option<Pid> {
    // The name may contain anything, parentheses too. State, parent and group follow it.
    let (_, rest) = stat.rsplit_once(") ")?;
    let group: i32 = rest.split(' ').nth(2)?.parse().ok()?;
    Pid::from_raw(Some(group).filter(|group| *group > 0)?)
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader},
        os::unix::process::CommandExt as _,
        process::{Child, Command, Stdio},
    };

    use super::*;

    /// Longer than any process takes to die.
    const LONG: Duration = Duration::from_secs(600);

    /// A shell that leads a group, and a child of it in the same group.
    fn group() -> (Child, Pid, Pid) {
        let mut shell = Command::new("sh")
            .args(["-c", "sleep 600 & echo $!; wait"])
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let mut said = String::new();
        let out = shell.stdout.take().unwrap();
        BufReader::new(out).read_line(&mut said).unwrap();
        let leader = Pid::from_raw(shell.id().cast_signed()).unwrap();
        let member = Pid::from_raw(said.trim().parse().unwrap()).unwrap();
        (shell, leader, member)
    }

    fn take(pid: Pid) -> ProcessHandle {
        ProcessHandle::take(pid, |_| true).unwrap().unwrap()
    }

    #[test]
    fn a_process_that_is_almost_gone_has_no_group() {
        assert_eq!(group_in("7 (a) b) S 1 42 42 0"), Pid::from_raw(42));
        assert_eq!(group_in("7 (sh) Z 1 -1 -1 0"), None);
        assert_eq!(group_in("7 (kthreadd) S 0 0 0 0"), None);
    }

    #[tokio::test]
    async fn all_of_a_group_are_signalled_and_nobody_else() {
        let (mut shell, leader, member) = group();
        let (mut other, stranger, others) = group();
        let (held, child) = (take(leader), take(member));
        assert!(held.signal_group(Signal::KILL, |_| true));
        assert!(held.ends_within(LONG).await && child.ends_within(LONG).await);
        shell.wait().unwrap();
        for pid in [stranger, others] {
            assert!(!take(pid).has_ended(), "another group was hit");
        }
        assert!(take(stranger).signal_group(Signal::KILL, |_| true));
        other.wait().unwrap();
    }

    #[tokio::test]
    async fn other_sessions_are_spared() {
        let (mut shell, leader, member) = group();
        assert!(ProcessHandle::take(leader, |_| false).unwrap().is_none());
        let child = take(member);
        take(leader).signal_group(Signal::KILL, |pid| pid != member);
        shell.wait().unwrap();
        assert!(!child.has_ended());
        assert!(child.signal(Signal::KILL));
        assert!(child.ends_within(LONG).await);
    }

    #[test]
    fn what_is_sent_to_a_process_that_has_ended_reaches_nobody() {
        let mut child = Command::new("sleep").arg("600").spawn().unwrap();
        let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
        let held = take(pid);
        child.kill().unwrap();
        child.wait().unwrap();
        // Another process may have this id by now.
        assert!(held.has_ended() && !held.signal(Signal::KILL));
        assert!(!held.signal_group(Signal::KILL, |_| true));
    }

    #[test]
    fn a_process_that_ends_while_it_is_looked_at_is_not_taken() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let pid = Pid::from_raw(child.id().cast_signed()).unwrap();
        let child = std::cell::RefCell::new(&mut child);
        let ends = |_| {
            let mut child = child.borrow_mut();
            drop(child.stdin.take());
            child.wait().unwrap();
            // What was read may be older, or about the next process with this id.
            true
        };
        assert!(ProcessHandle::take(pid, ends).unwrap().is_none());
    }
}
