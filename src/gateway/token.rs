//! Who may use a route: its secret, one-time tokens in URLs, and the cookie that they are exchanged for.

use std::{
    collections::VecDeque,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use ring::{
    hmac,
    rand::{SecureRandom as _, SystemRandom},
};
use tokio::time::Instant;

use crate::model::{failure::Failure, secret::Secret};

/// The name of the query parameter with a one-time token.
pub(super) const PARAMETER: &str = "workbay_token";

/// How long a one-time token can be used.
pub const LIFETIME: Duration = Duration::from_secs(300);

/// How many one-time tokens of a route can be used at the same time. A new one replaces the oldest.
pub const MOST: usize = 64;

/// What each cookie is derived from, with the secret of its route as the key.
const COOKIE_OF: &[u8] = b"workbay gateway cookie 1";

/// The tokens of a route.
#[derive(Debug)]
pub struct TokenBook {
    secret: Secret,
    cookie: Secret,
    one_time: Mutex<VecDeque<OneTime>>,
}

#[derive(Debug)]
struct OneTime {
    token: Secret,
    until: Instant,
}

impl TokenBook {
    /// `secret` is accepted for as long as the route exists, in the headers `X-Workbay-Token` and `Authorization:
    /// Bearer`. A route with the same secret accepts the cookies of an earlier one, so browsers keep their access
    /// when a route is opened again.
    pub fn new(secret: Secret) -> Self {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.expose().as_bytes());
        let cookie = Secret::new(URL_SAFE_NO_PAD.encode(hmac::sign(&key, COOKIE_OF)));
        Self {
            secret,
            cookie,
            one_time: Mutex::default(),
        }
    }

    /// The secret of the route, for clients without cookies.
    pub fn secret(&self) -> &Secret {
        &self.secret
    }

    /// A token that opens the route in one browser, within [`LIFETIME`]. See [`url`].
    pub fn issue(&self) -> Result<Secret, Failure> {
        let token = new_token()?;
        let mut one_time = self.lock();
        let now = Instant::now();
        one_time.retain(|it| it.until > now);
        if one_time.len() >= MOST {
            one_time.pop_front();
        }
        one_time.push_back(OneTime {
            token: token.clone(),
            until: now + LIFETIME,
        });
        Ok(token)
    }

    /// Uses a one-time token up, and returns whether it was valid.
    pub(super) fn take(&self, token: &str) -> bool {
        let mut one_time = self.lock();
        let now = Instant::now();
        one_time.retain(|it| it.until > now);
        let before = one_time.len();
        one_time.retain(|it| !is_same(it.token.expose(), token));
        one_time.len() < before
    }

    pub(super) fn is_secret(&self, text: &[u8]) -> bool {
        is_same(self.secret.expose(), text)
    }

    pub(super) fn is_cookie(&self, text: &[u8]) -> bool {
        is_same(self.cookie.expose(), text)
    }

    /// The value of the cookie.
    pub(super) fn cookie(&self) -> &Secret {
        &self.cookie
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<OneTime>> {
        self.one_time.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether two texts are equal, in a time that doesn't depend on where they differ.
fn is_same(known: impl AsRef<[u8]>, given: impl AsRef<[u8]>) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, COOKIE_OF);
    let tag = hmac::sign(&key, known.as_ref());
    hmac::verify(&key, given.as_ref(), tag.as_ref()).is_ok()
}

/// 256 random bits, as text that needs no quoting in a URL or a header.
pub fn new_token() -> Result<Secret, Failure> {
    let mut bytes = [0; 32];
    let filled = SystemRandom::new().fill(&mut bytes);
    filled.map_err(|_| Failure::internal(tr_sent!("the machine has no random numbers")))?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
}

/// A secret that follows from another one and a name. It says nothing about the other one.
pub fn derived_secret(key: &Secret, name: &str) -> Secret {
    let key = hmac::Key::new(hmac::HMAC_SHA256, key.expose().as_bytes());
    let tag = hmac::sign(&key, name.as_bytes());
    Secret::new(URL_SAFE_NO_PAD.encode(tag))
}

/// The URL that opens a path of a route in a browser of this machine. `path` may have a query and a fragment, and it
/// may be empty.
pub fn url(port: u16, token: &Secret, path: &str) -> String {
    let (path, fragment) = match path.split_once('#') {
        Some((path, fragment)) => (path, format!("#{fragment}")),
        None => (path, String::new()),
    };
    let path = path.trim_start_matches('/');
    let joined = if path.contains('?') { '&' } else { '?' };
    let token = token.expose();
    format!("http://127.0.0.1:{port}/{path}{joined}{PARAMETER}={token}{fragment}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_long_differ_and_need_no_quoting() {
        let (one, two) = (new_token().unwrap(), new_token().unwrap());
        assert_ne!(one, two);
        assert_eq!(one.expose().len(), 43);
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        assert!(one.expose().chars().all(is_plain));
    }

    #[test]
    fn urls_keep_path_query_and_fragment() {
        let token = Secret::new("T");
        for (path, tail) in [
            ("", "/?workbay_token=T"),
            ("/lab", "/lab?workbay_token=T"),
            ("lab?a=b", "/lab?a=b&workbay_token=T"),
            ("/#/x?y", "/?workbay_token=T#/x?y"),
        ] {
            let expected = format!("http://127.0.0.1:8888{tail}");
            assert_eq!(url(8888, &token, path), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_one_time_token_is_valid_once_and_not_for_long() {
        let book = TokenBook::new(Secret::new("secret"));
        let token = book.issue().unwrap();
        assert!(!book.take("secret") && !book.take(""));
        assert!(book.take(token.expose()));
        assert!(!book.take(token.expose()));
        let late = book.issue().unwrap();
        tokio::time::advance(LIFETIME).await;
        assert!(!book.take(late.expose()));
    }

    #[test]
    fn the_number_of_one_time_tokens_is_bounded() {
        let book = TokenBook::new(Secret::new("secret"));
        let tokens: Vec<_> = (0..=MOST).map(|_| book.issue().unwrap()).collect();
        assert!(!book.take(tokens[0].expose()));
        assert!(tokens[1..].iter().all(|token| book.take(token.expose())));
    }

    #[test]
    fn the_cookie_differs_from_the_secret_and_depends_on_it() {
        let (one, same) = (Secret::new("one"), Secret::new("one"));
        let (one, same) = (TokenBook::new(one), TokenBook::new(same));
        let other = TokenBook::new(Secret::new("other"));
        let cookie = one.cookie().expose().as_bytes();
        assert!(one.is_cookie(cookie) && same.is_cookie(cookie));
        assert!(!other.is_cookie(cookie) && !one.is_secret(cookie));
        assert!(one.is_secret(b"one") && !one.is_cookie(b"one"));
    }
}
