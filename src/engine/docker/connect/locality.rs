//! Determines whether the engine shares this machine's files and processes.

use std::path::Path;

use bollard::{
    Docker,
    errors::Error,
    models::{ContainerCreateBody, HostConfig},
    query_parameters::CreateContainerOptions,
};

use super::{quirks::ContainerProgram, transport::OpenTransport};
use crate::engine::docker::folder::mounts;

/// What is known of an engine before further requests.
pub(in crate::engine::docker) struct LocalityInputs<'a> {
    pub(in crate::engine::docker) docker: &'a Docker,
    pub(in crate::engine::docker) transport: &'a OpenTransport,
    pub(in crate::engine::docker) kind: ContainerProgram,
    /// The process that listens on the engine's own socket.
    pub(in crate::engine::docker) listener: Option<i32>,
    pub(in crate::engine::docker) kernel: Option<&'a str>,
}

/// Why the engine doesn't see this machine's files; `None` = it does. It must run under the same kernel. An
/// engine with its own socket must have a process that is visible here (it isn't in a virtual machine or
/// outside of this container). An engine reached over a network must see a file of this machine.
pub(in crate::engine::docker) async fn why_remote(seen: &LocalityInputs<'_>) -> Option<String> {
    let ours = rustix::system::uname()
        .release()
        .to_string_lossy()
        .into_owned();
    let same_kernel = seen.kernel.is_none_or(|theirs| theirs == ours);
    let here = if seen.transport.is_carried() {
        same_kernel && finds_our_socket(seen).await
    } else {
        same_kernel && seen.listener.is_none_or(|pid| pid > 0)
    };
    (!here).then(|| elsewhere(seen.transport.url()))
}

/// Whether the engine sees the relay's socket, whose name is unique.
async fn finds_our_socket(seen: &LocalityInputs<'_>) -> bool {
    // Podman creates missing directories.
    if seen.kind == ContainerProgram::Podman {
        return false;
    }
    let socket = seen.transport.socket();
    let nowhere = socket.with_extension("not");
    finds(seen.docker, &nowhere).await == Some(false)
        && finds(seen.docker, socket).await == Some(true)
}

/// Whether the engine finds a path; `None` = unknown. The request creates a container from an image that can't
/// exist. The engine checks the mounts first, and the request always fails.
async fn finds(docker: &Docker, path: &Path) -> Option<bool> {
    let image = format!("workbay/nothing:{}", uuid::Uuid::new_v4().simple());
    let body = ContainerCreateBody {
        image: Some(image),
        host_config: Some(HostConfig {
            mounts: Some(vec![mounts::read_only(path, Path::new("/found"))]),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    };
    let asked = docker.create_container(None::<CreateContainerOptions>, body);
    match asked.await {
        Err(Error::DockerResponseServerError { status_code, .. }) => match status_code {
            404 => Some(true),
            400 => Some(false),
            _ => None,
        },
        _ => None,
    }
}

fn elsewhere(url: &str) -> String {
    tr_sent!(
        "the engine at {url} is on another machine, in a virtual machine or outside of this \
         container, so this machine's programs and folders aren't available. Launch an image, or \
         run workbay on that machine",
        url
    )
}
