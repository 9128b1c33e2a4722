//! What a context tells us about its manager.

use std::path::PathBuf;

use jiff::Timestamp;

use crate::model::{id::ContextName, secret::Secret};

/// A manager, who we are to it, and what we ask it for. `Debug` shows no secret.
#[derive(Clone, Debug)]
pub struct BackendAiConfig {
    pub context: ContextName,
    /// `https://manager.example` or `http://127.0.0.1:8091`: the manager itself with [`Login::Api`],
    /// the web server with [`Login::Session`].
    pub endpoint: String,
    pub login: Login,
    /// `None` = the domain of the user.
    pub domain: Option<String>,
    /// The project's name sessions are launched in; `None` = `default` where the user is in it,
    /// else the first one of the user.
    pub project: Option<String>,
    /// PEM certificates of authorities to trust besides the machine's.
    pub ca_file: Option<PathBuf>,
    /// Administrators: everyone's sessions instead of one's own.
    pub all_users: bool,
    /// How many shares are one device; `None` = not known.
    pub shares_per_device: Option<u32>,
    /// Plain HTTP to another machine is accepted for requests signed with a key pair: everything but the secret key
    /// can be read on the way.
    pub insecure: bool,
    /// The wall clock: requests are signed with the time, remaining seconds become points in time.
    pub clock: fn() -> Timestamp,
}

/// How we say who we are.
#[derive(Clone, Debug)]
pub enum Login {
    /// Every request is signed with a key pair.
    Api {
        access_key: String,
        secret_key: Secret,
    },
    /// A login at the web server, which signs for us.
    Session { username: String, password: Secret },
}
