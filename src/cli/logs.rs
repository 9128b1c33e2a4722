//! `workbay logs`: a session's log, made safe for the terminal unless asked for raw.

use std::io::{self, IsTerminal as _, Write};

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
        log::{LogOptions, LogSource, split_time},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamOpen},
    terminal::filter::OutputFilter,
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
            timestamps: arguments.timestamps,
            before: None,
        };
        let stream = line.stream(StreamOpen::Log { session, options });
        tokio::select! {
            outcome = line.watched(copy(stream, how(arguments))) => outcome?,
            // Ctrl-C is the normal way to stop following.
            _ = tokio::signal::ctrl_c() => Ok(0),
        }
    })
}

/// In a followed log, bytes don't wait for the end of their line, because a progress bar rewrites its line.
fn how(arguments: &Logs) -> How {
    match (arguments.raw, arguments.follow) {
        (true, _) => How::Raw,
        (false, true) => How::Followed {
            colors: io::stdout().is_terminal(),
        },
        (false, false) => How::Lines,
    }
}

async fn copy(mut stream: Stream, how: How) -> Outcome {
    let mut outputs = [Washer::new(how), Washer::new(how)];
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

#[derive(Clone, Copy)]
enum How {
    Raw,
    /// Bytes of an unfinished line wait for its end.
    Lines,
    /// Bytes are printed as they come.
    Followed {
        colors: bool,
    },
}

/// Makes log bytes safe.
struct Washer {
    how: How,
    line: Vec<u8>,
    filter: OutputFilter,
}

/// Resets the style, so that text after the log has the terminal's own style.
const PLAIN: &[u8] = b"\x1b[0m";

impl Washer {
    /// A longer line is cut, to limit memory.
    const LONGEST: usize = 64 * 1024;

    fn new(how: How) -> Self {
        let colors = matches!(how, How::Followed { colors: true });
        Self {
            how,
            line: Vec::new(),
            filter: OutputFilter::of_log(colors),
        }
    }

    fn wash(&mut self, bytes: &[u8]) -> Vec<u8> {
        match self.how {
            How::Raw => return bytes.to_vec(),
            How::Followed { .. } => return self.filter.pass(bytes),
            How::Lines => {}
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

    /// The held bytes, made safe. A carriage return restarts the line, as on a screen.
    fn rest(&mut self) -> Vec<u8> {
        if matches!(self.how, How::Followed { colors: true }) {
            return PLAIN.to_vec();
        }
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
        let rest = split_time(text.as_bytes()).map_or(text.len(), |(_, rest)| rest.len());
        let (time, text) = text.split_at(text.len() - rest);
        let last = text.rsplit('\r').next().unwrap_or(text);
        let last = last.replace('\t', "        ");
        format!("{}{end}", Clean::new(&format!("{time}{last}"))).into_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn washed(pieces: &[&[u8]]) -> String {
        let mut washer = Washer::new(How::Lines);
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
        let mut washer = Washer::new(How::Lines);
        let out = washer.wash(&vec![b'x'; Washer::LONGEST + 1]);
        assert_eq!(out.len(), Washer::LONGEST + 1);
        assert!(washer.line.is_empty());
    }

    #[test]
    fn raw_is_raw() {
        assert_eq!(Washer::new(How::Raw).wash(b"\x1b[2J"), b"\x1b[2J");
    }

    #[test]
    fn what_is_followed_does_not_wait_for_the_end_of_its_line() {
        let mut washer = Washer::new(How::Followed { colors: false });
        assert_eq!(washer.wash(b" 10%\r"), b" 10%\r");
        assert_eq!(washer.wash(b" 20%\r\x1b[2"), b" 20%\r");
        assert_eq!(washer.wash(b"Jdone"), b"done");
        assert_eq!(washer.rest(), b"");
    }
}
