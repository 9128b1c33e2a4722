//! Configured values as header values.

use reqwest::header::HeaderValue;

use crate::{engine::api::Result, model::failure::Failure};

/// Returns a header value. Fails for keys that contain line breaks.
pub(in crate::engine::backendai) fn value(text: &str) -> Result<HeaderValue> {
    HeaderValue::from_str(text).map_err(|_| {
        Failure::denied(tr_sent!("a key of the context contains invalid characters"))
            .hint(tr_sent!("check access-key and secret-key for line breaks"))
    })
}
