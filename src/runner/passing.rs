//! Passes a command's output on to the session's log. Engines keep whole lines only, so a line that stays open for a
//! moment, such as a progress bar, is ended with a mark. Readers of the log use the mark to join the parts again.

use std::{
    io::{self, PipeReader, PipeWriter, Read, Write},
    os::fd::AsFd,
    process::Child,
    sync::mpsc::{self, Receiver},
    thread,
    time::{Duration, Instant},
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::model::log::UNFINISHED;

/// How long an unfinished line is held before it is shown.
const PATIENCE: Duration = Duration::from_millis(250);
/// The most bytes of an unfinished line that are held.
const MOST: usize = 8 * 1024;
/// How long the remaining output may take to pass after the command has ended.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Passes on stdout and stderr of a command.
pub(super) struct Passing {
    /// Closed to stop waiting for more output.
    stop: PipeWriter,
    done: Receiver<()>,
}

impl Passing {
    /// Starts to pass on the output from the pipes that the command was started with.
    pub(super) fn begin(command: &mut Child) -> io::Result<Self> {
        let (stopped, stop) = io::pipe()?;
        let (sender, done) = mpsc::channel();
        if let Some(output) = command.stdout.take() {
            let (stopped, sender) = (stopped.try_clone()?, sender.clone());
            thread::spawn(move || {
                pass(output, io::stdout(), &stopped);
                // The receiver no longer exists when the session has ended.
                let _ = sender.send(());
            });
        }
        if let Some(output) = command.stderr.take() {
            thread::spawn(move || {
                pass(output, io::stderr(), &stopped);
                let _ = sender.send(());
            });
        }
        Ok(Self { stop, done })
    }

    /// Passes on what is in the pipes after the command has ended, even if other processes still have them open.
    pub(super) fn end(self) {
        drop(self.stop);
        let until = now() + LAST_WORDS;
        loop {
            let left = until.saturating_duration_since(now());
            // An error means that both threads have ended, or that the time is over.
            if self.done.recv_timeout(left).is_err() {
                return;
            }
        }
    }
}

fn pass(mut from: impl Read + AsFd, mut to: impl Write, stopped: &PipeReader) {
    let mut line = OpenLine::default();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let due = line.due_in(now());
        let (there, stop) = wait(&from, stopped, due);
        let piece = if there {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => line.take(&buffer[..length], now()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            }
        } else if stop {
            break;
        } else {
            line.show()
        };
        if put(&mut to, &piece).is_err() {
            break;
        }
    }
    // A session keeps running even if its log can't be written.
    let _ = put(&mut to, &line.end());
}

#[expect(
    clippy::disallowed_methods,
    reason = "the loop of a process of its own"
)]
fn now() -> Instant {
    Instant::now()
}

fn put(to: &mut impl Write, piece: &[u8]) -> io::Result<()> {
    to.write_all(piece)?;
    to.flush()
}

/// Waits, then returns whether there is something to read and whether to stop waiting for more.
fn wait(from: &impl AsFd, stopped: &PipeReader, most: Option<Duration>) -> (bool, bool) {
    let mut both = [
        PollFd::new(from, PollFlags::IN),
        PollFd::new(stopped, PollFlags::IN),
    ];
    let most = most.and_then(|most| Timespec::try_from(most).ok());
    if poll(&mut both, most.as_ref()).is_err() {
        // A signal interrupted the call. The next call sees what is there.
        return (false, false);
    }
    let [from, stopped] = both.map(|one| !one.revents().is_empty());
    (from, stopped)
}

/// The part of the current line that isn't written yet.
#[derive(Debug, Default)]
struct OpenLine {
    held: Vec<u8>,
    /// A part of the line was written that the engine hasn't shown yet.
    hidden: bool,
    /// A part of the line was written.
    begun: bool,
    /// When the first byte arrived that isn't shown yet.
    since: Option<Instant>,
}

impl OpenLine {
    /// Adds these bytes to those held before, and returns what to write now.
    fn take(&mut self, bytes: &[u8], now: Instant) -> Vec<u8> {
        let mut out = Vec::new();
        let end = bytes.iter().rposition(|byte| *byte == b'\n');
        let rest = end.map_or(bytes, |end| {
            out.append(&mut self.held);
            out.extend_from_slice(&bytes[..=end]);
            *self = Self::default();
            &bytes[end + 1..]
        });
        if !rest.is_empty() {
            self.held.extend_from_slice(rest);
            self.since.get_or_insert(now);
        }
        if self.held.len() > MOST {
            out.append(&mut self.held);
            (self.hidden, self.begun) = (true, true);
        }
        out
    }

    /// The time until the unfinished line is due to be shown. `None` = all of it is shown.
    fn due_in(&self, now: Instant) -> Option<Duration> {
        let due = self.since? + PATIENCE;
        Some(due.saturating_duration_since(now))
    }

    /// Returns what to write when the unfinished line is due.
    fn show(&mut self) -> Vec<u8> {
        self.since = None;
        let mut out = std::mem::take(&mut self.held);
        if out.is_empty() && !self.hidden {
            return out;
        }
        (self.hidden, self.begun) = (false, true);
        out.extend_from_slice(UNFINISHED);
        out
    }

    /// Returns what to write when no more output comes. It ends the line, so that other output starts on a new one.
    fn end(&mut self) -> Vec<u8> {
        let mut out = std::mem::take(&mut self.held);
        if self.begun || !out.is_empty() {
            out.push(b'\n');
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT_ONCE: Duration = Duration::ZERO;

    #[test]
    fn whole_lines_pass_as_they_come() {
        let now = super::now();
        let mut line = OpenLine::default();
        assert_eq!(line.take(b"one\ntwo\n", now), b"one\ntwo\n");
        assert_eq!(line.due_in(now), None);
        assert_eq!(line.end(), b"");
    }

    #[test]
    fn a_line_without_its_end_is_shown_after_a_moment() {
        let now = super::now();
        let mut line = OpenLine::default();
        assert_eq!(line.take(b"one\n 10%\r", now), b"one\n");
        assert_eq!(line.due_in(now), Some(PATIENCE));
        assert_eq!(line.take(b" 20%\r", now + PATIENCE / 2), b"");
        assert_eq!(line.due_in(now + PATIENCE), Some(AT_ONCE));
        assert_eq!(line.show(), [b" 10%\r 20%\r", UNFINISHED].concat());
        assert_eq!(line.due_in(now), None);
        assert_eq!(line.take(b"done\n", now), b"done\n");
        assert_eq!(line.end(), b"");
    }

    #[test]
    fn the_last_state_ends_its_line_before_others_say_something() {
        let now = super::now();
        let mut line = OpenLine::default();
        line.take(b"100%\r", now);
        line.show();
        assert_eq!(line.end(), b"\n");
        line = OpenLine::default();
        line.take(b"100%", now);
        assert_eq!(line.end(), b"100%\n");
    }

    #[test]
    fn a_line_that_is_long_is_not_held() {
        let now = super::now();
        let mut line = OpenLine::default();
        let long = vec![b'x'; MOST + 1];
        assert_eq!(line.take(&long, now), long);
        assert_eq!(line.show(), UNFINISHED);
        assert_eq!(line.show(), b"");
        assert_eq!(line.end(), b"\n");
    }

    #[test]
    fn what_is_in_a_pipe_at_the_end_is_passed_though_it_stays_open() {
        let (from, mut to) = io::pipe().unwrap();
        let (stopped, stop) = io::pipe().unwrap();
        to.write_all(b"said last\r").unwrap();
        drop(stop);
        let mut log = Vec::new();
        pass(from, &mut log, &stopped);
        assert_eq!(log, b"said last\r\n");
        drop(to);
    }
}
