//! Requests that the client library doesn't support.

use std::{io, path::Path, time::Duration};

use serde::de::DeserializeOwned;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::UnixStream,
};

use super::quirks::PodmanInfo;
use crate::{
    engine::{
        api::Result,
        docker::{client_error, terminal::hijack},
    },
    model::failure::Failure,
};

/// Time limit for one answer.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longer than any expected answer.
const LONGEST: u64 = 4 * 1024 * 1024;

/// Podman's own `info`, from its native API of this version.
pub(in crate::engine::docker) async fn podman_info(
    socket: &Path,
    url: &str,
    version: &str,
) -> Result<PodmanInfo> {
    let version = version.split(['+', '-']).next().unwrap_or_default();
    get(socket, url, &format!("/v{version}/libpod/info")).await
}

/// Uses HTTP/1.0: the answer ends with the connection and isn't chunked.
async fn get<T: DeserializeOwned>(socket: &Path, url: &str, path: &str) -> Result<T> {
    let asked = async {
        let mut stream = UnixStream::connect(socket).await?;
        let request = format!("GET {path} HTTP/1.0\r\nHost: workbay\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        stream.take(LONGEST).read_to_end(&mut answer).await?;
        Ok(answer)
    };
    let answer = tokio::time::timeout(PATIENCE, asked)
        .await
        .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut)))
        .map_err(|error| client_error::unreachable(url, &error))?;
    let (status, body) = hijack::head(&answer).unwrap_or((0, 0));
    let body = &answer[body..];
    if status != 200 {
        return Err(client_error::answered(
            status,
            &String::from_utf8_lossy(body),
        ));
    }
    serde_json::from_slice(body)
        .map_err(|error| Failure::reported(tr_sent!("{path} can't be read: {error}", path, error)))
}
