//! `workbay replay`: plays the recording of a terminal in this one.

mod player;

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
};

use clap::Args;
use rustix::termios;
use signal_hook::consts::SIGINT;

use self::player::{PlayKey, Player};
use crate::{
    cli::{
        commands::RunCommand,
        fail::{Fail, Outcome},
        invocation::Invocation,
        output, tty,
    },
    model::settings::{ClipboardPolicy, TerminalSettings},
    terminal::{
        asciicast::{Event, EventKind, Header},
        fatal,
        filter::OutputFilter,
        raw::Raw,
    },
};

/// Longest line that is read. A longer one isn't an event.
const LONGEST_LINE: u64 = 8 * 1024 * 1024;

/// Play the recording of a terminal
///
/// Space pauses, `.` plays the next output while paused, + and - change the speed, q quits.
#[derive(Args, Debug)]
pub struct Replay {
    /// Recording in asciicast v2 format
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    file: PathBuf,
    /// How many times faster to play (0.1 to 100)
    #[arg(long, value_name = "N", default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    /// Longest pause in seconds (default: as recorded)
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    idle_limit: Option<f64>,
}

fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|it| player::SPEEDS.contains(it));
    speed.ok_or_else(|| tr!("use a number from 0.1 to 100, for example 2").to_owned())
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.parse().ok();
    let seconds = seconds.filter(|it| it.is_finite() && *it >= 0.0);
    seconds.ok_or_else(|| tr!("use a number of seconds, for example 0.5").to_owned())
}

impl RunCommand for Replay {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        let start = invocation.load()?;
        if !tty::is_interactive() {
            let fail = Fail::usage(tr!("`replay` needs a terminal on stdin and stdout"));
            return Err(fail.hint(tr!("run it in a terminal, without a pipe")));
        }
        let mut recording = Recording::open(&self.file)?;
        let (columns, rows) = (recording.header.columns, recording.header.rows);
        let mut filter = filter(&start.loaded.settings.terminal);
        let signals = [fatal::UNEXPECTED, &[SIGINT]].concat();
        let raw = Raw::enter(&signals);
        let mut raw = raw.map_err(|error| terminal_fails(&error))?;
        raw.has_alternate_screen();
        let mut screen = io::stdout();
        put(&mut raw, &screen, b"\x1b[?1049h\x1b[2J\x1b[H")?;
        let mut player = Player::new(self.speed, self.idle_limit);
        let mut problem = None;
        loop {
            let event = match recording.next() {
                Ok(Some(event)) => event,
                Ok(None) => break,
                Err(fail) => {
                    problem = Some(fail);
                    break;
                }
            };
            let EventKind::Output(text) = event.kind else {
                continue;
            };
            if !player.wait_until(event.at, &mut Keyboard)? {
                break;
            }
            let shown = filter.pass(text.as_bytes());
            put(&mut raw, &screen, &shown)?;
        }
        if problem.is_none() && !player.has_quit() {
            Player::wait_for_key(&mut Keyboard)?;
        }
        drop(raw);
        io::Write::flush(&mut screen).map_err(|error| terminal_fails(&error))?;
        let size = termios::tcgetwinsize(io::stdout()).ok();
        if size.is_some_and(|size| size.ws_col < columns || size.ws_row < rows) {
            output::remark(&tr!(
                "The recording has {columns}x{rows} cells, more than this terminal",
                columns,
                rows
            ));
        }
        problem.map_or(Ok(0), Err)
    }
}

/// A recording comes from a session, so it may never write to the clipboard.
fn filter(settings: &TerminalSettings) -> OutputFilter {
    OutputFilter::new(&TerminalSettings {
        clipboard: ClipboardPolicy::Refuse,
        ..settings.clone()
    })
}

fn put(raw: &mut Raw, screen: &io::Stdout, bytes: &[u8]) -> Result<(), Fail> {
    raw.put(screen, bytes)
        .map_err(|error| terminal_fails(&error))
}

fn terminal_fails(error: &io::Error) -> Fail {
    Fail::new(1, tr!("this terminal can't be used: {error}", error))
        .hint(tr!("run `reset`, then try again in another terminal"))
}

/// A file that is read line by line.
struct Recording {
    lines: BufReader<File>,
    file: PathBuf,
    header: Header,
    line: u64,
}

impl Recording {
    fn open(file: &Path) -> Result<Self, Fail> {
        let opened = File::open(file).and_then(|opened| {
            let is_file = opened.metadata()?.is_file();
            is_file
                .then_some(opened)
                .ok_or_else(|| io::Error::other(tr!("it isn't a regular file")))
        });
        let opened = opened.map_err(|error| {
            Fail::usage(tr!(
                "{file} can't be read: {error}",
                file = file.display(),
                error
            ))
            .hint(tr!(
                "name a recording, for example one in recordings/ of the data directory"
            ))
        })?;
        let mut lines = BufReader::new(opened);
        let first = read_line(&mut lines).unwrap_or_default();
        let header = Header::read(first.trim_end()).map_err(|why| {
            let fail = Fail::usage(tr!("{file} can't be played: {why}", file = file.display(), why));
            fail.hint(tr!("record a pane with the leader key, then `R`, or convert the file with `asciinema convert`"))
        })?;
        Ok(Self {
            lines,
            file: file.to_owned(),
            header,
            line: 1,
        })
    }

    /// The next event, `None` at the end.
    fn next(&mut self) -> Result<Option<Event>, Fail> {
        loop {
            self.line += 1;
            let line = read_line(&mut self.lines).map_err(|error| {
                Fail::new(
                    1,
                    tr!(
                        "{file} can't be read: {error}",
                        file = self.file.display(),
                        error
                    ),
                )
                .hint(tr!("check the disk, then play it again"))
            })?;
            if line.is_empty() {
                return Ok(None);
            }
            if line.trim().is_empty() {
                continue;
            }
            return match Event::read(line.trim_end()) {
                Ok(event) => Ok(Some(event)),
                Err(why) => {
                    let file = self.file.display();
                    let fail = Fail::new(1, format!("{file}:{}: {why}", self.line));
                    Err(fail.hint(tr!("the recording is damaged from this line on. Everything before it was played")))
                }
            };
        }
    }
}

fn read_line(lines: &mut BufReader<File>) -> io::Result<String> {
    let mut line = String::new();
    lines.take(LONGEST_LINE).read_line(&mut line)?;
    Ok(line)
}

/// The keys of this terminal.
struct Keyboard;

impl player::Keys for Keyboard {
    fn next(&mut self, wait: Option<std::time::Duration>) -> io::Result<Option<PlayKey>> {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let stdin = io::stdin();
        let mut ready = [PollFd::new(&stdin, PollFlags::IN)];
        let wait = wait.map(|it| Timespec {
            tv_sec: it.as_secs().cast_signed(),
            tv_nsec: it.subsec_nanos().into(),
        });
        match poll(&mut ready, wait.as_ref()) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => return Ok(Some(PlayKey::Other)),
            Err(error) => return Err(error.into()),
        }
        let mut bytes = [0; 64];
        let count = rustix::io::read(&stdin, &mut bytes)?;
        Ok(Some(PlayKey::of(&bytes[..count])))
    }
}
