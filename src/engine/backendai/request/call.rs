//! A request to a manager, and its answer.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{
    Method, Url,
    header::{HeaderMap, HeaderValue},
};
use serde_json::Value;

/// Time limits of requests, the same as the WebUI's.
pub(in crate::engine::backendai) const USUAL: Duration = Duration::from_secs(30);
pub(in crate::engine::backendai) const LIST: Duration = Duration::from_secs(20);
pub(in crate::engine::backendai) const SHORT: Duration = Duration::from_secs(15);

/// A request to the manager.
#[derive(Clone, Debug)]
pub(in crate::engine::backendai) struct ManagerCall {
    pub(in crate::engine::backendai) method: Method,
    /// Path and query below the manager's root, percent-encoded.
    pub(in crate::engine::backendai) path: String,
    pub(in crate::engine::backendai) body: Option<Bytes>,
    pub(in crate::engine::backendai) accept: Option<HeaderValue>,
    pub(in crate::engine::backendai) limit: Duration,
    /// It only reads, so sending it twice changes nothing.
    pub(in crate::engine::backendai) only_reads: bool,
}

impl ManagerCall {
    pub(in crate::engine::backendai) fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            only_reads: method == Method::GET,
            method,
            path: path.into(),
            body: None,
            accept: None,
            limit: USUAL,
        }
    }

    pub(in crate::engine::backendai) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    pub(in crate::engine::backendai) fn post(path: impl Into<String>, body: &Value) -> Self {
        Self::new(Method::POST, path).json(body)
    }

    #[must_use]
    pub(in crate::engine::backendai) fn json(mut self, body: &Value) -> Self {
        self.body = Some(Bytes::from(body.to_string()));
        self
    }

    /// Sets the media type of the expected answer.
    #[must_use]
    pub(in crate::engine::backendai) fn accepting(mut self, kind: &'static str) -> Self {
        self.accept = Some(HeaderValue::from_static(kind));
        self
    }

    /// Marks a request that only reads, although its method isn't `GET`.
    #[must_use]
    pub(in crate::engine::backendai) fn reading(mut self) -> Self {
        self.only_reads = true;
        self
    }

    /// Names the access key of another user whose session it is about.
    #[must_use]
    pub(in crate::engine::backendai) fn for_owner(mut self, key: &str) -> Self {
        let mark = if self.path.contains('?') { '&' } else { '?' };
        let query = with_query("", &[("owner_access_key", key)]);
        self.path.push(mark);
        self.path.push_str(query.trim_start_matches('?'));
        self
    }

    #[must_use]
    pub(in crate::engine::backendai) fn within(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }
}

/// A successful answer, read completely.
#[derive(Debug)]
pub(in crate::engine::backendai) struct ManagerAnswer {
    pub(in crate::engine::backendai) headers: HeaderMap,
    pub(in crate::engine::backendai) body: Bytes,
}

/// Builds a path with an encoded query.
pub(in crate::engine::backendai) fn with_query(path: &str, pairs: &[(&str, &str)]) -> String {
    // The URL is needed only to encode the query.
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
        let owned = |path: &str| ManagerCall::get(path).for_owner("A&K").path;
        assert_eq!(owned("/x"), "/x?owner_access_key=A%26K");
        assert_eq!(owned("/x?y=1"), "/x?y=1&owner_access_key=A%26K");
    }
}
