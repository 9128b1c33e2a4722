//! Writes to the standard streams: plain text, JSON and aligned tables.

use std::io::{self, IsTerminal, Write};

use ratatui::style::{Color, Modifier, Style};
use serde::Serialize;
use unicode_width::UnicodeWidthStr;

use super::{fail::Fail, tty};
use crate::{
    locale,
    model::text::{Clean, json_escaped},
};

/// Writes text to stdout and flushes it, without characters that could control a terminal.
pub fn print(text: &str) -> Result<(), Fail> {
    bytes(Clean::multiline(text).as_str().as_bytes())
}

/// Like [`print()`], for a table in color whose cells are clean.
pub fn colored(table: &str) -> Result<(), Fail> {
    bytes(table.as_bytes())
}

/// Writes bytes to stdout and flushes it.
pub fn bytes(bytes: &[u8]) -> Result<(), Fail> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()?;
    Ok(())
}

/// Writes a line to stdout.
pub fn line(text: &str) -> Result<(), Fail> {
    print(&format!("{text}\n"))
}

/// Writes text of unknown origin: unchanged for a program, made safe for a terminal.
pub fn foreign(text: &str) -> Result<(), Fail> {
    if io::stdout().is_terminal() {
        return print(text);
    }
    bytes(text.as_bytes())
}

/// Writes a remark to stderr. Ignores errors, such as a closed stderr.
pub fn remark(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", Clean::multiline(text));
}

/// Writes indented JSON for reading. All JSON goes through here or [`json_line`].
pub fn json(value: &impl Serialize) -> Result<(), Fail> {
    escaped(&serde_json::to_string_pretty(value)?)
}

/// Writes JSON as one line.
pub fn json_line(value: &impl Serialize) -> Result<(), Fail> {
    escaped(&serde_json::to_string(value)?)
}

fn escaped(json: &str) -> Result<(), Fail> {
    bytes(format!("{}\n", json_escaped(json)).as_bytes())
}

/// Whether stdout is a terminal that supports color.
pub fn is_colorful() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    io::stdout().is_terminal() && !set("NO_COLOR") && !tty::is_plain()
}

/// A cell of a table: its text and its style on a terminal.
#[derive(Clone, Debug)]
pub struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        Self {
            text: Clean::multiline(&text.into()).into_string(),
            style,
        }
    }
}

impl Cell {
    /// The number of columns on a terminal.
    pub fn width(&self) -> usize {
        self.text.width()
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::styled(text, Style::new())
    }
}

/// Aligned columns, separated by two spaces. The last column isn't padded. The head is translated.
pub fn table(head: &[&str], rows: &[Vec<Cell>], color: bool) -> String {
    let rows: Vec<TableLine> = rows.iter().cloned().map(TableLine::Cells).collect();
    table_of(head, &rows, color)
}

/// A line of a table.
#[derive(Clone, Debug)]
pub enum TableLine {
    /// A cell for each column.
    Cells(Vec<Cell>),
    /// A text across all columns.
    Heading(Cell),
}

/// Like [`table()`], also with headings between the rows.
pub fn table_of(head: &[&str], lines: &[TableLine], color: bool) -> String {
    let head: Vec<&str> = head.iter().map(|name| locale::of(name)).collect();
    let mut widths: Vec<usize> = head.iter().map(|name| name.width()).collect();
    for line in lines {
        let TableLine::Cells(row) = line else {
            continue;
        };
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.text.width());
        }
    }
    let head: Vec<Cell> = head.iter().map(|name| Cell::from(*name)).collect();
    let mut text = aligned(&head, &widths, color);
    for line in lines {
        text.push_str(&match line {
            TableLine::Cells(row) => aligned(row, &widths, color),
            TableLine::Heading(cell) => aligned(std::slice::from_ref(cell), &[0], color),
        });
    }
    text
}

fn aligned(row: &[Cell], widths: &[usize], color: bool) -> String {
    let mut line = String::new();
    for (column, (cell, width)) in row.iter().zip(widths).enumerate() {
        let last = column + 1 == widths.len();
        let gap = if last {
            0
        } else {
            width.saturating_sub(cell.text.width()) + 2
        };
        let (on, off) = if color {
            sgr(cell.style)
        } else {
            Default::default()
        };
        line.push_str(&on);
        line.push_str(&cell.text);
        line.push_str(off);
        line.extend(std::iter::repeat_n(' ', gap));
    }
    let mut line = line.trim_end().to_owned();
    line.push('\n');
    line
}

/// `name  value` lines, the values aligned. The names are translated.
pub fn fields(fields: &[(&str, String)]) -> String {
    let named = fields.iter().map(|(name, value)| (locale::of(name), value));
    let width = named.clone().map(|(name, _)| name.width()).max();
    let width = width.unwrap_or_default();
    let mut out = String::new();
    for (name, value) in named {
        let gap = " ".repeat(width - name.width() + 2);
        out.extend([name, gap.as_str(), value, "\n"]);
    }
    out
}

/// The escape sequences before and after text of this style.
fn sgr(style: Style) -> (String, &'static str) {
    let modifiers = [
        (Modifier::BOLD, 1),
        (Modifier::DIM, 2),
        (Modifier::ITALIC, 3),
        (Modifier::UNDERLINED, 4),
        (Modifier::REVERSED, 7),
    ];
    let mut codes: Vec<String> = modifiers
        .into_iter()
        .filter(|(modifier, _)| style.add_modifier.contains(*modifier))
        .map(|(_, code)| code.to_string())
        .collect();
    codes.extend(style.fg.and_then(|color| color_code(color, 30)));
    codes.extend(style.bg.and_then(|color| color_code(color, 40)));
    if codes.is_empty() {
        return (String::new(), "");
    }
    (format!("\u{1b}[{}m", codes.join(";")), "\u{1b}[0m")
}

/// The code of a color. `first` is the code of black: 30 for text, 40 for backgrounds. `None` = the terminal's own.
fn color_code(color: Color, first: usize) -> Option<String> {
    const COLORS: [Color; 16] = [
        Color::Black,
        Color::Red,
        Color::Green,
        Color::Yellow,
        Color::Blue,
        Color::Magenta,
        Color::Cyan,
        Color::Gray,
        Color::DarkGray,
        Color::LightRed,
        Color::LightGreen,
        Color::LightYellow,
        Color::LightBlue,
        Color::LightMagenta,
        Color::LightCyan,
        Color::White,
    ];
    match color {
        Color::Rgb(r, g, b) => Some(format!("{};2;{r};{g};{b}", first + 8)),
        Color::Indexed(index) => Some(format!("{};5;{index}", first + 8)),
        _ => {
            let index = COLORS.iter().position(|it| *it == color)?;
            let code = if index < 8 { index } else { index + 52 };
            Some((first + code).to_string())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_by_width_on_the_screen() {
        let rows = vec![
            vec!["한글세션".into(), "RUNNING".into()],
            vec!["a".into(), "ERROR".into()],
        ];
        let text = table(&["NAME", "STATUS"], &rows, false);
        assert_eq!(
            text,
            "NAME      STATUS\n한글세션  RUNNING\na         ERROR\n"
        );
    }

    #[test]
    fn colour_appears_only_when_asked_for() {
        let style = Style::new()
            .fg(Color::LightRed)
            .add_modifier(Modifier::BOLD);
        let rows = vec![vec![Cell::styled("ERROR", style), "x".into()]];
        assert!(!table(&["A", "B"], &rows, false).contains('\u{1b}'));
        let coloured = table(&["A", "B"], &rows, true);
        assert!(
            coloured.contains("\u{1b}[1;91mERROR\u{1b}[0m  x"),
            "{coloured:?}"
        );
    }
}
