//! Short pages that the gateway shows instead of an answer of the application.

use http::{HeaderMap, Response, StatusCode, header};
use tokio::net::TcpStream;

use crate::{
    locale::{self, Catalog},
    model::text::Clean,
};

/// The same for each, so that it is sent without reading a request, whose language isn't known then.
const EXCESS: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Content-Type: text/plain\r\n\
    Content-Length: 73\r\n\
    Connection: close\r\n\r\n\
    Too many open connections to this port. Close some tabs, then try again.\n";

/// What a page needs to know of a request.
pub(super) fn wishes(request: &HeaderMap) -> HeaderMap {
    let wishes = [header::ACCEPT, header::ACCEPT_LANGUAGE];
    let known = wishes.into_iter().filter_map(|name| {
        let value = request.get(&name)?.clone();
        Some((name, value))
    });
    known.collect()
}

/// A page with a status, what happened, and how to fix it: HTML for browsers, otherwise text. The language is the first
/// one that the browser asks for, otherwise that of the daemon.
pub(super) fn page(
    request: &HeaderMap,
    status: StatusCode,
    what: &Clean,
    fix: Option<&Clean>,
) -> Response<String> {
    let accepted = request.get(header::ACCEPT).and_then(|it| it.to_str().ok());
    let is_html = accepted.is_some_and(|it| it.contains("text/html"));
    let catalog = language(request);
    let translated = |text: &Clean| match catalog.and_then(|it| it.sent(text.as_str())) {
        Some(translated) => Clean::new(&translated),
        None => text.clone(),
    };
    let (what, fix) = (&translated(what), fix.map(translated));
    let (kind, text) = if is_html {
        let language = catalog.map_or("en", Catalog::language);
        let text = html(language, status, what, fix.as_ref());
        ("text/html; charset=utf-8", text)
    } else {
        ("text/plain; charset=utf-8", plain(what, fix.as_ref()))
    };
    let mut answer = Response::new(text);
    *answer.status_mut() = status;
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
        ),
    ] {
        let value = header::HeaderValue::from_static(value);
        answer.headers_mut().insert(name, value);
    }
    answer
}

fn plain(what: &Clean, fix: Option<&Clean>) -> String {
    match fix {
        Some(fix) => format!("{what}\n{fix}\n"),
        None => format!("{what}\n"),
    }
}

/// The texts for a request, `None` for English.
fn language(request: &HeaderMap) -> Option<&'static Catalog> {
    let Some(wanted) = request.get(header::ACCEPT_LANGUAGE) else {
        return locale::speaking();
    };
    let first = wanted.to_str().ok()?.split([',', ';', '-']).next()?.trim();
    locale::speaking_in(&[first.to_owned()])
}

fn html(language: &str, status: StatusCode, what: &Clean, fix: Option<&Clean>) -> String {
    let (title, what) = (escaped(&status.to_string()), escaped(what.as_str()));
    let language = escaped(language);
    let fix = fix.map(|fix| format!("<p>{}</p>", escaped(fix.as_str())));
    format!(
        "<!doctype html><html lang=\"{language}\"><meta charset=\"utf-8\"><title>{title}</title>\
         <style>body{{font:1rem/1.5 sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem}}</style>\
         <h1>{what}</h1>{}<p><small>workbay: {title}</small></p></html>\n",
        fix.unwrap_or_default()
    )
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Answers a connection beyond the limit. The answer is lost if the client is slow to take it.
pub(in crate::gateway) fn reject_excess(tcp: &TcpStream) {
    let _ = tcp.try_write(EXCESS);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_get_html_in_which_names_are_only_text() {
        let mut request = HeaderMap::new();
        let what = Clean::new("<script>alert('x')</script> & \"y\"");
        let plain = page(&request, StatusCode::BAD_GATEWAY, &what, None);
        assert_eq!(
            plain.headers()[header::CONTENT_TYPE],
            "text/plain; charset=utf-8"
        );
        assert_eq!(plain.body(), &format!("{what}\n"));
        let html = header::HeaderValue::from_static("text/html,*/*");
        request.insert(header::ACCEPT, html);
        let html = page(&request, StatusCode::BAD_GATEWAY, &what, None);
        let shown = "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt; &amp; &quot;y&quot;";
        assert!(html.body().contains(shown) && !html.body().contains("<script"));
    }

    #[test]
    fn a_page_is_in_the_language_that_the_browser_asks_for() {
        let what = Clean::new("This port needs the token of its URL.");
        for (wanted, first) in [
            ("ko-KR,ko;q=0.9,en;q=0.8", "이 포트"),
            ("en-US,ko;q=0.8", "This port"),
            ("fr", "This port"),
        ] {
            let mut request = HeaderMap::new();
            let wanted = header::HeaderValue::from_static(wanted);
            request.insert(header::ACCEPT_LANGUAGE, wanted);
            let page = page(&request, StatusCode::FORBIDDEN, &what, None);
            assert!(page.body().starts_with(first), "{}", page.body());
        }
    }

    #[test]
    fn the_answer_to_excess_connections_has_the_right_length() {
        let text = std::str::from_utf8(EXCESS).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", body.len())));
    }
}
