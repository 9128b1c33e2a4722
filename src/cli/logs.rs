//! `workbay logs`: a session's log, made safe for the terminal unless asked for raw.

use std::io::{self, Write};

use super::{
    Start,
    args::Logs,
    choice::Choice,
    fail::{Fail, Outcome, code},
    find, kernels,
    line::{self, Line},
};
use crate::{
    client::{Stream, StreamItem},
    model::{
        log::{LogOptions, LogSource},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamOpen},
};

pub fn logs(start: &Start, arguments: &Logs) -> Outcome {
    line::block_on(async {
        let line = Line::connect(&start.paths).await?;
        let name = &arguments.one.session;
        let session = find::newest(&line, Choice::of(start), name).await?;
        let kernel = kernels::chosen(&line, &session, arguments.kernel.as_deref()).await?;
        let session = session.key();
        let options = LogOptions {
            follow: arguments.follow,
            tail: arguments.tail,
            kernel,
        };
        let stream = line.stream(StreamOpen::Log { session, options }).await?;
        tokio::select! {
            outcome = line.watched(copy(stream, arguments.raw)) => outcome?,
            // Ctrl-C is how following ends.
            _ = tokio::signal::ctrl_c() => Ok(0),
        }
    })
}

async fn copy(mut stream: Stream, raw: bool) -> Outcome {
    let mut outputs = [Washer::new(raw), Washer::new(raw)];
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data { source, bytes } => {
                let washed = outputs[source as usize].wash(&bytes);
                put(source, &washed)?;
            }
            StreamItem::Ended(end) => {
                for source in [LogSource::Stdout, LogSource::Stderr] {
                    put(source, &outputs[source as usize].rest())?;
                }
                return ended(end);
            }
        }
    }
    Ok(0)
}

fn put(source: LogSource, bytes: &[u8]) -> Result<(), Fail> {
    if bytes.is_empty() {
        return Ok(());
    }
    match source {
        LogSource::Stdout => super::output::bytes(bytes),
        LogSource::Stderr => Ok(io::stderr().lock().write_all(bytes)?),
    }
}

fn ended(end: StreamEnd) -> Outcome {
    match end {
        StreamEnd::Exited { .. } => Ok(0),
        StreamEnd::Failed { failure } => Err(failure.into()),
        StreamEnd::Lost { why } => Err(Fail::new(code::UNREACHABLE, why)),
    }
}

/// Makes log bytes safe line by line. What belongs to a line that has not ended waits.
struct Washer {
    raw: bool,
    line: Vec<u8>,
}

impl Washer {
    /// A line without an end is cut here: nothing makes us keep more.
    const LONGEST: usize = 64 * 1024;

    fn new(raw: bool) -> Self {
        Self {
            raw,
            line: Vec::new(),
        }
    }

    fn wash(&mut self, bytes: &[u8]) -> Vec<u8> {
        if self.raw {
            return bytes.to_vec();
        }
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(piece);
            if self.line.ends_with(b"\n") || self.line.len() > Self::LONGEST {
                out.extend_from_slice(&self.rest());
            }
        }
        out
    }

    /// What is held back, washed. A carriage return begins the line anew, as on a screen.
    fn rest(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.line);
        if line.is_empty() {
            return line;
        }
        let text = String::from_utf8_lossy(&line);
        let (text, end) = match text.strip_suffix('\n') {
            Some(text) => (text, "\n"),
            None => (text.as_ref(), ""),
        };
        let text = text.trim_end_matches('\r');
        let last = text.rsplit('\r').next().unwrap_or(text);
        format!("{}{end}", Clean::new(&last.replace('\t', "        "))).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn washed(pieces: &[&[u8]]) -> String {
        let mut washer = Washer::new(false);
        let mut out: Vec<u8> = pieces.iter().flat_map(|piece| washer.wash(piece)).collect();
        out.extend(washer.rest());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn sequences_cut_by_the_transport_are_still_removed() {
        assert_eq!(washed(&[b"a\x1b[2", b"Jb\nc"]), "ab\nc");
        let korean = "한글\n".as_bytes();
        assert_eq!(washed(&[&korean[..2], &korean[2..]]), "한글\n");
    }

    #[test]
    fn a_progress_line_shows_its_last_state() {
        assert_eq!(washed(&[b"10%\r50%\r100%\r\ndone\r\n"]), "100%\ndone\n");
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let mut washer = Washer::new(false);
        let out = washer.wash(&vec![b'x'; Washer::LONGEST + 1]);
        assert_eq!(out.len(), Washer::LONGEST + 1);
        assert!(washer.line.is_empty());
    }

    #[test]
    fn raw_is_raw() {
        assert_eq!(Washer::new(true).wash(b"\x1b[2J"), b"\x1b[2J");
    }
}
