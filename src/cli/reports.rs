//! Streams that report their work as lines of JSON, until the user or the system ends the command.

use serde::de::DeserializeOwned;

use super::fail::{Fail, code};
use crate::protocol::message::StreamEnd;

/// The longest unfinished line that is kept.
const LONGEST: usize = 1 << 20;

/// Lines that may arrive in pieces.
#[derive(Debug, Default)]
pub struct JsonLines(Vec<u8>);

impl JsonLines {
    /// The lines that are complete with these bytes.
    pub fn read<T: DeserializeOwned>(&mut self, bytes: &[u8]) -> Result<Vec<T>, Fail> {
        let mut complete = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.0.extend_from_slice(piece);
            if self.0.len() > LONGEST {
                return Err(lost(tr!("the daemon sent a report that is too long")));
            }
            if self.0.ends_with(b"\n") {
                let line = std::mem::take(&mut self.0);
                let report = serde_json::from_slice(&line)
                    .map_err(|_| lost(tr!("the daemon sent a report of an unknown form")))?;
                complete.push(report);
            }
        }
        Ok(complete)
    }
}

/// The failure of a stream, if it failed.
pub fn failed(end: StreamEnd) -> Result<(), Fail> {
    match end {
        StreamEnd::Exited { .. } => Ok(()),
        StreamEnd::Failed { failure } => Err(failure.into()),
        StreamEnd::Lost { why } => Err(Fail::new(code::UNREACHABLE, why)),
    }
}

/// The daemon ended without a word.
pub fn closed() -> Fail {
    lost(tr!("the daemon closed the stream"))
}

fn lost(why: &str) -> Fail {
    let fail = Fail::new(code::UNREACHABLE, why.to_owned());
    fail.hint(tr!(
        "try again. `workbay daemon status` shows whether the daemon runs"
    ))
}

/// Ends the work when the user or the system ends the command. `left` is what remains then.
pub async fn unless_interrupted<T>(
    work: impl Future<Output = Result<T, Fail>>,
    left: &str,
) -> Result<T, Fail> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut ended = signal(SignalKind::terminate())?;
    tokio::select! {
        result = work => result,
        _ = tokio::signal::ctrl_c() => Err(cancelled(left)),
        _ = ended.recv() => Err(cancelled(left)),
    }
}

fn cancelled(left: &str) -> Fail {
    Fail::new(code::INTERRUPTED, tr!("cancelled: {left}", left))
}
