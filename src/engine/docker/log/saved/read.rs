//! Reads a saved log piece by piece: it may be larger than the memory.

use std::{
    fs::File,
    io::{self, Read as _, Seek as _, SeekFrom},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream, stream::BoxStream};

use super::WITH_TIMES;
use crate::{
    engine::{api::Result, docker::blocking::off_loop},
    model::{
        failure::Failure,
        log::{LONGEST_TIME, LogOptions, split_time},
    },
};

/// Size of one read.
const PIECE: usize = 64 * 1024;

pub(super) async fn open(
    path: PathBuf,
    options: LogOptions,
) -> Result<Option<BoxStream<'static, Result<Bytes>>>> {
    let found = off_loop({
        let path = path.clone();
        move || SavedLogReader::begin(&path, options).map_err(|error| not_read(&path, &error))
    });
    let next = move |reading: Option<SavedLogReader>| {
        let path = path.clone();
        async move {
            let mut reading = reading?;
            let read = off_loop(move || {
                let piece = reading.next().map_err(|error| not_read(&path, &error))?;
                Ok((piece, reading))
            });
            match read.await {
                Ok((None, _)) => None,
                Ok((Some(piece), reading)) => Some((Ok(piece), Some(reading))),
                Err(error) => Some((Err(error), None)),
            }
        }
    };
    let pieces = |reading| stream::unfold(Some(reading), next).boxed();
    Ok(found.await?.map(pieces))
}

fn not_read(path: &Path, error: &io::Error) -> Failure {
    Failure::internal(tr_sent!(
        "the saved log {path} can't be read: {error}",
        path = path.display(),
        error
    ))
}

/// The state of reading a saved log.
struct SavedLogReader {
    file: File,
    /// How its lines are changed; `None` = they aren't.
    lines: Option<UntimedLines>,
    is_over: bool,
}

impl SavedLogReader {
    /// `None` = the file doesn't exist.
    fn begin(path: &Path, options: LogOptions) -> io::Result<Option<Self>> {
        let mut file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut mark = Vec::new();
        file.by_ref()
            .take(WITH_TIMES.len() as u64)
            .read_to_end(&mut mark)?;
        // Logs of earlier versions have no times.
        let with_times = mark == WITH_TIMES;
        let first = if with_times { mark.len() as u64 } else { 0 };
        let start = match options.tail {
            Some(lines) => tail_start(&mut file, first, lines)?,
            None => first,
        };
        file.seek(SeekFrom::Start(start))?;
        let washes = with_times && (options.before.is_some() || !options.timestamps);
        Ok(Some(Self {
            file,
            lines: washes.then(|| UntimedLines::new(options)),
            is_over: false,
        }))
    }

    /// The next piece; `None` at the end.
    fn next(&mut self) -> io::Result<Option<Bytes>> {
        while !self.is_over {
            let mut piece = Vec::with_capacity(PIECE);
            self.file
                .by_ref()
                .take(PIECE as u64)
                .read_to_end(&mut piece)?;
            self.is_over = piece.is_empty();
            let piece = match &mut self.lines {
                None => piece,
                Some(lines) => {
                    let washed = lines.wash(&piece);
                    self.is_over |= lines.is_over;
                    washed
                }
            };
            if !piece.is_empty() {
                return Ok(Some(piece.into()));
            }
        }
        Ok(None)
    }
}

/// Removes the times of lines and stops before the first line that isn't requested.
struct UntimedLines {
    options: LogOptions,
    /// The beginning of a line that is still too short to contain a time.
    begun: Vec<u8>,
    in_line: bool,
    is_over: bool,
}

impl UntimedLines {
    fn new(options: LogOptions) -> Self {
        Self {
            options,
            begun: Vec::new(),
            in_line: false,
            is_over: false,
        }
    }

    /// Returns the requested part of a piece; an empty piece means the end of the log.
    fn wash(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(piece.len());
        let is_last = piece.is_empty();
        let held = std::mem::take(&mut self.begun);
        let held = [&held[..], piece].concat();
        for line in held.split_inclusive(|byte| *byte == b'\n') {
            let ends = line.ends_with(b"\n");
            if !self.in_line && !ends && !is_last && line.len() <= LONGEST_TIME {
                self.begun = line.to_vec();
                break;
            }
            let rest = if self.in_line {
                Some(line)
            } else {
                self.begin(line)
            };
            let Some(rest) = rest else {
                self.is_over = true;
                break;
            };
            out.extend_from_slice(rest);
            self.in_line = !ends;
        }
        out
    }

    /// Handles the beginning of a line; `None` = neither this line nor later ones are requested.
    fn begin<'a>(&self, line: &'a [u8]) -> Option<&'a [u8]> {
        let Some((at, rest)) = split_time(line) else {
            return Some(line);
        };
        if self.options.before == Some(at) {
            return None;
        }
        Some(if self.options.timestamps { line } else { rest })
    }
}

/// The position where the last `tail` lines begin, not before `first`.
fn tail_start(file: &mut File, first: u64, tail: u32) -> io::Result<u64> {
    let end = file.metadata()?.len().max(first);
    let mut left = u64::from(tail);
    let mut at = end;
    let mut piece = Vec::new();
    if left == 0 {
        return Ok(end);
    }
    while at > first {
        let from = at.saturating_sub(PIECE as u64).max(first);
        piece.clear();
        file.seek(SeekFrom::Start(from))?;
        file.by_ref().take(at - from).read_to_end(&mut piece)?;
        for (place, byte) in piece.iter().enumerate().rev() {
            let after = from + place as u64 + 1;
            // No line begins after the end of the last one.
            if *byte == b'\n' && after < end {
                left -= 1;
                if left == 0 {
                    return Ok(after);
                }
            }
        }
        at = from;
    }
    Ok(first)
}
