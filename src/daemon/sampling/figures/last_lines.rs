//! Reads the last lines of a session's log.

use std::time::Duration;

use bytes::BytesMut;
use futures_util::StreamExt as _;
use tokio::time::timeout;

use crate::{
    engine::api::Engine,
    model::{id::SessionId, log::LogOptions, text::Clean},
};

const LINES: u32 = 20;
/// Max bytes that are read from the end of a log.
const BYTES: usize = 4 * 1024;
/// Time limit for reading the log. After that the lines are left out.
const PATIENCE: Duration = Duration::from_secs(5);

/// The last lines of an ended session's log; empty if the log no longer exists.
pub(super) async fn read(engine: &dyn Engine, session: SessionId) -> Vec<Clean> {
    let end = timeout(PATIENCE, end_of_log(engine, session)).await;
    end.map(|end| lines(&end)).unwrap_or_default()
}

async fn end_of_log(engine: &dyn Engine, session: SessionId) -> BytesMut {
    let options = LogOptions {
        tail: Some(LINES),
        ..LogOptions::default()
    };
    let mut end = BytesMut::new();
    let Ok(mut log) = engine.logs(session, options).await else {
        return end;
    };
    while let Some(Ok(chunk)) = log.next().await {
        end.extend_from_slice(&chunk.bytes);
        // One extra byte shows that the log was cut off at its beginning.
        let surplus = end.len().saturating_sub(BYTES + 1);
        let _ = end.split_to(surplus);
    }
    end
}

/// Splits the end of a log into lines. A first line that is cut off is dropped, unless it is the only line.
fn lines(end: &[u8]) -> Vec<Clean> {
    let text = String::from_utf8_lossy(end);
    let mut lines: Vec<&str> = text.lines().collect();
    if end.len() > BYTES && lines.len() > 1 {
        lines.remove(0);
    }
    let surplus = lines.len().saturating_sub(LINES as usize);
    let last = lines.into_iter().skip(surplus);
    last.map(|line| Clean::new(shown(line))).collect()
}

/// A progress bar overwrites itself, so only its last text is shown.
fn shown(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    line.rsplit('\r').next().unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let lines = lines(text.as_bytes());
        lines.into_iter().map(Clean::into_string).collect()
    }

    #[test]
    fn the_last_lines_are_reported_as_they_were_seen() {
        assert_eq!(of(""), [""; 0]);
        assert_eq!(of("one\ntwo\n"), ["one", "two"]);
        assert_eq!(of("10%\r20%\r100%\r\ndone"), ["100%", "done"]);
        assert_eq!(of("\u{1b}[31mred\u{1b}[0m\n"), ["red"]);
        let many: String = (0..50).fold(String::new(), |text, number| {
            text + &format!("line {number}\n")
        });
        let last = of(&many);
        assert_eq!((last.len(), last[0].as_str()), (20, "line 30"));
    }

    #[test]
    fn a_line_without_its_beginning_is_left_out() {
        let cut = format!("{}\nwhole\n", "x".repeat(BYTES - 6));
        assert_eq!(cut.len(), BYTES + 1);
        assert_eq!(of(&cut), ["whole"]);
        let only = "y".repeat(BYTES + 1);
        assert_eq!(of(&only), [only.as_str()]);
    }
}
