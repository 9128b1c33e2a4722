//! The address of a manager, parsed once.

use reqwest::Url;

use crate::{
    engine::api::Result,
    model::{address, failure::Failure},
};

/// The address of a context, checked.
#[derive(Clone, Debug)]
pub(in crate::engine::backendai) struct BaseUrl {
    url: Url,
    /// The prefix of every path: `/func` at a web server, and the endpoint's own path.
    prefix: String,
    /// The address as configured, for messages.
    shown: String,
}

impl BaseUrl {
    /// With `through_web`, the manager's paths begin with `/func`.
    pub(in crate::engine::backendai) fn new(endpoint: &str, through_web: bool) -> Result<Self> {
        let bad = |why: &str| {
            Failure::denied(tr_sent!(
                "endpoint '{endpoint}' {why}",
                endpoint = crate::model::text::Clean::new(endpoint),
                why
            ))
            .hint(tr_sent!(
                "use an address like https://manager.example or http://127.0.0.1:8091"
            ))
        };
        let url = Url::parse(endpoint.trim()).map_err(|_| bad(tr_sent!("isn't an address")))?;
        if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
            return Err(bad(tr_sent!("isn't an http or https address")));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(
                Failure::denied(tr_sent!("the endpoint contains a username or password"))
                    .hint(tr_sent!("set access-key and secret-key instead")),
            );
        }
        let own = url.path().trim_end_matches('/').to_owned();
        let prefix = if through_web {
            format!("{own}/func")
        } else {
            own
        };
        Ok(Self {
            shown: endpoint.trim().trim_end_matches('/').to_owned(),
            url,
            prefix,
        })
    }

    /// Refuses plain HTTP to another machine, unless the context allows it. A password is never
    /// sent over plain HTTP.
    pub(in crate::engine::backendai) fn check_encryption(
        &self,
        by_password: bool,
        accepted: bool,
    ) -> Result<()> {
        if !address::is_unencrypted(&self.url) || (accepted && !by_password) {
            return Ok(());
        }
        Err(Failure::denied(tr_sent!(
            "endpoint {why}",
            why = address::why_refused(&self.shown)
        ))
        .hint(address::secure_alternatives(by_password).to_owned()))
    }

    /// Whether the address is on this machine.
    pub(in crate::engine::backendai) fn is_loopback(&self) -> bool {
        address::is_loopback(&self.url)
    }

    pub(in crate::engine::backendai) fn shown(&self) -> &str {
        &self.shown
    }

    /// Host name and port to connect to.
    pub(in crate::engine::backendai) fn peer(&self) -> (&str, u16) {
        let host = self.url.host_str().unwrap_or_default();
        let port = self.url.port_or_known_default().unwrap_or(80);
        (host, port)
    }

    /// The `Host` header, with the port only if it isn't the default of the scheme.
    pub(in crate::engine::backendai) fn host_header(&self) -> String {
        let host = self.url.host_str().unwrap_or_default();
        match self.url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        }
    }

    /// The URL of a manager's path with its query (`/session?x=1`).
    pub(in crate::engine::backendai) fn manager(&self, path: &str) -> Url {
        self.at(&format!("{}{path}", self.prefix))
    }

    /// The URL of a web server's own path (`/server/login`).
    pub(in crate::engine::backendai) fn web(&self, path: &str) -> Url {
        let own = self.url.path().trim_end_matches('/');
        self.at(&format!("{own}{path}"))
    }

    fn at(&self, target: &str) -> Url {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let mut url = self.url.clone();
        url.set_path(path);
        url.set_query(query);
        url.set_fragment(None);
        url
    }
}

/// Path and query as they are sent.
pub(in crate::engine::backendai) fn target(url: &Url) -> String {
    match url.query() {
        Some(query) => format!("{}?{query}", url.path()),
        None => url.path().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::Clean;

    #[test]
    fn paths_of_both_kinds_of_server() {
        let api = BaseUrl::new("http://127.0.0.1:8091/", false).unwrap();
        assert_eq!(api.host_header(), "127.0.0.1:8091");
        assert_eq!(api.shown(), "http://127.0.0.1:8091");
        let url = api.manager("/events/session?sessionName=*&scope=*");
        assert_eq!(target(&url), "/events/session?sessionName=*&scope=*");
        let web = BaseUrl::new("https://cloud.example/base", true).unwrap();
        assert_eq!(web.host_header(), "cloud.example");
        assert_eq!(web.peer(), ("cloud.example", 443));
        assert_eq!(target(&web.manager("/session")), "/base/func/session");
        assert_eq!(target(&web.web("/server/login")), "/base/server/login");
        assert_eq!(
            BaseUrl::new("http://[::1]:80", false)
                .unwrap()
                .host_header(),
            "[::1]"
        );
    }

    #[test]
    fn plain_http_to_another_machine_is_refused() {
        for near in [
            "http://127.0.0.1:8091",
            "http://[::1]:80",
            "https://far.example",
        ] {
            for by_password in [false, true] {
                let place = BaseUrl::new(near, by_password).unwrap();
                assert!(place.check_encryption(by_password, false).is_ok());
            }
        }
        let far = BaseUrl::new("http://far.example:8091", true).unwrap();
        assert!(far.check_encryption(false, true).is_ok());
        for (by_password, accepted, help) in [
            (false, false, "insecure = true"),
            (true, false, "never sent over plain HTTP"),
            (true, true, "never sent over plain HTTP"),
        ] {
            let refused = far.check_encryption(by_password, accepted);
            let failure = refused.unwrap_err();
            assert!(failure.is_denied());
            let (why, hint) = (failure.to_string(), failure.hint.map(Clean::into_string));
            assert!(
                why.contains("'http://far.example:8091' isn't encrypted"),
                "{why}"
            );
            assert!(hint.unwrap().contains(help));
        }
    }

    #[test]
    fn what_is_no_address_is_reported() {
        for bad in ["", "manager", "ftp://x", "unix:///x", "http://"] {
            let error = BaseUrl::new(bad, false).unwrap_err().to_string();
            assert!(error.starts_with("endpoint '"), "{bad}: {error}");
        }
        let error = BaseUrl::new("http://me:hush@x", false).unwrap_err();
        assert!(!format!("{error:?}{error}").contains("hush"));
    }
}
