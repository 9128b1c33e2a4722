//! Joins the pieces of lines that the main process ended early so that they became visible.

use bytes::Bytes as Chunk;
use futures_util::{StreamExt as _, stream, stream::BoxStream};

use crate::{
    engine::api::{LogChunk, Result},
    model::log::{LogSource, UNFINISHED, split_time},
};

/// Joins one source of a log, however its chunks are cut.
#[derive(Debug, Default)]
pub(in crate::engine::docker) struct Joiner {
    /// Bytes that may be the beginning of a mark.
    held: Vec<u8>,
}

impl Joiner {
    /// Returns the bytes that can't be part of a mark.
    pub(in crate::engine::docker) fn join(&mut self, piece: &[u8]) -> Vec<u8> {
        let mut rest = std::mem::take(&mut self.held);
        rest.extend_from_slice(piece);
        let mut out = Vec::with_capacity(rest.len());
        let mut from = 0;
        while let Some(at) = rest[from..].iter().position(|byte| *byte == UNFINISHED[0]) {
            let at = from + at;
            let there = &rest[at..];
            if there.starts_with(UNFINISHED) {
                out.extend_from_slice(&rest[from..at]);
                from = at + UNFINISHED.len();
            } else if UNFINISHED.starts_with(there) {
                out.extend_from_slice(&rest[from..at]);
                self.held = there.to_vec();
                return out;
            } else {
                out.extend_from_slice(&rest[from..=at]);
                from = at + 1;
            }
        }
        out.extend_from_slice(&rest[from..]);
        out
    }

    /// Returns the remaining bytes at the end of the log.
    pub(in crate::engine::docker) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

/// The length of a record that Docker cut because the line continues.
const CUT: usize = 16 * 1024;

/// The records of a log as the engine keeps them, each with its time if that was requested. A line in several records
/// gets the time of the first one.
#[derive(Debug)]
pub(in crate::engine::docker) struct Records {
    loses_line_ends: bool,
    continues: [bool; 2],
}

impl Records {
    /// `loses_line_ends`: the engine leaves out the end of a line that it cut ([`Quirks::loses_line_ends`]).
    ///
    /// [`Quirks::loses_line_ends`]: crate::engine::docker::connect::quirks::Quirks::loses_line_ends
    pub(in crate::engine::docker) const fn new(loses_line_ends: bool) -> Self {
        Self {
            loses_line_ends,
            continues: [false; 2],
        }
    }

    /// The record without a time in the middle of a line.
    pub(in crate::engine::docker) fn with_time(
        &mut self,
        source: LogSource,
        record: Chunk,
    ) -> Chunk {
        let (time, text) = match split_time(&record) {
            Some((_, rest)) => (
                record.slice(..record.len() - rest.len()),
                record.slice_ref(rest),
            ),
            None => (Chunk::new(), record),
        };
        let continues = self.continues[source as usize];
        let text = self.whole(source, text);
        if continues || time.is_empty() {
            return text;
        }
        [&time[..], &text[..]].concat().into()
    }

    /// The record without its time.
    pub(in crate::engine::docker) fn without_time(
        &mut self,
        source: LogSource,
        record: Chunk,
    ) -> Chunk {
        let text = split_time(&record).map(|(_, rest)| record.slice_ref(rest));
        self.whole(source, text.unwrap_or(record))
    }

    /// The text of a record, with the end of its line.
    pub(in crate::engine::docker) fn whole(&mut self, source: LogSource, text: Chunk) -> Chunk {
        let ends = text.ends_with(b"\n");
        let was_left_out = self.loses_line_ends && !ends && text.len() != CUT;
        let text = if was_left_out {
            [&text[..], b"\n"].concat().into()
        } else {
            text
        };
        let is_over = text.ends_with(b"\n") && !text.ends_with(UNFINISHED);
        self.continues[source as usize] = !is_over;
        text
    }
}

type Chunks = BoxStream<'static, Result<LogChunk>>;

/// The chunks with their lines joined.
pub(in crate::engine::docker) fn joined(chunks: Chunks) -> Chunks {
    let begin = (chunks, [Joiner::default(), Joiner::default()], false);
    let next = |(mut chunks, mut joiners, over): (Chunks, [Joiner; 2], bool)| async move {
        if over {
            return None;
        }
        let mut pieces = Vec::new();
        let over = match chunks.next().await {
            Some(Ok(LogChunk { source, bytes })) => {
                let bytes = joiners[source as usize].join(&bytes);
                pieces.push(Ok((source, bytes)));
                false
            }
            Some(Err(error)) => {
                pieces.push(Err(error));
                false
            }
            None => {
                let sources = [LogSource::Stdout, LogSource::Stderr].into_iter();
                pieces.extend(sources.map(|source| Ok((source, joiners[source as usize].rest()))));
                true
            }
        };
        Some((stream::iter(pieces), (chunks, joiners, over)))
    };
    let chunk = |piece: Result<(LogSource, Vec<u8>)>| match piece {
        Ok((_, bytes)) if bytes.is_empty() => None,
        Ok((source, bytes)) => Some(Ok(LogChunk {
            source,
            bytes: bytes.into(),
        })),
        Err(error) => Some(Err(error)),
    };
    stream::unfold(begin, next)
        .fuse()
        .flatten()
        .filter_map(move |piece| std::future::ready(chunk(piece)))
        .fuse()
        .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_whole_again_however_they_are_cut() {
        let mark = UNFINISHED;
        let log = [
            b" 10%\r",
            mark,
            b" 20%\r",
            mark,
            b"done\n\x1b[1mx\x1b_other\x1b\\\n",
        ]
        .concat();
        let whole = b" 10%\r 20%\rdone\n\x1b[1mx\x1b_other\x1b\\\n";
        for size in 1..log.len() {
            let mut joiner = Joiner::default();
            let mut out: Vec<u8> = Vec::new();
            for piece in log.chunks(size) {
                out.extend(joiner.join(piece));
            }
            out.extend(joiner.rest());
            assert_eq!(out, whole, "{size}");
        }
    }

    #[test]
    fn a_line_in_several_records_has_one_time() {
        let mut records = Records::new(false);
        let record = |at: u8, text: &[u8]| -> Chunk {
            let time = format!("2026-05-04T09:30:0{at}Z ");
            [time.as_bytes(), text].concat().into()
        };
        let first = record(1, &[b" 10%\r", UNFINISHED].concat());
        let out = LogSource::Stdout;
        assert_eq!(records.with_time(out, first.clone()), first);
        let other = record(2, b"warning\n");
        assert_eq!(records.with_time(LogSource::Stderr, other.clone()), other);
        assert_eq!(
            records.with_time(out, record(3, b"done\n"))[..],
            b"done\n"[..]
        );
        let next = record(4, b"next\n");
        assert_eq!(records.with_time(out, next.clone()), next);
    }

    /// What Docker's log driver `local` returns for lines of more than 16 KiB.
    #[test]
    fn a_long_line_has_its_end_though_the_engine_leaves_it_out() {
        let mut records = Records::new(true);
        let full = vec![b'x'; CUT];
        let time = b"2026-05-04T09:30:01Z ";
        let first: Chunk = [time, &full[..]].concat().into();
        let out = LogSource::Stdout;
        assert_eq!(records.with_time(out, first.clone()), first);
        let second = [time, &full[..]].concat().into();
        assert_eq!(records.with_time(out, second)[..], full[..]);
        // The line ended there.
        let last = Chunk::from_static(time);
        assert_eq!(records.with_time(out, last)[..], b"\n"[..]);
        let mark = &UNFINISHED[..UNFINISHED.len() - 1];
        assert_eq!(records.whole(out, full.clone().into())[..], full[..]);
        let cut = [b"abc", mark].concat().into();
        assert_eq!(
            records.whole(out, cut)[..],
            [b"abc", UNFINISHED].concat()[..]
        );
        assert_eq!(
            records.whole(out, Chunk::from_static(b"d\n"))[..],
            b"d\n"[..]
        );
        let whole = Chunk::from_static(b"x");
        assert_eq!(Records::new(false).whole(out, whole.clone()), whole);
    }

    #[test]
    fn what_only_began_like_a_mark_is_not_lost() {
        let mut joiner = Joiner::default();
        let cut = &UNFINISHED[..5];
        assert_eq!(joiner.join(&[b"a", cut].concat()), b"a");
        assert_eq!(joiner.rest(), cut);
    }
}
