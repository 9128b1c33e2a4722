//! `workbay image import`: stores the images of a file.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use clap::Args;
use tokio::sync::mpsc;

use super::report::Reporter;
use crate::{
    cli::{
        Start,
        args::Json,
        connection,
        fail::{Fail, Outcome, code},
        output,
        reports::unless_interrupted,
    },
    client::StreamSender,
    protocol::message::StreamOpen,
};

/// The pieces that wait between the file and the stream.
const WAITING: usize = 8;
const PIECE: usize = 64 * 1024;
/// The beginnings of compressed archives that engines read, too.
const COMPRESSED: [&[u8]; 4] = [
    &[0x1f, 0x8b],
    b"BZh",
    b"\xfd7zXZ",
    &[0x28, 0xb5, 0x2f, 0xfd],
];
/// Where a tar archive has its mark.
const MARK: std::ops::Range<usize> = 257..262;

#[derive(Args, Debug)]
pub struct ImageImport {
    /// The file to read
    pub file: PathBuf,
    /// Print each step as one line of JSON
    #[command(flatten)]
    pub format: Json,
}

pub fn import(start: &Start, arguments: &ImageImport) -> Outcome {
    let path = &arguments.file;
    let file = open(path)?;
    let json = arguments.format.json;
    let images = connection::block_on(async {
        let (connection, context) = super::connect(start).await?;
        let mut stream = connection.stream(StreamOpen::ImportImage { context });
        let sender = stream.sender();
        let mut reporter = Reporter::new(json);
        let work = async {
            let sending = send(file, path, sender);
            let mut sending = std::pin::pin!(sending);
            let following = reporter.follow(&mut stream);
            let mut following = std::pin::pin!(following);
            tokio::select! {
                images = &mut following => images,
                sent = &mut sending => {
                    // A file that can't be read ends the stream without its end, so nothing is stored.
                    sent?;
                    following.await
                }
            }
        };
        unless_interrupted(work, tr!("no image was stored")).await
    })?;
    if !json {
        for image in images {
            output::line(&tr!("imported {image}", image))?;
        }
    }
    Ok(0)
}

fn open(path: &Path) -> Result<File, Fail> {
    let cannot = |error: io::Error| cannot_read(path, &error);
    let mut file = File::open(path).map_err(cannot)?;
    if file.metadata().map_err(cannot)?.is_dir() {
        return Err(
            Fail::usage(tr!("{path} is a directory", path = path.display()))
                .hint(tr!("name a file that `workbay image export` wrote")),
        );
    }
    let mut head = Vec::new();
    let read = (&mut file).take(512).read_to_end(&mut head);
    read.map_err(cannot)?;
    if !is_archive(&head) {
        let text = tr!("{path} isn't an archive", path = path.display());
        return Err(Fail::new(code::FAILED, text).hint(tr!(
            "name a file that `workbay image export` or `docker save` wrote"
        )));
    }
    file.rewind().map_err(cannot)?;
    Ok(file)
}

fn is_archive(head: &[u8]) -> bool {
    let is_tar = head.get(MARK).is_some_and(|mark| mark == b"ustar");
    is_tar || COMPRESSED.iter().any(|it| head.starts_with(it))
}

fn cannot_read(path: &Path, error: &io::Error) -> Fail {
    let text = tr!(
        "{path} can't be read: {error}",
        path = path.display(),
        error
    );
    Fail::new(code::FAILED, text)
}

/// Sends the file, then the end of the input.
async fn send(mut file: File, path: &Path, sender: StreamSender) -> Result<(), Fail> {
    let (pieces, mut waiting) = mpsc::channel::<io::Result<Bytes>>(WAITING);
    tokio::task::spawn_blocking(move || {
        loop {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece).map(|length| {
                piece.truncate(length);
                Bytes::from(piece)
            });
            match read {
                Ok(piece) if piece.is_empty() => return,
                Ok(piece) => {
                    if pieces.blocking_send(Ok(piece)).is_err() {
                        return;
                    }
                }
                Err(error) => {
                    let _ = pieces.blocking_send(Err(error));
                    return;
                }
            }
        }
    });
    while let Some(piece) = waiting.recv().await {
        let piece = piece.map_err(|error| cannot_read(path, &error))?;
        if sender.send(piece).await.is_err() {
            // The stream has ended, and its last message says why.
            return Ok(());
        }
    }
    let _ = sender.end_input().await;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_are_recognized_by_their_beginning() {
        let mut header = tar::Header::new_ustar();
        header.set_size(0);
        header.set_cksum();
        assert!(is_archive(header.as_bytes()));
        assert!(is_archive(&[0x1f, 0x8b, 8, 0]));
        for foreign in [&b""[..], b"#!/bin/sh\n", &[0; 512], b"PK\x03\x04"] {
            assert!(!is_archive(foreign), "{foreign:?}");
        }
    }
}
