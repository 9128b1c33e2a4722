//! Follows a log that can only be read whole. The log is read repeatedly while it has a reader, and
//! less often when nothing is new.

use std::{collections::VecDeque, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use futures_util::{StreamExt as _, stream, stream::BoxStream};

use super::log_diff::{LogPosition, last_lines};
use crate::{
    engine::api::{LogChunk, Result},
    model::{
        failure::Failure,
        log::{LogOptions, LogSource},
        own_line::LOST_LINES,
    },
};

/// The shortest and the longest pause between two readings: short after new text, longer while
/// nothing is new. Each reading transfers the whole log, so a log of more than `LONG` bytes is
/// never read at the quick pace.
const QUICK: Duration = Duration::from_secs(1);
const SLOW: Duration = Duration::from_secs(5);
const LONG: usize = 1024 * 1024;

/// How many readings in a row may fail before the follower stops.
const ATTEMPTS: u32 = 3;

/// The length of one piece for the reader.
const PIECE: usize = 64 * 1024;

/// A session's log as the manager keeps it.
#[async_trait]
pub(super) trait ManagerLog: Send + Sync + 'static {
    /// The whole log; `None` if it doesn't exist yet, or doesn't exist any more.
    async fn log(&self) -> Result<Option<String>>;

    /// Whether the session has ended, so that the log is complete.
    async fn ended(&self) -> Result<bool>;

    /// The error for a log that doesn't exist.
    async fn none(&self) -> Failure;
}

/// Opens the log as a stream. Fails at once if the log can't be read at all.
pub(super) async fn open(
    source: impl ManagerLog,
    options: LogOptions,
) -> Result<BoxStream<'static, Result<LogChunk>>> {
    let first = source.log().await?;
    if !options.follow {
        let Some(log) = first else {
            return Err(source.none().await);
        };
        let pieces = pieces(wanted(&log, options.tail));
        return Ok(stream::iter(pieces.map(Ok)).boxed());
    }
    let mut follower = Follower {
        source,
        tail: options.tail,
        begun: false,
        seen: LogPosition::default(),
        ready: VecDeque::new(),
        pause: QUICK,
        faults: 0,
        late: 0,
        done: false,
    };
    if let Some(log) = first {
        follower.take(&log, false);
    }
    Ok(stream::unfold(follower, Follower::next).boxed())
}

struct Follower<S> {
    source: S,
    /// How many lines of the existing log to show.
    tail: Option<u32>,
    /// Whether the log has existed.
    begun: bool,
    seen: LogPosition,
    ready: VecDeque<LogChunk>,
    pause: Duration,
    /// How many readings in a row failed.
    faults: u32,
    /// How many readings after the session's end found no log.
    late: u32,
    done: bool,
}

impl<S: ManagerLog> Follower<S> {
    async fn next(mut self) -> Option<(Result<LogChunk>, Self)> {
        loop {
            if let Some(piece) = self.ready.pop_front() {
                return Some((Ok(piece), self));
            }
            if self.done {
                return None;
            }
            tokio::time::sleep(self.pause).await;
            match self.read().await {
                Ok(()) => self.faults = 0,
                Err(error) => {
                    self.faults += 1;
                    if self.faults >= ATTEMPTS {
                        self.done = true;
                        return Some((Err(error), self));
                    }
                }
            }
        }
    }

    async fn read(&mut self) -> Result<()> {
        // The state is read before the log: a log that is read after the end is complete.
        let ended = self.source.ended().await?;
        match self.source.log().await {
            Ok(Some(log)) => {
                self.take(&log, ended);
                self.done = ended;
                Ok(())
            }
            // The log of a session that has just ended may be moving to its permanent storage.
            Ok(None) | Err(_) if ended => {
                self.late += 1;
                self.done = self.late >= ATTEMPTS;
                self.patience(0, false);
                Ok(())
            }
            Ok(None) => {
                self.patience(0, false);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Queues what is new.
    fn take(&mut self, log: &str, last: bool) {
        let part = self.seen.read(log, last);
        self.patience(log.len(), !part.text.is_empty());
        if part.gap {
            self.ready.extend(pieces(&format!("\n{LOST_LINES}\n")));
        }
        let text = if self.begun {
            part.text
        } else {
            wanted(part.text, self.tail)
        };
        self.begun |= !log.is_empty();
        self.ready.extend(pieces(text));
    }

    fn patience(&mut self, length: usize, has_new: bool) {
        self.pause = match has_new {
            _ if length > LONG => SLOW,
            true => QUICK,
            false => (self.pause + QUICK).min(SLOW),
        };
    }
}

fn wanted(log: &str, tail: Option<u32>) -> &str {
    match tail {
        Some(lines) => last_lines(log, lines),
        None => log,
    }
}

fn pieces(text: &str) -> impl Iterator<Item = LogChunk> + Send + use<> {
    let mut bytes = Bytes::copy_from_slice(text.as_bytes());
    std::iter::from_fn(move || {
        (!bytes.is_empty()).then(|| LogChunk {
            source: LogSource::Stdout,
            bytes: bytes.split_to(bytes.len().min(PIECE)),
        })
    })
}
