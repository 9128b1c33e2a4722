//! Files on a cluster. In folders, the manager lists and changes them, and the storage proxy carries their bytes: TUS
//! uploads and downloads by a token. In running sessions, workbay's helper does it ([`running`]).

mod download;
mod requests;
mod running;
mod upload;
mod work;

pub(super) use self::{running::SessionDirectory, upload::Uploads};

use async_trait::async_trait;
use reqwest::Url;
use serde_json::Value;

use super::{
    BackendAiEngine,
    connect::connection::ManagerConnection,
    request::{http::ManagerCall, lenient_json::Node, manager_error::declined},
};
use crate::{
    engine::{
        api::Result,
        files::{FileBytes, FileProgresses, FileRoot, Files, LocalWork},
    },
    model::{
        failure::Failure,
        files::{FileAnswer, FilePath, FileRequest, WriteOptions},
    },
};

#[async_trait]
impl Files for BackendAiEngine {
    async fn file_request(&self, at: &FileRoot, request: &FileRequest) -> Result<FileAnswer> {
        if let FileRoot::Running(session) = at {
            return SessionDirectory::home(*session)
                .request(self, request)
                .await;
        }
        let folder = folder(at)?;
        if let FileRequest::Stat { path } = request
            && let Some(entry) = upload::part_entry(self, folder, path).await?
        {
            return Ok(FileAnswer::Entry { entry });
        }
        let connection = self.core.connection().await?;
        if !matches!(request, FileRequest::List { .. } | FileRequest::Stat { .. }) {
            connection.must_be_writable(folder).await?;
        }
        requests::answer(&connection, self, folder, request).await
    }

    async fn read_file(&self, at: &FileRoot, path: &FilePath, offset: u64) -> Result<FileBytes> {
        if let FileRoot::Running(session) = at {
            return SessionDirectory::home(*session)
                .read(self, path, offset)
                .await;
        }
        let connection = self.core.connection().await?;
        download::read(&connection, folder(at)?, path, offset).await
    }

    async fn write_file(
        &self,
        at: &FileRoot,
        path: &FilePath,
        options: WriteOptions,
        content: FileBytes,
    ) -> Result<()> {
        if let FileRoot::Running(session) = at {
            let home = SessionDirectory::home(*session);
            return home.write(self, path, options, content).await;
        }
        let folder = folder(at)?;
        let connection = self.core.connection().await?;
        if options.offset == 0 {
            connection.must_be_writable(folder).await?;
        }
        if !options.replace && requests::exists(&connection, folder, path).await? {
            return Err(Failure::refused(tr_sent!("'{path}' already exists", path))
                .hint(tr_sent!("choose another name")));
        }
        upload::write(self, folder, path, options, content).await
    }

    async fn file_work(
        &self,
        at: &FileRoot,
        to: &FileRoot,
        work: LocalWork,
    ) -> Result<FileProgresses> {
        match (at, to) {
            (FileRoot::Running(session), to) if at == to => {
                SessionDirectory::home(*session).work(self, work).await
            }
            (FileRoot::Running(_), _) | (_, FileRoot::Running(_)) => Err(Failure::unsupported(
                tr_sent!("the manager can't copy between a running session and another place"),
            )
            .hint(tr_sent!("download the files first, then upload them"))),
            _ => {
                let connection = self.core.connection().await?;
                if !matches!(work, LocalWork::Measure { .. }) {
                    connection.must_be_writable(folder(at)?).await?;
                }
                work::start(connection, folder(at)?, folder(to)?, work)
            }
        }
    }
}

fn folder(at: &FileRoot) -> Result<&str> {
    match at {
        FileRoot::Folder(name) => Ok(name),
        FileRoot::Running(_) => Err(Failure::internal(tr_sent!(
            "the files of a running session were looked for in a folder. Report this error"
        ))),
        FileRoot::Ended(_) => Err(Failure::unsupported(tr_sent!(
            "clusters keep no files of ended sessions"
        ))
        .hint(tr_sent!(
            "put files that must outlive a session into a mounted folder"
        ))),
    }
}

/// The path of a request about files in a folder.
fn route(folder: &str, verb: &str) -> Result<String> {
    // The name is one segment of the path.
    let mut url = Url::parse("http://x").map_err(|_| declined(tr_sent!("invalid folder name")))?;
    url.path_segments_mut()
        .map_err(|()| declined(tr_sent!("invalid folder name")))?
        .extend(["folders", folder, verb]);
    Ok(url.path().to_owned())
}

/// A path as the manager takes it.
fn text(path: &FilePath) -> Result<&str> {
    if path.is_root() {
        return Ok(".");
    }
    path.as_path().to_str().ok_or_else(|| {
        Failure::unsupported(tr_sent!(
            "'{path}' isn't UTF-8, which folders on a cluster need",
            path
        ))
        .hint(tr_sent!("rename the file first"))
    })
}

/// Where the storage proxy serves one transfer: a URL with a token.
async fn ticket(
    connection: &ManagerConnection,
    folder: &str,
    verb: &str,
    body: &Value,
) -> Result<Url> {
    let call = ManagerCall::post(route(folder, verb)?, body);
    let answer: Value = connection.http.json(&call).await?;
    let node = Node::new(&answer);
    let unreadable = || {
        Failure::reported(tr_sent!("no address of the storage proxy"))
            .hint(tr_sent!("report this to the administrator of the cluster"))
    };
    let (url, token) = (node.str("url"), node.str("token"));
    let mut url = url
        .and_then(|url| Url::parse(url).ok())
        .ok_or_else(unreadable)?;
    let token = token.ok_or_else(unreadable)?;
    url.query_pairs_mut().append_pair("token", token);
    Ok(url)
}

/// An error of the connection to the storage proxy. Its address has a token, so it isn't shown.
fn lost(error: reqwest::Error) -> Failure {
    let error = error.without_url();
    Failure::lost(tr_sent!("the storage proxy of the cluster doesn't answer"))
        .because(error.to_string())
        .hint(tr_sent!("check the connection, then continue the transfer"))
}

/// An answer of the storage proxy that isn't a success.
async fn refused(response: reqwest::Response) -> Failure {
    let status = response.status();
    let body = response.bytes().await.unwrap_or_default();
    let problem: Value = serde_json::from_slice(&body).unwrap_or_default();
    let said = Node::new(&problem);
    let said = said.text("msg").or_else(|| said.text("title"));
    let said = said.map_or_else(|| status.to_string(), |text| format!("{text} ({status})"));
    if status == reqwest::StatusCode::NOT_FOUND {
        return Failure::not_found(tr_sent!("the storage proxy doesn't have the file"))
            .because(said)
            .hint(tr_sent!("list the directory to see its contents"));
    }
    Failure::refused(tr_sent!("the storage proxy refused the transfer"))
        .because(said)
        .hint(tr_sent!(
            "check the quota and your permission for the folder"
        ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_folder_is_one_segment() {
        assert_eq!(route("data", "files").unwrap(), "/folders/data/files");
        assert_eq!(
            route("a/../b", "files").unwrap(),
            "/folders/a%2F..%2Fb/files"
        );
    }
}
