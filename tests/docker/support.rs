//! What the tests on this machine's Docker share beyond the bench.

use std::{path::Path, sync::OnceLock};

use workbay::{
    engine::{api::Engine, docker::DockerEngine},
    model::id::{InstanceId, SessionId},
};

use crate::bench::config;
pub use crate::{
    bench::{
        Bench, EngineClient, busybox, drain, dropped_after, file, host_spec, image_spec, link,
        mounted, plan,
    },
    pane::{DEADLINE, Terminal, until, within},
};

/// Where the engine of this machine listens.
pub const SOCKET: &str = "/var/run/docker.sock";

pub fn engine(instance: InstanceId, dir: &Path, endpoint: Option<&str>) -> DockerEngine {
    DockerEngine::new(config(instance, dir, endpoint))
}

/// A running session of an image.
pub async fn image_session(bench: &Bench, image: &str) -> SessionId {
    let plan = plan("bench", image_spec(image));
    bench.launch(&plan).await;
    plan.session
}

/// The main container's full record, as the engine's own client shows it.
pub fn record(session: SessionId) -> serde_json::Value {
    let said = docker(&[&["inspect"], refs(&containers(session)).as_slice()].concat());
    let all: Vec<serde_json::Value> = serde_json::from_str(&said).unwrap();
    let main = |one: &serde_json::Value| one["Config"]["Hostname"] == "main1";
    all.into_iter().find(main).expect("a main container")
}

fn refs(words: &[String]) -> Vec<&str> {
    words.iter().map(String::as_str).collect()
}

/// Ids of the session's containers.
pub fn containers(session: SessionId) -> Vec<String> {
    let filter = format!("label=ai.backend.session-id={session}");
    let listed = docker(&["ps", "-aq", "--no-trunc", "--filter", &filter]);
    listed.lines().map(str::to_owned).collect()
}

/// Ids of networks with this label.
pub fn networks(label: &str) -> Vec<String> {
    EngineClient::of(None).networks(label)
}

/// The engine's own client; it must succeed.
pub fn docker(args: &[&str]) -> String {
    EngineClient::of(None).run(args)
}

/// The same, but it may fail.
pub fn try_docker(args: &[&str]) -> bool {
    EngineClient::of(None).succeeds(args)
}

/// An image with nothing in it but a static busybox and its names.
pub fn busybox_image() -> &'static str {
    static IMAGE: OnceLock<&str> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let name = "workbay-test/busybox:3";
        let mut tar = tar::Builder::new(Vec::new());
        busybox(&mut tar);
        import(name, tar);
        name
    })
}

/// An image with one empty file.
pub fn empty_image() -> &'static str {
    static IMAGE: OnceLock<&str> = OnceLock::new();
    IMAGE.get_or_init(|| {
        let name = "workbay-test/empty:1";
        let mut tar = tar::Builder::new(Vec::new());
        file(&mut tar, "nothing", 0o644, b"");
        import(name, tar);
        name
    })
}

pub fn import(name: &str, tar: tar::Builder<Vec<u8>>) {
    import_as(name, &[], tar);
}

/// The same, with lines of a Dockerfile.
pub fn import_as(name: &str, lines: &[&str], tar: tar::Builder<Vec<u8>>) {
    EngineClient::of(None).import(name, lines, tar);
}

/// Names the trait, so that tests can call `probe` on the concrete engine.
pub async fn probe(
    engine: &DockerEngine,
) -> workbay::engine::api::Result<workbay::model::capability::EngineInfo> {
    Engine::probe(engine).await
}
