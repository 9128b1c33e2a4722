//! Log lines of a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::id::KernelId;

/// Marks, with a line end, where an unfinished line was split. Engines keep whole lines only, but a progress
/// bar doesn't end its lines. A terminal doesn't show the mark. Readers of a log join such lines again.
pub const UNFINISHED: &[u8] = b"\x1b_workbay:unfinished\x1b\\\n";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogSource {
    #[default]
    Stdout,
    Stderr,
}

/// Which part of a log is requested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOptions {
    /// Continue with new lines until the session ends or the stream is closed.
    pub follow: bool,
    /// Only this many last lines at the start; `None` = all.
    pub tail: Option<u32>,
    /// The container of the log; `None` = the main container.
    #[serde(default)]
    pub kernel: Option<KernelId>,
    /// Put the time before each line, where the engine keeps times: `2026-05-04T09:30:01.5Z `.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timestamps: bool,
    /// Only lines before this time, where the engine keeps times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Timestamp>,
}

/// The length of the longest time before a line: with nine digits of a second and an offset.
pub const LONGEST_TIME: usize = 35;

/// Splits a line into its time and the rest.
#[must_use]
pub fn split_time(line: &[u8]) -> Option<(Timestamp, &[u8])> {
    let end = line
        .iter()
        .take(LONGEST_TIME + 1)
        .position(|byte| *byte == b' ')?;
    let time = std::str::from_utf8(&line[..end]).ok()?;
    // A line that begins with a number, for example, has no time.
    let at = time.contains('T').then(|| time.parse().ok())??;
    Some((at, &line[end + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_time_is_one() {
        let (at, rest) = split_time(b"2026-05-04T09:30:01.123456789Z  10%\r").unwrap();
        assert_eq!(at.as_second(), 1_777_887_001);
        assert_eq!(rest, b" 10%\r");
        for line in [
            &b"2026-05-04 text"[..],
            b"The end",
            b"",
            b"2026-05-04T09:30:01Z",
        ] {
            assert_eq!(split_time(line), None);
        }
    }
}
