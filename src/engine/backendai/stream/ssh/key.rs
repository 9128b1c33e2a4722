//! The key for logging in to a session's sshd. It is a file in the session's home directory, and
//! workbay keeps it in memory only.

use std::io::Read as _;

use reqwest::Method;
use russh::keys::PrivateKey;

use super::super::super::request::{
    http::{Http, ManagerCall, SHORT},
    manager_error::declined,
};
use crate::{
    engine::api::Result,
    model::{failure::Failure, id::SessionId, secret::Secret},
};

/// The key's file in the home directory of every session.
const FILE: &str = "id_container";

/// The longest file that is accepted as a key.
const LONGEST: usize = 64 * 1024;

/// Reads the key from the session.
pub(super) async fn fetch(http: &Http, session: SessionId) -> Result<Secret> {
    let path = format!("/session/{session}/download_single?file={FILE}");
    let ask = ManagerCall::new(Method::POST, path).within(SHORT);
    let answer = match http.send(&ask).await {
        Ok(answer) => answer,
        // Errors of the connection, the login and the request limit explain themselves.
        Err(error) if error.is_lost() || error.is_denied() => {
            return Err(error);
        }
        Err(error) => return Err(missing(&error.to_string())),
    };
    text(&answer.body).ok_or_else(|| missing(tr_sent!("the manager sent no key")))
}

/// Parses the key for the SSH library.
pub(super) fn read(key: &Secret) -> Result<PrivateKey> {
    // The library's error describes only the format. The key itself must not appear in a message.
    russh::keys::decode_secret_key(key.expose(), None).map_err(|_| {
        declined(tr_sent!(
            "the SSH key of the session (/home/work/{file}) has an unsupported type",
            file = FILE
        ))
    })
}

/// Parses the key that the containers of a session share.
pub(super) fn read_cluster(key: &Secret) -> Result<PrivateKey> {
    russh::keys::decode_secret_key(key.expose(), None).map_err(|_| {
        declined(tr_sent!(
            "the SSH key of the session's containers (/home/config/ssh/id_cluster) has an \
             unsupported type"
        ))
    })
}

fn missing(why: &str) -> Failure {
    Failure::refused(tr_sent!(
        "the SSH key of the session (/home/work/{file}) can't be read: {why}",
        file = FILE,
        why
    ))
    .hint(tr_sent!(
        "a session has no key if a folder is mounted at .ssh. Open a terminal instead"
    ))
}

/// The file itself, or the single file of an archive. Managers send both.
fn text(body: &[u8]) -> Option<Secret> {
    if body.len() > LONGEST {
        return None;
    }
    if body.starts_with(b"-----BEGIN") {
        return std::str::from_utf8(body).ok().map(Secret::new);
    }
    let mut archive = tar::Archive::new(body);
    let file = archive.entries().ok()?.next()?.ok()?;
    let mut text = String::new();
    file.take(LONGEST as u64).read_to_string(&mut text).ok()?;
    text.starts_with("-----BEGIN").then(|| Secret::new(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaA==\n";

    #[test]
    fn a_key_comes_as_it_is_or_in_an_archive() {
        assert_eq!(text(KEY.as_bytes()).unwrap().expose(), KEY);
        let mut archive = tar::Builder::new(Vec::new());
        let mut header = tar::Header::new_ustar();
        header.set_size(KEY.len() as u64);
        header.set_cksum();
        archive
            .append_data(&mut header, FILE, KEY.as_bytes())
            .unwrap();
        let archive = archive.into_inner().unwrap();
        assert_eq!(text(&archive).unwrap().expose(), KEY);
    }

    #[test]
    fn what_is_no_key_is_none() {
        for body in [&b""[..], b"<html>", &[0; 1024], b"{\"type\": \"problem\"}"] {
            assert!(text(body).is_none());
        }
        let mut long = KEY.as_bytes().to_vec();
        long.resize(LONGEST + 1, b'=');
        assert!(text(&long).is_none());
    }

    #[test]
    fn a_key_that_cannot_be_read_isnt_in_the_error() {
        let error = read(&Secret::new(KEY)).unwrap_err().to_string();
        assert_eq!(
            error,
            "the SSH key of the session (/home/work/id_container) has an unsupported type"
        );
    }
}
