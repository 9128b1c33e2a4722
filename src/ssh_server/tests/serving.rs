use std::sync::Arc;

use async_trait::async_trait;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio_util::sync::CancellationToken;

use crate::{
    engine::api::{Attached, HelperTask},
    model::failure::Failure,
    ssh_server::{HostKey, Io, Keys, SessionAccess, serve},
};

/// A session that starts nothing.
struct Nothing;

fn nothing<T>() -> Result<T, Failure> {
    Err(Failure::refused("nothing is started here"))
}

#[async_trait]
impl SessionAccess for Nothing {
    fn user(&self) -> &'static str {
        "work"
    }

    async fn exec(&self, _: Vec<String>, _: Option<(u16, u16)>) -> Result<Attached, Failure> {
        nothing()
    }

    async fn tmux(&self, _: String, _: (u16, u16)) -> Result<Attached, Failure> {
        nothing()
    }

    async fn helper(&self, _: HelperTask) -> Result<Attached, Failure> {
        nothing()
    }

    async fn dial(&self, _: String, _: u16) -> Result<Box<dyn Io>, Failure> {
        nothing()
    }

    fn used(&self) {}

    fn is_live(&self) -> bool {
        true
    }
}

/// A client's end of a connection, and how the server ends.
fn connection(
    stop: &CancellationToken,
) -> (
    DuplexStream,
    impl Future<Output = Result<(), Failure>> + use<>,
) {
    let (client, server) = tokio::io::duplex(64 * 1024);
    let host_key = Arc::new(HostKey::generate().unwrap());
    let served = serve(
        server,
        host_key,
        Arc::default(),
        Arc::new(Nothing),
        stop.clone(),
    );
    (client, served)
}

#[tokio::test(start_paused = true)]
async fn a_client_that_says_nothing_is_cut_off() {
    let (mut client, served) = connection(&CancellationToken::new());
    let error = served.await.unwrap_err().to_string();
    assert!(error.contains("didn't log in within a minute"), "{error}");
    let mut said = Vec::new();
    client.read_to_end(&mut said).await.unwrap();
    assert!(said.starts_with(b"SSH-2.0-workbay_"));
}

#[tokio::test(start_paused = true)]
async fn a_client_that_stops_before_it_logs_in_is_cut_off() {
    let (mut client, served) = connection(&CancellationToken::new());
    client.write_all(b"SSH-2.0-slow\r\n").await.unwrap();
    let error = served.await.unwrap_err().to_string();
    assert!(error.contains("didn't log in within a minute"), "{error}");
}

#[tokio::test]
async fn a_server_that_is_stopped_ends_its_connections() {
    let stop = CancellationToken::new();
    let (_client, served) = connection(&stop);
    stop.cancel();
    served.await.unwrap();
}

#[tokio::test]
async fn a_client_that_leaves_is_an_error_only_before_it_has_logged_in() {
    let (client, served) = connection(&CancellationToken::new());
    drop(client);
    assert!(served.await.is_err());
    assert!(Keys::default().is_empty());
}
