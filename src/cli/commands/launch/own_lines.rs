//! Removes the runner's own lines from a session's log, because a script needs only the output of its
//! command.
//!
//! The runner introduces the session up to a line `workbay: ready`, names the command, and reports at the end
//! how the command ended. A log without this introduction (of a cluster) isn't changed.

const MARK: &[u8] = b"workbay: ";
const NAMES_COMMAND: &[u8] = b"workbay: command: ";
const READY: &[u8] = b"workbay: ready\n";
const END: &[u8] = b"workbay: ended with exit code ";
/// A longer beginning of a line isn't from the runner.
const LONGEST: usize = 64 * 1024;

#[derive(Debug)]
pub struct OwnLines {
    state: LineState,
    /// Whether the log begins with the runner's introduction.
    introduced: bool,
    /// Bytes that may be from the runner.
    held: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LineState {
    /// No bytes were read yet.
    First,
    /// In the introduction.
    Introduction,
    /// The next line names the command.
    Ready,
    Command,
}

impl OwnLines {
    pub fn new() -> Self {
        Self {
            state: LineState::First,
            introduced: false,
            held: Vec::new(),
        }
    }

    /// Returns the bytes that are from the command.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let mut out = Vec::new();
        while self.state != LineState::Command {
            let Some(end) = self.held.iter().position(|byte| *byte == b'\n') else {
                if self.is_ours_so_far() {
                    return out;
                }
                self.state = LineState::Command;
                break;
            };
            let rest = self.held.split_off(end + 1);
            let line = std::mem::replace(&mut self.held, rest);
            self.introduced(line, &mut out);
        }
        let at = may_be_end(&self.held);
        let held = self.held.split_off(at);
        out.append(&mut self.held);
        self.held = held;
        out
    }

    /// Whether an incomplete line may be from the runner.
    fn is_ours_so_far(&self) -> bool {
        let begins = |mark: &[u8]| {
            let known = self.held.len().min(mark.len());
            self.held[..known] == mark[..known]
        };
        let begins = match self.state {
            LineState::First => begins(MARK),
            LineState::Ready => begins(NAMES_COMMAND),
            // A bootstrap script may print something before the command begins.
            LineState::Introduction | LineState::Command => true,
        };
        begins && self.held.len() < LONGEST
    }

    fn introduced(&mut self, line: Vec<u8>, out: &mut Vec<u8>) {
        let ours = match self.state {
            LineState::Ready => line.starts_with(NAMES_COMMAND),
            _ => line.starts_with(MARK),
        };
        self.introduced |= ours;
        self.state = match self.state {
            LineState::First if !ours => LineState::Command,
            LineState::Ready | LineState::Command => LineState::Command,
            _ if line == READY => LineState::Ready,
            _ => LineState::Introduction,
        };
        if !ours {
            out.extend(line);
        }
    }

    /// Returns the held bytes at the end of the log, unless they are from the runner.
    pub fn rest(&mut self) -> Vec<u8> {
        let held = std::mem::take(&mut self.held);
        let ours = match self.state {
            // Engines may lose the end of a line that they cut into pieces.
            LineState::Command => {
                held.len() > END.len() || (self.introduced && held.starts_with(MARK))
            }
            LineState::Ready => held.starts_with(NAMES_COMMAND),
            LineState::First | LineState::Introduction => held.starts_with(MARK),
        };
        if ours { Vec::new() } else { held }
    }
}

/// Where the runner's possible last line begins.
fn may_be_end(bytes: &[u8]) -> usize {
    let longest = END.len() + 4;
    let first = bytes.len().saturating_sub(longest);
    let mut places = first..bytes.len();
    places
        .find(|at| is_beginning_of_end(&bytes[*at..]))
        .unwrap_or(bytes.len())
}

fn is_beginning_of_end(bytes: &[u8]) -> bool {
    let Some(rest) = bytes.strip_prefix(END) else {
        return END.starts_with(bytes);
    };
    let number = rest.strip_suffix(b"\n").unwrap_or(rest);
    let whole = number.len() < rest.len();
    let digits = number.iter().all(u8::is_ascii_digit);
    digits && number.len() <= 3 && !(whole && number.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{inside, own_line};

    /// The result doesn't depend on how the log is cut into pieces.
    #[track_caller]
    fn left(log: &str, says: &str) {
        for size in [1, 2, 7, 1000] {
            let mut lines = OwnLines::new();
            let pieces = log.as_bytes().chunks(size);
            let mut out: Vec<u8> = pieces.flat_map(|piece| lines.pass(piece)).collect();
            out.extend(lines.rest());
            assert_eq!(String::from_utf8(out).unwrap(), says, "in pieces of {size}");
        }
    }

    const INTRODUCTION: &str =
        "workbay: environment  host\nworkbay: user  1:1\nworkbay: ready\nworkbay: command: make\n";

    #[test]
    fn the_line_with_the_command_is_that_of_the_runner() {
        let line = format!("{}{}", inside::OWN_LINE, own_line::command(""));
        assert_eq!(NAMES_COMMAND, line.as_bytes());
    }

    #[test]
    fn only_the_output_of_the_command_is_left() {
        let log = |output: &str| format!("{INTRODUCTION}{output}workbay: ended with exit code 3\n");
        for output in [
            "",
            "hello\n",
            "no newline at the end",
            "workbay: ended with exit code 1",
            "workbay: ready\nworkbay: mine\n",
            "workbay: command: mine\n",
            "workbay: ended with exit code 1\nnot yet\n",
            "workbay: ended with exit code \n",
            "workbay: ended with exit code 1234\n",
            "\n\n",
        ] {
            left(&log(output), output);
        }
    }

    #[test]
    fn the_last_line_needs_no_end() {
        left(
            &format!("{INTRODUCTION}xworkbay: ended with exit code 0"),
            "x",
        );
        left(&format!("{INTRODUCTION}xworkbay: ended with ex"), "x");
        left(&format!("{INTRODUCTION}xworkb"), "xworkb");
    }

    #[test]
    fn a_bootstrap_scripts_words_are_output() {
        let log = "workbay: user  1:1\ninstalled\nworkbay: ready\nhello\n";
        left(log, "installed\nhello\n");
    }

    #[test]
    fn a_log_without_an_introduction_is_left_alone() {
        for log in [
            "",
            "hello\nworkbay: ready\n",
            "work",
            "workbay",
            "hello\nworkbay: e",
        ] {
            left(log, log);
        }
    }

    #[test]
    fn an_introduction_alone_is_no_output() {
        left(INTRODUCTION, "");
        left("workbay: environment  host\nworkbay: the", "");
    }

    #[test]
    fn nothing_is_held_back_that_cannot_be_the_end() {
        let mut lines = OwnLines::new();
        assert_eq!(lines.pass(INTRODUCTION.as_bytes()), b"");
        assert_eq!(lines.pass(b"50% "), b"50% ");
        assert_eq!(lines.pass(b"100% w"), b"100% ");
        assert_eq!(lines.pass(b"hole"), b"whole");
    }
}
