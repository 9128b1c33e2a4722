//! A terminal in memory. Only the emulator uses the vt100 crate.

mod attribute_table;
mod cell;
mod contents;
mod damage;
mod encoding;
mod input_filter;
mod parser;
mod reports;
mod text;

use std::num::NonZeroU16;

use jiff::{SignedDuration, Timestamp};

use super::{
    defaults::DefaultColors,
    encode::{Modes, MouseMode},
    link::Numbers,
};
use crate::model::{link_schemes::LinkSchemes, text::Clean};
use attribute_table::{AttributeTable, CellAttributes};
use input_filter::{InputFilter, ParserInput};
use parser::Parser;
use reports::Linked;

pub use cell::{CellWidth, Cursor, CursorShape, TerminalCell};
pub use damage::Revision;
pub use parser::is_guarded;
pub use reports::ClipboardText;

/// The parser panics when an emoji widens on a screen of one column, so there are always two or more columns.
const MIN_COLUMNS: u16 = 2;
/// Largest screen. Panes are never larger, and the limit bounds the cost of a hostile size.
const MAX_COLUMNS: u16 = 1000;
const MAX_ROWS: u16 = 500;

/// Cancels the open sequence.
const CANCEL: &[u8] = b"\x18";

/// A synchronized update that doesn't end is shown after this time.
const UPDATE_LIMIT: SignedDuration = SignedDuration::from_millis(150);

/// The terminal of a child. Feed it the child's bytes, send what `take_answers` returns to the child, and
/// paint its cells. It keeps no scrollback because tmux does.
pub struct Emulator {
    parser: Parser,
    input: InputFilter,
    attributes: AttributeTable,
    /// Chosen attributes that the parser doesn't use yet.
    chosen: Option<CellAttributes>,
    /// The first bytes of an incomplete character. The parser would lose the bytes after a character that
    /// arrives in pieces.
    partial: Vec<u8>,
    /// When the synchronized update that hides the live screen began.
    update_since: Option<Timestamp>,
    /// The screen when the update began.
    before_update: Option<Box<vt100::Screen>>,
}

impl std::fmt::Debug for Emulator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (columns, rows) = self.size();
        write!(f, "Emulator({columns}x{rows})")
    }
}

impl Emulator {
    /// An empty screen. The size is clamped to 2..=1000 columns and 1..=500 rows.
    pub fn new(columns: u16, rows: u16) -> Self {
        let (columns, rows) = clamp(columns, rows);
        Self {
            parser: Parser::new(columns, rows),
            input: InputFilter::default(),
            attributes: AttributeTable::default(),
            chosen: None,
            partial: Vec::new(),
            update_since: None,
            before_update: None,
        }
    }

    /// Sets the answers to programs that query the default colors (OSC 10, 11).
    #[must_use]
    pub fn with_colors(mut self, colors: DefaultColors) -> Self {
        self.parser.reports_mut().colors = colors;
        self
    }

    /// Sets the schemes that links of programs may have.
    #[must_use]
    pub fn with_link_schemes(mut self, schemes: LinkSchemes) -> Self {
        self.parser.reports_mut().link_schemes = schemes;
        self
    }

    /// Numbers the links of this place, so that they differ from those of other places. Call it before the
    /// first feed.
    #[must_use]
    pub fn in_place(mut self, place: u32) -> Self {
        self.parser.reports_mut().links = Numbers::of_place(place);
        self
    }

    /// An empty screen with the same size, outer terminal and place.
    #[must_use]
    pub fn fresh(&self) -> Self {
        let (columns, rows) = self.size();
        let before = self.parser.reports();
        let mut new = Self::new(columns, rows)
            .with_colors(before.colors)
            .with_link_schemes(before.link_schemes.clone());
        new.parser.reports_mut().links = before.links.clone();
        new
    }

    /// Columns and rows.
    pub fn size(&self) -> (u16, u16) {
        let (rows, columns) = self.parser.screen().size();
        (columns.get(), rows.get())
    }

    /// Changes the size. The caller must also report the new size to the child.
    pub fn resize(&mut self, columns: u16, rows: u16) {
        let (columns, rows) = clamp(columns, rows);
        if (columns.get(), rows.get()) != self.size() {
            self.parser.set_size(columns, rows);
            self.show_live();
        }
    }

    /// Processes bytes from the child.
    pub fn feed(&mut self, bytes: &[u8], now: Timestamp) {
        self.parser.begin();
        let (columns, _) = self.size();
        let mut joined = std::mem::take(&mut self.partial);
        let bytes = if joined.is_empty() {
            bytes
        } else {
            joined.extend_from_slice(bytes);
            &joined
        };
        let (bytes, partial) = bytes.split_at(bytes.len() - unfinished(bytes));
        self.partial = partial.to_vec();
        let mut input = std::mem::take(&mut self.input);
        input.split(&text::prepared(bytes), columns, |step| self.step(step));
        self.input = input;
        self.select_chosen();
        if self.parser.reports().in_update && self.before_update.is_some() {
            self.update_since.get_or_insert(now);
            self.tick(now);
        } else {
            self.show_live();
        }
    }

    fn step(&mut self, step: ParserInput<'_>) {
        match step {
            ParserInput::Pass(bytes) => {
                self.select_chosen();
                self.parser.process(bytes);
            }
            ParserInput::DropString => {
                self.parser.reports_mut().is_muted = true;
                self.parser.process(CANCEL);
                self.parser.reports_mut().is_muted = false;
            }
            ParserInput::Cancel => self.parser.process(CANCEL),
            ParserInput::Repeat { count } => {
                self.select_chosen();
                self.parser.process(format!("\x1b[{count}b").as_bytes());
            }
            ParserInput::Instead(bytes) => {
                self.select_chosen();
                self.parser.process(&bytes);
            }
            ParserInput::SaveCursor => {
                self.select_chosen();
                self.parser.process(b"\x1b7");
                self.attributes.cursor_saved(self.parser.screen());
            }
            ParserInput::CursorSaved => self.attributes.cursor_saved(self.parser.screen()),
            ParserInput::BackTab(count) => {
                let (_, column) = self.parser.screen().cursor_position();
                let stop = column.saturating_sub(1) / 8;
                let column = stop.saturating_sub(count.saturating_sub(1)) * 8;
                self.parser
                    .process(format!("\x1b[{}G", column + 1).as_bytes());
            }
            ParserInput::Move { parameters, end } => {
                self.settle();
                self.parser
                    .process(&[b"\x1b[", parameters, &[end]].concat());
            }
            ParserInput::Select(parameters) => self.choose(|it| it.look.select(parameters)),
            ParserInput::Link => {
                if let Some(link) = self.parser.reports_mut().link.take() {
                    self.choose(|it| {
                        it.link = match link {
                            Linked::To(link) => Some(link),
                            Linked::No => None,
                        };
                    });
                }
            }
            ParserInput::Update => {
                // The previous update may have ended without a `CSI ? 2026 l`.
                if self.before_update.is_none() || !self.parser.reports().in_update {
                    let screen = self.parser.screen().clone();
                    if self.before_update.replace(Box::new(screen)).is_some() {
                        self.parser.touch_all();
                    }
                }
            }
            ParserInput::SoftReset => self.soft_reset(),
            ParserInput::Reset => {
                self.parser.reports_mut().focus = false;
                self.parser.reports_mut().other_keys = 0;
                self.parser.reports_mut().in_update = false;
            }
        }
    }

    /// After a character in the last column the cursor waits behind it for the next character. A movement
    /// starts from the last column instead.
    fn settle(&mut self) {
        let (_, column) = self.parser.screen().cursor_position();
        let (columns, _) = self.size();
        if column >= columns {
            self.parser.process(format!("\x1b[{columns}G").as_bytes());
        }
    }

    fn choose(&mut self, change: impl FnOnce(&mut CellAttributes)) {
        let current = || self.attributes.current(self.parser.screen());
        let mut chosen = self.chosen.take().unwrap_or_else(current);
        change(&mut chosen);
        self.chosen = Some(chosen);
    }

    fn select_chosen(&mut self) {
        if let Some(chosen) = self.chosen.take() {
            let shown = self.before_update.as_deref();
            self.attributes.select(chosen, &mut self.parser, shown);
        }
    }

    /// Handles a soft reset: resets attributes and modes, but keeps the screen and the cursor position.
    fn soft_reset(&mut self) {
        self.chosen = None;
        self.parser.process(b"\x1b[0m\x1b[?25h\x1b[?1l\x1b>");
        let (row, column) = self.parser.screen().cursor_position();
        let back = format!("\x1b[?6l\x1b[r\x1b[{};{}H", row + 1, column + 1);
        self.parser.process(back.as_bytes());
    }

    /// Shows the live screen when a synchronized update has lasted too long. Returns true if that changed
    /// what is shown.
    pub fn tick(&mut self, now: Timestamp) -> bool {
        let due = self.wake_at().is_some_and(|at| now >= at);
        if due {
            self.parser.reports_mut().in_update = false;
            self.show_live();
        }
        due
    }

    /// When `tick` is due.
    pub fn wake_at(&self) -> Option<Timestamp> {
        self.update_since
            .and_then(|since| since.checked_add(UPDATE_LIMIT).ok())
    }

    fn show_live(&mut self) {
        self.update_since = None;
        if self.before_update.take().is_some() {
            self.parser.begin();
            self.parser.touch_all();
        }
    }

    /// The screen to paint: the live one, or the one before an unfinished update.
    fn shown(&self) -> &vt100::Screen {
        match &self.before_update {
            Some(screen) => screen,
            None => self.parser.screen(),
        }
    }

    /// The cell at this position, `None` outside the screen.
    pub fn cell(&self, column: u16, row: u16) -> Option<TerminalCell<'_>> {
        let cell = self.shown().cell(row, column)?;
        let width = if cell.is_wide_continuation() {
            CellWidth::Continuation
        } else if cell.is_wide() {
            CellWidth::Two
        } else {
            CellWidth::One
        };
        let (look, link) = self.attributes.of(cell);
        Some(TerminalCell {
            text: text::shown(cell.contents()),
            width,
            look,
            link,
        })
    }

    /// When this row last changed on the shown screen, `None` outside the screen. A row with the same revision
    /// has the same content.
    pub fn revision(&self, row: u16) -> Option<Revision> {
        self.parser.revision(row)
    }

    /// Whether the terminal continued the line of this row in the next row.
    pub fn is_wrapped(&self, row: u16) -> bool {
        self.shown().row_wrapped(row)
    }

    /// The position of the cursor, `None` while it is hidden.
    pub fn cursor(&self) -> Option<Cursor> {
        let screen = self.shown();
        if screen.hide_cursor() {
            return None;
        }
        let (row, column) = screen.cursor_position();
        let (columns, rows) = self.size();
        // After a character in the last column the cursor waits behind it.
        Some(Cursor {
            column: column.min(columns - 1),
            row: row.min(rows - 1),
        })
    }

    /// The cursor shape that the child chose.
    pub fn cursor_shape(&self) -> CursorShape {
        self.parser.screen().cursor_style().into()
    }

    /// The modes that the child switched on.
    pub fn modes(&self) -> Modes {
        let screen = self.parser.screen();
        Modes {
            application_cursor: screen.application_cursor(),
            bracketed_paste: screen.bracketed_paste(),
            focus: self.parser.reports().focus,
            mouse: match screen.mouse_protocol_mode() {
                vt100::MouseProtocolMode::None => MouseMode::Off,
                vt100::MouseProtocolMode::Press => MouseMode::Press,
                vt100::MouseProtocolMode::PressRelease => MouseMode::PressRelease,
                vt100::MouseProtocolMode::ButtonMotion => MouseMode::Drag,
                vt100::MouseProtocolMode::AnyMotion => MouseMode::Motion,
            },
            other_keys: self.parser.reports().other_keys,
            sgr_mouse: screen.mouse_protocol_encoding() == vt100::MouseProtocolEncoding::Sgr,
        }
    }

    /// The title that the child chose, made safe, max 64 cells.
    pub fn title(&self) -> Option<&Clean> {
        self.parser.reports().title.as_ref()
    }

    /// Answers to the child's queries. Send them only to the child.
    pub fn take_answers(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.parser.reports_mut().answers)
    }

    /// Whether the content of the screen was lost since the last call. If so, the child must paint it again.
    pub fn take_fall(&mut self) -> bool {
        self.parser.take_fall()
    }

    /// Whether the bell rang since the last call.
    pub fn take_bell(&mut self) -> bool {
        std::mem::take(&mut self.parser.reports_mut().bell)
    }

    /// The last text that the child sent for the clipboard.
    pub fn take_clipboard(&mut self) -> Option<ClipboardText> {
        self.parser.reports_mut().clipboard.take()
    }

    /// The text of one row, without trailing blanks and with each wide character once. For tests and copying.
    pub fn row_text(&self, row: u16) -> String {
        let (columns, _) = self.size();
        let mut text = String::new();
        for cell in (0..columns).filter_map(|column| self.cell(column, row)) {
            match cell.width {
                CellWidth::Continuation => {}
                _ if cell.text.is_empty() => text.push(' '),
                _ => text.push_str(cell.text),
            }
        }
        text.truncate(text.trim_end().len());
        text
    }
}

/// Rows and columns that the parser supports.
fn clamp(columns: u16, rows: u16) -> (NonZeroU16, NonZeroU16) {
    let non_zero = |size: u16| NonZeroU16::new(size).unwrap_or(NonZeroU16::MIN);
    (
        non_zero(columns.clamp(MIN_COLUMNS, MAX_COLUMNS)),
        non_zero(rows.min(MAX_ROWS)),
    )
}

/// The number of bytes at the end that belong to an incomplete character.
fn unfinished(bytes: &[u8]) -> usize {
    for back in 1..=bytes.len().min(3) {
        let length = match bytes[bytes.len() - back] {
            0x80..=0xbf => continue,
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            _ => return 0,
        };
        return if back < length { back } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests;
