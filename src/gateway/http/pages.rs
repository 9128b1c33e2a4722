//! Short pages that the gateway shows instead of an answer of the application.

use http::{HeaderMap, Response, StatusCode, header};
use tokio::net::TcpStream;

use crate::model::text::Clean;

/// The same for each, so that it is sent without reading a request.
const EXCESS: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\n\
    Content-Type: text/plain\r\n\
    Content-Length: 73\r\n\
    Connection: close\r\n\r\n\
    Too many open connections to this port. Close some tabs, then try again.\n";

/// A page with a status, what happened, and how to fix it: HTML for browsers, otherwise text.
pub(super) fn page(
    request: &HeaderMap,
    status: StatusCode,
    what: &Clean,
    fix: Option<&Clean>,
) -> Response<String> {
    let accepted = request.get(header::ACCEPT).and_then(|it| it.to_str().ok());
    let is_html = accepted.is_some_and(|it| it.contains("text/html"));
    let (kind, text) = if is_html {
        ("text/html; charset=utf-8", html(status, what, fix))
    } else {
        ("text/plain; charset=utf-8", plain(what, fix))
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

fn html(status: StatusCode, what: &Clean, fix: Option<&Clean>) -> String {
    let (title, what) = (escaped(&status.to_string()), escaped(what.as_str()));
    let fix = fix.map(|fix| format!("<p>{}</p>", escaped(fix.as_str())));
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>{title}</title>\
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
    fn the_answer_to_excess_connections_has_the_right_length() {
        let text = std::str::from_utf8(EXCESS).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains(&format!("Content-Length: {}", body.len())));
    }
}
