//! Why an image could not be pulled, as a sentence that says what to do.

use std::time::Duration;

use crate::{
    engine::{docker::habits::Kind, error::EngineError},
    model::{reference, text::Clean},
};

/// What was known when it failed.
pub(super) struct Tried<'a> {
    pub(super) reference: &'a str,
    pub(super) kind: Kind,
    /// Where the login that was sent comes from; `None` = there was none.
    pub(super) login: Option<&'a str>,
}

/// What the line to a registry breaks with, in the middle or before it stood.
const BROKEN: [&str; 11] = [
    "unexpected eof",
    "connection reset",
    "broken pipe",
    "connection timed out",
    "use of closed network connection",
    "filesystem layer verification failed",
    "unexpected http status: 5",
    "http2: server sent goaway",
    "stream error",
    "client connection lost",
    "context deadline exceeded",
];

/// Why a registry cannot be reached at all: what the engine says, what it means, what to do.
const AWAY: [(&str, &str, &str); 12] = [
    (
        "no such host",
        "nobody knows its name",
        "check the network, and how the name is spelt",
    ),
    (
        "server misbehaving",
        "nobody knows its name",
        "check the network, and how the name is spelt",
    ),
    (
        "name resolution",
        "nobody answers who it is",
        "check the network and its name servers",
    ),
    (
        "connection refused",
        "nothing listens there",
        "check its address, and that it runs",
    ),
    (
        "network is unreachable",
        "there is no way to it",
        "check the network",
    ),
    (
        "no route to host",
        "there is no way to it",
        "check the network",
    ),
    (
        "i/o timeout",
        "it does not answer",
        "check the network, and whether a proxy is needed",
    ),
    (
        "tls handshake timeout",
        "it does not answer",
        "check the network, and whether a proxy is needed",
    ),
    (
        "client.timeout exceeded",
        "it does not answer",
        "check the network, and whether a proxy is needed",
    ),
    (
        "proxyconnect",
        "the engine's proxy does not let it through",
        "check the proxy that the engine is set up with",
    ),
    (
        "certificate",
        "the engine does not trust its certificate",
        "put its authority's certificate in /etc/docker/certs.d/REGISTRY/ca.crt of the engine's machine",
    ),
    (
        "x509",
        "the engine does not trust its certificate",
        "check its certificate",
    ),
];

const UNKNOWN: [&str; 5] = [
    "manifest unknown",
    "not found",
    "repository name not known",
    "name unknown",
    "does not exist",
];

const DENIED: [&str; 6] = [
    "no basic auth credentials",
    "unauthorized",
    "authentication required",
    "access denied",
    "access forbidden",
    "denied:",
];

/// Sorts what the engine said of a pull.
pub(super) fn sort(said: &str, tried: &Tried<'_>) -> EngineError {
    let said = Clean::new(said.trim()).into_string();
    let lower = said.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let program = tried.kind.program();
    let (image, registry) = (tried.reference, reference::registry(tried.reference));
    let declined = |why: String, mend: String| EngineError::Declined {
        why,
        mend: Some(mend),
    };
    if has(&["no space left on device"]) {
        let why = format!("the engine's disk is full: {image} does not fit");
        let mend = format!("free some space, `{program} system df` shows what takes it");
        return declined(why, mend);
    }
    if has(&[
        "no matching manifest",
        "does not match the specified platform",
    ]) {
        let why = format!("{image} is not made for this engine's architecture ({said})");
        return declined(why, "choose another version or image".to_owned());
    }
    if has(&["toomanyrequests", "rate limit"]) {
        let why = format!("{registry} lets nobody pull more from here for a while ({said})");
        return declined(
            why,
            format!("`{program} login {registry}` allows more, or wait"),
        );
    }
    if has(&DENIED) {
        return denied(registry, tried);
    }
    if has(&UNKNOWN) {
        let why = format!("{registry} has no image {image}");
        return declined(why, "check its name and its tag".to_owned());
    }
    if has(&["http response to https client"]) {
        return plain(registry, tried.kind);
    }
    if let Some((_, why, mend)) = AWAY.iter().find(|(word, ..)| lower.contains(word)) {
        return EngineError::Registry {
            why: format!("the registry {registry} cannot be reached: {why}"),
            mend: Some((*mend).to_owned()),
            broken: false,
        };
    }
    if has(&BROKEN) || lower == "eof" || lower.ends_with(": eof") {
        return EngineError::Registry {
            why: format!("the line to {registry} broke ({said})"),
            mend: None,
            broken: true,
        };
    }
    EngineError::Declined {
        why: format!("{image} could not be pulled: {said}"),
        mend: None,
    }
}

/// A registry that stopped in the middle: a line that is made anew may bring what this one did not.
pub(super) fn silent(image: &str, waited: Duration) -> EngineError {
    EngineError::Registry {
        why: format!(
            "the line to {} broke (not a byte came for {} seconds)",
            reference::registry(image),
            waited.as_secs()
        ),
        mend: Some("check the network, and whether the registry works".to_owned()),
        broken: true,
    }
}

/// A registry that speaks no TLS: it is the engine that has to be told to trust it.
fn plain(registry: &str, kind: Kind) -> EngineError {
    let place = match kind {
        Kind::Docker => "in `insecure-registries` of the engine's daemon.json",
        Kind::Podman => "with `insecure = true` in the engine's registries.conf",
    };
    EngineError::Registry {
        why: format!("the registry {registry} cannot be reached: it speaks no TLS"),
        mend: Some(format!("have it named {place}, if it is to be trusted so")),
        broken: false,
    }
}

fn denied(registry: &str, tried: &Tried<'_>) -> EngineError {
    let (program, image) = (tried.kind.program(), tried.reference);
    let mend = Some(format!("`{program} login {registry}` keeps one that does"));
    let why = match tried.login {
        Some(from) => format!("{registry} does not let the login of {from} have {image}"),
        None => {
            format!("{registry} lets nobody have {image} without a login, or has no such image")
        }
    };
    EngineError::Declined { why, mend }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(said: &str, login: Option<&str>) -> (String, bool) {
        let reference = "quay.io/team/python:3.12";
        let tried = Tried {
            reference,
            kind: Kind::Docker,
            login,
        };
        match sort(said, &tried) {
            EngineError::Registry { why, broken, .. } => (why, broken),
            EngineError::Declined { why, .. } => (why, false),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn each_kind_has_its_sentence() {
        for (said, sentence) in [
            (
                "Get \"https://quay.io/v2/\": dial tcp: lookup quay.io on 10.0.0.2:53: no such host",
                "the registry quay.io cannot be reached: nobody knows its name",
            ),
            (
                "Get \"http://quay.io/v2/\": dial tcp 127.0.0.1:9: connect: connection refused",
                "the registry quay.io cannot be reached: nothing listens there",
            ),
            (
                "manifest for quay.io/team/python:3.12 not found: manifest unknown: manifest unknown",
                "quay.io has no image quay.io/team/python:3.12",
            ),
            (
                "write /var/lib/docker/tmp/x: no space left on device",
                "the engine's disk is full: quay.io/team/python:3.12 does not fit",
            ),
            (
                "Head \"http://quay.io/v2/\": no basic auth credentials",
                "quay.io lets nobody have quay.io/team/python:3.12 without a login, or has no such image",
            ),
        ] {
            assert_eq!(told(said, None), (sentence.to_owned(), false));
        }
        let (why, _) = told("unauthorized: authentication required", Some("/c.json"));
        assert!(why.contains("the login of /c.json"), "{why}");
    }

    #[test]
    fn a_line_that_breaks_may_be_made_again() {
        for said in [
            "unexpected EOF",
            "read tcp: connection reset by peer",
            "Get \"x\": EOF",
        ] {
            assert!(told(said, None).1, "{said}");
        }
        assert!(!told("new output", None).1);
    }
}
