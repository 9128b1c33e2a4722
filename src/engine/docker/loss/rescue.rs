//! Copies files of a session into a new directory of a folder: complete or not at all.

use std::{
    io::{self, Read},
    os::fd::AsFd as _,
};

use bytes::{Buf as _, Bytes};
use tokio::sync::{mpsc, watch};

use super::{count::failed, target::Target};
use crate::{
    archive::{self, Copied},
    engine::{
        api::{Attached, Output, Result},
        docker::{DockerEngine, blocking::off_loop},
    },
    files::Room,
    model::{
        failure::Failure,
        files::FileProgress,
        id::SessionId,
        inside,
        loss::{Rescue, Rescued, UnsavedOrder},
        resources,
        text::Clean,
    },
};

/// The pieces that wait between the stream and the thread that writes files.
const WAITING: usize = 8;
/// The longest text of the runner that is kept, in bytes.
const LONGEST_MESSAGE: usize = 16 * 1024;

impl DockerEngine {
    pub(super) async fn rescue_files(
        &self,
        session: SessionId,
        rescue: &Rescue,
        progress: watch::Sender<FileProgress>,
    ) -> Result<Rescued> {
        let starter = self.starter(session).await?;
        starter.connection.must_be_local()?;
        let (folder, directory) = (
            self.folder_store.writable(&rescue.folder)?,
            rescue.directory.clone(),
        );
        let order = if rescue.paths.is_empty() {
            self.changed_paths(&starter, session).await?
        } else {
            UnsavedOrder {
                paths: rescue.paths.clone(),
                ..UnsavedOrder::default()
            }
        };
        let rooms = self.rooms();
        let (target, room) = off_loop(move || {
            let room = rooms.of(&folder, u64::MAX);
            Ok((Target::create(&folder, &directory)?, room))
        })
        .await?;
        let attached = self.ask_unsaved(session, starter, "pack", &order).await?;
        receive(attached, target, room, progress).await
    }
}

/// Unpacks the runner's stream. The directory gets its name after everything is written.
async fn receive(
    mut attached: Attached,
    target: Target,
    room: Option<Room>,
    progress: watch::Sender<FileProgress>,
) -> Result<Rescued> {
    let (pieces, waiting) = mpsc::channel::<Bytes>(WAITING);
    let written = progress.clone();
    let writing = tokio::task::spawn_blocking(move || {
        let received = Received {
            pieces: waiting,
            piece: Bytes::new(),
            room,
            taken: 0,
        };
        let unpacked = unpack(received, &target, |files, bytes| {
            written.send_modify(|it| (it.files, it.bytes) = (files, bytes));
        });
        (unpacked, target)
    });
    let mut message = Vec::new();
    let end = loop {
        match attached.output.recv().await {
            Some(Output::Stdout(bytes)) => {
                // The thread has ended with an error, which is reported below.
                if pieces.send(bytes).await.is_err() {
                    break None;
                }
            }
            Some(Output::Stderr(bytes)) => {
                let room = LONGEST_MESSAGE.saturating_sub(message.len());
                message.extend_from_slice(&bytes[..bytes.len().min(room)]);
                if progress.borrow().of.is_none()
                    && let Some(total) = total(&message)
                {
                    progress.send_modify(|it| it.of = Some(total));
                }
            }
            Some(Output::End { exit_code: Some(0) }) => break Some(Ok(())),
            Some(Output::End { exit_code }) => break Some(Err(failed(exit_code, &message))),
            Some(Output::Lost { why }) => break Some(Err(Failure::lost(why))),
            None => {
                break Some(Err(Failure::lost(tr_sent!(
                    "the connection to the session broke"
                ))));
            }
        }
    };
    drop(pieces);
    let (unpacked, target) = writing
        .await
        .map_err(|error| Failure::internal(tr_sent!("work on files broke: {error}", error)))?;
    if let Some(Err(failure)) = end {
        return Err(failure);
    }
    let copied = unpacked.map_err(|error| target.trouble(&error))?;
    off_loop(move || target.finish()).await?;
    Ok(rescued(copied, &message))
}

fn unpack(
    mut received: Received,
    target: &Target,
    progress: impl FnMut(u64, u64),
) -> io::Result<Copied> {
    let directory = target.made.as_fd();
    let unpacked = archive::unpack_beneath(&mut received, directory, target.owner, progress);
    // What follows the archive is read, so that the runner can end.
    let read = unpacked.and_then(|copied| {
        io::copy(&mut received, &mut io::sink())?;
        Ok(copied)
    });
    if read.is_err() {
        received.give_back();
    }
    read
}

/// How many files and bytes the runner packs. An older runner doesn't report it.
fn total(message: &[u8]) -> Option<(u64, u64)> {
    let text = String::from_utf8_lossy(message);
    let lines = text.split_inclusive('\n').filter(|it| it.ends_with('\n'));
    let mut reports = lines.filter_map(|it| it.strip_prefix(inside::TOTAL));
    let mut numbers = reports.next()?.split_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn rescued(copied: Copied, message: &[u8]) -> Rescued {
    let text = String::from_utf8_lossy(message);
    let inside = text.lines().filter_map(|it| it.strip_prefix("skipped "));
    let skipped = copied.skipped.iter().map(String::as_str).chain(inside);
    Rescued {
        files: copied.files,
        size: resources::Bytes(copied.bytes),
        skipped: skipped.map(Clean::new).collect(),
    }
}

/// Reads from the channel.
struct Received {
    pieces: mpsc::Receiver<Bytes>,
    piece: Bytes,
    /// What the quota of the folder leaves.
    room: Option<Room>,
    taken: u64,
}

impl Received {
    fn give_back(&self) {
        if let Some(room) = &self.room {
            room.give_back(self.taken);
        }
    }
}

impl Read for Received {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() {
            match self.pieces.blocking_recv() {
                Some(piece) => self.piece = piece,
                None => return Ok(0),
            }
        }
        let length = self.piece.len().min(buffer.len());
        if let Some(room) = &self.room {
            room.take(length as u64)?;
            self.taken += length as u64;
        }
        buffer[..length].copy_from_slice(&self.piece[..length]);
        self.piece.advance(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_from_a_complete_line() {
        assert_eq!(total(b"total 3 4096\nskipped /x: y\n"), Some((3, 4096)));
        for text in [
            "",
            "total 3 40",
            "total 3\n",
            "total x 1\n",
            "skipped total 1 2\n",
        ] {
            assert_eq!(total(text.as_bytes()), None, "{text:?}");
        }
    }
}
