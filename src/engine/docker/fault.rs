//! What the engine's client says went wrong, as errors that say what to do.

use std::{error::Error as _, io};

use bollard::errors::Error;

use crate::{engine::error::EngineError, model::text::Clean};

/// Sorts an answer of the engine at `endpoint`.
pub(super) fn translate(error: Error, endpoint: &str) -> EngineError {
    match error {
        Error::DockerResponseServerError {
            status_code,
            message,
        } => answered(status_code, &message),
        Error::DockerStreamError { error } => answered(500, &error),
        Error::RequestTimeoutError => EngineError::Unreachable {
            endpoint: endpoint.to_owned(),
            why: "it took longer than two minutes to answer".to_owned(),
            mend: Some("see what it is doing: `journalctl -u docker -e`".to_owned()),
        },
        Error::SocketNotFoundError(path) => {
            unreachable(endpoint, &io::Error::new(io::ErrorKind::NotFound, path))
        }
        other => match io_cause(&other) {
            Some(cause) => unreachable(endpoint, cause),
            None if is_transport(&other) => EngineError::Unreachable {
                endpoint: endpoint.to_owned(),
                why: clean(&other.to_string()),
                mend: None,
            },
            None => EngineError::Other(clean(&other.to_string())),
        },
    }
}

/// An HTTP answer that is no success.
pub(super) fn answered(status: u16, message: &str) -> EngineError {
    let said = clean(message);
    let lower = said.to_ascii_lowercase();
    if lower.contains("no space left on device") {
        return EngineError::Refused(format!(
            "its disk is full ({said}): free some space, `docker system df` shows what takes it"
        ));
    }
    if lower.contains("no such image") {
        return EngineError::NoImage {
            what: said,
            mend: "`workbay env ls` lists what can be launched".to_owned(),
        };
    }
    if lower.contains("could not select device driver") {
        return EngineError::Refused(format!(
            "it cannot give GPUs to containers ({said}): install the NVIDIA container toolkit and \
             restart the engine"
        ));
    }
    match status {
        404 => EngineError::NotFound(said),
        400 | 403 | 409 => EngineError::Refused(said),
        _ => EngineError::Other(said),
    }
}

/// The engine cannot be reached, with what a person can do about it.
pub(super) fn unreachable(endpoint: &str, cause: &io::Error) -> EngineError {
    let (why, mend) = match cause.kind() {
        io::ErrorKind::NotFound => (
            "there is no socket".to_owned(),
            Some("start the engine: `sudo systemctl start docker`".to_owned()),
        ),
        io::ErrorKind::ConnectionRefused => (
            "nothing listens on its socket: the engine is not running".to_owned(),
            Some("start it: `sudo systemctl start docker`".to_owned()),
        ),
        io::ErrorKind::PermissionDenied => (
            "you may not use its socket".to_owned(),
            Some(
                "join its group: `sudo usermod -aG docker $USER`, then log out and in again"
                    .to_owned(),
            ),
        ),
        _ => (clean(&cause.to_string()), None),
    };
    EngineError::Unreachable {
        endpoint: endpoint.to_owned(),
        why,
        mend,
    }
}

/// The system's own error behind a client's error.
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

    #[test]
    fn answers_are_sorted_by_what_to_do() {
        assert!(matches!(
            answered(404, "No such container: x"),
            EngineError::NotFound(_)
        ));
        assert!(matches!(
            answered(404, "No such image: x:1"),
            EngineError::NoImage { .. }
        ));
        assert!(matches!(
            answered(400, "Minimum memory"),
            EngineError::Refused(_)
        ));
        assert!(matches!(answered(500, "oops"), EngineError::Other(_)));
        let no_toolkit = answered(500, "could not select device driver \"\" with capabilities");
        assert!(matches!(no_toolkit, EngineError::Refused(said) if said.contains("toolkit")));
        let full = answered(500, "write /x: no space left on device");
        assert!(matches!(full, EngineError::Refused(said) if said.contains("free some space")));
    }

    #[test]
    fn a_closed_door_says_how_to_open_it() {
        let mend = |kind: io::ErrorKind| {
            let error = unreachable("unix:///x", &kind.into());
            let EngineError::Unreachable { mend, .. } = error else {
                panic!("{error}");
            };
            mend.unwrap()
        };
        assert!(mend(io::ErrorKind::PermissionDenied).contains("usermod -aG docker"));
        assert!(mend(io::ErrorKind::PermissionDenied).contains("log out and in again"));
        assert!(mend(io::ErrorKind::ConnectionRefused).contains("systemctl start docker"));
        assert!(mend(io::ErrorKind::NotFound).contains("systemctl start docker"));
    }

    #[test]
    fn an_answer_cannot_paint_on_the_screen() {
        let error = answered(500, "bad \u{1b}[2Jthing\nnext");
        assert_eq!(error.to_string(), "the engine said: bad thing next");
    }
}
