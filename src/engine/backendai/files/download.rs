//! Reads files by a token of the storage proxy.

use futures_util::{StreamExt as _, TryStreamExt as _};
use reqwest::{StatusCode, header::RANGE};
use serde_json::json;

use super::{lost, refused, requests, text, ticket};
use crate::{
    engine::{api::Result, backendai::connect::connection::ManagerConnection, files::FileBytes},
    model::{
        failure::Failure,
        files::{FileKind, FilePath},
    },
};

pub(super) async fn read(
    connection: &ManagerConnection,
    folder: &str,
    path: &FilePath,
    offset: u64,
) -> Result<FileBytes> {
    let entry = requests::stat(connection, folder, path).await?;
    if entry.kind != FileKind::File {
        let text = tr_sent!("'{path}' can't be read: it isn't a file", path);
        return Err(Failure::refused(text).hint(tr_sent!("choose a file")));
    }
    if offset > entry.size {
        let text = tr_sent!("'{path}' has only {size} bytes", path, size = entry.size);
        return Err(
            Failure::refused(text).hint(tr_sent!("start the transfer again from the beginning"))
        );
    }
    // A range must not be empty.
    if offset == entry.size {
        return Ok(futures_util::stream::empty().boxed());
    }
    let text = text(path)?;
    // Some managers name it `path`, others `file`.
    let body = json!({"path": text, "file": text, "archive": false});
    let mut url = ticket(connection, folder, "request-download", &body).await?;
    url.query_pairs_mut().append_pair("archive", "false");
    let mut request = connection.http.client().get(url);
    if offset > 0 {
        request = request.header(RANGE, format!("bytes={offset}-"));
    }
    let response = request.send().await.map_err(lost)?;
    let is_expected = match response.status() {
        StatusCode::OK => offset == 0,
        StatusCode::PARTIAL_CONTENT => offset > 0,
        _ => false,
    };
    if response.status().is_success() && !is_expected {
        return Err(
            Failure::unsupported(tr_sent!("the storage proxy can't continue a download"))
                .hint(tr_sent!("start the transfer again from the beginning")),
        );
    }
    if !is_expected {
        return Err(refused(response).await);
    }
    Ok(response.bytes_stream().map_err(lost).boxed())
}
