//! Log lines of a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::id::KernelId;

/// Stands, with a line end, where a line goes on that could not wait for its end: engines keep whole lines only, and
/// a progress bar ends none. A terminal shows nothing of it. Who reads a log joins such lines again.
pub const UNFINISHED: &[u8] = b"\x1b_workbay:unfinished\x1b\\\n";

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogSource {
    #[default]
    Stdout,
    Stderr,
}

/// What of a log is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogOptions {
    /// Go on with new lines until the session ends or the stream is closed.
    pub follow: bool,
    /// Only the last so many lines first; `None` = all.
    pub tail: Option<u32>,
    /// Whose log; `None` = the main kernel's.
    #[serde(default)]
    pub kernel: Option<KernelId>,
    /// Each line with its time before it, where the engine keeps times: `2026-05-04T09:30:01.5Z `.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub timestamps: bool,
    /// Not the line with this time, nor what comes after it, where the engine keeps times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Timestamp>,
}

/// The longest time before a line: with nine digits of a second and an offset.
pub const LONGEST_TIME: usize = 35;

/// The time before a line, and the line.
#[must_use]
pub fn split_time(line: &[u8]) -> Option<(Timestamp, &[u8])> {
    let end = line
        .iter()
        .take(LONGEST_TIME + 1)
        .position(|byte| *byte == b' ')?;
    let time = std::str::from_utf8(&line[..end]).ok()?;
    // A line that begins with a number, say, has none.
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
