//! Finds out which rows the next bytes can change, from the bytes alone.

use std::ops::ControlFlow;

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;

/// What bytes may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    Nothing,
    /// Only the cursor's row.
    Row,
    /// Nothing if the cursor moved to the next row, otherwise everything.
    Down,
    All,
}

/// Follows the parser as far as that is simple. Anything else counts as reaching everything, until an escape
/// character synchronizes both again.
#[derive(Debug, Default)]
pub(super) struct Scan {
    lost: bool,
}

/// What a sequence does.
enum Does {
    Nothing,
    /// Changes the cursor's row and doesn't move the cursor.
    Row,
    /// Moves the cursor and changes no cell.
    Move,
    All,
}

impl Scan {
    /// Returns the number of bytes that reach only the cursor's row, and their effect, or one step that
    /// reaches more. Takes one or more bytes. `column` is the present column of the cursor.
    pub fn piece(&mut self, bytes: &[u8], column: u16, columns: u16) -> (usize, Reach) {
        if self.lost {
            let found = bytes
                .iter()
                .position(|byte| matches!(*byte, ESC | CAN | SUB));
            match found {
                Some(0) => self.lost = false,
                Some(length) => return (length, Reach::All),
                None => return (bytes.len(), Reach::All),
            }
        }
        let mut line = RowCursor {
            at: 0,
            column: column.into(),
            columns: columns.into(),
            reach: Reach::Nothing,
        };
        while let Some(byte) = bytes.get(line.at) {
            let step = if *byte == ESC {
                self.sequence(&bytes[line.at..], &mut line)
            } else {
                line.character(*byte, &bytes[line.at..])
            };
            if let ControlFlow::Break(reach) = step {
                return (line.at, reach);
            }
        }
        (line.at, line.reach)
    }

    /// Skips bytes whose reach doesn't matter.
    pub fn skip(&mut self, bytes: &[u8]) {
        let Some(at) = bytes.iter().rposition(|byte| *byte == ESC) else {
            return;
        };
        self.lost = true;
        let mut rest = &bytes[at..];
        while !rest.is_empty() {
            let (length, _) = self.piece(rest, 0, u16::MAX);
            rest = &rest[length..];
        }
    }

    fn sequence(&mut self, bytes: &[u8], line: &mut RowCursor) -> ControlFlow<Reach> {
        let Some((length, does)) = sequence(bytes) else {
            self.lost = true;
            line.at += 1;
            return ControlFlow::Break(line.reach);
        };
        line.at += length;
        match does {
            Does::Nothing => ControlFlow::Continue(()),
            Does::Row => {
                line.reach = Reach::Row;
                ControlFlow::Continue(())
            }
            Does::Move => ControlFlow::Break(line.reach),
            Does::All => ControlFlow::Break(Reach::All),
        }
    }
}

/// The position in the bytes while they stay within one row.
struct RowCursor {
    at: usize,
    /// The largest column that the cursor can be in.
    column: usize,
    columns: usize,
    reach: Reach,
}

impl RowCursor {
    fn character(&mut self, byte: u8, rest: &[u8]) -> ControlFlow<Reach> {
        match byte {
            b'\n' | 0x0b | 0x0c if self.at == 0 => {
                self.at = 1;
                return ControlFlow::Break(Reach::Down);
            }
            // A line break is a piece of its own.
            b'\n' | 0x0b | 0x0c => return ControlFlow::Break(self.reach),
            b'\r' => self.column = 0,
            b'\t' => self.column = (self.column + 8).min(self.columns.saturating_sub(1)),
            0x00..=0x1f => {}
            _ => {
                self.column += widest(byte, rest);
                self.reach = Reach::Row;
                if self.column > self.columns {
                    // The parser would lose the bytes after a character that arrives in pieces.
                    self.at += whole(rest);
                    return ControlFlow::Break(Reach::All);
                }
            }
        }
        self.at += 1;
        ControlFlow::Continue(())
    }
}

/// The number of bytes of the character that begins here.
fn whole(rest: &[u8]) -> usize {
    let more = rest.iter().skip(1);
    1 + more.take_while(|byte| matches!(byte, 0x80..=0xbf)).count()
}

/// The most cells that a character with this first byte takes.
fn widest(byte: u8, rest: &[u8]) -> usize {
    match (byte, rest.get(1)) {
        (0x80..=0xbf, _) => 0,
        // Up to U+02FF, box drawing and block elements.
        (..=0xcb, _) | (0xe2, Some(0x94..=0x96)) => 1,
        _ => 2,
    }
}

/// The length and the effect of the sequence that begins here. `None` = the effect is unknown, or the
/// sequence is incomplete.
fn sequence(bytes: &[u8]) -> Option<(usize, Does)> {
    match bytes.get(1)? {
        b'[' => control_sequence(bytes),
        b']' => {
            let found = bytes[2..]
                .iter()
                .position(|byte| matches!(*byte, BEL | CAN | SUB | ESC));
            let end = found? + 2;
            // An escape character ends the string and begins the next sequence.
            let length = if bytes[end] == ESC { end } else { end + 1 };
            Some((length, Does::Nothing))
        }
        // Save the cursor, keypad modes, the end of a string.
        b'7' | b'=' | b'>' | b'\\' => Some((2, Does::Nothing)),
        b'8' => Some((2, Does::Move)),
        // Character sets. The parser supports only one.
        b'(' | b')' | b'*' | b'+' => {
            let set = bytes.get(2)?;
            (0x30..=0x7e).contains(set).then_some((3, Does::Nothing))
        }
        _ => None,
    }
}

fn control_sequence(bytes: &[u8]) -> Option<(usize, Does)> {
    let body = bytes.get(2..)?;
    let length = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
    let (body, end) = (&body[..length], body[length]);
    if !(0x40..=0x7e).contains(&end) {
        return None;
    }
    let does = match body {
        [b'?', modes @ ..] if matches!(end, b'h' | b'l') => {
            if modes.split(|byte| *byte == b';').all(is_harmless) {
                Does::Nothing
            } else {
                Does::All
            }
        }
        [b'?', ..] if matches!(end, b'J' | b'K') => Does::All,
        // Queries, keys, the shape of the cursor.
        [b'?' | b'>', ..] => Does::Nothing,
        [.., b' '] if end == b'q' => Does::Nothing,
        body if body.iter().all(|byte| matches!(byte, b'0'..=b';')) => plain(end),
        _ => Does::All,
    };
    Some((length + 3, does))
}

/// The effect of a sequence without private markers, by its last byte.
fn plain(end: u8) -> Does {
    match end {
        b'm' | b'h' | b'l' | b'n' | b'c' => Does::Nothing,
        b'A'..=b'H' | b'`' | b'd' | b'f' | b'r' => Does::Move,
        b'@' | b'K' | b'P' | b'X' => Does::Row,
        _ => Does::All,
    }
}

/// Modes that change no cell: all that the parser supports except the origin mode and the alternate screen.
fn is_harmless(mode: &[u8]) -> bool {
    matches!(
        mode,
        b"1" | b"7"
            | b"9"
            | b"12"
            | b"25"
            | b"1000"
            | b"1002"
            | b"1003"
            | b"1004"
            | b"1005"
            | b"1006"
            | b"2004"
            | b"2026"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pieces of a stream that begins in the first of ten columns.
    fn pieces(stream: &str) -> Vec<(&str, Reach)> {
        let mut scan = Scan::default();
        let mut rest = stream;
        let mut pieces = Vec::new();
        while !rest.is_empty() {
            let (length, reach) = scan.piece(rest.as_bytes(), 0, 10);
            pieces.push((&rest[..length], reach));
            rest = &rest[length..];
        }
        pieces
    }

    #[test]
    fn what_a_key_brings_reaches_one_row() {
        for stream in [
            "x",
            "\x1b[?25lx\x1b[?12l\x1b[?25h",
            "\x1b(B\x1b[m$ \x1b[K",
            "\x08\x1b[P",
            "\x1b]0;title\x07x",
            "\r가나다라마",
        ] {
            assert_eq!(pieces(stream), [(stream, Reach::Row)], "{stream:?}");
        }
        assert_eq!(
            pieces("\x1b[3;4Hab\x1b[2Bc"),
            [
                ("\x1b[3;4H", Reach::Nothing),
                ("ab\x1b[2B", Reach::Row),
                ("c", Reach::Row)
            ]
        );
        assert_eq!(
            pieces("a\r\nb"),
            [("a\r", Reach::Row), ("\n", Reach::Down), ("b", Reach::Row)]
        );
    }

    #[test]
    fn what_may_reach_more_counts_as_reaching_all() {
        for stream in [
            "12345678901",
            "\x1b[2J",
            "\x1b[L",
            "\x1bM",
            "\x1bc",
            "\x1b[?1049h",
            "\x1b[?25;47l",
            "\x1b[?6h",
            "x\x1b[5b",
            "\x1bPq\x1b\\",
        ] {
            let all = pieces(stream).iter().any(|it| it.1 == Reach::All);
            assert!(all, "{stream:?}");
        }
    }

    #[test]
    fn no_character_is_cut() {
        assert_eq!(pieces("가나다라마바"), [("가나다라마바", Reach::All)]);
        assert_eq!(
            pieces("123456789가a"),
            [("123456789가", Reach::All), ("a", Reach::Row)]
        );
    }

    #[test]
    fn after_what_is_not_followed_the_next_escape_restarts() {
        assert_eq!(
            pieces("\x1b[1\n2mxy\x1b[mz"),
            [
                ("\x1b", Reach::Nothing),
                ("[1\n2mxy", Reach::All),
                ("\x1b[mz", Reach::Row)
            ]
        );
        let mut scan = Scan::default();
        scan.skip(b"\x1b[2J\x1b[1");
        assert_eq!(scan.piece(b"mx", 0, 10), (2, Reach::All));
        scan.skip(b"\x1b[2J\x1b[1m");
        assert_eq!(scan.piece(b"x", 0, 10), (1, Reach::Row));
    }
}
