//! The other emulator: alacritty's, asked for its cells.

use alacritty_terminal::{
    Term,
    event::VoidListener,
    index::{Column, Line, Point},
    term::{Config, TermMode, cell::Flags, test::TermSize},
    vte::ansi::{Color, NamedColor, Processor},
};
use workbay::terminal::{
    attributes::Underline,
    emulator::{CellWidth, Emulator},
};

pub struct ReferenceScreen {
    term: Term<VoidListener>,
    parser: Processor,
}

impl ReferenceScreen {
    pub fn new(columns: u16, rows: u16) -> Self {
        let size = TermSize::new(columns.into(), rows.into());
        Self {
            term: Term::new(Config::default(), &size, VoidListener),
            parser: Processor::new(),
        }
    }

    pub fn of(stream: &[u8], columns: u16, rows: u16) -> Self {
        let mut screen = Self::new(columns, rows);
        screen.feed(stream);
        screen
    }

    pub fn feed(&mut self, bytes: &[u8]) {
        self.parser.advance(&mut self.term, bytes);
    }

    pub fn cell_text(&self, column: u16, row: u16) -> String {
        let cell = &self.term.grid()[Line(row.into())][Column(column.into())];
        let mut text = String::from(match cell.c {
            '\t' => ' ',
            c => c,
        });
        // The choice between picture and sign is the font's.
        let joined = cell.zerowidth().into_iter().flatten();
        text.extend(joined.filter(|c| **c != '\u{fe0f}'));
        if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            "<-".clone_into(&mut text);
        }
        let flag = |flag| cell.flags.contains(flag);
        words(
            &text,
            &color_name(cell.fg, NamedColor::Foreground),
            &color_name(cell.bg, NamedColor::Background),
            &marks(&[
                ("bold", flag(Flags::BOLD)),
                ("dim", flag(Flags::DIM)),
                ("italic", flag(Flags::ITALIC)),
                ("Single", flag(Flags::UNDERLINE)),
                ("Double", flag(Flags::DOUBLE_UNDERLINE)),
                ("Curly", flag(Flags::UNDERCURL)),
                ("Dotted", flag(Flags::DOTTED_UNDERLINE)),
                ("Dashed", flag(Flags::DASHED_UNDERLINE)),
                ("reverse", flag(Flags::INVERSE)),
                ("concealed", flag(Flags::HIDDEN)),
                ("struck", flag(Flags::STRIKEOUT)),
            ]),
            &cell
                .underline_color()
                .map_or("Default".to_owned(), |color| {
                    color_name(color, NamedColor::Foreground)
                }),
            cell.hyperlink().as_ref().map_or("", |link| link.uri()),
        )
    }

    /// Column and row, while it is shown.
    pub fn cursor(&self) -> Option<(u16, u16)> {
        let Point { line, column } = self.term.grid().cursor.point;
        let shown = self.term.mode().contains(TermMode::SHOW_CURSOR);
        let at = (u16::try_from(column.0).ok()?, u16::try_from(line.0).ok()?);
        shown.then_some(at)
    }
}

/// What a cell shows, in words both emulators can be asked for.
pub fn cell_text(emulator: &Emulator, column: u16, row: u16) -> String {
    let Some(cell) = emulator.cell(column, row) else {
        return format!("no cell at column {column}, row {row}");
    };
    let text = match cell.width {
        CellWidth::Continuation => "<-",
        _ if cell.text.is_empty() => " ",
        _ => cell.text,
    };
    let look = cell.look;
    words(
        text,
        &format!("{:?}", look.foreground),
        &format!("{:?}", look.background),
        &marks(&[
            ("bold", look.bold),
            ("dim", look.dim),
            ("italic", look.italic),
            (
                &format!("{:?}", look.underline),
                look.underline != Underline::None,
            ),
            ("reverse", look.reverse),
            ("concealed", look.concealed),
            ("struck", look.struck),
        ]),
        &format!("{:?}", look.underline_color),
        cell.link.map_or("", |link| link.address()),
    )
}

/// The names of what is on.
fn marks(marks: &[(&str, bool)]) -> String {
    let on = marks.iter().filter_map(|(name, on)| on.then_some(*name));
    on.collect::<Vec<_>>().join(" ")
}

/// One line about a cell. The right half of a wide character has no look of its own.
fn words(
    text: &str,
    foreground: &str,
    background: &str,
    marks: &str,
    underline: &str,
    link: &str,
) -> String {
    if text == "<-" {
        return text.to_owned();
    }
    // The color of what is blank is not seen.
    let blank = text.trim().is_empty() && marks.is_empty();
    let foreground = if blank { "" } else { foreground };
    let underline = if ["Single", "Double", "Curly", "Dotted", "Dashed"]
        .into_iter()
        .any(|style| marks.contains(style))
    {
        underline
    } else {
        ""
    };
    format!("{text:?} {foreground} on {background} {marks} {underline} {link}")
}

fn color_name(color: Color, default: NamedColor) -> String {
    match color {
        Color::Named(name) if name == default => "Default".to_owned(),
        Color::Named(name) => format!("Indexed({})", name as usize),
        Color::Indexed(index) => format!("Indexed({index})"),
        Color::Spec(rgb) => format!("Rgb({}, {}, {})", rgb.r, rgb.g, rgb.b),
    }
}
