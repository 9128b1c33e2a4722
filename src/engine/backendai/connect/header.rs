//! Configured values as header values.

use reqwest::header::HeaderValue;

use crate::engine::{api::Result, error::EngineError};

/// Returns a header value. Fails for keys that contain line breaks.
pub(in crate::engine::backendai) fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|_| EngineError::Denied {
        why: "a key of the context contains invalid characters".to_owned(),
        hint: Some("check access-key and secret-key for line breaks".to_owned()),
    })
}
