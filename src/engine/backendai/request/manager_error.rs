//! Errors between a manager and us, as sentences that say what to do.

use std::{error::Error as _, io, time::Duration};

use reqwest::{StatusCode, header::HeaderMap};

use super::{problem::ErrorBody, quote::quote};
use crate::{
    engine::backendai::connect::clock_skew::{self, ClockSkew},
    model::{failure::Failure, text::Clean},
};

/// The receiver of a request, for the sentences.
#[derive(Clone, Debug)]
pub(in crate::engine::backendai) struct Recipient {
    pub(in crate::engine::backendai) endpoint: String,
    pub(in crate::engine::backendai) context: String,
    /// Whether requests go through the web server, with a password.
    pub(in crate::engine::backendai) by_password: bool,
}

impl Recipient {
    /// The connection is lost, or the other end isn't a working manager.
    pub(in crate::engine::backendai) fn unreachable(
        &self,
        why: impl Into<Clean>,
        hint: Option<&str>,
    ) -> Failure {
        Failure::unreachable(&self.endpoint, why).maybe_hint(hint)
    }

    /// The request didn't get through, or its answer is incomplete.
    pub(in crate::engine::backendai) fn transport(
        &self,
        error: &reqwest::Error,
        limit: Duration,
    ) -> Failure {
        if error.is_timeout() {
            return self.late(limit);
        }
        if let Some(cause) = cause::<rustls::Error>(error) {
            return self.of_tls(cause);
        }
        if let Some(known) = cause::<io::Error>(error).and_then(|cause| self.of_io(cause)) {
            return known;
        }
        if error.is_connect() {
            return self.unreachable(
                deepest(error),
                Some(tr_sent!(
                    "check the endpoint of the context and the network"
                )),
            );
        }
        self.unreachable(tr_sent!("its answer is incomplete"), None)
    }

    /// A connection outside the HTTP client failed.
    pub(in crate::engine::backendai) fn connecting(&self, error: &io::Error) -> Failure {
        let inner = error.get_ref();
        if let Some(tls) = inner.and_then(|e| e.downcast_ref::<rustls::Error>()) {
            return self.of_tls(tls);
        }
        self.of_io(error).unwrap_or_else(|| {
            self.unreachable(
                quote(&error.to_string()),
                Some(tr_sent!(
                    "check the endpoint of the context and the network"
                )),
            )
        })
    }

    fn of_io(&self, cause: &io::Error) -> Option<Failure> {
        let (why, hint) = match cause.kind() {
            io::ErrorKind::ConnectionRefused => (
                tr_sent!("no program listens at this address").to_owned(),
                tr_sent!("check the endpoint of the context, and that the manager is running"),
            ),
            io::ErrorKind::TimedOut => (
                tr_sent!("no connection within the time limit").to_owned(),
                tr_sent!("check the network and firewalls"),
            ),
            _ if cause.to_string().contains("lookup address") => (
                tr_sent!("its name is unknown").to_owned(),
                tr_sent!("check the endpoint of the context and the name server"),
            ),
            _ => return None,
        };
        Some(self.unreachable(why, Some(hint)))
    }

    fn of_tls(&self, cause: &rustls::Error) -> Failure {
        if !matches!(cause, rustls::Error::InvalidCertificate(_)) {
            return self.unreachable(
                tr_sent!(
                    "the TLS connection failed: {said}",
                    said = quote(&cause.to_string())
                ),
                Some(tr_sent!(
                    "check whether its address begins with http:// instead of https://"
                )),
            );
        }
        self.unreachable(
            tr_sent!(
                "its certificate isn't trusted: {said}",
                said = quote(&cause.to_string())
            ),
            Some(tr_sent!(
                "if a private authority signed it, set ca-file of the context to the authority's \
                 certificate"
            )),
        )
    }

    /// No answer within the time limit.
    pub(in crate::engine::backendai) fn late(&self, limit: Duration) -> Failure {
        self.unreachable(
            tr_sent!("no answer within {seconds}s", seconds = limit.as_secs()),
            None,
        )
    }

    /// An answer without a success status. `skew` is how far our clock is from the answer's, if
    /// known.
    pub(in crate::engine::backendai) fn answered(
        &self,
        status: StatusCode,
        headers: &HeaderMap,
        body: &[u8],
        skew: Option<ClockSkew>,
    ) -> Failure {
        let Some(problem) = ErrorBody::read(body) else {
            return self.without_words(status, headers, body);
        };
        let said = problem.sentence();
        match problem.kind.as_str() {
            "invalid-auth-params" | "auth-failed" if skew.is_some_and(ClockSkew::is_too_much) => {
                skewed(skew)
            }
            "invalid-auth-params" if said.contains("time sync") => skewed(skew),
            "auth-failed" | "invalid-auth-params" | "password-expired" | "invalid-credentials" => {
                self.denied(&said)
            }
            "server-frozen" => Failure::refused(tr_sent!("the manager is in maintenance"))
                .hint(tr_sent!("ask its administrator, or try again later")),
            "session-already-exists" => {
                Failure::refused(tr_sent!("a session with that name already exists")).hint(
                    tr_sent!("choose another name, or terminate the other one first"),
                )
            }
            "quota-exceeded" => declined(tr_sent!("a quota is exceeded: {said}", said)),
            "not-implemented" => Failure::unsupported(tr_sent!(
                "this manager doesn't support the request: {said}",
                said
            )),
            "object-not-found" if said.to_lowercase().contains("image") => Failure::no_image(said)
                .hint(tr_sent!(
                    "`workbay env ls` lists the available environments"
                )),
            _ if status == StatusCode::UNAUTHORIZED => self.denied(&said),
            _ => declined(said),
        }
    }

    fn denied(&self, said: &str) -> Failure {
        let (account, what) = if self.by_password {
            (tr_sent!("the login"), tr_sent!("username and password"))
        } else {
            (tr_sent!("the keys"), tr_sent!("access-key and secret-key"))
        };
        Failure::denied(tr_sent!(
            "the manager at {endpoint} doesn't accept {account} of context '{context}': {said}",
            endpoint = self.endpoint,
            account,
            context = self.context,
            said
        ))
        .hint(tr_sent!(
            "check {what} of the context. They can also be inactive, or refused for this \
                 machine's address",
            what
        ))
    }

    /// An answer without an error body of the manager: from a gateway, a proxy or another program.
    fn without_words(&self, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failure {
        if status == StatusCode::UNAUTHORIZED {
            return self.denied(tr_sent!("not authorized"));
        }
        if matches!(status.as_u16(), 502..=504) {
            return self.unreachable(
                tr_sent!("its gateway answers {status}", status = shown(status)),
                Some(tr_sent!("the manager is down or starting. Try again later")),
            );
        }
        if is_html(headers, body) {
            return self.unreachable(
                tr_sent!(
                    "the endpoint answers with a web page ({status}) and isn't a manager",
                    status = shown(status)
                ),
                Some(self.which_server()),
            );
        }
        if status.is_redirection() {
            return self.unreachable(
                tr_sent!(
                    "it redirects to another address ({status})",
                    status = shown(status)
                ),
                Some(tr_sent!("set the endpoint of the context to that address")),
            );
        }
        let words = quote(&String::from_utf8_lossy(body));
        if words.is_empty() {
            Failure::reported(shown(status))
        } else {
            Failure::reported(format!("{}: {words}", shown(status)))
        }
    }

    /// A success status with an unexpected body.
    pub(in crate::engine::backendai) fn unreadable(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        error: &serde_json::Error,
    ) -> Failure {
        if body.is_empty() {
            return self.unreachable(tr_sent!("it sent an empty answer"), None);
        }
        if is_html(headers, body) {
            return self.unreachable(
                tr_sent!("the endpoint answers with a web page and isn't a manager"),
                Some(self.which_server()),
            );
        }
        if error.is_eof() {
            return self.unreachable(tr_sent!("it sent an incomplete answer"), None);
        }
        Failure::reported(tr_sent!(
            "invalid JSON: {said}",
            said = quote(&String::from_utf8_lossy(body))
        ))
    }

    fn which_server(&self) -> &'static str {
        if self.by_password {
            tr_sent!("with mode = \"session\", set the endpoint to the web server for logins")
        } else {
            tr_sent!(
                "with mode = \"api\", set the endpoint to the manager itself, not to the web server \
             (mode = \"session\")"
            )
        }
    }
}

/// The manager refuses our signature because of its time.
fn skewed(skew: Option<ClockSkew>) -> Failure {
    let why = match skew {
        Some(skew) => tr_sent!("{skew}, so the manager refuses the signature", skew),
        None => {
            tr_sent!("this machine's clock and the manager's differ by more than 15 min").to_owned()
        }
    };
    Failure::denied(why).hint(tr_sent!(
        "correct the wrong clock. On this machine: `sudo timedatectl set-ntp true`"
    ))
}

/// The manager refused, in its own words.
pub(in crate::engine::backendai) fn declined(why: impl Into<Clean>) -> Failure {
    Failure::refused(why)
}

/// `502 Bad Gateway`.
fn shown(status: StatusCode) -> String {
    match status.canonical_reason() {
        Some(reason) => format!("{} {reason}", status.as_u16()),
        None => tr_sent!("status {status}", status = status.as_u16()),
    }
}

fn is_html(headers: &HeaderMap, body: &[u8]) -> bool {
    let declared = headers
        .get(reqwest::header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.contains("text/html"));
    declared || body.trim_ascii_start().starts_with(b"<")
}

/// The first cause of this kind. An I/O error may contain one that its `source` doesn't return.
fn cause<T: std::error::Error + 'static>(error: &reqwest::Error) -> Option<&T> {
    let mut next = error.source();
    while let Some(inner) = next {
        if let Some(found) = inner.downcast_ref::<T>() {
            return Some(found);
        }
        let hidden = inner
            .downcast_ref::<io::Error>()
            .and_then(io::Error::get_ref);
        next = match hidden {
            Some(hidden) => Some(hidden),
            None => inner.source(),
        };
    }
    None
}

/// The innermost cause, which names the actual problem.
fn deepest(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(inner) = next {
        text = inner.to_string();
        next = inner.source();
    }
    quote(&text)
}

/// How far our clock is from the one of the answer's sender.
pub(in crate::engine::backendai) fn skew_of(
    headers: &HeaderMap,
    now: jiff::Timestamp,
) -> Option<ClockSkew> {
    let date = headers.get(reqwest::header::DATE)?.to_str().ok()?;
    clock_skew::between(now, date)
}
