//! The body of a launch for every release from 24.09 on. It uses the canonical spellings and
//! contains only what was requested, since older managers refuse unknown fields. Pure.

use serde_json::{Map, Value, json};

use super::{image::Image, owner::SessionOwner};
use crate::{
    model::{
        name,
        resources::{Bytes, Cpu},
        session::{ClusterMode, SessionType},
        span::Span,
        spec::{FolderMount, LaunchRequest},
    },
    rules::launch::amounts,
};

/// Requested when neither the user nor the image sets an amount.
const MEMORY: Bytes = Bytes(Bytes::GIB);
const CORES: Cpu = Cpu::from_millis(1000);

/// The request already contains the amounts of its preset.
pub(super) fn body(request: &LaunchRequest, image: &Image, whose: &SessionOwner) -> Value {
    let mut body = Body::default();
    let name = request.name.clone().unwrap_or_else(name::generated);
    body.put("name", name);
    body.put("image", image.reference.image());
    body.maybe("architecture", image.reference.architecture.as_ref());
    body.put("type", word(request.session_type));
    body.put("group", &whose.project);
    body.put("domain", &whose.domain);
    let size = request.containers().max(1);
    body.put("cluster_size", size);
    body.put("cluster_mode", mode(request.cluster_mode, size));
    body.put("enqueueOnly", true);
    body.put("reuseIfExists", false);
    body.maybe("startupCommand", request.startup_command.as_ref());
    body.maybe("starts_at", request.starts_at.map(|at| at.to_string()));
    body.maybe("batch_timeout", request.timeout.map(Span::seconds));
    body.maybe("priority", request.priority);
    body.maybe("bootstrap_script", request.bootstrap_script.as_ref());
    body.maybe("owner_access_key", whose.access_key.as_ref());
    body.put("config", config(request, image));
    Value::Object(body.0)
}

#[derive(Default)]
struct Body(Map<String, Value>);

impl Body {
    fn put(&mut self, key: &str, value: impl serde::Serialize) {
        self.0.insert(key.to_owned(), json!(value));
    }

    fn maybe(&mut self, key: &str, value: Option<impl serde::Serialize>) {
        if let Some(value) = value {
            self.put(key, value);
        }
    }
}

fn config(request: &LaunchRequest, image: &Image) -> Value {
    let mut config = Body::default();
    let amounts = ContainerAmounts::of(request, image);
    config.put("resources", amounts.resources(request));
    let shmem = amounts.shmem.map(|it| json!({"shmem": it.0.to_string()}));
    config.maybe("resource_opts", shmem);
    if !request.env.is_empty() {
        config.put("environ", &request.env);
    }
    mounts(&request.mounts, &mut config);
    config.maybe("scaling_group", request.resource_group.as_ref());
    if !request.preopen_ports.is_empty() {
        config.put("preopen_ports", &request.preopen_ports);
    }
    config.maybe("agent_list", request.agent.as_ref().map(|agent| [agent]));
    Value::Object(config.0)
}

/// Folders are sent by name, because managers accept ids only since 25.12. A mount that matches the
/// manager's default isn't sent.
fn mounts(mounts: &[FolderMount], config: &mut Body) {
    if mounts.is_empty() {
        return;
    }
    let names: Vec<&str> = mounts.iter().map(|it| it.folder.as_str()).collect();
    config.put("mounts", names);
    let of = |entry: &dyn Fn(&FolderMount) -> Option<Value>| {
        let entries = mounts
            .iter()
            .filter_map(|it| Some((it.folder.clone(), entry(it)?)));
        let entries: Map<String, Value> = entries.collect();
        (!entries.is_empty()).then_some(entries)
    };
    config.maybe(
        "mount_map",
        of(&|it| it.path.as_ref().map(|_| json!(it.target()))),
    );
    let read_only = json!({"type": "bind", "permission": "ro"});
    config.maybe(
        "mount_options",
        of(&|it| it.read_only.then(|| read_only.clone())),
    );
}

/// The amounts for each container.
struct ContainerAmounts {
    cpu: Cpu,
    mem: Bytes,
    /// `None` is the manager's own choice: what the image prefers, or 64 MiB.
    shmem: Option<Bytes>,
}

impl ContainerAmounts {
    /// The requested amounts. Without a request, the image's minimum or the default, whichever is
    /// more. The shared memory is part of the memory and must be smaller.
    fn of(request: &LaunchRequest, image: &Image) -> Self {
        let cpu = request.cpu.unwrap_or(image.minimum.cpu.max(CORES));
        let shmem = request.shmem.unwrap_or(amounts::SMALL_SHMEM);
        let least = Bytes(image.minimum.mem.0.saturating_add(shmem.0));
        let twice = Bytes(shmem.0.saturating_mul(2));
        let mem = request.mem.unwrap_or(least.max(MEMORY).max(twice));
        let small = amounts::SMALL_SHMEM;
        let automatic = amounts::automatic_shmem(mem, image.minimum.mem, small);
        let more = Some(automatic).filter(|automatic| *automatic > small);
        Self {
            cpu,
            mem,
            shmem: request.shmem.or(more),
        }
    }

    fn resources(&self, request: &LaunchRequest) -> Value {
        let mut resources = Body::default();
        resources.put("cpu", self.cpu.to_string());
        resources.put("mem", self.mem.0.to_string());
        for (slot, thousandths) in &request.accelerators {
            resources.put(slot, Cpu::from_millis(*thousandths).to_string());
        }
        Value::Object(resources.0)
    }
}

fn word(session_type: SessionType) -> &'static str {
    match session_type {
        SessionType::Interactive => "interactive",
        SessionType::Batch => "batch",
        SessionType::Inference => "inference",
        SessionType::System => "system",
    }
}

/// A single container can't use several nodes.
fn mode(mode: ClusterMode, size: u32) -> &'static str {
    match mode {
        ClusterMode::MultiNode if size > 1 => "multi-node",
        _ => "single-node",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{engine::backendai::image::reference::Reference, model::resources::ResourceSlots};

    fn image() -> Image {
        Image {
            reference: Reference::read("cr/stable/python:3.12"),
            minimum: ResourceSlots::new(Cpu::from_millis(2000), Bytes::mib(1500)),
        }
    }

    fn made(request: &LaunchRequest) -> Value {
        config(request, &image())
    }

    #[test]
    fn what_is_not_asked_is_enough_for_the_image() {
        let made = made(&LaunchRequest::default());
        let mem = Bytes::mib(1500).0 + amounts::SMALL_SHMEM.0;
        let resources = json!({"cpu": "2", "mem": mem.to_string()});
        assert_eq!(made, json!({ "resources": resources }));
    }

    #[test]
    fn what_is_asked_is_said_as_asked() {
        let asked = LaunchRequest {
            cpu: Some(Cpu::from_millis(500)),
            mem: Some(Bytes::mib(256)),
            accelerators: [("cuda.shares".to_owned(), 500)].into(),
            ..LaunchRequest::default()
        };
        assert_eq!(
            made(&asked)["resources"],
            json!({"cpu": "0.5", "mem": "268435456", "cuda.shares": "0.5"})
        );
    }

    #[test]
    fn a_big_session_gets_more_shared_memory_automatically() {
        let with = |mem: u64, shmem: Option<u64>| {
            let asked = LaunchRequest {
                mem: Some(Bytes::mib(mem)),
                shmem: shmem.map(Bytes::mib),
                ..LaunchRequest::default()
            };
            made(&asked)["resource_opts"]["shmem"].clone()
        };
        assert_eq!(with(4096, None), json!("1073741824"));
        assert_eq!(with(4095, None), Value::Null);
        assert_eq!(with(4096, Some(64)), json!("67108864"));
    }

    #[test]
    fn one_container_is_on_one_node() {
        assert_eq!(mode(ClusterMode::MultiNode, 1), "single-node");
        assert_eq!(mode(ClusterMode::MultiNode, 2), "multi-node");
        assert_eq!(mode(ClusterMode::SingleNode, 3), "single-node");
    }
}
