//! Whether a request may pass to the application.

use std::net::IpAddr;

use http::{
    HeaderMap, HeaderName, Method, Request, Response, StatusCode, Uri, header, uri::Authority,
};

use super::pages;
use crate::{
    gateway::{
        Access, Route, TokenBook,
        listening::{Ends, Visitor},
        token::PARAMETER,
    },
    model::text::Clean,
};

/// The header with the secret of a route.
pub(super) const TOKEN_HEADER: HeaderName = HeaderName::from_static("x-workbay-token");

/// The beginning of the names of all cookies of gateways. The port follows, because browsers send the cookies of all
/// ports of a host to each of them.
pub(super) const COOKIE: &str = "workbay_";

/// A request that may pass.
#[derive(Debug)]
pub(super) struct Pass {
    /// Host, as the client sent it.
    pub(super) host: Authority,
    /// Whether the header `Authorization` has the secret of the route, so it isn't for the application.
    pub(super) is_authorization_ours: bool,
}

/// An answer instead of the application's.
pub(super) type Refused = Box<Response<String>>;

/// Checks a request, from the most general rule to its token.
pub(super) fn check<B>(
    route: &Route,
    ends: Ends,
    visitor: Visitor,
    request: &Request<B>,
) -> Result<Pass, Refused> {
    let refuse = |status, what: &str, fix: &str| {
        let page = pages::page(request.headers(), status, &what.into(), Some(&fix.into()));
        Box::new(page)
    };
    let forbid = |what: &str, fix: &str| Err(refuse(StatusCode::FORBIDDEN, what, fix));
    match visitor {
        Visitor::Welcome => {}
        Visitor::OtherUser => {
            let fix = tr_sent!("Only the user who opened the forward can use it.");
            return forbid(
                tr_sent!("This port belongs to another user of this machine."),
                fix,
            );
        }
        Visitor::Outside => {
            let fix = tr_sent!(
                "Ask the user who opened the port to add your network to the allowed networks."
            );
            return forbid(
                tr_sent!("Your address isn't in the allowed networks of this port."),
                fix,
            );
        }
    }
    let Some(host) = host(request) else {
        let what = tr_sent!("The request doesn't name its target in the header Host.");
        let fix = tr_sent!("Send HTTP/1.1 with one Host header, and a path instead of a full URL.");
        return Err(refuse(StatusCode::BAD_REQUEST, what, fix));
    };
    let tokens = match &route.access {
        Access::Token(tokens) => Some(tokens),
        Access::Public { .. } => None,
    };
    if tokens.is_some() && !is_own_address(&host, ends.local.ip()) {
        let fix = tr_sent!("Open the port as 127.0.0.1 or localhost.");
        return forbid(tr_sent!("The header Host doesn't name this machine."), fix);
    }
    if !is_origin_valid(request, &host) {
        let fix = tr_sent!("Open the application in a tab of its own.");
        return forbid(
            tr_sent!("The request comes from a page of another site."),
            fix,
        );
    }
    let Some(tokens) = tokens else {
        return Ok(Pass {
            host,
            is_authorization_ours: false,
        });
    };
    if let Some(is_authorization_ours) = secret_in_header(tokens, request.headers()) {
        return Ok(Pass {
            host,
            is_authorization_ours,
        });
    }
    token_or_cookie(tokens, host, request)
}

/// Access of browsers: a one-time token in the URL, or the cookie.
fn token_or_cookie<B>(
    tokens: &TokenBook,
    host: Authority,
    request: &Request<B>,
) -> Result<Pass, Refused> {
    let name = cookie_name(&host);
    let has_cookie = cookies(request.headers())
        .any(|(its, value)| its == name.as_bytes() && tokens.is_cookie(value));
    let is_navigation =
        request.method() == Method::GET && !request.headers().contains_key(header::UPGRADE);
    if is_navigation && let Some(token) = token_in_url(request.uri()) {
        // A token is used up even if the browser has access, so that nobody else can use it.
        if tokens.take(token) || has_cookie {
            return Err(redirect(tokens, &name, request.uri()));
        }
        let what = tr_sent!("This URL was used before, or is too old.");
        return Err(forbidden(request.headers(), what));
    }
    if !has_cookie {
        let what = tr_sent!("This port needs the token of its URL.");
        return Err(forbidden(request.headers(), what));
    }
    if is_used_by_another_site(request.headers()) {
        let what = tr_sent!("The request comes from a page of another site or port.");
        return Err(forbidden(request.headers(), what));
    }
    Ok(Pass {
        host,
        is_authorization_ours: false,
    })
}

fn forbidden(headers: &HeaderMap, what: &str) -> Refused {
    let fix = tr_sent!(
        "Run `workbay port ls` to find the forward, and `workbay port open SESSION PORT` to get a new URL. Then open \
        that URL."
    );
    let page = pages::page(
        headers,
        StatusCode::FORBIDDEN,
        &what.into(),
        Some(&fix.into()),
    );
    Box::new(page)
}

/// Sets the cookie and leads to the same URL without the token.
///
/// The cookie is `Lax`: a `Strict` one would be missing after the redirect if a page of another site has the link.
/// Requests that change something are protected by the check of Origin.
fn redirect(tokens: &TokenBook, name: &str, uri: &Uri) -> Refused {
    let value = tokens.cookie().expose();
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Lax");
    let target = without_token(uri);
    // `//host` and `/\host` would lead to another host.
    let target = format!("/{}", target.trim_start_matches(['/', '\\']));
    let answer = Response::builder()
        .status(StatusCode::SEE_OTHER)
        .header(header::LOCATION, target)
        .header(header::SET_COOKIE, cookie)
        .header(header::CACHE_CONTROL, "no-store")
        .header(header::REFERRER_POLICY, "no-referrer")
        .body(String::new());
    Box::new(answer.unwrap_or_else(|_| {
        let what = Clean::new(tr_sent!("The URL isn't valid."));
        pages::page(&HeaderMap::new(), StatusCode::BAD_REQUEST, &what, None)
    }))
}

/// The target of a request in the only form that isn't ambiguous: one Host and a path.
fn host<B>(request: &Request<B>) -> Option<Authority> {
    let uri = request.uri();
    if uri.authority().is_some() || uri.path_and_query().is_none() {
        return None;
    }
    let mut hosts = request.headers().get_all(header::HOST).iter();
    let host = hosts.next()?.to_str().ok()?;
    if hosts.next().is_some() || host.contains('@') {
        return None;
    }
    host.parse().ok()
}

/// Whether a host is this machine by an address, not by a name that someone else's DNS resolves. The port may differ,
/// because `ssh -L` can listen on another port of the user's own machine.
fn is_own_address(host: &Authority, local: IpAddr) -> bool {
    let name = host.host();
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let address = name.parse().map(|address: IpAddr| address.to_canonical());
    address.is_ok_and(|address| address.is_loopback() || address == local.to_canonical())
}

/// Whether a request that changes something or upgrades the connection comes from a page of this host, or from no page.
fn is_origin_valid<B>(request: &Request<B>, host: &Authority) -> bool {
    let is_read = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS
    );
    let mut origins = request.headers().get_all(header::ORIGIN).iter();
    if is_read && !request.headers().contains_key(header::UPGRADE) {
        return true;
    }
    origins.all(|origin| {
        let origin = origin.to_str().unwrap_or_default();
        let (own, scheme) = match origin.split_once("://") {
            Some(("http", own)) => (own, 80),
            Some(("https", own)) => (own, 443),
            _ => return false,
        };
        let Ok(own) = own.parse::<Authority>() else {
            return false;
        };
        let port = |authority: &Authority| authority.port_u16().unwrap_or(scheme);
        own.host().eq_ignore_ascii_case(host.host()) && port(&own) == port(host)
    })
}

/// Whether the browser says that a page of another site or port sends the request with the cookie, other than by
/// following a link. `SameSite` doesn't prevent that for pages of other ports, such as those of other sessions.
fn is_used_by_another_site(headers: &HeaderMap) -> bool {
    let has = |name: &str, values: &[&str]| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| values.contains(&value))
    };
    has("sec-fetch-site", &["same-site", "cross-site"]) && !has("sec-fetch-mode", &["navigate"])
}

/// `None` = no header has the secret. Otherwise whether it is `Authorization`.
fn secret_in_header(tokens: &TokenBook, headers: &HeaderMap) -> Option<bool> {
    let bearer = headers.get(header::AUTHORIZATION).and_then(|value| {
        let (scheme, token) = value.as_bytes().split_at_checked("Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
    });
    if bearer.is_some_and(|token| tokens.is_secret(token)) {
        return Some(true);
    }
    let own = headers.get(TOKEN_HEADER)?;
    tokens.is_secret(own.as_bytes()).then_some(false)
}

/// The name of the cookie for the port that the client sees.
fn cookie_name(host: &Authority) -> String {
    format!("{COOKIE}{}", host.port_u16().unwrap_or(80))
}

/// All cookies of a request, as name and value.
pub(super) fn cookies(headers: &HeaderMap) -> impl Iterator<Item = (&[u8], &[u8])> {
    let values = headers.get_all(header::COOKIE).iter();
    let pairs = values.flat_map(|value| value.as_bytes().split(|byte| *byte == b';'));
    pairs.map(|pair| {
        let pair = pair.trim_ascii();
        let end = pair.iter().position(|byte| *byte == b'=');
        let end = end.unwrap_or(pair.len());
        (&pair[..end], pair.get(end + 1..).unwrap_or_default())
    })
}

fn parameters(uri: &Uri) -> impl Iterator<Item = &str> {
    uri.query().into_iter().flat_map(|query| query.split('&'))
}

fn value_of_token(parameter: &str) -> Option<&str> {
    parameter.strip_prefix(PARAMETER)?.strip_prefix('=')
}

fn token_in_url(uri: &Uri) -> Option<&str> {
    parameters(uri).find_map(value_of_token)
}

/// Path and query without our parameter.
pub(super) fn without_token(uri: &Uri) -> String {
    let kept: Vec<_> = parameters(uri)
        .filter(|it| value_of_token(it).is_none())
        .collect();
    let path = uri.path();
    if kept.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{}", kept.join("&"))
    }
}
