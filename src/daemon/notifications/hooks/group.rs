//! The process group of a hook and of everything that the hook started.
//!
//! The system may reuse the id of a group once the group is empty and its leader was reaped. So the group gets
//! signals only before its leader is reaped.

use std::{future::pending, os::fd::OwnedFd};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use tokio::{
    io::{Interest, unix::AsyncFd},
    process::Child,
};

/// The group of a child that leads it and isn't reaped yet. The borrow prevents other code from reaping it.
pub(super) struct ProcessGroup<'a> {
    leader: &'a mut Child,
    pid: Pid,
    /// Reports that the leader has ended, without reaping it. Needs Linux 5.3.
    handle: Option<AsyncFd<OwnedFd>>,
}

impl<'a> ProcessGroup<'a> {
    /// Returns `None` if the leader was already reaped.
    pub fn of(leader: &'a mut Child) -> Option<Self> {
        let pid = Pid::from_raw(leader.id()?.cast_signed())?;
        Some(Self {
            leader,
            pid,
            handle: watch(pid),
        })
    }

    /// Sends a signal to the group. An error is ignored, because an ended group needs no signal.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal);
    }

    /// Returns when the leader has ended. Never returns if the system can't report that.
    pub async fn leader_ended(&self) {
        match &self.handle {
            Some(handle) if handle.readable().await.is_ok() => {}
            _ => pending().await,
        }
    }

    /// Kills the group, then reaps the leader.
    pub async fn kill(self) {
        self.signal(Signal::KILL);
        // Nothing more can be done if reaping fails.
        let _ = self.leader.wait().await;
    }
}

fn watch(pid: Pid) -> Option<AsyncFd<OwnedFd>> {
    let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
    #[expect(
        deprecated,
        reason = "safe with a descriptor that is owned, and its successor is not"
    )]
    let watched = AsyncFd::with_interest(handle, Interest::READABLE);
    watched.ok()
}

#[cfg(test)]
mod tests {
    use std::{fs, process::Stdio};

    use tokio::{
        io::{AsyncBufReadExt as _, BufReader},
        process::Command,
    };

    use super::*;

    /// A shell that leads a group, with a child that ignores `SIGTERM`. The shell first prints the child's pid.
    fn shell(then: &str) -> Child {
        let script = format!("(trap '' TERM; exec sleep 600) & echo $!; {then}");
        let shell = Command::new("sh")
            .args(["-c", &script])
            .stdout(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn();
        shell.unwrap()
    }

    async fn said(shell: &mut Child) -> Pid {
        let out = BufReader::new(shell.stdout.take().unwrap());
        let line = out.lines().next_line().await.unwrap().unwrap();
        Pid::from_raw(line.parse().unwrap()).unwrap()
    }

    fn state(pid: Pid) -> Option<char> {
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
        stat.rsplit_once(") ")?.1.chars().next()
    }

    #[tokio::test]
    async fn its_number_is_nobody_elses_until_all_of_it_were_killed() {
        let mut shell = shell("wait");
        let member = watch(said(&mut shell).await).unwrap();
        let group = ProcessGroup::of(&mut shell).unwrap();
        let leader = group.pid;
        group.signal(Signal::TERM);
        group.leader_ended().await;
        assert_eq!(state(leader), Some('Z'), "it was not waited for");
        group.kill().await;
        assert_eq!(state(leader), None);
        let _ = member.readable().await.unwrap();
    }

    #[tokio::test]
    async fn a_session_that_was_waited_for_has_no_group_any_more() {
        let mut shell = shell("exit 0");
        let member = said(&mut shell).await;
        assert!(shell.wait().await.unwrap().success());
        assert!(ProcessGroup::of(&mut shell).is_none());
        assert!(
            state(member).is_some(),
            "a process that detached itself keeps running"
        );
        rustix::process::kill_process(member, Signal::KILL).unwrap();
    }
}
