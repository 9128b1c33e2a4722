//! Passes the state of the daemon to the next program in the same process.
//!
//! The lock, the listening socket and an in-memory file are sent over a socket pair whose other end is the
//! standard input of the new program: data in a socket outlives the program that sent it. Two releases share
//! the format of the file, so fields are only ever added.

use std::{
    collections::BTreeMap,
    fs::File,
    io::{self, IoSlice, IoSliceMut, Read, Seek, Write},
    mem::MaybeUninit,
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::CommandExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use rustix::{
    fs::MemfdFlags,
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
    },
};
use serde::{Deserialize, Serialize};

use crate::{
    daemon::{
        connection::socket::Socket, notifications::recent::RecentNotifications, process::lock::Lock,
    },
    model::{id::SessionKey, notice::Notice, text::Clean},
    protocol::version::version,
};

/// Announces a handover. The number is the version of the format.
const WORD: &[u8] = b"workbay handover 1";
const DESCRIPTORS: usize = 3;
/// The running program, even if its file on disk was replaced.
const MYSELF: &str = "/proc/self/exe";

/// State that is only in memory.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Memory {
    /// The device and inode of the socket's file.
    pub socket: (u64, u64),
    /// Values of secret variables that pending sessions need.
    pub secrets: Vec<Kept>,
    #[serde(alias = "told")]
    pub notifications: RecentNotifications,
    /// The upgrade that failed, if the daemon had to restart as the previous program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed: Option<Failed>,
}

/// A program that the daemon could not be upgraded to, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    pub program: PathBuf,
    pub why: String,
}

impl Failed {
    /// The error as a sentence for users.
    pub fn message(&self) -> Clean {
        let (program, why) = (self.program.display(), &self.why);
        Clean::new(&tr_sent!(
            "the daemon can't be upgraded to {program} ({why}) and keeps running as version {version}",
            program,
            why,
            version = version()
        ))
    }
}

/// Values of secret variables of one session.
#[derive(Serialize, Deserialize)]
pub struct Kept {
    pub session: SessionKey,
    pub values: BTreeMap<String, String>,
}

/// What the daemon passes to its next program.
pub struct Handover {
    program: PathBuf,
    lock: File,
    listener: OwnedFd,
    memory: Memory,
}

impl Handover {
    pub fn new(program: PathBuf, lock: &Lock, socket: Socket, memory: Memory) -> io::Result<Self> {
        let (listener, file) = socket.leave()?;
        Ok(Self {
            program,
            lock: lock.share()?,
            listener,
            memory: Memory {
                socket: file,
                ..memory
            },
        })
    }

    /// Adds a notification for clients that connect to the next program.
    pub fn notify(&mut self, notice: Notice) {
        self.memory.notifications.record(&notice.into());
    }

    /// Executes the next program, or the current one again if that fails. Returns only if both fail, with the
    /// error of the second attempt.
    pub fn go(mut self) -> io::Error {
        let why = self.execute(&self.program).to_string();
        let program = self.program.clone();
        tracing::error!(program = %program.display(), why, "the upgrade failed");
        self.memory.failed = Some(Failed { program, why });
        self.execute(Path::new(MYSELF))
    }

    fn execute(&self, program: &Path) -> io::Error {
        match self.leave() {
            Ok(()) => Command::new(program)
                .args(["daemon", "run", "--detached", "--take-over"])
                .exec(),
            Err(error) => error,
        }
    }

    /// Sends everything to the program that reads standard input next.
    fn leave(&self) -> io::Result<()> {
        let kind = SocketType::STREAM;
        let (mine, its) = socketpair(AddressFamily::UNIX, kind, SocketFlags::CLOEXEC, None)?;
        let memory = in_memory(&self.memory)?;
        let sent = [self.lock.as_fd(), self.listener.as_fd(), memory.as_fd()];
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        ancillary.push(SendAncillaryMessage::ScmRights(&sent));
        sendmsg(
            &mine,
            &[IoSlice::new(WORD)],
            &mut ancillary,
            SendFlags::empty(),
        )?;
        rustix::stdio::dup2_stdin(&its)?;
        Ok(())
    }
}

/// An in-memory file without a name.
fn in_memory(memory: &Memory) -> io::Result<File> {
    let mut file = File::from(rustix::fs::memfd_create("handover", MemfdFlags::CLOEXEC)?);
    serde_json::to_writer(&mut file, memory)?;
    file.flush()?;
    file.rewind()?;
    Ok(file)
}

/// What the previous program passed on, except the lock.
pub struct Inherited {
    pub listener: OwnedFd,
    pub memory: Memory,
}

impl Inherited {
    /// Receives the state from standard input and returns it with the lock's file. Standard input is empty
    /// afterwards.
    pub fn take() -> io::Result<(File, Self)> {
        let taken = receive(&io::stdin())?;
        rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        Ok(taken)
    }
}

fn receive(from: &impl AsFd) -> io::Result<(File, Inherited)> {
    let mut word = [0; WORD.len()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut into = [IoSliceMut::new(&mut word)];
    recvmsg(from, &mut into, &mut ancillary, RecvFlags::CMSG_CLOEXEC)?;
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(sent) = message {
            descriptors.extend(sent);
        }
    }
    let count = <[OwnedFd; DESCRIPTORS]>::try_from(descriptors);
    match (word == WORD, count) {
        (true, Ok([lock, listener, memory])) => {
            let mut text = Vec::new();
            File::from(memory).read_to_end(&mut text)?;
            let memory = serde_json::from_slice(&text)?;
            Ok((File::from(lock), Inherited { listener, memory }))
        }
        _ => Err(io::Error::new(
            io::ErrorKind::InvalidData,
            tr_sent!("standard input contains no state of a previous daemon"),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formats that releases hand over. Don't change these texts.
    #[test]
    fn the_state_of_an_older_daemon_is_understood() {
        let session = r#"{"context":"local","id":"7138f705-f926-4bd9-bd61-b60d90c3991f"}"#;
        let notice = r#"{"at":"1970-01-01T00:00:00Z","event":"batch-ended","exit_code":3,"level":"info","session":null,"text":"it has ended"}"#;
        let text = format!(
            r#"{{"socket":[1,2],"secrets":[{{"session":{session},"values":{{"API_TOKEN":"hush"}}}}],"notifications":{{"notices":[{notice}],"unseen":1}}}}"#
        );
        let earlier = text.replace("notifications", "told");
        for handed_over in [&text, &earlier] {
            let memory: Memory = serde_json::from_str(handed_over).unwrap();
            assert_eq!(serde_json::to_string(&memory).unwrap(), text);
        }
        let later = r#"{"socket":[1,2],"mood":"good"}"#;
        assert!(serde_json::from_str::<Memory>(later).is_ok());
    }
}
