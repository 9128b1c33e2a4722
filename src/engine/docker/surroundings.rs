//! What of the process's surroundings says where an engine is.

use std::{
    env,
    path::{Path, PathBuf},
};

use super::toolbox::on_path;

/// Variables, directories and programs.
#[derive(Clone, Debug, Default)]
pub(super) struct Surroundings {
    pub(super) docker_host: Option<String>,
    pub(super) docker_context: Option<String>,
    /// Docker's own configuration directory.
    pub(super) docker_config: Option<PathBuf>,
    pub(super) runtime_dir: Option<PathBuf>,
    /// DOCKER_TLS_VERIFY and DOCKER_CERT_PATH.
    pub(super) tls_verify: bool,
    pub(super) cert_path: Option<PathBuf>,
    /// The podman program.
    pub(super) podman: Option<PathBuf>,
    /// Docker's daemon is installed, whether it runs or not.
    pub(super) has_docker: bool,
    /// Prefix of the system's sockets: `/` but in tests.
    pub(super) root: PathBuf,
}

impl Surroundings {
    pub(super) fn of_process() -> Self {
        let text = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
        let home = text("HOME").map(|home| Path::new(&home).join(".docker"));
        Self {
            docker_host: text("DOCKER_HOST"),
            docker_context: text("DOCKER_CONTEXT"),
            docker_config: text("DOCKER_CONFIG").map(PathBuf::from).or(home),
            runtime_dir: text("XDG_RUNTIME_DIR").map(PathBuf::from),
            tls_verify: text("DOCKER_TLS_VERIFY").is_some(),
            cert_path: text("DOCKER_CERT_PATH").map(PathBuf::from),
            podman: on_path("podman"),
            has_docker: on_path("dockerd").is_some(),
            root: PathBuf::from("/"),
        }
    }
}
