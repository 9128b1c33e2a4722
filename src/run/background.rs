//! What is known about the outer terminal: its colors, dark or light, color depth, keyboard protocol and
//! name.

use std::{
    io::{self, Read, Write},
    os::fd::AsFd,
    time::Duration,
};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

use super::clock;
use crate::terminal::defaults::{DefaultColors, Rgb};

/// What is known about the terminal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Background {
    pub dark: Option<bool>,
    /// The colors of text and background that have no color of their own.
    pub colours: DefaultColors,
    /// The terminal supports the keyboard protocol of kitty.
    pub distinguishes_keys: bool,
    /// The name that the terminal reports (XTVERSION).
    pub name: Option<String>,
    /// Not all answers came in time. They may still come; these are the bytes of an incomplete one.
    pub late_answer: Option<Vec<u8>>,
}

/// Asks for the default colors, the keyboard protocol and the name, then for the kind of terminal. Every
/// terminal answers the last question, so a terminal that ignores the others causes no wait.
const QUESTION: &[u8] = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\\x1b[?u\x1b[>q\x1b[c";
/// Asks for the default colors again.
pub const COLORS_QUESTION: &[u8] = b"\x1b]10;?\x1b\\\x1b]11;?\x1b\\";
/// A local terminal answers in a millisecond. A slower one isn't waited for.
const PATIENCE: Duration = Duration::from_millis(100);
/// Additional time for the rest of an answer that has begun.
const PATIENCE_FOR_THE_REST: Duration = Duration::from_millis(900);

/// Asks the terminal, and does `meanwhile` before it reads the answers. Nothing else may read from the terminal
/// yet. COLORFGBG has priority over the terminal's answer about dark or light.
pub fn detect<T>(
    variable: impl Fn(&str) -> Option<String>,
    meanwhile: impl FnOnce() -> T,
) -> (Background, T) {
    let mut answer = Vec::new();
    let (complete, done) = ask(&mut answer, meanwhile);
    let complete = complete.unwrap_or(false);
    let dark = variable("COLORFGBG").as_deref().and_then(by_variable);
    let colours = DefaultColors {
        foreground: colour(&answer, "\x1b]10;"),
        background: colour(&answer, "\x1b]11;"),
    };
    let reported = colours.background.map(Rgb::is_dark);
    let found = Background {
        dark: dark.or(reported),
        colours,
        distinguishes_keys: answer_with(&answer, "\x1b[?", 'u').is_some(),
        name: answer_with(&answer, "\x1bP>|", '\x1b'),
        late_answer: (!complete).then(|| incomplete(&answer).to_vec()),
    };
    (found, done)
}

/// The text between `start` and `end`. Unless `end` is a control character, it must be digits only.
fn answer_with(answer: &[u8], start: &str, end: char) -> Option<String> {
    let text = String::from_utf8_lossy(answer);
    let mut places = text.match_indices(start);
    places.find_map(|(at, _)| {
        let rest = &text[at + start.len()..];
        let inside = &rest[..rest.find(end)?];
        let whole = end.is_control() || inside.chars().all(|c| c.is_ascii_digit());
        whole.then(|| inside.to_owned())
    })
}

/// In `15;0`, the last number is the color of the background.
fn by_variable(value: &str) -> Option<bool> {
    let background: u8 = value.rsplit(';').next()?.parse().ok()?;
    match background {
        0..=6 | 8 => Some(true),
        7 | 9..=15 => Some(false),
        _ => None,
    }
}

/// Returns whether all answers came in time.
fn ask<T>(answer: &mut Vec<u8>, meanwhile: impl FnOnce() -> T) -> (io::Result<bool>, T) {
    let asked = enable_raw_mode().and_then(|()| put_question());
    let done = meanwhile();
    let complete = asked.and_then(|()| read_answers(answer));
    // Does nothing if raw mode was never on.
    let restored = disable_raw_mode();
    (
        complete.and_then(|complete| restored.map(|()| complete)),
        done,
    )
}

fn put_question() -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(QUESTION)?;
    out.flush()
}

fn read_answers(answer: &mut Vec<u8>) -> io::Result<bool> {
    let deadline = clock::instant() + PATIENCE;
    // Standard input is locked and buffered. What the user types in the meantime must stay unread.
    let mut input = std::fs::File::open("/dev/tty")?;
    while !is_complete(answer) {
        let deadline = if incomplete(answer).is_empty() {
            deadline
        } else {
            deadline + PATIENCE_FOR_THE_REST
        };
        let left = deadline.saturating_duration_since(clock::instant());
        if left.is_zero() || !readable(&input, left)? {
            return Ok(false);
        }
        let mut byte = [0];
        if input.read(&mut byte)? == 0 {
            return Ok(false);
        }
        answer.push(byte[0]);
    }
    Ok(true)
}

fn readable(input: &impl AsFd, patience: Duration) -> io::Result<bool> {
    let mut waits = [PollFd::new(input, PollFlags::IN)];
    let patience = Timespec {
        tv_sec: i64::try_from(patience.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(patience.subsec_nanos()),
    };
    match poll(&mut waits, Some(&patience)) {
        Ok(ready) => Ok(ready > 0),
        Err(Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Whether the last answer, `ESC [ ? … c`, has come.
fn is_complete(answer: &[u8]) -> bool {
    let mut starts = answer.windows(3).enumerate();
    starts.any(|(at, bytes)| {
        let rest = &answer[at + 3..];
        let end = rest
            .iter()
            .find(|byte| !byte.is_ascii_digit() && **byte != b';');
        bytes == b"\x1b[?" && end == Some(&b'c')
    })
}

/// The end of what has come, if it is an answer without its end. Otherwise empty.
fn incomplete(answer: &[u8]) -> &[u8] {
    let mut rest = answer;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\x1b') {
        rest = &rest[at..];
        let Some(length) = length_of_answer(rest) else {
            return rest;
        };
        rest = &rest[length..];
    }
    &[]
}

/// The length of the sequence that begins with this ESC. `None` = its end hasn't come.
fn length_of_answer(bytes: &[u8]) -> Option<usize> {
    let (kind, inside) = bytes.get(1..)?.split_first()?;
    let end = match kind {
        b'[' => {
            inside
                .iter()
                .position(|byte| (0x40..=0x7e).contains(byte))?
                + 1
        }
        b']' | b'P' => {
            let bell = inside
                .iter()
                .position(|byte| *byte == 0x07)
                .map(|at| at + 1);
            let string = inside.windows(2).position(|two| two == b"\x1b\\");
            bell.into_iter().chain(string.map(|at| at + 2)).min()?
        }
        // A key with Alt.
        _ => 0,
    };
    Some(2 + end)
}

/// The color in `ESC ] 11 ; rgb:RRRR/GGGG/BBBB`, up to the end of the string.
fn colour(answer: &[u8], start: &str) -> Option<Rgb> {
    let text = String::from_utf8_lossy(answer);
    let reply = text.split(start).nth(1)?;
    Rgb::parse(reply.split(char::is_control).next()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read() {
        let dark = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?62;22c";
        assert!(is_complete(dark));
        let background = |answer: &[u8]| colour(answer, "\x1b]11;");
        assert_eq!(background(dark), Rgb::parse("rgb:1e1e/1e1e/2e2e"));
        let both = b"\x1b]10;rgb:0/0/0\x07\x1b]11;rgb:ff/fb/ee\x07";
        assert_eq!(background(both), Rgb::parse("rgb:ff/fb/ee"));
        assert_eq!(background(b"\x1b[?62;22c"), None);
        assert!(is_complete(b"\x1b[?1;2c"));
        assert!(!is_complete(b"\x1b]11;rgb:1e1e/1e1e/2ece\x1b\\"));
        assert!(!is_complete(b"\x1b[?0u\x1bP>|tracy c\x1b\\"));
        let kitty = b"\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?0u\x1bP>|kitty(0.32.2)\x1b\\\x1b[?62;c";
        assert!(is_complete(kitty));
        assert_eq!(answer_with(kitty, "\x1b[?", 'u').as_deref(), Some("0"));
        let name = answer_with(kitty, "\x1bP>|", '\x1b');
        assert_eq!(name.as_deref(), Some("kitty(0.32.2)"));
        assert_eq!(answer_with(b"\x1b[?62;22c", "\x1b[?", 'u'), None);
    }

    #[test]
    fn an_answer_that_has_begun_is_read_to_its_end() {
        let whole = b"\x1b]10;rgb:0/0/0\x07\x1b]11;rgb:1e1e/1e1e/2e2e\x1b\\\x1b[?0u\x1bP>|a\x1b\\\x1b[?62;22c";
        let starts = [0, 15, 40, 45, 52, 61];
        for at in 0..=whole.len() {
            let start = starts.iter().rev().find(|start| **start <= at).unwrap();
            assert_eq!(incomplete(&whole[..at]), &whole[*start..at], "until {at}");
        }
        assert_eq!(incomplete(b"typed\x1bx"), b"");
        assert_eq!(incomplete(b"typed\x1b"), b"\x1b");
    }

    #[test]
    fn variables_are_read() {
        assert_eq!(by_variable("15;0"), Some(true));
        assert_eq!(by_variable("0;default;15"), Some(false));
        assert_eq!(by_variable("default;default"), None);
    }
}
