//! A text that is never displayed: keys, passwords, cookies.

use std::fmt;

use serde::{Serialize, Serializer};
use zeroize::Zeroizing;

/// Replaces a secret wherever it would be printed.
const MASK: &str = "•••";

/// A secret text. `Debug`, `Display` and `Serialize` show `•••`, and its memory is wiped on drop. It can't be
/// deserialized, so nothing that contains a secret is ever stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(Zeroizing::new(text.into()))
    }

    /// The text itself, only for code that sends it or signs with it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_prints_shows_it() {
        let secret = Secret::new("wJalrXUtnFEMI");
        assert_eq!(secret.expose(), "wJalrXUtnFEMI");
        for shown in [
            format!("{secret}"),
            format!("{secret:?}"),
            format!("{:#?}", Some(&secret)),
            serde_json::to_string(&[&secret]).unwrap(),
        ] {
            assert!(shown.contains(MASK), "{shown}");
            assert!(!shown.contains("wJal"), "{shown}");
        }
    }
}
