//! Explains why an image couldn't be pulled and what to do.

use std::time::Duration;

use crate::{
    engine::docker::connect::quirks::ContainerProgram,
    model::{failure::Failure, reference, text::Clean},
};

/// What is known about the failed pull.
pub(super) struct FailedPull<'a> {
    pub(super) reference: &'a str,
    pub(super) kind: ContainerProgram,
    /// The source of the login that was sent; `None` = no login.
    pub(super) login: Option<&'a str>,
}

/// Errors of a broken connection to a registry, also of one that couldn't be opened.
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

/// Why a registry can't be reached: the engine's message, its meaning, what to do.
const UNREACHABLE: [(&str, &str, &str); 12] = [
    (
        "no such host",
        tr_sent!("its name is unknown"),
        tr_sent!("check the network and the spelling of the name"),
    ),
    (
        "server misbehaving",
        tr_sent!("its name is unknown"),
        tr_sent!("check the network and the spelling of the name"),
    ),
    (
        "name resolution",
        tr_sent!("no name server answers"),
        tr_sent!("check the network and its name servers"),
    ),
    (
        "connection refused",
        tr_sent!("no program listens at this address"),
        tr_sent!("check its address, and that it is running"),
    ),
    (
        "network is unreachable",
        tr_sent!("the network has no route to it"),
        tr_sent!("check the network"),
    ),
    (
        "no route to host",
        tr_sent!("the network has no route to it"),
        tr_sent!("check the network"),
    ),
    (
        "i/o timeout",
        tr_sent!("it doesn't answer"),
        tr_sent!("check the network, and whether a proxy is needed"),
    ),
    (
        "tls handshake timeout",
        tr_sent!("it doesn't answer"),
        tr_sent!("check the network, and whether a proxy is needed"),
    ),
    (
        "client.timeout exceeded",
        tr_sent!("it doesn't answer"),
        tr_sent!("check the network, and whether a proxy is needed"),
    ),
    (
        "proxyconnect",
        tr_sent!("the engine's proxy refuses the connection"),
        tr_sent!("check the proxy settings of the engine"),
    ),
    (
        "certificate",
        tr_sent!("the engine doesn't trust its certificate"),
        tr_sent!(
            "copy the certificate of its authority to /etc/docker/certs.d/REGISTRY/ca.crt on the \
         engine's machine"
        ),
    ),
    (
        "x509",
        tr_sent!("the engine doesn't trust its certificate"),
        tr_sent!("check its certificate"),
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

/// Classifies the engine's error message about a pull.
pub(super) fn sort(said: &str, tried: &FailedPull<'_>) -> Failure {
    let said = Clean::new(said.trim()).into_string();
    let lower = said.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let program = tried.kind.program();
    let (image, registry) = (tried.reference, reference::registry(tried.reference));
    let declined = |why: String, hint: String| Failure::refused(why).hint(hint);
    if has(&["no space left on device"]) {
        let why = tr_sent!("the engine's disk is full: no space for {image}", image);
        let hint = tr_sent!(
            "free some space. `{program} system df` shows what uses it",
            program
        );
        return declined(why, hint);
    }
    if has(&[
        "no matching manifest",
        "does not match the specified platform",
    ]) {
        let why = tr_sent!(
            "{image} isn't available for this engine's architecture ({said})",
            image,
            said
        );
        return declined(why, tr_sent!("choose another version or image").to_owned());
    }
    if has(&["toomanyrequests", "rate limit"]) {
        let why = tr_sent!(
            "{registry} limits pulls from this address ({said})",
            registry,
            said
        );
        return declined(
            why,
            tr_sent!(
                "run `{program} login {registry}` for a higher limit, or wait",
                program,
                registry
            ),
        );
    }
    if has(&DENIED) {
        return denied(registry, tried);
    }
    if has(&UNKNOWN) {
        let why = tr_sent!("{registry} has no image {image}", registry, image);
        return declined(why, tr_sent!("check the name and the tag").to_owned());
    }
    if has(&["http response to https client"]) {
        return plain(registry, tried.kind);
    }
    if let Some((_, why, hint)) = UNREACHABLE.iter().find(|(word, ..)| lower.contains(word)) {
        return Failure::registry_unreachable(tr_sent!(
            "the registry {registry} can't be reached: {why}",
            registry,
            why
        ))
        .hint((*hint).to_owned());
    }
    if has(&BROKEN) || lower == "eof" || lower.ends_with(": eof") {
        return Failure::registry_broken(tr_sent!(
            "the connection to {registry} broke ({said})",
            registry,
            said
        ));
    }
    Failure::refused(tr_sent!("{image} can't be pulled: {said}", image, said))
}

/// Classifies the engine's error message about a push.
pub(super) fn not_pushed(said: &str, tried: &FailedPull<'_>) -> Failure {
    let lower = said.to_ascii_lowercase();
    let (program, target) = (tried.kind.program(), tried.reference);
    let registry = reference::registry(target);
    if DENIED.iter().any(|word| lower.contains(word)) {
        let why = match tried.login {
            Some(from) => tr_sent!(
                "the login of {from} may not push {target} to {registry}",
                from,
                target,
                registry
            ),
            None => tr_sent!(
                "{registry} requires a login to push {target}",
                registry,
                target
            ),
        };
        let hint = tr_sent!(
            "run `{program} login {registry}` with an account that may push",
            program,
            registry
        );
        return Failure::refused(why).hint(hint);
    }
    let pulled = format!("{target} can't be pulled: ");
    let failure = sort(said, tried);
    match failure.what.as_str().strip_prefix(&pulled) {
        Some(why) => Failure::refused(tr_sent!("{target} can't be pushed: {why}", target, why))
            .hint(tr_sent!(
                "check the name, and whether {registry} accepts it",
                registry
            )),
        None => failure,
    }
}

/// A registry that stopped sending: a new connection may succeed.
pub(super) fn silent(image: &str, waited: Duration) -> Failure {
    Failure::registry_broken(tr_sent!(
        "the connection to {registry} broke (no data for {seconds}s)",
        registry = reference::registry(image),
        seconds = waited.as_secs()
    ))
    .hint(tr_sent!("check the network and the registry"))
}

/// A registry without TLS: the engine must be configured to trust it.
fn plain(registry: &str, kind: ContainerProgram) -> Failure {
    let place = match kind {
        ContainerProgram::Docker => {
            tr_sent!("in `insecure-registries` of the engine's daemon.json")
        }
        ContainerProgram::Podman => {
            tr_sent!("with `insecure = true` in the engine's registries.conf")
        }
    };
    Failure::registry_unreachable(tr_sent!(
        "the registry {registry} can't be reached: it doesn't support TLS",
        registry
    ))
    .hint(tr_sent!("if you trust it, list it {place}", place))
}

fn denied(registry: &str, tried: &FailedPull<'_>) -> Failure {
    let (program, image) = (tried.kind.program(), tried.reference);
    let hint = Some(tr_sent!(
        "run `{program} login {registry}` with another account",
        program,
        registry
    ));
    let why = match tried.login {
        Some(from) => tr_sent!(
            "the login of {from} has no access to {image} on {registry}",
            from,
            image,
            registry
        ),
        None => {
            tr_sent!(
                "{registry} requires a login for {image}, or doesn't have the image",
                registry,
                image
            )
        }
    };
    Failure::refused(why).maybe_hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::failure::FailureKind;

    fn reported(said: &str, login: Option<&str>) -> (String, bool) {
        let reference = "quay.io/team/python:3.12";
        let tried = FailedPull {
            reference,
            kind: ContainerProgram::Docker,
            login,
        };
        let failure = sort(said, &tried);
        let broken = failure.kind == FailureKind::RegistryBroken;
        (failure.to_string(), broken)
    }

    #[test]
    fn each_kind_has_its_sentence() {
        for (said, sentence) in [
            (
                "Get \"https://quay.io/v2/\": dial tcp: lookup quay.io on 10.0.0.2:53: no such host",
                "the registry quay.io can't be reached: its name is unknown",
            ),
            (
                "Get \"http://quay.io/v2/\": dial tcp 127.0.0.1:9: connect: connection refused",
                "the registry quay.io can't be reached: no program listens at this address",
            ),
            (
                "manifest for quay.io/team/python:3.12 not found: manifest unknown: manifest unknown",
                "quay.io has no image quay.io/team/python:3.12",
            ),
            (
                "write /var/lib/docker/tmp/x: no space left on device",
                "the engine's disk is full: no space for quay.io/team/python:3.12",
            ),
            (
                "Head \"http://quay.io/v2/\": no basic auth credentials",
                "quay.io requires a login for quay.io/team/python:3.12, or doesn't have the image",
            ),
        ] {
            assert_eq!(reported(said, None), (sentence.to_owned(), false));
        }
        let (why, _) = reported("unauthorized: authentication required", Some("/c.json"));
        assert!(why.contains("the login of /c.json"), "{why}");
    }

    #[test]
    fn a_connection_that_breaks_may_be_opened_again() {
        for said in [
            "unexpected EOF",
            "read tcp: connection reset by peer",
            "Get \"x\": EOF",
        ] {
            assert!(reported(said, None).1, "{said}");
        }
        assert!(!reported("new output", None).1);
    }
}
