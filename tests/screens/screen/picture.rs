//! What a screen shows: as text, and with the style of each run of cells.

use std::fmt::Write as _;

use ratatui::{
    buffer::Cell,
    style::{Color, Modifier},
};
use workbay::view::text::width;

use super::Screen;

impl Screen {
    pub fn sees(&self, text: &str) -> bool {
        self.text().contains(text)
    }

    /// The lines of the screen without blanks at their ends.
    pub fn text(&self) -> String {
        if let Some(dir) = std::env::var_os("WORKBAY_SCREENS_ANSI") {
            let name = std::thread::current()
                .name()
                .unwrap_or("x")
                .replace("::", "-");
            let file = format!("{name}-{}x{}.ansi", self.size.width, self.size.height);
            std::fs::write(std::path::Path::new(&dir).join(file), self.ansi()).unwrap();
        }
        let mut text = String::new();
        for y in 0..self.size.height {
            let line: String = self.cells(y).map(|(_, cell)| cell.symbol()).collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    /// The cells of a line without those a wide character covers.
    fn cells(&self, y: u16) -> impl Iterator<Item = (u16, &Cell)> {
        let mut covered = 0;
        (0..self.size.width).filter_map(move |x| {
            if covered > 0 {
                covered -= 1;
                return None;
            }
            let cell = &self.buffer[(x, y)];
            covered = width(cell.symbol()).saturating_sub(1);
            Some((x, cell))
        })
    }

    /// Line by line, every run of one look: where, colours, the text.
    pub fn styled(&self) -> String {
        let mut out = String::new();
        for y in 0..self.size.height {
            let mut runs: Vec<(u16, String, String)> = Vec::new();
            for (x, cell) in self.cells(y) {
                let look = look(cell);
                match runs.last_mut() {
                    Some((_, last, text)) if *last == look => text.push_str(cell.symbol()),
                    _ => runs.push((x, look, cell.symbol().to_owned())),
                }
            }
            for (x, look, text) in runs.iter().filter(|(_, _, text)| !text.trim().is_empty()) {
                writeln!(out, "{y:2},{x:<3} {look:28} {}", text.trim_end()).unwrap();
            }
        }
        out
    }

    fn ansi(&self) -> String {
        let mut out = String::new();
        for y in 0..self.size.height {
            for (_, cell) in self.cells(y) {
                out.push_str("\x1b[0m");
                for (bit, code) in [
                    (Modifier::BOLD, 1),
                    (Modifier::DIM, 2),
                    (Modifier::UNDERLINED, 4),
                    (Modifier::REVERSED, 7),
                ] {
                    if cell.modifier.contains(bit) {
                        write!(out, "\x1b[{code}m").unwrap();
                    }
                }
                for (color, base) in [(cell.fg, 38), (cell.bg, 48)] {
                    match color {
                        Color::Rgb(r, g, b) => write!(out, "\x1b[{base};2;{r};{g};{b}m").unwrap(),
                        Color::Black => write!(out, "\x1b[{base};5;0m").unwrap(),
                        Color::White => write!(out, "\x1b[{base};5;15m").unwrap(),
                        Color::Indexed(n) => write!(out, "\x1b[{base};5;{n}m").unwrap(),
                        _ => {}
                    }
                }
                out.push_str(cell.symbol());
            }
            out.push_str("\x1b[0m\n");
        }
        out
    }
}

fn look(cell: &Cell) -> String {
    let mut look = color(cell.fg);
    if cell.bg != Color::Reset {
        write!(look, " on {}", color(cell.bg)).unwrap();
    }
    for (bit, word) in [
        (Modifier::BOLD, " bold"),
        (Modifier::DIM, " dim"),
        (Modifier::UNDERLINED, " underlined"),
        (Modifier::REVERSED, " reversed"),
    ] {
        if cell.modifier.contains(bit) {
            look.push_str(word);
        }
    }
    look
}

fn color(color: Color) -> String {
    match color {
        Color::Reset => "default".to_owned(),
        color => color.to_string().to_lowercase(),
    }
}
