//! Podman as root.

use workbay::engine::docker::DockerEngine;

use crate::{
    bench::{Bench, config},
    life::{Expected, from_launch_to_forgetting},
    podman_engine::PodmanEngine,
};

#[tokio::test]
async fn a_session_of_a_rootful_podman() {
    let podman = PodmanEngine::start();
    let endpoint = podman.endpoint();
    let bench = Bench::on(Some(&endpoint));
    let again = config(bench.instance, bench.dir.path(), Some(&endpoint));
    let expected = Expected {
        owner: 1000,
        limits: true,
        folders: &bench.dir.path().join("folders"),
    };
    from_launch_to_forgetting(&bench, DockerEngine::new(again), &expected).await;
}
