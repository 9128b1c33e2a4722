//! An engine behind an SSH server: each connection is `ssh HOST docker system dial-stdio`, as Docker's own
//! client does it. Keys and known hosts come from the user's SSH configuration; a password can't be asked
//! for. The connections share one login where possible.

use std::{
    io,
    path::Path,
    pin::Pin,
    process::Stdio,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command},
};

use super::{
    relay::{RemoteEnd, Stream, answers},
    ssh_master::Master,
    ssh_target::SshPlace,
};
use crate::{
    engine::api::Result,
    model::{failure::Failure, text::Clean},
};

/// Time limit for the first answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Error messages of ssh are short.
const LONGEST_SAID: usize = 4096;

/// Opens connections.
pub(super) struct SshConnector {
    place: SshPlace,
    master: Option<Master>,
}

impl SshConnector {
    /// Connects once, to report errors.
    pub(super) async fn open(place: &SshPlace, runtime_dir: &Path) -> Result<Self> {
        let connector = Self {
            place: place.clone(),
            master: Master::of(place, runtime_dir).await,
        };
        let mut pipe = connector.spawn().map_err(|error| no_ssh(place, &error))?;
        let answered = tokio::time::timeout(PATIENCE, answers(&mut pipe)).await;
        if matches!(answered, Ok(Ok(true))) {
            return Ok(connector);
        }
        let said = match answered {
            Err(_) => tr_sent!("no answer in time").to_owned(),
            Ok(_) => pipe.last_words().await,
        };
        Err(sentence(place, &said))
    }

    fn spawn(&self) -> io::Result<SshPipe> {
        let shared = self.master.as_ref().map(Master::options);
        let mut child = Command::new("ssh")
            .args(self.place.arguments(&shared.unwrap_or_default()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Its own group, so that a Ctrl-C at a terminal doesn't reach it.
            .process_group(0)
            .kill_on_drop(true)
            .spawn()?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(errors)) = pipes else {
            return Err(io::Error::other(tr_sent!("ssh has no pipes")));
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let listening = tokio::spawn(listen(errors, Arc::clone(&said)));
        Ok(SshPipe {
            input: Some(input),
            output,
            said,
            listening,
            _child: child,
        })
    }
}

#[async_trait]
impl RemoteEnd for SshConnector {
    async fn connect(&self) -> io::Result<Box<dyn Stream>> {
        Ok(Box::new(self.spawn()?))
    }
}

/// A running ssh used as a connection; dropping it ends ssh.
struct SshPipe {
    input: Option<ChildStdin>,
    output: ChildStdout,
    said: Arc<Mutex<Vec<u8>>>,
    listening: tokio::task::JoinHandle<()>,
    _child: Child,
}

impl SshPipe {
    /// The error messages of ssh or of the remote end.
    async fn last_words(&mut self) -> String {
        self.input = None;
        // ssh ends soon after its pipes are closed. Uses what has arrived by then.
        let _ = tokio::time::timeout(Duration::from_secs(2), &mut self.listening).await;
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        String::from_utf8_lossy(&said).into_owned()
    }
}

/// Reads to the end, so that ssh never blocks, and keeps the beginning.
async fn listen(mut errors: ChildStderr, said: Arc<Mutex<Vec<u8>>>) {
    let mut piece = [0; 1024];
    while let Ok(length @ 1..) = errors.read(&mut piece).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        let room = LONGEST_SAID.saturating_sub(said.len());
        said.extend_from_slice(&piece[..length.min(room)]);
    }
}

impl AsyncRead for SshPipe {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.output).poll_read(context, buffer)
    }
}

impl AsyncWrite for SshPipe {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match &mut self.input {
            Some(input) => Pin::new(input).poll_write(context, bytes),
            None => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.input {
            Some(input) => Pin::new(input).poll_flush(context),
            None => Poll::Ready(Ok(())),
        }
    }

    /// Closing a pipe is how it ends.
    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.input = None;
        Poll::Ready(Ok(()))
    }
}

fn no_ssh(place: &SshPlace, error: &io::Error) -> Failure {
    let hint = match error.kind() {
        io::ErrorKind::NotFound => tr_sent!("install it: `sudo apt-get install openssh-client`"),
        _ => tr_sent!("check that `ssh` works"),
    };
    Failure::unreachable(&place.url(), tr_sent!("ssh can't be run: {error}", error)).hint(hint)
}

/// Translates the messages of ssh into an error that says what to do.
fn sentence(place: &SshPlace, said: &str) -> Failure {
    let at = match &place.user {
        Some(user) => format!("{user}@{}", place.host),
        None => place.host.clone(),
    };
    let port = place.port.map(|port| format!(" -p {port}"));
    let command = format!("ssh{} {at}", port.unwrap_or_default());
    let has = |words: &[&str]| words.iter().any(|word| said.contains(word));
    // A shell's message about a missing program; ssh itself reports missing files of its own.
    let no_docker = said.lines().any(|line| {
        let missing = ["not found", "Unknown command", "No such file or directory"];
        line.contains("docker") && missing.iter().any(|word| line.contains(word))
    });
    let (why, hint) = if has(&["REMOTE HOST IDENTIFICATION HAS CHANGED"]) {
        (
            tr_sent!("its host key has changed").to_owned(),
            tr_sent!(
                "ask its administrator. If the new key is right, run `ssh-keygen -R {host}`",
                host = place.host
            ),
        )
    } else if has(&["Host key verification failed"]) {
        (
            tr_sent!("its host key isn't known yet").to_owned(),
            tr_sent!("log in once with `{command}` and check the key", command),
        )
    } else if has(&["Permission denied (", "Too many authentication failures"]) {
        (
            tr_sent!("it doesn't accept your SSH key").to_owned(),
            tr_sent!(
                "install your key with `ssh-copy-id {at}`, then check that `{command}` asks for \
                 no password",
                at,
                command
            ),
        )
    } else if no_docker {
        (
            tr_sent!("the docker program isn't installed on that machine").to_owned(),
            tr_sent!("install Docker on that machine").to_owned(),
        )
    } else if has(&["permission denied while trying to connect", "dial unix"]) {
        (
            tr_sent!(
                "the engine on that machine isn't running, or you have no permission to use it"
            )
            .to_owned(),
            tr_sent!("check the output of `{command} docker version`", command),
        )
    } else {
        let line = said.lines().rev().find(|line| !line.trim().is_empty());
        let line = line.unwrap_or(tr_sent!("it closed the connection without a message"));
        (
            Clean::new(line.trim()).into_string(),
            tr_sent!("check the output of `{command} docker version`", command),
        )
    };
    Failure::unreachable(&place.url(), why).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ssh_says_is_reported_with_what_to_do() {
        let place = SshPlace::parse("me@box").unwrap();
        for (said, why, hint) in [
            (
                "Host key verification failed.",
                "isn't known yet",
                "`ssh me@box`",
            ),
            (
                "me@box: Permission denied (publickey).",
                "doesn't accept your SSH key",
                "ssh-copy-id me@box",
            ),
            (
                "bash: line 1: docker: command not found",
                "the docker program isn't installed",
                "install Docker",
            ),
            (
                "fish: Unknown command: docker",
                "the docker program isn't installed",
                "install Docker",
            ),
            (
                "Warning: Identity file /home/me/old not accessible: No such file or directory.\n\
                 ssh: connect to host box port 22: Connection refused",
                "Connection refused",
                "docker version",
            ),
            (
                "ssh: Could not resolve hostname box",
                "Could not resolve",
                "docker version",
            ),
        ] {
            let failure = sentence(&place, said);
            assert!(failure.is_lost());
            let (reported, does) = (failure.to_string(), failure.hint.unwrap().into_string());
            assert!(
                reported.contains(why) && does.contains(hint),
                "{reported}; {does}"
            );
        }
    }
}
