//! Checks which engine is used by default.

use std::path::{Path, PathBuf};

use super::{Finding, host};
use crate::{cli::Start, config::contexts::EngineSpec};

const DOCKER: &str = "/var/run/docker.sock";

/// If both Docker and Podman exist, names the one in use and how to use the other. `None` if the engine is
/// configured.
pub fn examine(start: &Start) -> Option<Finding> {
    let open = start
        .contexts
        .list
        .iter()
        .find(|entry| matches!(&entry.engine, EngineSpec::Docker { endpoint: None }))?;
    let is_said = start.loaded.settings.engine.endpoint.is_some();
    let named = ["DOCKER_HOST", "DOCKER_CONTEXT"].into_iter();
    let mut named = named.filter(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()));
    if is_said || named.next().is_some() || !Path::new(DOCKER).exists() {
        return None;
    }
    let socket = podman().or_else(|| host::is_on_path("podman").then(own_socket))?;
    let message = tr!("Docker and Podman are both installed. workbay uses Docker");
    let hint = tr!(
        "for Podman: [engine] endpoint = \"unix://{socket}\"",
        socket = socket.display()
    );
    Some(
        Finding::ok(tr_later!("engine"), message)
            .hint(hint)
            .of(open.context.name),
    )
}

fn podman() -> Option<PathBuf> {
    let all = [own_socket(), PathBuf::from("/run/podman/podman.sock")];
    all.into_iter().find(|socket| socket.exists())
}

/// The socket that `systemctl --user start podman.socket` creates.
fn own_socket() -> PathBuf {
    let user = rustix::process::getuid();
    if user.is_root() {
        return PathBuf::from("/run/podman/podman.sock");
    }
    PathBuf::from(format!("/run/user/{}/podman/podman.sock", user.as_raw()))
}
