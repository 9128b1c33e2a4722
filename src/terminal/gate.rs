//! Stands before the parser and keeps hostile streams cheap: an endless OSC string would grow the
//! parser's buffer without bound, and one `CSI 65535 b` prints 65,535 characters for eight bytes.
//!
//! It follows just as much of the parser's state as that needs, and passes all else through in whole
//! slices.

/// Longest OSC string taken; a clipboard write (OSC 52) may be longer.
const OSC_LIMIT: usize = 4 * 1024;
const CLIPBOARD_LIMIT: usize = 256 * 1024;

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;

/// What the parser gets to see next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step<'a> {
    /// Bytes as they came.
    Pass(&'a [u8]),
    /// The OSC string that is open is too long: end it without acting on it.
    DropString,
    /// A repetition too long is open: forget it and repeat `count` times instead.
    Repeat { count: u16 },
    /// `ESC c` was just passed: everything starts anew.
    Reset,
}

#[derive(Debug, Default)]
pub(super) struct Gate {
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Text, or a string the parser does not keep: only ESC matters.
    #[default]
    Ground,
    Escape,
    /// After `ESC (` and the like.
    Intermediate,
    Csi(Csi),
    Osc {
        length: usize,
        /// The first three bytes.
        head: [u8; 3],
    },
    /// The rest of a string that was too long.
    Skipping,
}

#[derive(Clone, Copy, Debug, Default)]
struct Csi {
    first: u16,
    /// Past the first parameter.
    more: bool,
    /// Has a private marker or intermediate bytes, so it is no plain repetition.
    marked: bool,
}

impl Gate {
    /// Works through `bytes` and hands each step to `take`, in order. `columns` bounds repetitions.
    pub(super) fn sift<'a>(
        &mut self,
        bytes: &'a [u8],
        columns: u16,
        mut take: impl FnMut(Step<'a>),
    ) {
        let mut from = 0;
        let mut at = 0;
        while at < bytes.len() {
            let before = self.state;
            let skipped = matches!(before, State::Skipping);
            if let State::Ground | State::Skipping = before {
                at += next_of_interest(&bytes[at..], skipped);
                if skipped {
                    from = at;
                }
                if at == bytes.len() {
                    break;
                }
            }
            let byte = bytes[at];
            let (state, cut) = before.after(byte, columns);
            self.state = state;
            match cut {
                Cut::None => at += 1,
                Cut::Before(step) => {
                    pass(&bytes[from..at], &mut take);
                    take(step);
                    at += 1;
                    from = at;
                }
                Cut::After(step) => {
                    at += 1;
                    pass(&bytes[from..at], &mut take);
                    take(step);
                    from = at;
                }
            }
        }
        pass(&bytes[from.min(at)..at], &mut take);
    }
}

fn pass<'a>(bytes: &'a [u8], take: &mut impl FnMut(Step<'a>)) {
    if !bytes.is_empty() {
        take(Step::Pass(bytes));
    }
}

/// How far the next byte that changes the state is.
fn next_of_interest(bytes: &[u8], in_string: bool) -> usize {
    bytes
        .iter()
        .position(|byte| *byte == ESC || (in_string && ends_string(*byte)))
        .unwrap_or(bytes.len())
}

fn ends_string(byte: u8) -> bool {
    matches!(byte, BEL | CAN | SUB | ESC)
}

/// Where the slice is cut, and what goes there.
enum Cut {
    None,
    /// The present byte is swallowed.
    Before(Step<'static>),
    After(Step<'static>),
}

impl State {
    fn after(self, byte: u8, columns: u16) -> (Self, Cut) {
        match self {
            // `ESC \` still has to close the string for the parser, which has left it already.
            Self::Ground | Self::Skipping if byte == ESC => (Self::Escape, Cut::None),
            Self::Ground => (Self::Ground, Cut::None),
            Self::Escape => after_escape(byte),
            Self::Intermediate => match byte {
                ESC => (Self::Escape, Cut::None),
                CAN | SUB | 0x30..=0x7e => (Self::Ground, Cut::None),
                _ => (self, Cut::None),
            },
            Self::Csi(csi) => csi.after(byte, columns),
            Self::Osc { length, head } => in_osc(length, head, byte),
            Self::Skipping => (Self::Ground, Cut::Before(Step::Pass(&[]))),
        }
    }
}

fn after_escape(byte: u8) -> (State, Cut) {
    match byte {
        b'[' => (State::Csi(Csi::default()), Cut::None),
        b']' => (
            State::Osc {
                length: 0,
                head: [0; 3],
            },
            Cut::None,
        ),
        b'c' => (State::Ground, Cut::After(Step::Reset)),
        0x20..=0x2f => (State::Intermediate, Cut::None),
        CAN | SUB | 0x30..=0x7e => (State::Ground, Cut::None),
        // Control characters act, but the escape goes on.
        _ => (State::Escape, Cut::None),
    }
}

fn in_osc(length: usize, mut head: [u8; 3], byte: u8) -> (State, Cut) {
    match byte {
        ESC => return (State::Escape, Cut::None),
        byte if ends_string(byte) => return (State::Ground, Cut::None),
        _ => {}
    }
    if let Some(slot) = head.get_mut(length) {
        *slot = byte;
    }
    let limit = if head == *b"52;" {
        CLIPBOARD_LIMIT
    } else {
        OSC_LIMIT
    };
    if length >= limit {
        return (State::Skipping, Cut::Before(Step::DropString));
    }
    let length = length + 1;
    (State::Osc { length, head }, Cut::None)
}

impl Csi {
    fn after(mut self, byte: u8, columns: u16) -> (State, Cut) {
        match byte {
            ESC => return (State::Escape, Cut::None),
            CAN | SUB => return (State::Ground, Cut::None),
            b'b' if !self.marked && self.first > columns => {
                let step = Step::Repeat { count: columns };
                return (State::Ground, Cut::Before(step));
            }
            0x40..=0x7e => return (State::Ground, Cut::None),
            b'0'..=b'9' if !self.more => {
                self.first = self
                    .first
                    .saturating_mul(10)
                    .saturating_add(u16::from(byte - b'0'));
            }
            b';' | b':' => self.more = true,
            0x20..=0x2f | b'<'..=b'?' => self.marked = true,
            _ => {}
        }
        (State::Csi(self), Cut::None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sift(gate: &mut Gate, bytes: &[u8]) -> (Vec<u8>, Vec<String>) {
        let mut passed = Vec::new();
        let mut steps = Vec::new();
        gate.sift(bytes, 80, |step| match step {
            Step::Pass(bytes) => passed.extend_from_slice(bytes),
            other => steps.push(format!("{other:?}")),
        });
        (passed, steps)
    }

    #[test]
    fn ordinary_streams_pass_as_they_are() {
        let stream = "a\x1b[31mb\x1b]0;title\x07c\x1bP1$r\x1b\\d\x1b(Be\x1b[5b한글".as_bytes();
        for size in 1..stream.len() {
            let mut gate = Gate::default();
            let mut passed = Vec::new();
            for part in stream.chunks(size) {
                let (bytes, steps) = sift(&mut gate, part);
                passed.extend(bytes);
                assert!(steps.is_empty(), "{steps:?}");
            }
            assert_eq!(passed, stream);
        }
    }

    #[test]
    fn a_long_string_is_dropped_up_to_its_end() {
        for end in ["\x07", "\x1b\\"] {
            let mut gate = Gate::default();
            let stream = format!("a\x1b]0;{}{end}b", "x".repeat(10_000));
            let (passed, steps) = sift(&mut gate, stream.as_bytes());
            assert_eq!(steps, ["DropString"]);
            assert!(passed.len() < OSC_LIMIT + 10, "{}", passed.len());
            assert_eq!(passed.last(), Some(&b'b'));
        }
    }

    #[test]
    fn an_endless_string_passes_nothing_more() {
        let mut gate = Gate::default();
        sift(&mut gate, b"\x1b]52;c;");
        let mut total = 0;
        for _ in 0..100 {
            total += sift(&mut gate, &[b'A'; 10_000]).0.len();
        }
        assert!(total <= CLIPBOARD_LIMIT, "{total}");
    }

    #[test]
    fn long_repetitions_are_cut_to_a_line() {
        let mut gate = Gate::default();
        let (passed, steps) = sift(&mut gate, b"x\x1b[65535by\x1b[?99999bz");
        assert_eq!(passed, b"x\x1b[65535y\x1b[?99999bz");
        assert_eq!(steps, ["Repeat { count: 80 }"]);
    }

    #[test]
    fn a_full_reset_is_told() {
        let (passed, steps) = sift(&mut Gate::default(), b"\x1bcx");
        assert_eq!(passed, b"\x1bcx");
        assert_eq!(steps, ["Reset"]);
    }
}
