//! Docker's `config.json`, and Podman's `auth.json`, which has the same format.

use std::{collections::BTreeMap, fs, io, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use bollard::auth::DockerCredentials;
use serde::Deserialize;

use crate::{
    engine::api::Result,
    model::{failure::Failure, reference},
};

/// The key of Docker Hub in these files.
const HUB_KEY: &str = "https://index.docker.io/v1/";

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct File {
    auths: BTreeMap<String, StoredLogin>,
    #[serde(rename = "credsStore")]
    store: Option<String>,
    #[serde(rename = "credHelpers")]
    helpers: BTreeMap<String, String>,
}

/// Has no `Debug`, so that it is never printed.
#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct StoredLogin {
    auth: Option<String>,
    username: Option<String>,
    password: Option<String>,
    identitytoken: Option<String>,
    registrytoken: Option<String>,
}

/// How to get the login for a registry.
pub(super) enum LoginSource {
    Stored(DockerCredentials),
    /// From `docker-credential-NAME`, which knows the registry by this address.
    Helper {
        name: String,
        server: String,
    },
}

impl File {
    /// `None` = the file doesn't exist.
    pub(super) fn read(path: &Path) -> Result<Option<Self>> {
        let reported = |why: String| {
            let path = path.display();
            Failure::internal(tr_sent!(
                "registry logins can't be read from {path}: {why}",
                path,
                why
            ))
        };
        match fs::read(path) {
            Ok(text) => serde_json::from_slice(&text)
                .map(Some)
                // The error doesn't quote the file: it may contain parts of a secret.
                .map_err(|error| {
                    reported(tr_sent!(
                        "line {line} isn't valid JSON",
                        line = error.line()
                    ))
                }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(reported(error.to_string())),
        }
    }

    /// A helper for this registry takes precedence over the general one, as in Docker.
    pub(super) fn login_source(&self, registry: &str) -> Option<LoginSource> {
        let is_it = |key: &str| host(key) == canonical(registry);
        let entry = self.auths.iter().find(|(key, _)| is_it(key));
        let server = match entry {
            Some((key, _)) => key.clone(),
            None if registry == reference::HUB => HUB_KEY.to_owned(),
            None => registry.to_owned(),
        };
        if let Some((key, name)) = self.helpers.iter().find(|(key, _)| is_it(key)) {
            let (name, server) = (name.clone(), key.clone());
            return Some(LoginSource::Helper { name, server });
        }
        let kept = entry.and_then(|(key, kept)| kept.credentials(key));
        match (&self.store, kept) {
            (_, Some(credentials)) => Some(LoginSource::Stored(credentials)),
            (Some(name), None) if !name.is_empty() => {
                let name = name.clone();
                Some(LoginSource::Helper { name, server })
            }
            _ => None,
        }
    }
}

impl StoredLogin {
    /// `None` for an entry without credentials, which only marks that a helper has them.
    fn credentials(&self, key: &str) -> Option<DockerCredentials> {
        let pair = self.auth.as_deref().and_then(decoded);
        let (username, password) = match pair {
            Some((username, password)) => (Some(username), Some(password)),
            None => (self.username.clone(), self.password.clone()),
        };
        let some = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        let credentials = DockerCredentials {
            username: some(&username),
            password: some(&password),
            identitytoken: some(&self.identitytoken),
            registrytoken: some(&self.registrytoken),
            serveraddress: Some(key.to_owned()),
            ..DockerCredentials::default()
        };
        let is_complete = credentials.password.is_some()
            || credentials.identitytoken.is_some()
            || credentials.registrytoken.is_some();
        is_complete.then_some(credentials)
    }
}

/// Decodes `user:password`.
fn decoded(auth: &str) -> Option<(String, String)> {
    let bytes = STANDARD.decode(auth.trim()).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (username, password) = text.split_once(':')?;
    let password = password.trim_end_matches('\0');
    Some((username.to_owned(), password.to_owned()))
}

/// The host of a key, which may be a URL.
fn host(key: &str) -> &str {
    let key = key
        .trim_start_matches("https://")
        .trim_start_matches("http://");
    canonical(key.split('/').next().unwrap_or(key))
}

/// Maps the names of Docker Hub to one.
fn canonical(host: &str) -> &str {
    match host {
        "index.docker.io" | "registry-1.docker.io" | "registry.hub.docker.com" => reference::HUB,
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login_source(text: &str, registry: &str) -> String {
        let file: File = serde_json::from_str(text).unwrap();
        match file.login_source(registry) {
            None => "none".to_owned(),
            Some(LoginSource::Helper { name, server }) => format!("{name} knows {server}"),
            Some(LoginSource::Stored(it)) => {
                let token = it.identitytoken.as_deref().unwrap_or("-");
                let name = it.username.as_deref().unwrap_or("-");
                let word = it.password.as_deref().unwrap_or("-");
                format!("{name} {word} {token}")
            }
        }
    }

    #[test]
    fn a_login_is_found_however_its_registry_is_written() {
        // ada:secret
        let auth = r#"{"auth": "YWRhOnNlY3JldA=="}"#;
        for key in [
            "r.local:5000",
            "https://r.local:5000",
            "http://r.local:5000/v2/",
        ] {
            let text = format!(r#"{{"auths": {{"{key}": {auth}}}}}"#);
            assert_eq!(login_source(&text, "r.local:5000"), "ada secret -");
            assert_eq!(login_source(&text, "r.local"), "none");
        }
        let hub = format!(r#"{{"auths": {{"{HUB_KEY}": {auth}}}}}"#);
        assert_eq!(login_source(&hub, "docker.io"), "ada secret -");
        let token = r#"{"auths": {"r": {"auth": "YWRhOg==", "identitytoken": "tok"}}}"#;
        assert_eq!(login_source(token, "r"), "ada - tok");
    }

    #[test]
    fn helpers_are_asked_where_the_file_says_so() {
        let store = r#"{"auths": {"https://r.local": {}}, "credsStore": "keep"}"#;
        assert_eq!(login_source(store, "r.local"), "keep knows https://r.local");
        assert_eq!(
            login_source(store, "docker.io"),
            format!("keep knows {HUB_KEY}")
        );
        let helper = r#"{"credHelpers": {"r.local": "one"}, "credsStore": "keep"}"#;
        assert_eq!(login_source(helper, "r.local"), "one knows r.local");
        assert_eq!(login_source("{}", "r.local"), "none");
    }

    #[test]
    fn fuzz_login_file() {
        crate::fuzz::parser("login-file", &[], |bytes, _| {
            let Ok(file) = serde_json::from_slice::<File>(bytes) else {
                return;
            };
            for registry in [reference::HUB, "quay.io", "", "한"] {
                match file.login_source(registry) {
                    Some(LoginSource::Stored(credentials)) => {
                        crate::fuzz::bounded(bytes, &credentials);
                    }
                    Some(LoginSource::Helper { name, server }) => {
                        crate::fuzz::bounded(bytes, &(name, server));
                    }
                    None => {}
                }
            }
        });
    }
}
