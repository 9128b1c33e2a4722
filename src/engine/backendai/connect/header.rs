//! What a person configured, as the value of a header.

use reqwest::header::HeaderValue;

use crate::engine::{api::Result, error::EngineError};

/// A header's value; keys that hold line breaks end here.
pub(in crate::engine::backendai) fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|_| EngineError::Denied {
        why: "a key of the context contains invalid characters".to_owned(),
        hint: Some("check access-key and secret-key for line breaks".to_owned()),
    })
}
