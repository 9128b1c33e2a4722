//! Filters the bytes before the parser and keeps hostile streams cheap: an endless OSC string would grow the
//! parser's buffer without bound, and one `CSI 65535 b` prints 65,535 characters for eight bytes.
//!
//! It also takes out attributes that the parser can't store (`CSI … m`), so that the emulator can follow
//! them.
//!
//! It follows only the parser state that this needs, and passes everything else through in whole slices.

use super::encoding::may_need_entry;

/// Longest OSC string that is accepted. A clipboard write (OSC 52) may be longer.
const OSC_LIMIT: usize = 4 * 1024;
const CLIPBOARD_LIMIT: usize = 8 * 1024 * 1024;

/// The mode of synchronized updates, and the sequence that ends an update.
const UPDATE: &[u8] = b"?2026";
const UPDATE_END: &[u8] = b"\x1b[?2026l";

const ESC: u8 = 0x1b;
const CAN: u8 = 0x18;
const SUB: u8 = 0x1a;
const BEL: u8 = 0x07;

/// Longest sequence that is examined.
const CSI_LIMIT: usize = 256;

/// What the parser gets next.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ParserInput<'a> {
    /// Unchanged bytes.
    Pass(&'a [u8]),
    /// The open OSC string is too long: end it without acting on it.
    DropString,
    /// The parser already got the start of a sequence that doesn't continue: cancel it.
    Cancel,
    /// The repetition is too long: repeat `count` times instead.
    Repeat { count: u16 },
    /// The parser doesn't support the sequence. These bytes have the same effect.
    Instead(Vec<u8>),
    /// Move back by this number of tab stops.
    BackTab(u16),
    /// `CSI … end` with these parameters moves the cursor from its present position.
    Move { parameters: &'a [u8], end: u8 },
    /// `CSI … m` with these parameters.
    Select(&'a [u8]),
    /// The last passed bytes were a link (OSC 8).
    Link,
    /// A synchronized update (mode 2026) begins after this step and doesn't end within these bytes.
    Update,
    /// `ESC 7` or `CSI s`: save the cursor.
    SaveCursor,
    /// The last passed bytes saved the cursor and switched to the alternate screen (mode 1049).
    CursorSaved,
    /// `CSI ! p`.
    SoftReset,
    /// The last passed bytes were `ESC c`, a full reset.
    Reset,
}

#[derive(Debug, Default)]
pub(super) struct InputFilter {
    state: FilterState,
    /// Parameters and intermediates of the open sequence.
    csi: Vec<u8>,
    /// For the parser, what came before the ESC is still open: an unfinished sequence or a string.
    open: bool,
    /// Within a string other than OSC, as far as known. Such strings are in `FilterState::Ground` too.
    in_string: bool,
    /// The child chose an attribute that the parser can't store, so all attributes are followed.
    follows: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum FilterState {
    /// Text, or a string that the parser ignores: only ESC matters.
    #[default]
    Ground,
    Escape,
    /// ESC in a link: the end of the link, or the beginning of something else.
    LinkEscape,
    /// After `ESC (` and the like.
    Intermediate,
    Csi,
    Osc {
        length: usize,
        /// The first three bytes.
        head: [u8; 3],
    },
    /// The rest of a string that was too long.
    Skipping,
}

impl InputFilter {
    /// Passes each step of `bytes` to `take`, in order. `columns` limits repetitions.
    pub(super) fn split(
        &mut self,
        bytes: &[u8],
        columns: u16,
        mut take: impl FnMut(ParserInput<'_>),
    ) {
        let mut from = 0;
        let mut at = 0;
        // Where the open sequence began, if it began in these bytes.
        let mut began = None;
        // The position before which updates are known to end in these bytes. `None` = not known.
        let mut updated = Some(0);
        while at < bytes.len() {
            let skipped = matches!(self.state, FilterState::Skipping);
            if let FilterState::Ground | FilterState::Skipping = self.state {
                at += next_of_interest(&bytes[at..], skipped);
                if skipped {
                    from = at;
                }
                if at == bytes.len() {
                    break;
                }
            }
            let byte = bytes[at];
            if byte == ESC {
                began = Some(at);
            }
            let in_sequence = matches!(
                self.state,
                FilterState::Csi
                    | FilterState::Escape
                    | FilterState::LinkEscape
                    | FilterState::Intermediate
            );
            let cut = self.after(byte, columns);
            match cut {
                // A control character inside a sequence takes effect even if the sequence doesn't.
                Cut::None if in_sequence && byte < b' ' && byte != ESC => {
                    pass(&bytes[from..=at], &mut take);
                    from = at + 1;
                    began = None;
                }
                Cut::None => {}
                Cut::Before(step) => {
                    pass(&bytes[from..at], &mut take);
                    take(step);
                    from = at + 1;
                }
                Cut::Whole(whole) => {
                    match began {
                        Some(began) => {
                            pass(&bytes[from..began], &mut take);
                            if self.open {
                                take(ParserInput::Cancel);
                            }
                        }
                        None => take(ParserInput::Cancel),
                    }
                    take(match whole {
                        Replacement::Repeat => ParserInput::Repeat { count: columns },
                        Replacement::Select => ParserInput::Select(&self.csi),
                        Replacement::SaveCursor => ParserInput::SaveCursor,
                        Replacement::SoftReset => ParserInput::SoftReset,
                        Replacement::Instead(bytes) => ParserInput::Instead(bytes),
                        Replacement::Move(end) => ParserInput::Move {
                            parameters: &self.csi,
                            end,
                        },
                        Replacement::BackTab => ParserInput::BackTab(repeats(&self.csi).max(1)),
                    });
                    from = at + 1;
                }
                Cut::Update => {
                    if updated.is_some_and(|end| end <= at) {
                        updated = end_of_update(&bytes[at..]).map(|end| at + end);
                    }
                    if updated.is_none() {
                        let before = began.unwrap_or(from);
                        pass(&bytes[from..before], &mut take);
                        take(ParserInput::Update);
                        from = before;
                    }
                }
                Cut::After(step) => {
                    pass(&bytes[from..=at], &mut take);
                    take(step);
                    from = at + 1;
                }
            }
            at += 1;
        }
        pass(&bytes[from.min(at)..at], &mut take);
    }

    fn after(&mut self, byte: u8, columns: u16) -> Cut {
        if byte == ESC {
            self.open = self.in_string
                || !matches!(self.state, FilterState::Ground | FilterState::Skipping);
        }
        let (state, cut) = match self.state {
            FilterState::Csi => self.in_csi(byte, columns),
            // `ESC \` must still close the string for the parser.
            FilterState::Ground | FilterState::Skipping if byte == ESC => {
                (FilterState::Escape, Cut::None)
            }
            FilterState::Ground => (FilterState::Ground, Cut::None),
            FilterState::Escape | FilterState::LinkEscape => self.in_escape(byte),
            FilterState::Intermediate => match byte {
                ESC => (FilterState::Escape, Cut::None),
                CAN | SUB | 0x30..=0x7e => (FilterState::Ground, Cut::None),
                _ => (self.state, Cut::None),
            },
            FilterState::Osc { length, head } => in_osc(length, head, byte),
            FilterState::Skipping => (FilterState::Ground, Cut::Before(ParserInput::Pass(&[]))),
        };
        self.state = state;
        self.follows |= matches!(cut, Cut::After(ParserInput::Link));
        cut
    }

    fn in_escape(&mut self, byte: u8) -> (FilterState, Cut) {
        self.in_string = matches!(byte, b'P' | b'X' | b'^' | b'_');
        match byte {
            b'[' => {
                self.csi.clear();
                (FilterState::Csi, Cut::None)
            }
            b']' => {
                let (length, head) = (0, [0; 3]);
                (FilterState::Osc { length, head }, Cut::None)
            }
            b'c' => {
                self.follows = false;
                (FilterState::Ground, Cut::After(ParserInput::Reset))
            }
            b'\\' if matches!(self.state, FilterState::LinkEscape) => {
                (FilterState::Ground, Cut::After(ParserInput::Link))
            }
            b'7' => (FilterState::Ground, Cut::Whole(Replacement::SaveCursor)),
            b'D' => (FilterState::Ground, instead(b"\n")),
            b'E' => (FilterState::Ground, instead(b"\r\n")),
            0x20..=0x2f => (FilterState::Intermediate, Cut::None),
            CAN | SUB | 0x30..=0x7e => (FilterState::Ground, Cut::None),
            // Control characters take effect, but the escape sequence continues.
            _ => (self.state, Cut::None),
        }
    }

    fn in_csi(&mut self, byte: u8, columns: u16) -> (FilterState, Cut) {
        match byte {
            ESC => (FilterState::Escape, Cut::None),
            CAN | SUB => (FilterState::Ground, Cut::None),
            0x40..=0x7e => (FilterState::Ground, self.ended(byte, columns)),
            0x20..=0x3f => {
                if self.csi.len() < CSI_LIMIT {
                    self.csi.push(byte);
                }
                (FilterState::Csi, Cut::None)
            }
            _ => (FilterState::Csi, Cut::None),
        }
    }

    /// The same sequence with another last byte.
    fn renamed(&self, end: u8) -> Cut {
        let bytes = [b"\x1b[", self.csi.as_slice(), &[end]].concat();
        Cut::Whole(Replacement::Instead(bytes))
    }

    /// Decides what to do with a complete sequence.
    fn ended(&mut self, end: u8, columns: u16) -> Cut {
        match end {
            b'b' if repeats(&self.csi) > columns => Cut::Whole(Replacement::Repeat),
            b's' if self.csi.is_empty() => Cut::Whole(Replacement::SaveCursor),
            b'u' if self.csi.is_empty() => instead(b"\x1b8"),
            b'a' if is_selection(&self.csi) => self.renamed(b'C'),
            b'e' if is_selection(&self.csi) => Cut::Whole(Replacement::Move(b'B')),
            b'A' | b'B' | b'D' | b'd' if self.csi.len() < CSI_LIMIT && is_selection(&self.csi) => {
                Cut::Whole(Replacement::Move(end))
            }
            // The parser moves the cursor to the top of the region, but it must go to the home position.
            b'r' if is_selection(&self.csi) => {
                let mut bytes = [b"\x1b[", self.csi.as_slice(), b"r"].concat();
                bytes.extend_from_slice(b"\x1b[H");
                Cut::Whole(Replacement::Instead(bytes))
            }
            b'I' if is_selection(&self.csi) => {
                let stops = repeats(&self.csi).clamp(1, columns / 8 + 1);
                Cut::Whole(Replacement::Instead(vec![b'\t'; stops.into()]))
            }
            b'Z' if is_selection(&self.csi) => Cut::Whole(Replacement::BackTab),
            b'h' if self.csi == UPDATE => Cut::Update,
            b'h' if saves_cursor(&self.csi) => Cut::After(ParserInput::CursorSaved),
            b'p' if self.csi == b"!" => Cut::Whole(Replacement::SoftReset),
            b'm' if self.csi.len() < CSI_LIMIT && is_selection(&self.csi) => {
                self.follows |= may_need_entry(&self.csi);
                if self.follows {
                    Cut::Whole(Replacement::Select)
                } else {
                    Cut::None
                }
            }
            _ => Cut::None,
        }
    }
}

fn instead(bytes: &[u8]) -> Cut {
    Cut::Whole(Replacement::Instead(bytes.to_vec()))
}

/// How often `CSI … b` repeats, or 0 if it isn't a plain repetition.
fn repeats(csi: &[u8]) -> u16 {
    let digits = csi.iter().take_while(|byte| byte.is_ascii_digit());
    let count = digits.fold(0_u16, |count, digit| {
        count
            .saturating_mul(10)
            .saturating_add(u16::from(digit - b'0'))
    });
    if is_selection(csi) { count } else { 0 }
}

/// Whether the parameters have no private marker and no intermediates.
fn is_selection(csi: &[u8]) -> bool {
    csi.iter()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'))
}

/// Whether one of the modes that are switched on is 1049.
fn saves_cursor(csi: &[u8]) -> bool {
    let modes = csi.strip_prefix(b"?").unwrap_or_default();
    modes
        .split(|byte| *byte == b';')
        .any(|mode| mode.ends_with(b"1049"))
}

fn pass(bytes: &[u8], take: &mut impl FnMut(ParserInput<'_>)) {
    if !bytes.is_empty() {
        take(ParserInput::Pass(bytes));
    }
}

/// The distance to the next byte that changes the state.
fn next_of_interest(bytes: &[u8], in_string: bool) -> usize {
    bytes
        .iter()
        .position(|byte| *byte == ESC || (in_string && ends_string(*byte)))
        .unwrap_or(bytes.len())
}

/// An update that arrives as a whole needs no copy of the screen, because nothing is painted before it ends.
fn end_of_update(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(UPDATE_END.len())
        .position(|end| end == UPDATE_END)
}

fn ends_string(byte: u8) -> bool {
    matches!(byte, BEL | CAN | SUB | ESC)
}

/// Where the slice is cut, and the step for that place.
enum Cut {
    None,
    /// Drops the current byte.
    Before(ParserInput<'static>),
    After(ParserInput<'static>),
    /// Drops the sequence that ends with the current byte.
    Whole(Replacement),
    /// The sequence that ends with the current byte begins an update.
    Update,
}

/// The replacement for a sequence.
enum Replacement {
    Repeat,
    Select,
    SaveCursor,
    SoftReset,
    Instead(Vec<u8>),
    BackTab,
    Move(u8),
}

fn in_osc(length: usize, mut head: [u8; 3], byte: u8) -> (FilterState, Cut) {
    let is_link = length >= 2 && head.starts_with(b"8;");
    match byte {
        ESC if is_link => return (FilterState::LinkEscape, Cut::None),
        ESC => return (FilterState::Escape, Cut::None),
        BEL if is_link => return (FilterState::Ground, Cut::After(ParserInput::Link)),
        byte if ends_string(byte) => return (FilterState::Ground, Cut::None),
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
        return (FilterState::Skipping, Cut::Before(ParserInput::DropString));
    }
    let length = length + 1;
    (FilterState::Osc { length, head }, Cut::None)
}

#[cfg(test)]
mod tests;
