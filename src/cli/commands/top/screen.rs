//! Text on a terminal that overwrites its previous version.

use std::fmt::Write as _;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use super::{TopSort, rows::Refresh};
use crate::cli::{fail::Fail, output, tty};

/// The width of each line that was printed last.
#[derive(Debug, Default)]
pub struct Screen {
    printed: Vec<usize>,
}

impl Screen {
    /// Overwrites the previous text. The cursor stays below it.
    pub fn show(&mut self, refresh: &Refresh, sort: TopSort) -> Result<(), Fail> {
        let size = tty::size().unwrap_or((80, 24));
        let lines = refresh.lines(sort, size.0.into());
        let text = self.frame(&lines, size);
        output::bytes(text.as_bytes())
    }

    fn frame(&mut self, lines: &[String], (columns, rows): (u16, u16)) -> String {
        let (columns, rows) = (usize::from(columns).max(1), usize::from(rows));
        let mut text = String::new();
        // A terminal that became narrower has wrapped the lines.
        let above: usize = self
            .printed
            .iter()
            .map(|width| width.div_ceil(columns).max(1))
            .sum();
        if above > 0 {
            let _ = write!(text, "\x1b[{above}A\r");
        }
        self.printed.clear();
        for line in &fitting(lines, rows.saturating_sub(1)) {
            let line = cut(line, columns);
            let _ = write!(text, "{line}\x1b[K\r\n");
            self.printed.push(line.width());
        }
        text.push_str("\x1b[J");
        text
    }
}

/// Up to `rows` lines. If some don't fit, the last line shows how many more there are.
fn fitting(lines: &[String], rows: usize) -> Vec<String> {
    if lines.len() <= rows {
        return lines.to_vec();
    }
    let kept = rows.saturating_sub(1);
    let mut fitting = lines[..kept].to_vec();
    fitting.push(tr!("and {lines} more", lines = lines.len() - kept));
    fitting
}

/// The beginning of a line that fits.
fn cut(line: &str, columns: usize) -> &str {
    let mut width = 0;
    let too_far = line.char_indices().find(|(_, c)| {
        width += c.width().unwrap_or(0);
        width > columns
    });
    too_far.map_or(line, |(at, _)| &line[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_frame_is_printed_over_the_one_before() {
        let mut screen = Screen::default();
        let first = screen.frame(&lines(&["head", "row"]), (80, 24));
        assert_eq!(first, "head\x1b[K\r\nrow\x1b[K\r\n\x1b[J");
        let second = screen.frame(&lines(&["head"]), (80, 24));
        assert_eq!(second, "\x1b[2A\rhead\x1b[K\r\n\x1b[J");
    }

    #[test]
    fn lines_that_a_narrower_terminal_wrapped_are_counted() {
        let mut screen = Screen::default();
        screen.frame(&lines(&["0123456789", "abc"]), (80, 24));
        let narrow = screen.frame(&lines(&["0123456789"]), (4, 24));
        assert_eq!(narrow, "\x1b[4A\r0123\x1b[K\r\n\x1b[J");
    }

    #[test]
    fn no_frame_is_larger_than_the_terminal() {
        let mut screen = Screen::default();
        let all = lines(&["head", "한글세션", "b", "c"]);
        let frame = screen.frame(&all, (5, 4));
        assert_eq!(frame, "head\x1b[K\r\n한글\x1b[K\r\nand 2\x1b[K\r\n\x1b[J");
    }
}
