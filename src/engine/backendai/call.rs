//! A request to a manager, and its answer.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{
    Method, Url,
    header::{HeaderMap, HeaderValue},
};
use serde_json::Value;

/// Time limits of requests, the WebUI's own.
pub(super) const USUAL: Duration = Duration::from_secs(30);
pub(super) const LIST: Duration = Duration::from_secs(20);
pub(super) const SHORT: Duration = Duration::from_secs(15);

/// A request to the manager.
#[derive(Clone, Debug)]
pub(super) struct Call {
    pub(super) method: Method,
    /// Path and query below the manager's root, percent-encoded.
    pub(super) path: String,
    pub(super) body: Option<Bytes>,
    pub(super) accept: Option<HeaderValue>,
    pub(super) limit: Duration,
}

impl Call {
    pub(super) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            body: None,
            accept: None,
            limit: USUAL,
        }
    }

    pub(super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(super) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, path).json(body)
    }

    #[must_use]
    pub(super) fn json(mut self, body: &Value) -> Self {
        self.body = Some(Bytes::from(body.to_string()));
        self
    }

    /// What kind of answer is wanted.
    #[must_use]
    pub(super) fn accepting(mut self, kind: &'static str) -> Self {
        self.accept = Some(HeaderValue::from_static(kind));
        self
    }

    #[must_use]
    pub(super) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

/// A success, read to its end.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

/// A path with an encoded query.
pub(super) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    // Only its encoding of queries is wanted of this address.
    let made = Url::parse_with_params("http://x", pairs);
    let query = made.ok().and_then(|url| url.query().map(str::to_owned));
    format!("{path}?{}", query.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_encoded() {
        assert_eq!(with_query("/x", &[("group", "a b&c")]), "/x?group=a+b%26c");
    }
}
