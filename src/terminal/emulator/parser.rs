//! Wraps the vt100 parser and recovers from its panics.
//!
//! vt100 0.18.1 panics when a character that widened in the last column is overwritten: an emoji with a
//! variation selector at the bottom right. `text` keeps such characters from the parser, but there may be
//! other causes. A panic loses the content of the screen, not the terminal: the screen restarts empty, and
//! the caller must make the child paint again.

use std::{
    cell::Cell,
    num::NonZeroU16,
    panic::{AssertUnwindSafe, catch_unwind},
};

// A panic that ends the process can't be caught: the output of a session could end the TUI.
#[cfg(not(panic = "unwind"))]
compile_error!(
    "workbay must be built with panic = \"unwind\": src/terminal/emulator/parser.rs catches panics of vt100. \
     Remove `panic` from the profile in Cargo.toml and `-C panic` from RUSTFLAGS"
);

use super::{
    damage::{Damage, Revision},
    reports::Reports,
};

thread_local! {
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Whether the current panic of this thread comes from the parser and is caught, so that it must not be
/// reported.
pub fn is_guarded() -> bool {
    GUARDED.get()
}

pub(super) struct Parser {
    inner: vt100::Parser<Reports>,
    damage: Damage,
    /// The parser panicked since the last call of `take_fall`.
    fell: bool,
}

impl Parser {
    pub fn new(columns: NonZeroU16, rows: NonZeroU16) -> Self {
        Self {
            inner: vt100::Parser::new_with_callbacks(rows, columns, 0, Reports::default()),
            damage: Damage::new(rows.get()),
            fell: false,
        }
    }

    pub fn screen(&self) -> &vt100::Screen {
        self.inner.screen()
    }

    pub fn reports(&self) -> &Reports {
        self.inner.callbacks()
    }

    pub fn reports_mut(&mut self) -> &mut Reports {
        self.inner.callbacks_mut()
    }

    /// When the row was last printed on, `None` outside the screen.
    pub fn revision(&self, row: u16) -> Option<Revision> {
        self.damage.revision(row)
    }

    /// Separates the next output from output that may already be painted.
    pub fn begin(&mut self) {
        self.damage.begin();
    }

    /// Marks all rows as changed because another screen is shown.
    pub fn touch_all(&mut self) {
        self.damage.touch_all();
    }

    pub fn set_size(&mut self, columns: NonZeroU16, rows: NonZeroU16) {
        if !guarded(|| self.inner.set_size(rows, columns)) {
            self.restart(columns, rows);
        }
        self.damage.restart(rows.get());
    }

    pub fn process(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let screen = self.inner.screen();
            let (rows, columns) = screen.size();
            let piece = self
                .damage
                .piece(rest, screen.cursor_position(), columns.get());
            let (present, after) = rest.split_at(piece.length);
            if !guarded(|| self.inner.process(present)) {
                self.restart(columns, rows);
                return;
            }
            let (row, _) = self.inner.screen().cursor_position();
            self.damage.after(&piece, row);
            rest = after;
        }
    }

    /// Replaces the screen with an empty one that has the same modes.
    fn restart(&mut self, columns: NonZeroU16, rows: NonZeroU16) {
        let old = self.inner.screen();
        let modes = old.input_mode_formatted();
        let hidden: &[u8] = if old.hide_cursor() { b"\x1b[?25l" } else { b"" };
        let alternate: &[u8] = if old.alternate_screen() {
            b"\x1b[?1049h"
        } else {
            b""
        };
        let mut reports = std::mem::take(self.inner.callbacks_mut());
        reports.in_update = false;
        reports.is_muted = false;
        let mut inner = vt100::Parser::new_with_callbacks(rows, columns, 0, reports);
        inner.process(alternate);
        inner.process(modes.as_bytes());
        inner.process(hidden);
        self.inner = inner;
        self.damage.restart(rows.get());
        self.fell = true;
    }

    /// Calls `take` with the foreground color of each cell of both screens and of the cursor. `shown` is one
    /// more screen. The parser must not be within a sequence.
    pub fn each_color(
        &mut self,
        shown: Option<&vt100::Screen>,
        mut take: impl FnMut(vt100::Color),
    ) {
        if let Some(shown) = shown {
            each_cell(shown, &mut take);
        }
        take(self.screen().fgcolor());
        each_cell(self.screen(), &mut take);
        // vt100 shows the cells of the other screen only while that screen is on.
        let (on, off) = (b"\x1b[?47h".as_slice(), b"\x1b[?47l".as_slice());
        let (there, back) = if self.screen().alternate_screen() {
            (off, on)
        } else {
            (on, off)
        };
        guarded(|| self.inner.process(there));
        each_cell(self.screen(), &mut take);
        guarded(|| self.inner.process(back));
    }

    /// Whether the screen was lost since the last call.
    pub fn take_fall(&mut self) -> bool {
        std::mem::take(&mut self.fell)
    }
}

fn each_cell(screen: &vt100::Screen, take: &mut impl FnMut(vt100::Color)) {
    let (rows, columns) = screen.size();
    for row in 0..rows.get() {
        for cell in (0..columns.get()).filter_map(|column| screen.cell(row, column)) {
            take(cell.fgcolor());
        }
    }
}

/// Returns `false` if the work panicked.
fn guarded(work: impl FnOnce()) -> bool {
    let before = GUARDED.replace(true);
    let outcome = catch_unwind(AssertUnwindSafe(work));
    GUARDED.set(before);
    outcome.is_ok()
}
