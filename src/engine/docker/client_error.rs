//! Translates errors of the engine's client into errors that say what to do.

use std::{error::Error as _, io, time::Duration};

use bollard::errors::Error;

use crate::model::{failure::Failure, text::Clean};

/// Translates an error of the engine at `endpoint`.
pub(super) fn translate(error: Error, endpoint: &str) -> Failure {
    match error {
        Error::DockerResponseServerError {
            status_code,
            message,
        } => answered(status_code, &message),
        Error::DockerStreamError { error } => answered(500, &error),
        Error::RequestTimeoutError => silent(endpoint, Duration::from_secs(120)),
        Error::SocketNotFoundError(path) => {
            unreachable(endpoint, &io::Error::new(io::ErrorKind::NotFound, path))
        }
        other => match io_cause(&other) {
            Some(cause) => unreachable(endpoint, cause),
            None if is_transport(&other) => {
                Failure::unreachable(endpoint, clean(&other.to_string()))
            }
            None => Failure::reported(clean(&other.to_string())),
        },
    }
}

/// Translates an HTTP error status.
pub(super) fn answered(status: u16, message: &str) -> Failure {
    let said = clean(message);
    let lower = said.to_ascii_lowercase();
    if lower.contains("no space left on device") {
        return Failure::engine_refused(tr_sent!(
            "its disk is full ({said}). Free some space: `docker system df` shows what uses it",
            said
        ));
    }
    if lower.contains("no such image") {
        return Failure::no_image(
            said.strip_prefix("No such image: ")
                .map_or_else(|| said.clone(), |image| tr_sent!("image '{image}'", image)),
        )
        .hint(tr_sent!(
            "`workbay env ls` lists the available environments"
        ));
    }
    if lower.contains("could not select device driver") {
        return Failure::engine_refused(tr_sent!(
            "it can't provide GPUs to containers ({said}). Install the NVIDIA container toolkit \
             and restart the engine",
            said
        ));
    }
    match status {
        404 => Failure::session_not_found(said),
        400 | 403 | 409 => Failure::engine_refused(said),
        _ => Failure::reported(said),
    }
}

/// The error for an engine that accepts requests but doesn't answer.
pub(super) fn silent(endpoint: &str, waited: Duration) -> Failure {
    Failure::unreachable(
        endpoint,
        tr_sent!(
            "it accepts requests, but didn't answer for {seconds}s",
            seconds = waited.as_secs()
        ),
    )
    .hint(ServiceControl::of(endpoint).restart_command())
}

/// How an engine is started and stopped, derived from its address.
struct ServiceControl {
    podman: bool,
    /// Belongs to one user.
    rootless: bool,
    /// Run by workbay itself.
    ours: bool,
    /// A socket in an unusual place, so the user configured it.
    named: bool,
    elsewhere: bool,
}

impl ServiceControl {
    fn of(endpoint: &str) -> Self {
        Self {
            podman: endpoint.contains("podman"),
            rootless: endpoint.contains("/run/user/"),
            ours: endpoint.starts_with("podman"),
            named: endpoint.starts_with("unix:") && !endpoint.contains("/run/"),
            elsewhere: endpoint.starts_with("tcp:") || endpoint.starts_with("ssh:"),
        }
    }

    fn systemctl(&self) -> &'static str {
        if self.rootless {
            "systemctl --user"
        } else {
            "sudo systemctl"
        }
    }

    /// How to start the engine. The text before calls it `it`, or doesn't name it.
    fn start(&self, is_named_before: bool) -> String {
        if self.named {
            return tr_sent!(
                "start the engine of this address, or correct the address in DOCKER_HOST, \
                    `endpoint` in [engine] of config.toml or your Docker context"
            )
            .to_owned();
        }
        let unit = if self.podman {
            "podman.socket"
        } else {
            "docker"
        };
        let systemctl = self.systemctl();
        if is_named_before {
            tr_sent!("start it: `{systemctl} start {unit}`", systemctl, unit)
        } else {
            tr_sent!(
                "start the engine: `{systemctl} start {unit}`",
                systemctl,
                unit
            )
        }
    }

    fn enter(&self) -> String {
        if self.podman {
            tr_sent!("use a Podman of your own: `endpoint = \"podman\"` in [engine] of config.toml")
                .to_owned()
        } else {
            tr_sent!("join its group: `sudo usermod -aG docker $USER`, then log out and in again")
                .to_owned()
        }
    }

    fn restart_command(&self) -> String {
        let systemctl = self.systemctl();
        if self.ours {
            return tr_sent!("check that `podman info` works").to_owned();
        }
        if self.podman {
            return tr_sent!(
                "to restart it: `{systemctl} restart podman.socket podman.service`",
                systemctl
            );
        }
        let journal = systemctl.replace("systemctl", "journalctl");
        if self.elsewhere {
            tr_sent!(
                "on that machine, `{journal} -u docker -n 50` shows its log, `{systemctl} restart docker` \
                 restarts it (this ends its containers, unless live-restore is set)",
                journal,
                systemctl
            )
        } else {
            tr_sent!(
                "`{journal} -u docker -n 50` shows its log, `{systemctl} restart docker` \
                 restarts it (this ends its containers, unless live-restore is set)",
                journal,
                systemctl
            )
        }
    }
}

/// The engine can't be reached; includes what the user can do.
pub(super) fn unreachable(endpoint: &str, cause: &io::Error) -> Failure {
    let keeper = ServiceControl::of(endpoint);
    let (why, hint) = match cause.kind() {
        io::ErrorKind::NotFound => (
            tr_sent!("the socket doesn't exist").to_owned(),
            Some(keeper.start(false)),
        ),
        io::ErrorKind::ConnectionRefused => (
            tr_sent!("the engine isn't running (no answer on its socket)").to_owned(),
            Some(keeper.start(true)),
        ),
        io::ErrorKind::PermissionDenied => (
            tr_sent!("you have no permission to use its socket").to_owned(),
            Some(keeper.enter()),
        ),
        _ => (clean(&cause.to_string()), None),
    };
    Failure::unreachable(endpoint, why).maybe_hint(hint)
}

/// The operating system's error behind a client's error.
fn io_cause(error: &Error) -> Option<&io::Error> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(one) = cause {
        if let Some(found) = one.downcast_ref::<io::Error>() {
            return Some(found);
        }
        cause = one.source();
    }
    error.source().and_then(|source| source.downcast_ref())
}

fn is_transport(error: &Error) -> bool {
    matches!(
        error,
        Error::HyperResponseError { .. } | Error::HyperLegacyError { .. } | Error::IOError { .. }
    )
}

fn clean(text: &str) -> String {
    Clean::new(text.trim()).into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::failure::FailureKind;

    #[test]
    fn answers_are_sorted_by_what_to_do() {
        assert!(answered(404, "No such container: x").kind == FailureKind::NotFound);
        assert!(answered(404, "No such image: x:1").kind == FailureKind::NoImage);
        assert!(answered(400, "Minimum memory").kind == FailureKind::Refused);
        assert!(answered(500, "oops").kind == FailureKind::Failed);
        let no_toolkit = answered(500, "could not select device driver \"\" with capabilities");
        assert!(
            no_toolkit.kind == FailureKind::Refused && no_toolkit.to_string().contains("toolkit")
        );
        let full = answered(500, "write /x: no space left on device");
        assert!(full.kind == FailureKind::Refused && full.to_string().contains("Free some space"));
    }

    #[test]
    fn a_closed_door_says_how_to_open_it() {
        let hint =
            |kind: io::ErrorKind| hint_of(unreachable("unix:///run/docker.sock", &kind.into()));
        assert!(hint(io::ErrorKind::PermissionDenied).contains("usermod -aG docker"));
        assert!(hint(io::ErrorKind::PermissionDenied).contains("log out and in again"));
        assert!(hint(io::ErrorKind::ConnectionRefused).contains("systemctl start docker"));
        assert!(hint(io::ErrorKind::NotFound).contains("systemctl start docker"));
    }

    #[test]
    fn each_engine_is_started_in_its_own_way() {
        let start = |endpoint: &str| {
            let error = unreachable(endpoint, &io::ErrorKind::NotFound.into());
            hint_of(error)
        };
        let podman = start("unix:///run/user/1000/podman/podman.sock");
        assert!(
            podman.contains("systemctl --user start podman.socket"),
            "{podman}"
        );
        let root = start("unix:///run/podman/podman.sock");
        assert!(
            root.contains("sudo systemctl start podman.socket"),
            "{root}"
        );
        let rootless = start("unix:///run/user/1000/docker.sock");
        assert!(
            rootless.contains("systemctl --user start docker"),
            "{rootless}"
        );
        let own = start("unix:///home/me/relay.sock");
        assert!(
            own.contains("DOCKER_HOST") && !own.contains("systemctl"),
            "{own}"
        );
        let silent = |endpoint: &str| hint_of(silent(endpoint, Duration::from_secs(1)));
        assert!(silent("podman (/usr/bin/podman)").contains("podman info"));
        let far = silent("tcp://box:2376");
        assert!(
            far.starts_with("on that machine, `sudo journalctl"),
            "{far}"
        );
    }

    fn hint_of(error: Failure) -> String {
        let failure = error;
        assert_eq!(failure.kind, FailureKind::Unreachable, "{failure:?}");
        let hint = failure.hint.map(Clean::into_string);
        hint.unwrap()
    }

    #[test]
    fn an_answer_cannot_paint_on_the_screen() {
        let error = answered(500, "bad \u{1b}[2Jthing\nnext");
        assert_eq!(error.to_string(), "the engine reported: bad thing next");
    }
}
