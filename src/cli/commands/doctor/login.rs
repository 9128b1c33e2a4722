//! Checks the login: a runtime directory, lingering, an SSH agent.

use std::{env, fs, path::Path};

use super::Finding;
use crate::{
    cli::Start,
    config::contexts::EngineSpec,
    protocol::lock_record::{self, Holder},
};

/// Where systemd lists the users that linger.
const LINGERING: &str = "/var/lib/systemd/linger";
/// Exists if systemd is the machine's init.
const SYSTEMD: &str = "/run/systemd/system";
const AGENT: &str = "SSH_AUTH_SOCK";

pub fn examine(start: &Start) -> Vec<Finding> {
    let is_root = rustix::process::geteuid().is_root();
    let user = crate::config::user::user_name();
    let mut findings = Vec::new();
    findings.extend(runtime(
        env::var("XDG_RUNTIME_DIR").ok().as_deref(),
        is_root,
    ));
    if Path::new(SYSTEMD).is_dir() && !is_root {
        findings.push(lingering(Path::new(LINGERING), &user));
    }
    findings.extend(agent(start));
    findings
}

/// systemd removes it at the last logout. After `su` and `sudo`, it is another user's or missing.
fn runtime(dir: Option<&str>, is_root: bool) -> Option<Finding> {
    let dir = dir.filter(|dir| !dir.is_empty());
    let hint = tr!(
        "log in directly (not with su or sudo), or run `loginctl enable-linger`, then \
                `export XDG_RUNTIME_DIR=/run/user/$(id -u)`"
    );
    match dir {
        // Root's daemons don't need one.
        None if is_root => None,
        None => Some(
            Finding::warn(
                tr_later!("login"),
                tr!("XDG_RUNTIME_DIR isn't set: rootless engines can't be found, and workbay's socket \
                 is in /tmp"),
            )
            .hint(hint),
        ),
        Some(dir) if !Path::new(dir).is_dir() => Some(
            Finding::warn(
                tr_later!("login"),
                tr!("XDG_RUNTIME_DIR is {dir}, which doesn't exist", dir),
            )
            .hint(hint),
        ),
        Some(_) => None,
    }
}

fn lingering(lingering: &Path, user: &str) -> Finding {
    if lingering.join(user).exists() {
        return Finding::ok(
            tr_later!("lingering"),
            tr!(
                "lingering is on for {user}: the daemon keeps running after a logout",
                user
            ),
        );
    }
    let message = tr!(
        "lingering is off for {user}: after your last logout systemd may stop the daemon and \
         rootless containers",
        user
    );
    Finding::warn(tr_later!("lingering"), message).hint("loginctl enable-linger (docs/daemon.md)")
}

/// A daemon that was started in another login doesn't know this login's SSH agent, and can't use keys with a
/// passphrase.
fn agent(start: &Start) -> Option<Finding> {
    let by_ssh = start
        .contexts
        .list
        .iter()
        .find(|entry| match &entry.engine {
            EngineSpec::Docker { endpoint } => {
                endpoint.as_deref().is_some_and(|at| at.starts_with("ssh:"))
            }
            EngineSpec::Backendai(_) => false,
        })?;
    let name = by_ssh.context.name;
    let Ok(Holder::Daemon(Some(daemon))) = lock_record::holder(&start.paths.lock()) else {
        return env::var_os(AGENT).is_none().then(|| {
            let message = tr!(
                "context {name} uses SSH, but no SSH agent is available ({agent} isn't set)",
                name,
                agent = AGENT
            );
            Finding::warn(tr_later!("ssh"), message).hint("eval \"$(ssh-agent)\"; ssh-add")
        });
    };
    let environ = fs::read(format!("/proc/{}/environ", daemon.pid)).ok()?;
    let prefix = format!("{AGENT}=");
    let socket = environ
        .split(|byte| *byte == 0)
        .find_map(|one| one.strip_prefix(prefix.as_bytes()))
        .map(|value| String::from_utf8_lossy(value).into_owned());
    match socket {
        Some(socket) if Path::new(&socket).exists() => None,
        _ => {
            let message = tr!(
                "context {name} uses SSH, but the daemon was started without an SSH agent \
                 ({agent})",
                name,
                agent = AGENT
            );
            let hint = tr!(
                "run `workbay daemon stop` in this shell. The next command starts the \
                        daemon with your SSH agent"
            );
            Some(Finding::warn(tr_later!("ssh"), message).hint(hint))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::Level, *};

    #[test]
    fn a_runtime_directory_that_is_missing_is_reported() {
        assert_eq!(runtime(None, true), None);
        assert_eq!(runtime(Some("/"), false), None);
        assert_eq!(runtime(Some(""), false).unwrap().level, Level::Warn);
        let gone = runtime(Some("/run/user/no-such"), false).unwrap();
        assert!(gone.message.as_str().contains("/run/user/no-such"));
    }

    #[test]
    fn who_lingers_is_known_by_a_file() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(lingering(dir.path(), "kim").level, Level::Warn);
        fs::write(dir.path().join("kim"), "").unwrap();
        assert_eq!(lingering(dir.path(), "kim").level, Level::Ok);
    }
}
