//! The labels of an image. Pure.

use serde_json::Value;

use crate::engine::backendai::request::lenient_json::Node;

/// `[{"key", "value"}]`.
pub(in crate::engine::backendai) struct Labels<'a>(pub(in crate::engine::backendai) &'a [Value]);

impl<'a> Labels<'a> {
    pub(in crate::engine::backendai) fn get(&self, key: &str) -> Option<&'a str> {
        let mut found = self
            .0
            .iter()
            .map(Node::new)
            .filter(|label| label.str("key") == Some(key));
        found.next()?.str("value")
    }
}
