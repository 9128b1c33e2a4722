//! A stream of pieces as a reader, for work that blocks.

use std::io::{self, Read};

use bytes::{Buf as _, Bytes};
use tokio::sync::mpsc;

use super::Result;
use crate::model::failure::Failure;

/// A part of the content, or its end. Without the end, the transfer was interrupted.
pub enum Content {
    Piece(Bytes),
    End,
}

/// Reads what a channel receives. Blocks until a piece arrives, and fails if the channel closes before the end.
pub struct PieceReader {
    pieces: mpsc::Receiver<Content>,
    piece: Bytes,
    has_ended: bool,
}

impl PieceReader {
    pub fn new(pieces: mpsc::Receiver<Content>) -> Self {
        Self {
            pieces,
            piece: Bytes::new(),
            has_ended: false,
        }
    }
}

impl Read for PieceReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.piece.is_empty() && !self.has_ended {
            match self.pieces.blocking_recv() {
                Some(Content::Piece(piece)) => self.piece = piece,
                Some(Content::End) => self.has_ended = true,
                None => return Err(io::ErrorKind::UnexpectedEof.into()),
            }
        }
        let length = self.piece.len().min(buffer.len());
        buffer[..length].copy_from_slice(&self.piece[..length]);
        self.piece.advance(length);
        Ok(length)
    }
}

/// Reads a file in pieces of this size, and hands each to `send` until that returns `false`. A failure is the last
/// one. `shown` is the path in its message.
pub fn send_pieces(
    file: &mut impl Read,
    size: usize,
    shown: &str,
    mut send: impl FnMut(Result<Bytes>) -> bool,
) {
    loop {
        let mut piece = vec![0; size];
        let item = match file.read(&mut piece) {
            Ok(0) => return,
            Ok(length) => {
                piece.truncate(length);
                Ok(Bytes::from(piece))
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => {
                let text = tr_sent!("'{shown}' can't be read: {error}", shown, error);
                Err(Failure::refused(text).hint(tr_sent!("check the disk")))
            }
        };
        let is_last = item.is_err();
        if !send(item) || is_last {
            return;
        }
    }
}
