//! The configuration of a context for its manager.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::model::{id::ContextName, secret::Secret};

/// A manager, our account there, and what we request from it. `Debug` doesn't print secrets.
#[derive(Clone, Debug)]
pub struct BackendAiConfig {
    pub context: ContextName,
    /// `https://manager.example` or `http://127.0.0.1:8091`: the manager itself with
    /// [`Login::Api`], the web server with [`Login::Session`].
    pub endpoint: String,
    pub login: Login,
    /// `None` means the user's own domain.
    pub domain: Option<String>,
    /// The name of the project for launches. `None` means `default` if the user is in it, else the
    /// user's first project.
    pub project: Option<String>,
    /// PEM certificates of authorities that are trusted besides those of this machine.
    pub ca_file: Option<PathBuf>,
    /// For administrators: list the sessions of all users, not only our own.
    pub all_users: bool,
    /// How many shares make one device; `None` if unknown.
    pub shares_per_device: Option<u32>,
    /// Allows plain HTTP to another machine for requests that are signed with a key pair.
    /// Everything but the secret key can then be read on the way.
    pub insecure: bool,
    /// The wall clock. It dates the signatures of requests and turns remaining seconds into
    /// timestamps.
    pub clock: fn() -> Timestamp,
}

/// How we authenticate.
#[derive(Clone, Debug)]
pub enum Login {
    /// Every request is signed with a key pair.
    Api {
        access_key: String,
        secret_key: Secret,
    },
    /// A login at the web server, which signs the requests.
    Session { username: String, password: Secret },
}
