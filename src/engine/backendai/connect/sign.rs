//! The signature of a request to a manager ("API mode"). Pure: strings in, header strings out.

use std::fmt::Write as _;

use jiff::{Timestamp, tz::TimeZone};
use ring::hmac;

use crate::model::secret::Secret;

/// SHA-256 of an empty body: since API v4 the body isn't part of the signature.
const EMPTY_HASH: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The content type that the manager assumes if a request has none.
pub(in crate::engine::backendai) const NO_CONTENT: &str = "application/octet-stream";

/// The parts of a request that are signed.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine::backendai) struct SignedParts<'a> {
    /// In uppercase.
    pub(in crate::engine::backendai) method: &'a str,
    /// Path and query exactly as they are sent.
    pub(in crate::engine::backendai) target: &'a str,
    /// The `Host` header, with the port if the header has one.
    pub(in crate::engine::backendai) host: &'a str,
    /// The `Content-Type` header without its parameters; `None` if the request has none.
    pub(in crate::engine::backendai) content_type: Option<&'a str>,
    /// The `X-BackendAI-Version` header.
    pub(in crate::engine::backendai) version: &'a str,
    /// The `Date` header, from [`date_header`].
    pub(in crate::engine::backendai) date: &'a str,
}

/// The `Date` header in the manager's format: ISO 8601 in UTC.
pub(in crate::engine::backendai) fn date_header(now: Timestamp) -> String {
    now.to_zoned(TimeZone::UTC)
        .strftime("%Y-%m-%dT%H:%M:%S+00:00")
        .to_string()
}

/// The `Authorization` header.
pub(in crate::engine::backendai) fn authorization(
    signed: &SignedParts<'_>,
    access_key: &str,
    secret_key: &Secret,
) -> String {
    let signature = signature(signed, secret_key);
    format!("BackendAI signMethod=HMAC-SHA256, credential={access_key}:{signature}")
}

fn signature(signed: &SignedParts<'_>, secret_key: &Secret) -> String {
    let day = day_of(signed.date);
    let by_day = mac(secret_key.expose().as_bytes(), day.as_bytes());
    let by_host = mac(by_day.as_ref(), signed.host.as_bytes());
    hex(mac(by_host.as_ref(), string_to_sign(signed).as_bytes()).as_ref())
}

/// Seven items joined by single line feeds, none at the end.
fn string_to_sign(signed: &SignedParts<'_>) -> String {
    let media = signed.content_type.unwrap_or(NO_CONTENT);
    let media = media.split(';').next().unwrap_or_default().trim();
    [
        signed.method,
        signed.target,
        signed.date,
        &format!("host:{}", signed.host),
        &format!("content-type:{}", media.to_ascii_lowercase()),
        &format!("x-backendai-version:{}", signed.version),
        EMPTY_HASH,
    ]
    .join("\n")
}

/// `20260501` from `2026-05-01T…`.
fn day_of(date: &str) -> String {
    date.chars()
        .take_while(|c| *c != 'T')
        .filter(char::is_ascii_digit)
        .collect()
}

fn mac(key: &[u8], text: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text)
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The published example keys.
    const ACCESS: &str = "AKIAIOSFODNN7EXAMPLE";
    const SECRET: &str = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    const DATE: &str = "2026-05-01T12:34:56+00:00";

    fn sign(
        method: &str,
        target: &str,
        host: &str,
        content_type: Option<&str>,
        version: &str,
    ) -> String {
        let signed = SignedParts {
            method,
            target,
            host,
            content_type,
            version,
            date: DATE,
        };
        authorization(&signed, ACCESS, &Secret::new(SECRET))
    }

    #[test]
    fn the_manager_s_worked_examples() {
        let head = format!("BackendAI signMethod=HMAC-SHA256, credential={ACCESS}:");
        for (made, expected) in [
            (
                sign(
                    "GET",
                    "/session?name=a%20b",
                    "127.0.0.1:8081",
                    None,
                    "v9.20250722",
                ),
                "f8e16a4db7c4167b72bf8caad907eccc752752dbab25b66ed0d903ba366e1cd0",
            ),
            (
                sign(
                    "POST",
                    "/session",
                    "api.example.com",
                    Some("application/json"),
                    "v8.20240915",
                ),
                "48eb2b1244052863daab740b3813bcd817c0a978b68e4c9c7581986a1588f7de",
            ),
            (
                sign(
                    "POST",
                    "/session/abcd/upload?owner_access_key=AK",
                    "api.example.com:8443",
                    Some("multipart/form-data; boundary=xyz"),
                    "v9.20250722",
                ),
                "502a5e134b67a49b650393b7ab9497c0fa5a8c6f54458f9fd0330cc4abb51842",
            ),
        ] {
            assert_eq!(made, format!("{head}{expected}"));
        }
    }

    #[test]
    fn the_date_is_utc_with_its_offset() {
        let at: Timestamp = "2026-05-01T21:34:56.5+09:00".parse().unwrap();
        assert_eq!(date_header(at), DATE);
        assert_eq!(day_of(DATE), "20260501");
    }
}
