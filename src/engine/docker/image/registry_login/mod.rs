//! The login for a registry from where Docker's own programs store it: `config.json` or a credential
//! helper. It is read when needed and never stored.

mod auth_file;
mod credential_helper;

use std::{
    env,
    path::{Path, PathBuf},
};

use bollard::{BollardRequest, auth::DockerCredentials};

use crate::engine::api::Result;
use auth_file::{File, LoginSource};

/// The login for a registry.
pub(in crate::engine::docker) struct Login {
    pub(in crate::engine::docker) credentials: DockerCredentials,
    /// Where it was found, for messages.
    pub(in crate::engine::docker) from: String,
}

/// The first login found; `None` = there is none.
pub(in crate::engine::docker) async fn find(registry: &str, podman: bool) -> Result<Option<Login>> {
    for path in places(podman) {
        if let Some(login) = find_in(&path, registry).await? {
            return Ok(Some(login));
        }
    }
    Ok(None)
}

/// The files to read; for Podman, its own file comes first.
fn places(podman: bool) -> Vec<PathBuf> {
    let variable = |name: &str| {
        let value = env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let below = |name: &str, path: &str| variable(name).map(|dir| dir.join(path));
    let docker = below("DOCKER_CONFIG", "config.json");
    let docker = docker.or_else(|| below("HOME", ".docker/config.json"));
    let podmans = variable("REGISTRY_AUTH_FILE")
        .or_else(|| below("XDG_RUNTIME_DIR", "containers/auth.json"))
        .filter(|_| podman);
    podmans.into_iter().chain(docker).collect()
}

async fn find_in(path: &Path, registry: &str) -> Result<Option<Login>> {
    let login_source = match File::read(path)? {
        Some(file) => file.login_source(registry),
        None => None,
    };
    let (credentials, from) = match login_source {
        None => return Ok(None),
        Some(LoginSource::Stored(credentials)) => (credentials, path.display().to_string()),
        Some(LoginSource::Helper { name, server }) => {
            match credential_helper::ask(&name, &server).await? {
                None => return Ok(None),
                Some(credentials) => (credentials, format!("docker-credential-{name}")),
            }
        }
    };
    Ok(Some(Login { credentials, from }))
}

/// The header that sends a login to the engine.
const HEADER: &str = "x-registry-auth";

/// Engines expect a login in URL-safe base64, but the client library writes standard base64. They differ in two
/// characters, and an engine that finds one of them ignores the login.
pub(in crate::engine::docker) fn respell(mut request: BollardRequest) -> BollardRequest {
    if let Some(value) = request.headers_mut().get_mut(HEADER) {
        let ours = String::from_utf8_lossy(value.as_bytes());
        if let Ok(theirs) = ours.replace('+', "-").replace('/', "_").parse() {
            *value = theirs;
            value.set_sensitive(true);
        }
    }
    request
}
