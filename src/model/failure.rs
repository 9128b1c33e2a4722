//! Why something failed, in the one form that engines, state machines, the protocol and the clients share.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{launch_field::LaunchField, text::Clean};

/// Why something failed, and how to fix it. It is created where the failure happens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Failure {
    pub kind: FailureKind,
    /// What happened.
    pub what: Clean,
    /// The cause, if it isn't part of `what`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<Clean>,
    /// The fix, if there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<Clean>,
    /// The field of a launch that caused the failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<LaunchField>,
}

/// What a caller can do about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum FailureKind {
    /// Invalid input.
    Usage,
    /// A session, container or other named thing doesn't exist.
    NotFound,
    /// The engine doesn't have the environment or image.
    NoImage,
    /// The credentials aren't accepted. Retrying soon makes it worse.
    Denied,
    /// The login needs a one-time password, or another one. Repeating it without one is useless.
    NeedsCode,
    /// The engine or the daemon doesn't respond. A retry may succeed.
    Unreachable,
    /// The registry of an image doesn't respond. A retry may succeed.
    RegistryUnreachable,
    /// The connection to the registry broke during a transfer. A retry may succeed.
    RegistryBroken,
    /// Not possible in this state, or beyond a limit.
    Refused,
    /// This engine doesn't support the request.
    Unsupported,
    /// Any other error that the engine reported. A retry may or may not help.
    Failed,
    /// A problem of workbay, or with a file, directory or program on this machine.
    Internal,
}

impl FailureKind {
    /// The exit code of a command that fails for this reason.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Usage => 2,
            Self::NotFound | Self::NoImage => 3,
            Self::Denied | Self::NeedsCode => 4,
            Self::Unreachable => 5,
            Self::RegistryUnreachable
            | Self::RegistryBroken
            | Self::Refused
            | Self::Unsupported
            | Self::Failed
            | Self::Internal => 1,
        }
    }
}

impl Failure {
    #[must_use]
    pub fn new(kind: FailureKind, what: impl Into<Clean>) -> Self {
        Self {
            kind,
            what: what.into(),
            why: None,
            hint: None,
            field: None,
        }
    }

    #[must_use]
    pub fn usage(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Usage, what)
    }

    #[must_use]
    pub fn refused(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Refused, what)
    }

    #[must_use]
    pub fn denied(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Denied, what)
    }

    #[must_use]
    pub fn unsupported(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Unsupported, what)
    }

    #[must_use]
    pub fn internal(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Internal, what)
    }

    /// The engine at this address doesn't respond, so every request fails in the same way.
    #[must_use]
    pub fn unreachable(endpoint: &str, why: impl Into<Clean>) -> Self {
        let what = tr!("the engine at {endpoint} doesn't answer", endpoint);
        Self::new(FailureKind::Unreachable, what).because(why)
    }

    #[must_use]
    pub fn session_not_found(session: impl fmt::Display) -> Self {
        let what = tr!(
            "session {session} doesn't exist on the engine any more",
            session
        );
        Self::new(FailureKind::NotFound, what)
    }

    #[must_use]
    pub fn no_image(image: impl fmt::Display) -> Self {
        Self::new(FailureKind::NoImage, tr!("{image} not found", image))
    }

    #[must_use]
    pub fn registry_unreachable(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::RegistryUnreachable, what)
    }

    #[must_use]
    pub fn registry_broken(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::RegistryBroken, what)
    }

    #[must_use]
    pub fn not_found(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::NotFound, what)
    }

    /// The engine or the daemon doesn't respond.
    #[must_use]
    pub fn lost(what: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Unreachable, what)
    }

    /// The engine can't fulfill the request: resources, limits, options.
    #[must_use]
    pub fn engine_refused(why: impl Into<Clean>) -> Self {
        Self::refused(tr!("the engine refused")).because(why)
    }

    /// Any other error of the engine.
    #[must_use]
    pub fn reported(why: impl Into<Clean>) -> Self {
        Self::new(FailureKind::Failed, tr!("the engine reported")).because(why)
    }

    #[must_use]
    pub fn because(mut self, why: impl Into<Clean>) -> Self {
        self.why = Some(why.into());
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<Clean>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<impl Into<Clean>>) -> Self {
        self.hint = hint.map(Into::into);
        self
    }

    /// Names the field. The form shows only `what` beside it.
    #[must_use]
    pub fn about(mut self, field: LaunchField) -> Self {
        self.what = self.message();
        self.why = None;
        self.field = Some(field);
        self
    }

    /// Whether the connection is lost.
    pub fn is_lost(&self) -> bool {
        self.kind == FailureKind::Unreachable
    }

    /// Whether the engine doesn't accept who we are.
    pub fn is_denied(&self) -> bool {
        matches!(self.kind, FailureKind::Denied | FailureKind::NeedsCode)
    }

    pub fn is_not_found(&self) -> bool {
        self.kind == FailureKind::NotFound
    }

    /// What happened, and why, in one sentence.
    pub fn message(&self) -> Clean {
        match &self.why {
            Some(_) => self.to_string().into(),
            None => self.what.clone(),
        }
    }

    /// Message and hint in one sentence, or in two if the message already has a colon.
    pub fn sentence(&self) -> String {
        let message = self.message();
        match &self.hint {
            Some(hint) if message.as_str().contains(": ") => {
                let mut letters = hint.as_str().chars();
                let first = letters.next().map(char::to_uppercase);
                let hint: String = first.into_iter().flatten().chain(letters).collect();
                format!("{message}. {hint}")
            }
            Some(hint) => format!("{message}: {hint}"),
            None => message.into_string(),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Some(why) => write!(f, "{}: {why}", self.what),
            None => self.what.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hint_is_a_sentence_of_its_own_where_there_is_a_colon_already() {
        for (text, said) in [
            ("the disk is full", "the disk is full: free some room"),
            ("it is away: no way", "it is away: no way. Free some room"),
            ("a:5000 is away", "a:5000 is away: free some room"),
        ] {
            let failure = Failure::refused(text).hint("free some room");
            assert_eq!(failure.sentence(), said);
        }
    }

    #[test]
    fn the_message_names_the_cause() {
        let failure = Failure::unreachable("unix:/x", "no socket").hint("start it");
        assert!(failure.is_lost());
        let said = "the engine at unix:/x doesn't answer: no socket";
        assert_eq!(failure.message().as_str(), said);
        assert_eq!(failure.sentence(), format!("{said}. Start it"));
    }
}
