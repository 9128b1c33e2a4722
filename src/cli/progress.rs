//! Shows progress in a line that is overwritten. Without a terminal, it prints only the steps.

use std::io::{self, IsTerminal, Write as _};

use unicode_width::UnicodeWidthChar as _;

use super::{output, tty};
use crate::model::{pull::Pull, resources::Bytes};

/// The width to assume if the terminal doesn't report one.
const USUAL_WIDTH: u16 = 80;

pub struct Progress {
    /// Whether stderr is a terminal whose line can be overwritten.
    live: bool,
    shown: bool,
    /// The last printed step, if stderr isn't a terminal.
    printed: String,
}

impl Progress {
    pub fn new() -> Self {
        Self {
            live: io::stderr().is_terminal() && !tty::is_plain(),
            shown: false,
            printed: String::new(),
        }
    }

    /// Shows the progress of a pull.
    pub fn pull(&mut self, who: &str, pull: &Pull) {
        let step = match &pull.broken {
            Some(why) => tr!("{who}: connection lost, retrying ({why})", who, why),
            None => tr!(
                "{who}: pulling {reference}",
                who,
                reference = pull.reference
            ),
        };
        if !self.live {
            if self.printed != step {
                output::remark(&step);
                self.printed = step;
            }
            return;
        }
        let percent = pull.figures.percent();
        let percent = percent.map_or_else(String::new, |percent| format!(" {percent}%"));
        let words = pull.words().join(", ");
        self.show(&format!("{who}:{percent} {words}"));
    }

    /// Shows the progress of a transfer, only on a terminal.
    pub fn transfer(&mut self, text: &str) {
        if self.live {
            self.show(text);
        }
    }

    /// Shows the progress of an image that is transferred; `total` = 0 if it isn't known.
    pub fn image(&mut self, what: &str, done: u64, total: u64) {
        let step = format!("workbay: {what}");
        if !self.live {
            if self.printed != step {
                output::remark(&step);
                self.printed = step;
            }
            return;
        }
        let figures = match (done, total) {
            (0, 0) => String::new(),
            (done, 0) => format!(" {}", Bytes(done)),
            (done, total) => format!(
                " {}%, {} of {}",
                done * 100 / total,
                Bytes(done),
                Bytes(total)
            ),
        };
        self.show(&format!("{step}{figures}"));
    }

    fn show(&mut self, text: &str) {
        let width = tty::size().map_or(USUAL_WIDTH, |(columns, _)| columns);
        let mut room = usize::from(width.saturating_sub(1));
        let fits = |c: &char| {
            let cells = c.width().unwrap_or(0);
            let fits = cells <= room;
            room = room.saturating_sub(cells);
            fits
        };
        let line: String = text.chars().take_while(fits).collect();
        let mut out = io::stderr().lock();
        // A closed stderr isn't an error.
        let _ = write!(out, "\r{line}\x1b[K");
        let _ = out.flush();
        self.shown = true;
    }

    /// Removes the line before other output.
    pub fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let mut out = io::stderr().lock();
            let _ = write!(out, "\r\x1b[K");
            let _ = out.flush();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
