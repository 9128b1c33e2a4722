//! Writes cells as bytes for the outer terminal, with styles of underlines and links, which ratatui doesn't
//! support.

use std::{
    fmt::Write as _,
    io::{self, Write},
};

use crossterm::style::Colored;
use ratatui::{
    backend::{Backend, ClearType, CrosstermBackend, IntoCrossterm as _, WindowSize},
    buffer::Cell,
    layout::{Position, Size},
    style::{Color, Modifier},
};

use super::canvas::CellOutput;
use crate::{
    terminal::{attributes::Underline, link::Link},
    view::surface::{Extra, Extras},
};

/// What the outer terminal supports beyond the basics.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outer {
    /// Styles and colors of underlines. A terminal that doesn't support them may read their numbers as other
    /// attributes.
    pub underlines: bool,
    /// Links (OSC 8).
    pub links: bool,
}

/// Prefixes of the names, in TERM and TERM_PROGRAM, of terminals that support underlines and links.
const KNOWN: &[&str] = &[
    "xterm-kitty",
    "kitty",
    "foot",
    "alacritty",
    "wezterm",
    "xterm-ghostty",
    "ghostty",
    "iterm",
    "vscode",
    "mintty",
    "rio",
    "contour",
    "vte(",
    "tmux",
];

impl Outer {
    /// From the variables that terminals set, or from the name that the terminal reported.
    pub fn find(variable: impl Fn(&str) -> Option<String>, name: Option<&str>) -> Self {
        if name.is_some_and(is_known) {
            return Self {
                underlines: true,
                links: true,
            };
        }
        Self::by_variables(variable)
    }

    /// From the variables that terminals set.
    fn by_variables(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let named = |name: &str| is_known(&variable(name).unwrap_or_default());
        let vte = variable("VTE_VERSION").and_then(|version| version.parse::<u32>().ok());
        // tmux passes on what its own terminal supports.
        let known = ["TMUX", "KITTY_WINDOW_ID", "WT_SESSION"]
            .into_iter()
            .any(set)
            || ["TERM", "TERM_PROGRAM"].into_iter().any(named)
            || vte.is_some_and(|version| version >= 5200);
        Self {
            underlines: known,
            links: known,
        }
    }
}

fn is_known(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    KNOWN.iter().any(|known| name.starts_with(known))
}

/// Draws on the outer terminal.
pub struct AnsiWriter<W: Write> {
    inner: CrosstermBackend<W>,
    outer: Outer,
    /// Sequences that aren't written yet.
    text: String,
}

impl<W: Write> AnsiWriter<W> {
    pub fn new(writer: W, outer: Outer) -> Self {
        Self {
            inner: CrosstermBackend::new(writer),
            outer,
            text: String::new(),
        }
    }

    fn style(&mut self, from: &Dress, to: &Dress) {
        let mut codes = Codes(&mut self.text, false);
        let gone = from.modifier.difference(to.modifier);
        let mut come = to.modifier.difference(from.modifier);
        let weights = Modifier::BOLD | Modifier::DIM;
        if gone.intersects(weights) {
            codes.add("22");
            come |= to.modifier.intersection(weights);
        }
        let blinks = Modifier::SLOW_BLINK | Modifier::RAPID_BLINK;
        if gone.intersects(blinks) {
            codes.add("25");
            come |= to.modifier.intersection(blinks);
        }
        for (modifier, on, off) in ATTRIBUTES {
            if gone.contains(*modifier) && !off.is_empty() {
                codes.add(off);
            }
            if come.contains(*modifier) {
                codes.add(on);
            }
        }
        if to.underline != from.underline {
            codes.add(match to.underline {
                Underline::None => "24",
                Underline::Single => "4",
                Underline::Double => "4:2",
                Underline::Curly => "4:3",
                Underline::Dotted => "4:4",
                Underline::Dashed => "4:5",
            });
        }
        for (color, before, ground) in [
            (to.foreground, from.foreground, ColorLayer::Fore),
            (to.background, from.background, ColorLayer::Back),
            (to.underline_color, from.underline_color, ColorLayer::Under),
        ] {
            if color != before {
                codes.add(&ground.code(color));
            }
        }
        codes.end();
    }

    fn link(&mut self, link: Option<&Link>) {
        let _ = match link {
            Some(link) => write!(
                self.text,
                "\x1b]8;id=workbay{};{}\x1b\\",
                link.number(),
                link.address()
            ),
            None => write!(self.text, "\x1b]8;;\x1b\\"),
        };
    }
}

/// Modifiers with their codes, and the code that ends a modifier if no other code does.
const ATTRIBUTES: &[(Modifier, &str, &str)] = &[
    (Modifier::BOLD, "1", ""),
    (Modifier::DIM, "2", ""),
    (Modifier::ITALIC, "3", "23"),
    (Modifier::SLOW_BLINK, "5", ""),
    (Modifier::RAPID_BLINK, "6", ""),
    (Modifier::REVERSED, "7", "27"),
    (Modifier::HIDDEN, "8", "28"),
    (Modifier::CROSSED_OUT, "9", "29"),
];

/// The style of the last written cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Dress {
    modifier: Modifier,
    foreground: Color,
    background: Color,
    underline: Underline,
    underline_color: Color,
}

impl Dress {
    const PLAIN: Self = Self {
        modifier: Modifier::empty(),
        foreground: Color::Reset,
        background: Color::Reset,
        underline: Underline::None,
        underline_color: Color::Reset,
    };

    fn of(cell: &Cell, extra: Option<&Extra>, outer: Outer) -> Self {
        let underlined = cell.modifier.contains(Modifier::UNDERLINED);
        let styled = underlined && outer.underlines;
        let style = extra.and_then(|extra| extra.underline).filter(|_| styled);
        Self {
            modifier: cell.modifier,
            foreground: cell.fg,
            background: cell.bg,
            underline: if underlined {
                style.unwrap_or(Underline::Single)
            } else {
                Underline::None
            },
            underline_color: if styled {
                cell.underline_color
            } else {
                Color::Reset
            },
        }
    }
}

enum ColorLayer {
    Fore,
    Back,
    Under,
}

impl ColorLayer {
    /// Empty if colors are switched off.
    fn code(&self, color: Color) -> String {
        let color = color.into_crossterm();
        match self {
            Self::Fore => Colored::ForegroundColor(color),
            Self::Back => Colored::BackgroundColor(color),
            Self::Under => Colored::UnderlineColor(color),
        }
        .to_string()
    }
}

/// The codes of a `CSI … m` sequence.
struct Codes<'a>(&'a mut String, bool);

impl Codes<'_> {
    fn add(&mut self, code: &str) {
        if code.is_empty() {
            return;
        }
        self.0.push_str(if self.1 { ";" } else { "\x1b[" });
        self.0.push_str(code);
        self.1 = true;
    }

    fn end(self) {
        if self.1 {
            self.0.push('m');
        }
    }
}

impl<W: Write> CellOutput for AnsiWriter<W> {
    fn write_cells<'a>(
        &mut self,
        cells: impl Iterator<Item = (u16, u16, &'a Cell)>,
        extras: &Extras,
    ) -> io::Result<()> {
        let mut dress = Dress::PLAIN;
        let mut link: Option<&Link> = None;
        let mut next = None;
        self.text.clear();
        for (x, y, cell) in cells {
            if next != Some((x, y)) {
                let _ = write!(self.text, "\x1b[{};{}H", y + 1, x + 1);
            }
            next = Some((x + 1, y));
            let extra = extras.at(x, y);
            let wanted = Dress::of(cell, extra, self.outer);
            if wanted != dress {
                self.style(&dress, &wanted);
                dress = wanted;
            }
            let linked = extra.and_then(|extra| extra.link.as_deref());
            let linked = linked.filter(|_| self.outer.links);
            if linked.map(Link::number) != link.map(Link::number) {
                self.link(linked);
                link = linked;
            }
            self.text.push_str(cell.symbol());
        }
        if link.is_some() {
            self.link(None);
        }
        if dress != Dress::PLAIN {
            self.text.push_str("\x1b[0m");
        }
        self.inner.write_all(self.text.as_bytes())
    }
}

impl<W: Write> Backend for AnsiWriter<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        self.write_cells(content, &Extras::default())
    }

    fn append_lines(&mut self, lines: u16) -> io::Result<()> {
        self.inner.append_lines(lines)
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.inner.hide_cursor()
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.inner.show_cursor()
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        self.inner.get_cursor_position()
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.inner.set_cursor_position(position)
    }

    fn clear(&mut self) -> io::Result<()> {
        self.inner.clear()
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.inner.clear_region(region)
    }

    /// The size of the terminal on the output. Opening the terminal for each frame would cost more than most
    /// frames do.
    fn size(&self) -> io::Result<Size> {
        match rustix::termios::tcgetwinsize(rustix::stdio::stdout()) {
            Ok(size) if size.ws_col > 0 && size.ws_row > 0 => {
                Ok(Size::new(size.ws_col, size.ws_row))
            }
            _ => self.inner.size(),
        }
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        self.inner.window_size()
    }

    fn flush(&mut self) -> io::Result<()> {
        Backend::flush(&mut self.inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;
    use ratatui::{buffer::Buffer, layout::Rect};

    use super::*;
    use crate::{terminal::emulator::Emulator, view::cells};

    const ALL: Outer = Outer {
        underlines: true,
        links: true,
    };

    /// What is written after a child printed `stream`, and the emulator.
    fn written(stream: &str, outer: Outer) -> (String, Emulator) {
        let mut emulator = Emulator::new(8, 2);
        emulator.feed(stream.as_bytes(), Timestamp::UNIX_EPOCH);
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        let mut extras = Extras::default();
        cells::paint(&emulator, buffer.area, (&mut buffer, &mut extras));
        let mut writer = AnsiWriter::new(Vec::new(), outer);
        let cells = Buffer::empty(buffer.area).diff(&buffer);
        writer.write_cells(cells.into_iter(), &extras).unwrap();
        (writer.text, emulator)
    }

    /// Another emulator that has read `text`, to check what it shows.
    fn again(text: &str) -> Emulator {
        let mut emulator = Emulator::new(8, 2);
        emulator.feed(text.as_bytes(), Timestamp::UNIX_EPOCH);
        emulator
    }

    #[test]
    fn styles_and_links_arrive_as_they_were_printed() {
        let stream = "\x1b[9ma\x1b[0;4:3;58;5;3mb\x1b[0;8;1mc\x1b[2md\x1b[22;7me\x1b[0;31;44mf\
                      \x1b]8;;http://x.example/\x1b\\g\x1b]8;;\x1b\\\x1b[21mh\r\nplain";
        let (text, emulator) = written(stream, ALL);
        let seen = again(&text);
        for row in 0..2 {
            for column in 0..8 {
                let (was, is) = (emulator.cell(column, row), seen.cell(column, row));
                let (was, is) = (was.unwrap(), is.unwrap());
                assert_eq!(is.look, was.look, "column {column}: {text:?}");
                let address = |link: Option<&Arc<Link>>| link.map(|link| link.address().to_owned());
                assert_eq!(address(is.link), address(was.link), "{column}: {text:?}");
                assert_eq!(is.text.trim(), was.text.trim());
            }
        }
    }

    #[test]
    fn a_terminal_that_is_not_known_gets_what_all_terminals_take() {
        let stream = "\x1b[4:3;58;5;3ma\x1b]8;;http://x.example/\x1b\\b";
        let (text, _) = written(stream, Outer::default());
        assert_eq!(text, "\x1b[1;1H\x1b[4mab\x1b[0m");
    }

    #[test]
    fn terminals_are_known_by_their_variables() {
        let with = |pairs: &'static [(&str, &str)]| {
            Outer::by_variables(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(with(&[("TERM", "xterm-kitty")]), ALL);
        assert_eq!(with(&[("TERM", "foot-extra")]), ALL);
        assert_eq!(with(&[("TERM_PROGRAM", "iTerm.app")]), ALL);
        assert_eq!(with(&[("VTE_VERSION", "7600")]), ALL);
        assert_eq!(with(&[("VTE_VERSION", "4800")]), Outer::default());
        assert_eq!(with(&[("TERM", "xterm-256color")]), Outer::default());
        assert_eq!(with(&[("TERM", "linux")]), Outer::default());
        assert_eq!(Outer::find(|_| None, Some("WezTerm 20240203")), ALL);
        assert_eq!(Outer::find(|_| None, Some("XTerm(330)")), Outer::default());
        assert_eq!(
            with(&[("TERM_PROGRAM", "Apple_Terminal")]),
            Outer::default()
        );
    }
}
