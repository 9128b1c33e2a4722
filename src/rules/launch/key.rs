//! Idempotency keys: a launch that is requested again with the same key doesn't launch a second session.

use crate::model::{
    fnv,
    id::{ContextName, InstanceId, SessionId},
    spec::LaunchRequest,
    text::Clean,
};

/// The longest key, in characters.
pub const MOST: usize = 64;

/// Creates a key that was never used before.
#[must_use]
pub fn random() -> String {
    SessionId::random().to_string()
}

/// Checks a key, because users can provide their own.
pub fn check(key: &str) -> Result<(), String> {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if (1..=MOST).contains(&key.len()) && key.chars().all(is_allowed) {
        return Ok(());
    }
    let shown: String = key.chars().take(MOST).collect();
    Err(tr!(
        "invalid idempotency key '{shown}'. Use 1 to {most} letters, digits, '.', '_' or '-', as in nightly-2026-11-22",
        shown = Clean::new(&shown),
        most = MOST
    ))
}

/// The id of the session that a key launches. `copy` counts from 0. Because the id is derived from the key,
/// the state database and the labels of containers both record what the key launched.
#[must_use]
pub fn session(instance: InstanceId, context: ContextName, key: &str, copy: usize) -> SessionId {
    // The repetition makes the last characters affect every bit.
    let text = format!("{instance}\0{context}\0{key}\0{copy}\0").repeat(2);
    // A collision isn't an attack, because keys only affect their own user.
    SessionId::from_u128(fnv::wide(text.as_bytes()))
}

impl LaunchRequest {
    /// The request without the idempotency key.
    #[must_use]
    pub fn without_key(self) -> Self {
        Self {
            idempotency_key: None,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_short_and_plain() {
        for good in ["a", "nightly-2026.11_22", &random(), &"k".repeat(64)] {
            assert_eq!(check(good), Ok(()));
        }
        for bad in ["", "a b", "a/b", "é", "\u{1b}[2J", &"k".repeat(65)] {
            let why = check(bad).unwrap_err();
            assert!(why.contains("1 to 64") && !why.contains('\u{1b}'), "{why}");
        }
    }

    #[test]
    fn the_session_of_a_key_is_always_the_same_and_nobody_elses() {
        let (one, two) = (InstanceId::from_u128(1), InstanceId::from_u128(2));
        let context = ContextName::local();
        let first = session(one, context, "nightly", 0);
        assert_eq!(first, session(one, context, "nightly", 0));
        let copy = session(one, context, "nightly", 1);
        assert_ne!(first.short(), copy.short());
        assert_ne!(first, session(one, context, "nightly0", 0));
        assert_ne!(first, session(two, context, "nightly", 0));
        let other = ContextName::new("prod").unwrap();
        assert_ne!(first, session(one, other, "nightly", 0));
    }
}
