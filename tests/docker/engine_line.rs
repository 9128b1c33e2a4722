//! Finding the engine, losing it, finding it again.

use workbay::engine::{api::Sessions as _, error::EngineError};

use crate::support::{Bench, engine, probe};
use workbay::model::{capability::Capability, id::InstanceId};

#[tokio::test]
async fn the_engine_tells_what_it_is() {
    let bench = Bench::new();
    let info = probe(&bench.engine).await.unwrap();
    assert_eq!(info.kind.as_str(), "Docker");
    assert!(
        info.version
            .as_str()
            .starts_with(|c: char| c.is_ascii_digit()),
        "{}",
        info.version
    );
    assert!(
        info.api_version.as_str().starts_with("1."),
        "{}",
        info.api_version
    );
    assert!(
        info.endpoint.as_str().starts_with("unix:///"),
        "{}",
        info.endpoint
    );
    assert!(info.cpus.millis() >= 1000 && info.memory.0 > 0);
    assert!(
        info.capabilities.has(Capability::HostEnvironment),
        "{:?}",
        info.capabilities
    );
    let again = probe(&bench.engine).await.unwrap();
    assert_eq!(again, info);
}

#[tokio::test]
async fn an_engine_that_is_not_there_says_how_to_get_it() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("none.sock");
    let url = format!("unix://{}", socket.display());
    let lost = engine(InstanceId::random(), dir.path(), Some(&url));
    let error = probe(&lost).await.unwrap_err();
    let EngineError::Unreachable { endpoint, mend, .. } = &error else {
        panic!("{error}");
    };
    assert_eq!(*endpoint, url);
    assert!(mend.as_ref().unwrap().contains("systemctl start docker"));
    assert!(lost.list().await.unwrap_err().is_lost());

    // A socket nobody listens on.
    drop(std::os::unix::net::UnixListener::bind(&socket).unwrap());
    let error = probe(&lost).await.unwrap_err();
    assert!(error.to_string().contains("not running"), "{error}");
}

#[tokio::test]
async fn an_engine_that_comes_up_later_is_found() {
    let dir = tempfile::tempdir().unwrap();
    let socket = dir.path().join("late.sock");
    let url = format!("unix://{}", socket.display());
    let late = engine(InstanceId::random(), dir.path(), Some(&url));
    assert!(probe(&late).await.unwrap_err().is_lost());
    std::os::unix::fs::symlink("/var/run/docker.sock", &socket).unwrap();
    assert_eq!(probe(&late).await.unwrap().kind.as_str(), "Docker");
}
