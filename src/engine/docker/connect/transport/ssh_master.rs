//! One login for all connections to an SSH server: OpenSSH's own multiplexing, with a socket of workbay.

use std::{
    path::{Path, PathBuf},
    process::{Command as Plain, Stdio},
    time::Duration,
};

use tokio::process::Command;

use super::ssh_target::SshPlace;
use crate::engine::docker::private_directory::private_directory;

/// The kernel's limit for the path of a socket.
const LONGEST_PATH: usize = 107;
/// OpenSSH first creates its socket under a name longer by this.
const ADDED: usize = ".0123456789abcdef".len();
/// Prefix of the sockets.
const PREFIX: &str = "ssh-";
const LETTERS: usize = 8;
/// Time limit of `ssh -G`, which only reads files.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often to check whether the request to end was handled: for five seconds. A master also ends on its own
/// a minute after its last connection.
const CHECKS: u32 = 100;
const LOOK_AGAIN: Duration = Duration::from_millis(50);

/// The first ssh keeps running as the master of the later ones. If it is gone, the next ssh replaces it. If it
/// hangs, the next attempt to connect uses a socket with another name. The master ends when this is dropped.
pub(super) struct Master {
    place: SshPlace,
    socket: PathBuf,
}

/// Whether a file is named like the socket of a master.
pub(super) fn is_masters(name: &str) -> bool {
    let rest = name.strip_prefix(PREFIX);
    rest.is_some_and(|rest| rest.len() == LETTERS && !rest.contains('.'))
}

impl Master {
    /// `None` = each connection has its own login, because the user's configuration already shares them, this
    /// ssh can't be asked, or the socket's path would be too long.
    pub(super) async fn of(place: &SshPlace, runtime_dir: &Path) -> Option<Self> {
        let name = uuid::Uuid::new_v4().simple().to_string();
        let socket = runtime_dir.join(format!("{PREFIX}{}", &name[..LETTERS]));
        if !fits(&socket) {
            tracing::info!(socket = %socket.display(), "connections to {} can't share one login", place.url());
            return None;
        }
        private_directory(runtime_dir).ok()?;
        let asked = Command::new("ssh")
            .args(place.asking("-G", &[]))
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .output();
        let reported = tokio::time::timeout(PATIENCE, asked).await.ok()?.ok()?;
        let reported = String::from_utf8_lossy(&reported.stdout).into_owned();
        (!reported.is_empty() && !shares(&reported)).then(|| Self {
            place: place.clone(),
            socket,
        })
    }

    /// The ssh options to use this master.
    pub(super) fn options(&self) -> Vec<String> {
        let path = format!("ControlPath={}", self.socket.display());
        ["ControlMaster=auto", "ControlPersist=60", &path]
            .into_iter()
            .flat_map(|option| ["-o".to_owned(), option.to_owned()])
            .collect()
    }
}

impl Drop for Master {
    fn drop(&mut self) {
        if !self.socket.exists() {
            return;
        }
        let asked = Plain::new("ssh")
            .args(self.place.asking("-Oexit", &self.options()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(mut asked) = asked else { return };
        let socket = self.socket.clone();
        // In a thread of its own, because a master that hangs doesn't answer.
        std::thread::spawn(move || {
            for _ in 0..CHECKS {
                if !matches!(asked.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(LOOK_AGAIN);
            }
            let _ = asked.kill();
            let _ = asked.wait();
            let _ = std::fs::remove_file(socket);
        });
    }
}

/// Whether the path is short enough and has no characters that are special to ssh.
fn fits(socket: &Path) -> bool {
    socket.to_str().is_some_and(|path| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+@:,=".contains(&byte);
        path.len() + ADDED <= LONGEST_PATH && path.starts_with('/') && path.bytes().all(plain)
    })
}

/// Whether the output of `ssh -G` shows that connections are shared.
fn shares(reported: &str) -> bool {
    reported.lines().any(|line| match line.split_once(' ') {
        Some(("controlpath", path)) => path != "none",
        Some(("controlmaster", word)) => !matches!(word, "false" | "no"),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_user_shares_already_is_left_to_them() {
        assert!(!shares("user me\ncontrolmaster false\ncontrolpersist no\n"));
        assert!(!shares("controlmaster no\ncontrolpath none\n"));
        assert!(shares("controlmaster auto\ncontrolpath /run/x\n"));
        assert!(shares("controlmaster false\ncontrolpath /home/me/.ssh/x\n"));
    }

    #[test]
    fn a_socket_whose_path_is_too_long_is_not_made() {
        assert!(fits(Path::new("/run/user/1000/workbay/ssh-01234567")));
        let long = |length: usize| PathBuf::from(format!("/{}", "x".repeat(length - 1)));
        assert!(fits(&long(LONGEST_PATH - ADDED)));
        assert!(!fits(&long(LONGEST_PATH - ADDED + 1)));
        for odd in ["/run/a b/ssh-0", "/run/%h/ssh-0", "run/ssh-0"] {
            assert!(!fits(Path::new(odd)), "{odd}");
        }
    }
}
