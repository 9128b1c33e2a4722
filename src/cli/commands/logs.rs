//! `workbay logs`: a session's log, made safe for the terminal unless asked for raw.

use std::io::{self, IsTerminal as _, Write};

use clap::Args;

use crate::{
    cli::{
        args::{One, number},
        choice::Choice,
        commands::RunCommand,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        find,
        invocation::Invocation,
        kernels,
        log_words::LogWords,
        output,
    },
    client::{Stream, StreamItem},
    locale,
    model::{
        log::{LogOptions, LogSource, split_time},
        text::Clean,
    },
    protocol::message::{StreamEnd, StreamOpen},
    terminal::filter::OutputFilter,
};

#[derive(Args, Debug)]
pub struct Logs {
    #[command(flatten)]
    pub one: One,
    /// Print new lines until the session ends
    #[arg(short, long)]
    pub follow: bool,
    /// Only the last N lines
    #[arg(long, value_name = "N", value_parser = number::<u32>)]
    pub tail: Option<u32>,
    /// Container of a cluster session: its host name (main1, sub1) or the beginning of its id
    #[arg(long, value_name = "KERNEL")]
    pub kernel: Option<String>,
    /// Print the time of each line (UTC), if the engine stores times
    #[arg(short, long)]
    pub timestamps: bool,
    /// Print control sequences unchanged, which can affect your terminal
    #[arg(long)]
    pub raw: bool,
}

impl RunCommand for Logs {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = &invocation.load()?;
        connection::block_on(async {
            let connection = Connection::connect(&start.paths).await?;
            let name = &self.one.session;
            let session = find::newest(&connection, Choice::of(start), name).await?;
            let kernel = kernels::chosen(&connection, &session, self.kernel.as_deref()).await?;
            let session = session.key();
            let options = LogOptions {
                follow: self.follow,
                tail: self.tail,
                kernel,
                timestamps: self.timestamps,
                before: None,
            };
            let stream = connection.stream(StreamOpen::Log { session, options });
            tokio::select! {
                outcome = connection.watched(copy(stream, washers(&self))) => outcome?,
                // Ctrl-C is the normal way to stop following.
                _ = tokio::signal::ctrl_c() => Ok(0),
            }
        })
    }
}

/// In a followed log, bytes don't wait for the end of their line, because a progress bar rewrites its line.
fn mode(arguments: &Logs) -> LogMode {
    match (arguments.raw, arguments.follow) {
        (true, _) => LogMode::Raw,
        (false, true) => LogMode::Followed {
            colors: output::is_colorful(),
        },
        (false, false) => LogMode::Lines,
    }
}

/// One for each source. workbay's own lines are on stdout.
fn washers(arguments: &Logs) -> [Washer; 2] {
    let mode = mode(arguments);
    let mut washers = [Washer::new(mode), Washer::new(mode)];
    let is_shown = !arguments.raw && io::stdout().is_terminal();
    if is_shown && locale::catalog().is_some() {
        washers[LogSource::Stdout as usize].words = Some(LogWords::new(arguments.timestamps));
    }
    washers
}

async fn copy(mut stream: Stream, mut outputs: [Washer; 2]) -> Outcome {
    while let Some(item) = stream.recv().await {
        match item {
            StreamItem::Opened => {}
            StreamItem::Data { source, bytes } => {
                let washed = outputs[source as usize].wash(&bytes);
                put(source, &washed)?;
            }
            StreamItem::Ended(end) => {
                for source in [LogSource::Stdout, LogSource::Stderr] {
                    put(source, &outputs[source as usize].finish())?;
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
        LogSource::Stdout => output::bytes(bytes),
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
enum LogMode {
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
    mode: LogMode,
    line: Vec<u8>,
    filter: OutputFilter,
    /// Translates workbay's own lines.
    words: Option<LogWords>,
}

/// Resets the style, so that text after the log has the terminal's own style.
const PLAIN: &[u8] = b"\x1b[0m";

impl Washer {
    /// A longer line is cut, to limit memory.
    const LONGEST: usize = 64 * 1024;

    fn new(mode: LogMode) -> Self {
        let colors = matches!(mode, LogMode::Followed { colors: true });
        Self {
            mode,
            line: Vec::new(),
            filter: OutputFilter::of_log(colors),
            words: None,
        }
    }

    fn wash(&mut self, bytes: &[u8]) -> Vec<u8> {
        match &mut self.words {
            Some(words) => {
                let translated = words.pass(bytes);
                self.wash_words(&translated)
            }
            None => self.wash_words(bytes),
        }
    }

    /// What is left at the end of the log, made safe.
    fn finish(&mut self) -> Vec<u8> {
        let held = self.words.as_mut().map(LogWords::rest).unwrap_or_default();
        let mut out = self.wash_words(&held);
        out.extend(self.rest());
        out
    }

    fn wash_words(&mut self, bytes: &[u8]) -> Vec<u8> {
        match self.mode {
            LogMode::Raw => return bytes.to_vec(),
            LogMode::Followed { .. } => return self.filter.pass(bytes),
            LogMode::Lines => {}
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
        if matches!(self.mode, LogMode::Followed { colors: true }) {
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
    use crate::locale::embedded;

    fn washed(pieces: &[&[u8]]) -> String {
        let mut washer = Washer::new(LogMode::Lines);
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
    fn workbays_own_lines_are_in_the_users_language() {
        let _korean = locale::in_this_thread(embedded::korean());
        for mode in [LogMode::Lines, LogMode::Followed { colors: false }] {
            let mut washer = Washer::new(mode);
            washer.words = Some(LogWords::new(false));
            let pieces: [&[u8]; 3] = [
                b"workbay: re",
                b"ady\nready\n",
                b"workbay: ended with exit code 3",
            ];
            let mut out: Vec<u8> = pieces.iter().flat_map(|it| washer.wash(it)).collect();
            out.extend(washer.finish());
            let expected = "workbay: 준비됨\nready\nworkbay: 끝났습니다 (종료 코드 3)";
            assert_eq!(String::from_utf8(out).unwrap(), expected);
        }
    }

    #[test]
    fn a_progress_line_shows_its_last_state() {
        assert_eq!(washed(&[b"10%\r50%\r100%\r\ndone\r\n"]), "100%\ndone\n");
    }

    #[test]
    fn a_line_without_an_end_is_not_kept_for_ever() {
        let mut washer = Washer::new(LogMode::Lines);
        let out = washer.wash(&vec![b'x'; Washer::LONGEST + 1]);
        assert_eq!(out.len(), Washer::LONGEST + 1);
        assert!(washer.line.is_empty());
    }

    #[test]
    fn raw_is_raw() {
        assert_eq!(Washer::new(LogMode::Raw).wash(b"\x1b[2J"), b"\x1b[2J");
    }

    #[test]
    fn what_is_followed_does_not_wait_for_the_end_of_its_line() {
        let mut washer = Washer::new(LogMode::Followed { colors: false });
        assert_eq!(washer.wash(b" 10%\r"), b" 10%\r");
        assert_eq!(washer.wash(b" 20%\r\x1b[2"), b" 20%\r");
        assert_eq!(washer.wash(b"Jdone"), b"done");
        assert_eq!(washer.rest(), b"");
    }
}
