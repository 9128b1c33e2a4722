//! Resolves an image's `USER`: reads its /etc/passwd and /etc/group from a container that is never started, so
//! that no program and no library of the image runs.

use std::io::Read as _;

use bollard::{
    errors::Error,
    models::{ContainerCreateBody, HostConfig},
    query_parameters::{CreateContainerOptionsBuilder, DownloadFromContainerOptionsBuilder},
};
use futures_util::StreamExt as _;

use crate::{
    engine::{
        api::Result,
        docker::{
            connect::connection::EngineConnection,
            container::{create::ImageFacts, labels, list::remove_container},
        },
    },
    model::{account, failure::Failure, id::SessionId},
};

/// The maximum size of an account file.
const LARGEST: usize = 1 << 20;

/// What an archive adds to its only file.
const AROUND: usize = 16 << 10;

/// uid and gid of the image's user.
pub(in crate::engine::docker) async fn owner(
    connection: &EngineConnection,
    session: SessionId,
    image: &ImageFacts,
) -> Result<(u32, u32)> {
    let name = format!("workbay.accounts.{session}");
    // A crash may have left a container.
    remove_container(connection, &name).await?;
    let files = read(connection, &name, &image.reference).await;
    remove_container(connection, &name).await?;
    let [passwd, groups] = files?;
    account::resolve(&image.user, &passwd, &groups).map_err(|unknown| {
        Failure::engine_refused(tr_sent!(
            "the image's USER is '{user}', which its /etc/passwd and /etc/group don't contain. \
             Correct the image, or set user = \"work\" for its environment",
            user = unknown.escape_debug()
        ))
    })
}

async fn read(connection: &EngineConnection, name: &str, image: &str) -> Result<[String; 2]> {
    let options = CreateContainerOptionsBuilder::default().name(name).build();
    let made = connection
        .docker
        .create_container(Some(options), body(image));
    let id = made.await.map_err(|error| connection.fault(error))?.id;
    Ok([
        file(connection, &id, "/etc/passwd").await?,
        file(connection, &id, "/etc/group").await?,
    ])
}

/// A container that is used only to read its files.
fn body(image: &str) -> ContainerCreateBody {
    ContainerCreateBody {
        // Engines require a command; this one never runs.
        entrypoint: Some(vec!["/never-run".to_owned()]),
        cmd: Some(Vec::new()),
        image: Some(image.to_owned()),
        labels: Some([(labels::OURS.to_owned(), "1".to_owned())].into()),
        host_config: Some(HostConfig {
            cap_drop: Some(vec!["ALL".to_owned()]),
            network_mode: Some("none".to_owned()),
            ..HostConfig::default()
        }),
        ..ContainerCreateBody::default()
    }
}

/// The file's text; empty if it doesn't exist.
async fn file(connection: &EngineConnection, container: &str, path: &str) -> Result<String> {
    let options = DownloadFromContainerOptionsBuilder::default()
        .path(path)
        .build();
    let mut pieces = connection
        .docker
        .download_from_container(container, Some(options));
    let mut archive = Vec::new();
    while archive.len() < LARGEST + AROUND {
        match pieces.next().await {
            Some(Ok(piece)) => archive.extend_from_slice(&piece),
            Some(Err(Error::DockerResponseServerError {
                status_code: 404, ..
            })) => return Ok(String::new()),
            Some(Err(error)) => return Err(connection.fault(error)),
            None => break,
        }
    }
    text_of(&archive).map_err(|why| {
        Failure::engine_refused(tr_sent!(
            "{path} of the image can't be read: {why}. Set user = \"work\" for its environment",
            path,
            why
        ))
    })
}

/// The text of the regular file at the beginning of the archive. Other entries, especially links, count as empty.
fn text_of(archive: &[u8]) -> std::result::Result<String, String> {
    let mut archive = tar::Archive::new(archive);
    let mut entries = archive.entries().map_err(|error| error.to_string())?;
    let Some(entry) = entries.next() else {
        return Ok(String::new());
    };
    let entry = entry.map_err(|error| error.to_string())?;
    if !entry.header().entry_type().is_file() {
        return Ok(String::new());
    }
    let size = entry.size();
    if size > LARGEST as u64 {
        return Err(tr_sent!(
            "it is larger than {largest} bytes",
            largest = LARGEST
        ));
    }
    let mut bytes = Vec::new();
    let mut limited = entry.take(LARGEST as u64);
    limited
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 != size {
        return Err(tr_sent!("the engine sent only a part of the file").to_owned());
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive_of(kind: tar::EntryType, size: usize) -> Vec<u8> {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(0o644);
        let mut tar = tar::Builder::new(Vec::new());
        if kind.is_symlink() {
            header.set_size(0);
            tar.append_link(&mut header, "passwd", "/etc/shadow")
                .unwrap();
        } else {
            header.set_size(size as u64);
            tar.append_data(&mut header, "passwd", vec![b'x'; size].as_slice())
                .unwrap();
        }
        tar.into_inner().unwrap()
    }

    #[test]
    fn only_a_regular_file_of_bounded_size_is_read() {
        let regular = tar::EntryType::Regular;
        assert_eq!(text_of(&archive_of(regular, 3)), Ok("xxx".to_owned()));
        for other in [tar::EntryType::Symlink, tar::EntryType::Fifo] {
            assert_eq!(text_of(&archive_of(other, 0)), Ok(String::new()));
        }
        assert_eq!(text_of(&[]), Ok(String::new()));
        assert!(text_of(&archive_of(regular, LARGEST)).is_ok());
        assert!(text_of(&archive_of(regular, LARGEST + 1)).is_err());
        assert!(text_of(&[b'?'; 2048]).is_err());
        // A truncated archive.
        assert!(text_of(&archive_of(regular, 3000)[..1024]).is_err());
    }
}
