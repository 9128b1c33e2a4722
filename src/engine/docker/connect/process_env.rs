//! The parts of the process's environment that determine where an engine is.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::engine::docker::toolbox::on_path;

/// Variables, directories and programs.
#[derive(Clone, Debug, Default)]
pub(in crate::engine::docker) struct ProcessEnv {
    pub(in crate::engine::docker) docker_host: Option<String>,
    pub(in crate::engine::docker) docker_context: Option<String>,
    /// Docker's own configuration directory.
    pub(in crate::engine::docker) docker_config: Option<PathBuf>,
    pub(in crate::engine::docker) runtime_dir: Option<PathBuf>,
    /// DOCKER_TLS_VERIFY and DOCKER_CERT_PATH.
    pub(in crate::engine::docker) tls_verify: bool,
    pub(in crate::engine::docker) cert_path: Option<PathBuf>,
    /// The podman program.
    pub(in crate::engine::docker) podman: Option<PathBuf>,
    /// Whether Docker's daemon is installed, even if it doesn't run.
    pub(in crate::engine::docker) has_docker: bool,
    /// Prefix of the system's sockets: `/` except in tests.
    pub(in crate::engine::docker) root: PathBuf,
}

impl ProcessEnv {
    pub(in crate::engine::docker) fn of_process() -> Self {
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
