//! Checks the addresses of managers.

use url::Url;

use crate::model::address;

/// Normalizes an address: `http` or `https`, a host, no secrets, no slash at the end.
pub(super) fn check(text: &str) -> Result<String, String> {
    let text = text.trim();
    let bad = |why: &str| {
        Err(tr!(
            "invalid manager address '{typed}': {why}",
            typed = shown(text),
            why
        ))
    };
    let Ok(url) = Url::parse(text) else {
        return bad(tr!("write https://host or https://host:port"));
    };
    if !matches!(url.scheme(), "http" | "https") {
        return bad(tr!("it must begin with https:// or http://"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad(tr!("it must not contain a user or password"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return bad(tr!("it must not contain '?' or '#'"));
    }
    Ok(url.as_str().trim_end_matches('/').to_owned())
}

/// Why a checked address is refused unless its context is `insecure`.
pub(super) fn why_unencrypted(endpoint: &str) -> Option<String> {
    let is_unencrypted = Url::parse(endpoint).is_ok_and(|url| address::is_unencrypted(&url));
    is_unencrypted.then(|| address::why_refused(endpoint))
}

/// Removes what precedes an `@`, because it may contain a password.
fn shown(text: &str) -> &str {
    text.rsplit('@').next().unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_brought_into_one_form() {
        for (text, same) in [
            ("https://api.example.com/", "https://api.example.com"),
            ("http://127.0.0.1:8091", "http://127.0.0.1:8091"),
            ("HTTPS://Example.com/bai/", "https://example.com/bai"),
            ("https://[::1]:8443", "https://[::1]:8443"),
        ] {
            assert_eq!(check(text).as_deref(), Ok(same));
        }
    }

    #[test]
    fn a_password_in_an_address_is_refused_and_not_repeated() {
        let why = check("https://me:s3cret@host").unwrap_err();
        assert!(
            why.contains("must not contain a user or password") && !why.contains("s3cret"),
            "{why}"
        );
        let why = check("ht tp://me:s3cret@host").unwrap_err();
        assert!(!why.contains("s3cret"), "{why}");
        for bad in ["host", "ftp://host", "https://", "", "https://host?x=1"] {
            assert!(check(bad).is_err(), "{bad} was taken");
        }
    }
}
