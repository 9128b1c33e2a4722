//! What the headers of a request and of an answer keep on their way.

use std::net::SocketAddr;

use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{self, Entry},
};

use super::access::{COOKIE, Pass, TOKEN_HEADER, cookies};

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");
const FORWARDED_HOST: HeaderName = HeaderName::from_static("x-forwarded-host");

/// Headers of a connection, not of a message (RFC 9110, section 7.6.1).
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

/// Statements of proxies, which only this one may make.
const OF_PROXIES: [&str; 4] = [
    "forwarded",
    "x-real-ip",
    "x-forwarded-port",
    "x-forwarded-server",
];

/// Headers that a client can't remove by naming them in `Connection`.
const KEPT: [HeaderName; 2] = [header::HOST, header::CONTENT_LENGTH];

/// The protocol that a message upgrades to, if it does.
pub(super) fn upgrade(headers: &HeaderMap) -> Option<HeaderValue> {
    let is_upgrade = tokens(headers).any(|token| token.eq_ignore_ascii_case("upgrade"));
    is_upgrade.then(|| headers.get(header::UPGRADE).cloned())?
}

/// Adds the headers that upgrade a connection.
pub(super) fn set_upgrade(headers: &mut HeaderMap, protocol: HeaderValue) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("upgrade"));
    headers.insert(header::UPGRADE, protocol);
}

/// The values of `Connection`.
fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let values = headers.get_all(header::CONNECTION).iter();
    let values = values.filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = tokens(headers).filter_map(|it| it.parse().ok()).collect();
    for name in named.iter().filter(|name| !KEPT.contains(name)) {
        headers.remove(name);
    }
    for name in &HOP_BY_HOP {
        headers.remove(name);
    }
}

/// Makes the headers of a client those of the request to the application: without what belongs to the connection and to
/// the gateway.
pub(super) fn for_application(headers: &mut HeaderMap, pass: &Pass, peer: SocketAddr) {
    remove_hop_by_hop(headers);
    // The gateway answers with 100 itself, as soon as the application takes the body.
    headers.remove(header::EXPECT);
    headers.remove(TOKEN_HEADER);
    if pass.is_authorization_ours {
        headers.remove(header::AUTHORIZATION);
    }
    remove_own_cookies(headers);
    for name in OF_PROXIES {
        headers.remove(name);
    }
    let peer = peer.ip().to_canonical().to_string();
    for (name, value) in [
        (FORWARDED_FOR, peer.as_str()),
        (FORWARDED_PROTO, "http"),
        (FORWARDED_HOST, pass.host.as_str()),
    ] {
        if let Ok(value) = HeaderValue::from_str(value) {
            headers.insert(name, value);
        }
    }
}

/// An application must not get the cookies of gateways: browsers send those of all ports of a host.
fn remove_own_cookies(headers: &mut HeaderMap) {
    let is_own = |name: &[u8]| name.starts_with(COOKIE.as_bytes());
    if !cookies(headers).any(|(name, _)| is_own(name)) {
        return;
    }
    let mut kept = Vec::new();
    for (name, value) in cookies(headers).filter(|(name, _)| !is_own(name)) {
        if !kept.is_empty() {
            kept.extend_from_slice(b"; ");
        }
        kept.extend_from_slice(name);
        kept.push(b'=');
        kept.extend_from_slice(value);
    }
    headers.remove(header::COOKIE);
    if !kept.is_empty()
        && let Ok(value) = HeaderValue::from_bytes(&kept)
    {
        headers.insert(header::COOKIE, value);
    }
}

/// Makes the headers of the application those of the answer to the client.
pub(super) fn for_client(headers: &mut HeaderMap) {
    remove_hop_by_hop(headers);
    let Entry::Occupied(set) = headers.entry(header::SET_COOKIE) else {
        return;
    };
    let is_own = |value: &HeaderValue| {
        let value = value.as_bytes().trim_ascii_start();
        value.starts_with(COOKIE.as_bytes())
    };
    // An application must not replace the cookies of gateways.
    if set.iter().any(is_own) {
        let (name, values) = set.remove_entry_mult();
        let kept: Vec<_> = values.filter(|value| !is_own(value)).collect();
        for value in kept {
            headers.append(&name, value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&str, &str)]) -> HeaderMap {
        let pairs = lines.iter().map(|(name, value)| {
            let name: HeaderName = name.parse().unwrap();
            (name, HeaderValue::from_str(value).unwrap())
        });
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, value);
        }
        headers
    }

    fn forwarded(lines: &[(&str, &str)], is_authorization_ours: bool) -> HeaderMap {
        let mut headers = headers(lines);
        let pass = Pass {
            host: "127.0.0.1:8888".parse().unwrap(),
            is_authorization_ours,
        };
        for_application(&mut headers, &pass, "[::ffff:10.0.0.7]:5".parse().unwrap());
        headers
    }

    #[test]
    fn what_belongs_to_the_connection_stays_there() {
        let headers = forwarded(
            &[
                ("host", "127.0.0.1:8888"),
                ("connection", "keep-alive, X-Secret , host"),
                ("x-secret", "1"),
                ("keep-alive", "timeout=5"),
                ("te", "trailers"),
                ("transfer-encoding", "chunked"),
                ("upgrade", "h2c"),
                ("proxy-authorization", "x"),
                ("expect", "100-continue"),
                ("accept", "*/*"),
            ],
            false,
        );
        let mut names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        let expected = [
            "accept",
            "host",
            "x-forwarded-for",
            "x-forwarded-host",
            "x-forwarded-proto",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn clients_do_not_choose_where_they_seem_to_come_from() {
        let lines = [
            ("x-forwarded-for", "1.2.3.4"),
            ("forwarded", "for=1.2.3.4"),
            ("x-real-ip", "1.2.3.4"),
            ("x-forwarded-host", "evil.example"),
        ];
        let headers = forwarded(&lines, false);
        assert_eq!(headers["x-forwarded-for"], "10.0.0.7");
        assert_eq!(headers["x-forwarded-host"], "127.0.0.1:8888");
        assert_eq!(headers["x-forwarded-proto"], "http");
        assert_eq!(headers.len(), 3);
    }

    #[test]
    fn tokens_and_cookies_of_gateways_stay_here() {
        let lines = [
            ("cookie", "a=1; workbay_8888=secret; b=2=3"),
            ("cookie", "workbay_9999=other"),
            ("x-workbay-token", "secret"),
            ("authorization", "token of-jupyter"),
        ];
        let kept = forwarded(&lines, false);
        assert_eq!(kept["cookie"], "a=1; b=2=3");
        assert_eq!(kept["authorization"], "token of-jupyter");
        assert!(!kept.contains_key("x-workbay-token"));
        assert!(!forwarded(&lines, true).contains_key("authorization"));
        assert!(!forwarded(&lines[1..2], false).contains_key("cookie"));
    }

    #[test]
    fn applications_do_not_set_cookies_of_gateways() {
        let mut headers = headers(&[
            ("set-cookie", "a=1; Path=/"),
            ("set-cookie", "workbay_9999=x"),
            ("set-cookie", "b=2"),
            ("connection", "close"),
        ]);
        for_client(&mut headers);
        let set: Vec<_> = headers.get_all("set-cookie").iter().collect();
        assert_eq!(set, ["a=1; Path=/", "b=2"]);
        assert_eq!(headers.len(), 2);
    }
}
