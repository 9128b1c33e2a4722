//! A hook with all that it started, as a process group.
//!
//! The number of a group may be another one's once nobody of it is left and its leader was waited for. So the group is
//! signalled only while its leader is not waited for yet: until then nobody else gets that number.

use std::{future::pending, os::fd::OwnedFd};

use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};
use tokio::{
    io::{Interest, unix::AsyncFd},
    process::Child,
};

/// The group of a child that leads it and was not waited for: nobody can wait for it while this lives.
pub(super) struct Group<'a> {
    leader: &'a mut Child,
    pid: Pid,
    /// Says when the leader has ended, without waiting for it. Linux 5.3 has these.
    handle: Option<AsyncFd<OwnedFd>>,
}

impl<'a> Group<'a> {
    /// `None`: it was waited for already.
    pub fn of(leader: &'a mut Child) -> Option<Self> {
        let pid = Pid::from_raw(leader.id()?.cast_signed())?;
        Some(Self {
            leader,
            pid,
            handle: watch(pid),
        })
    }

    /// Who is gone already needs no signal.
    pub fn signal(&self, signal: Signal) {
        let _ = kill_process_group(self.pid, signal);
    }

    /// Returns when the leader has ended; never where that cannot be known.
    pub async fn leader_ended(&self) {
        match &self.handle {
            Some(handle) if handle.readable().await.is_ok() => {}
            _ => pending().await,
        }
    }

    /// Kills all of it, then waits for the leader.
    pub async fn kill(self) {
        self.signal(Signal::KILL);
        // Nothing is left to be done where it cannot be waited for.
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

    /// A shell that leads a group, with a child that heeds no request to end: the child's number is said first.
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
        let group = Group::of(&mut shell).unwrap();
        let leader = group.pid;
        group.signal(Signal::TERM);
        group.leader_ended().await;
        assert_eq!(state(leader), Some('Z'), "it was not waited for");
        group.kill().await;
        assert_eq!(state(leader), None);
        let _ = member.readable().await.unwrap();
    }

    #[tokio::test]
    async fn who_was_waited_for_has_no_group_any_more() {
        let mut shell = shell("exit 0");
        let member = said(&mut shell).await;
        assert!(shell.wait().await.unwrap().success());
        assert!(Group::of(&mut shell).is_none());
        assert!(
            state(member).is_some(),
            "what goes on by itself is left alone"
        );
        rustix::process::kill_process(member, Signal::KILL).unwrap();
    }
}
