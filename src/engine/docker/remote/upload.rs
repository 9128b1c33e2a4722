//! Uploads files of this machine into a container of an engine that can't see them.

use std::{fs, io, path::Path, time::Duration};

use bollard::{body_try_stream, errors::Error, query_parameters::UploadToContainerOptions};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;

use crate::{
    engine::{
        api::Result,
        docker::{blocking::off_loop, connect::connection::EngineConnection},
    },
    model::failure::Failure,
};

/// Time limit, for a slow connection.
const PATIENCE: Duration = Duration::from_secs(1800);
/// Number of pieces that wait to be sent.
const QUEUE: usize = 4;
const PIECE: usize = 256 * 1024;

pub(super) type UploadArchive = tar::Builder<PieceWriter>;

/// Extracts the archive that `fill` writes at `/` of a container, running or not.
pub(super) async fn upload(
    connection: &EngineConnection,
    container: &str,
    fill: impl FnOnce(&mut UploadArchive) -> io::Result<()> + Send + 'static,
) -> Result<()> {
    let (sender, receiver) = mpsc::channel(QUEUE);
    let reported = sender.clone();
    let writing = off_loop(move || {
        let mut tar = tar::Builder::new(PieceWriter {
            sender,
            piece: Vec::with_capacity(PIECE),
        });
        let done = fill(&mut tar)
            .and_then(|()| tar.into_inner())
            .and_then(|mut pieces| pieces.pass_on());
        done.map_err(|error| {
            let why = tr_sent!("files for the session can't be read: {error}", error);
            // The engine must not take an incomplete archive for a complete one.
            let _ = reported.blocking_send(Err(error));
            Failure::internal(why)
        })
    });
    let pieces = stream::unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let options = UploadToContainerOptions {
        path: "/".to_owned(),
        ..UploadToContainerOptions::default()
    };
    let patient = connection.docker.clone().with_timeout(PATIENCE);
    let sending = patient.upload_to_container(container, Some(options), body_try_stream(pieces));
    let (written, sent) = tokio::join!(writing, sending);
    // The engine's error comes first: a failed write is a consequence of it.
    match sent {
        Ok(()) => written,
        Err(error @ Error::DockerResponseServerError { .. }) => Err(connection.fault(error)),
        Err(error) => written.and_then(|()| Err(connection.fault(error))),
    }
}

/// Splits the written bytes into pieces and sends them to the engine.
pub(super) struct PieceWriter {
    sender: mpsc::Sender<io::Result<Bytes>>,
    piece: Vec<u8>,
}

impl PieceWriter {
    fn pass_on(&mut self) -> io::Result<()> {
        if self.piece.is_empty() {
            return Ok(());
        }
        let piece = std::mem::replace(&mut self.piece, Vec::with_capacity(PIECE));
        self.sender
            .blocking_send(Ok(piece.into()))
            .map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl io::Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.piece.extend_from_slice(bytes);
        if self.piece.len() >= PIECE {
            self.pass_on()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Appends `from` and everything in it as `to`, for `owner`; keeps permissions and links.
pub(super) fn append_tree(
    tar: &mut UploadArchive,
    from: &Path,
    to: &Path,
    owner: (u32, u32),
) -> io::Result<()> {
    let meta = fs::symlink_metadata(from)?;
    let mut header = tar::Header::new_gnu();
    header.set_metadata(&meta);
    header.set_uid(owner.0.into());
    header.set_gid(owner.1.into());
    if meta.is_symlink() {
        header.set_size(0);
        return tar.append_link(&mut header, to, fs::read_link(from)?);
    }
    if !meta.is_dir() {
        return tar.append_data(&mut header, to, fs::File::open(from)?);
    }
    header.set_size(0);
    tar.append_data(&mut header, to, io::empty())?;
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        append_tree(tar, &from.join(&name), &to.join(&name), owner)?;
    }
    Ok(())
}
