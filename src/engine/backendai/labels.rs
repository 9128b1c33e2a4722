//! The labels of an image. Pure.

use serde_json::Value;

use super::blob::Node;

/// `[{"key", "value"}]`.
pub(super) struct Labels<'a>(pub(super) &'a [Value]);

impl<'a> Labels<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a str> {
        let mut found = self
            .0
            .iter()
            .map(Node::new)
            .filter(|label| label.str("key") == Some(key));
        found.next()?.str("value")
    }
}
