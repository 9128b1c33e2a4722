//! Shows workbay's own lines of a log in the user's language, while the log is read in pieces.

use crate::model::{
    log::{LONGEST_TIME, split_time},
    own_line::{self, OwnLines},
};

/// A longer line isn't from workbay.
const LONGEST: usize = 8 * 1024;

#[derive(Debug)]
pub struct LogWords {
    /// Each line begins with its time.
    is_timed: bool,
    own: OwnLines,
    /// The beginning of a line that may be from workbay.
    held: Vec<u8>,
    /// The rest of the line is from a program.
    is_inside: bool,
}

impl LogWords {
    pub fn new(is_timed: bool) -> Self {
        Self {
            is_timed,
            own: OwnLines::default(),
            held: Vec::new(),
            is_inside: false,
        }
    }

    /// The bytes to show. Bytes of a program wait for nothing.
    pub fn pass(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let is_whole = piece.ends_with(b"\n");
            if self.is_inside {
                out.extend_from_slice(piece);
            } else {
                self.held.extend_from_slice(piece);
                if is_whole {
                    out.extend(self.rest());
                } else if !self.may_be_own() {
                    out.append(&mut self.held);
                    self.is_inside = true;
                    self.own.skip();
                }
            }
            if is_whole {
                self.is_inside = false;
            }
        }
        out
    }

    /// The held bytes: a line, or what is left at the end of the log.
    pub fn rest(&mut self) -> Vec<u8> {
        let line = std::mem::take(&mut self.held);
        shown(&line, &mut self.own).unwrap_or(line)
    }

    fn may_be_own(&self) -> bool {
        let held = &self.held[..];
        let may_be = match split_time(held) {
            Some((_, text)) => own_line::may_be(text),
            None => {
                let may_be_time = held.len() <= LONGEST_TIME && !held.contains(&b' ');
                own_line::may_be(held) || (self.is_timed && may_be_time)
            }
        };
        may_be && held.len() < LONGEST
    }
}

fn shown(line: &[u8], own: &mut OwnLines) -> Option<Vec<u8>> {
    let line = std::str::from_utf8(line).ok()?;
    let text = line.trim_end_matches(['\r', '\n']);
    let end = &line[text.len()..];
    let rest = split_time(text.as_bytes()).map_or(text.len(), |(_, rest)| rest.len());
    let (time, text) = text.split_at(text.len() - rest);
    Some(format!("{time}{}{end}", own.shown(text)?).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::locale::{self, embedded};

    /// The result doesn't depend on how the log is cut into pieces.
    #[track_caller]
    fn passed(is_timed: bool, log: &str) -> String {
        let of_size = |size: usize| {
            let mut words = LogWords::new(is_timed);
            let pieces = log.as_bytes().chunks(size);
            let mut out: Vec<u8> = pieces.flat_map(|piece| words.pass(piece)).collect();
            out.extend(words.rest());
            String::from_utf8(out).unwrap()
        };
        let whole = of_size(1000);
        for size in [1, 2, 7] {
            assert_eq!(of_size(size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn only_whole_lines_of_workbay_are_translated() {
        let log = "workbay: ready\nready\nworkbay: ready\nx workbay: ready\n한글\nworkbay: ended with exit code 3";
        assert_eq!(passed(false, log), log, "in English");
        let _korean = locale::in_this_thread(embedded::korean());
        let korean = "workbay: 준비됨\nready\nworkbay: ready\nx workbay: ready\n한글\nworkbay: 끝났습니다 (종료 코드 3)";
        assert_eq!(passed(false, log), korean);
        let log =
            "2026-05-04T09:30:01.5Z workbay: ready\r\n2026-05-04T09:30:02Z ready\nworkbay: ready\n";
        let korean = "2026-05-04T09:30:01.5Z workbay: 준비됨\r\n2026-05-04T09:30:02Z ready\nworkbay: ready\n";
        assert_eq!(passed(true, log), korean);
    }

    #[test]
    fn bytes_of_a_program_are_not_held_back() {
        let mut words = LogWords::new(false);
        assert_eq!(words.pass(b"10%\r"), b"10%\r");
        assert_eq!(words.pass(b"w"), b"w");
        assert_eq!(words.pass(b"\nwork"), b"\n");
        assert_eq!(words.pass(b"ing"), b"working");
        let mut timed = LogWords::new(true);
        assert_eq!(timed.pass(b"2026-05-04T09:30:01Z w"), b"");
        assert_eq!(timed.pass(b"e"), b"2026-05-04T09:30:01Z we");
    }
}
