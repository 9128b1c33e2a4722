//! Packets of the client, in one buffer that never grows.

use std::io::{self, Read};

use super::LONGEST_PACKET;

/// Some packets fit, so that few reads are needed.
const BUFFER: usize = 4 * (LONGEST_PACKET + LENGTH);

/// The length before each packet.
const LENGTH: usize = 4;

/// Why the service ended.
#[derive(Debug, thiserror::Error)]
pub(super) enum SftpStreamError {
    #[error("{0}")]
    Io(#[from] io::Error),
    #[error(
        "the client sent a packet of {0} bytes, and {LONGEST_PACKET} are the most. The connection is closed"
    )]
    TooLong(usize),
    #[error("the client sent an empty packet. The connection is closed")]
    Empty,
}

/// Reads packets.
pub(super) struct Incoming<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl<R: Read> Incoming<R> {
    pub(super) fn new(source: R) -> Self {
        Self {
            source,
            buffer: vec![0; BUFFER],
            start: 0,
            end: 0,
        }
    }

    /// Whether a whole packet has been read already.
    pub(super) fn has_packet(&self) -> Result<bool, SftpStreamError> {
        let whole = self.packet_length()?;
        Ok(whole.is_some_and(|length| self.end - self.start >= LENGTH + length))
    }

    /// The next packet, without its length. `None` = the client has closed the stream; the rest of a packet that was
    /// cut off is dropped.
    pub(super) fn next(&mut self) -> Result<Option<&[u8]>, SftpStreamError> {
        while !self.has_packet()? {
            if self.fill()? == 0 {
                return Ok(None);
            }
        }
        let length = self.packet_length()?.unwrap_or_default();
        let from = self.start + LENGTH;
        self.start = from + length;
        Ok(Some(&self.buffer[from..self.start]))
    }

    fn packet_length(&self) -> Result<Option<usize>, SftpStreamError> {
        let Some(four) = self.buffer[self.start..self.end].first_chunk::<LENGTH>() else {
            return Ok(None);
        };
        match u32::from_be_bytes(*four) as usize {
            0 => Err(SftpStreamError::Empty),
            length if length > LONGEST_PACKET => Err(SftpStreamError::TooLong(length)),
            length => Ok(Some(length)),
        }
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if BUFFER - self.start < LONGEST_PACKET + LENGTH {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        loop {
            match self.source.read(&mut self.buffer[self.end..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(length) => {
                    self.end += length;
                    return Ok(length);
                }
            }
        }
    }
}
