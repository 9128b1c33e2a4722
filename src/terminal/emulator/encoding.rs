//! How the attributes of a cell are stored in vt100, and read back.
//!
//! vt100 has no fields for strikethrough, blinking and concealed text, styles and colors of underlines, and
//! links. A grid of our own for them would have to repeat every movement of vt100's cells: wrapping, wide
//! characters, regions, insertion, two screens, saved cursors, resizing. So attributes that vt100 can't store
//! are an entry of the [`super::attribute_table::AttributeTable`], and vt100 gets the id of the entry as the
//! foreground color, which it moves with the cell. An id is an RGB color whose red is [`ID_RED`]. A real color
//! with that red becomes an entry too, so each color in vt100 is either a real one or an id.

use std::fmt::Write as _;

use super::attribute_table::{AttributeId, CellAttributes};
use crate::terminal::attributes::{Attributes, Color, Underline};

/// The red of foreground colors that are ids.
const ID_RED: u8 = 1;

/// The entry that a color stands for.
pub(super) fn id_of(color: vt100::Color) -> Option<AttributeId> {
    match color {
        vt100::Color::Rgb(ID_RED, high, low) => Some(u16::from_be_bytes([high, low])),
        _ => None,
    }
}

/// The attributes that vt100 stores itself, of a cell or of the cursor.
macro_rules! own_look {
    ($of:expr) => {
        Attributes {
            foreground: color($of.fgcolor()),
            background: color($of.bgcolor()),
            bold: $of.bold(),
            dim: $of.dim(),
            italic: $of.italic(),
            underline: if $of.underline() {
                Underline::Single
            } else {
                Underline::None
            },
            reverse: $of.inverse(),
            ..Attributes::default()
        }
    };
}

/// The look of a cell without an entry.
pub(super) fn look_of_cell(cell: &vt100::Cell) -> Attributes {
    if cell.has_contents() {
        return own_look!(cell);
    }
    // An erased cell has only the background of the eraser.
    Attributes {
        background: color(cell.bgcolor()),
        ..Attributes::default()
    }
}

/// The look of what is printed next, if it has no entry.
pub(super) fn look_of_cursor(screen: &vt100::Screen) -> Attributes {
    own_look!(screen)
}

/// Whether vt100 can't store these attributes.
pub(super) fn needs_entry(attributes: &CellAttributes) -> bool {
    let look = &attributes.look;
    attributes.link.is_some()
        || !matches!(look.underline, Underline::None | Underline::Single)
        || look.underline_color != Color::Default
        || look.struck
        || look.blink
        || look.concealed
        || (look.bold && look.dim)
        || matches!(look.foreground, Color::Rgb(ID_RED, _, _))
}

/// Whether these parameters of `CSI … m` may choose attributes that vt100 can't store.
pub(super) fn may_need_entry(parameters: &[u8]) -> bool {
    let mut codes = parameters.split(|byte| *byte == b';');
    while let Some(code) = codes.next() {
        match code {
            b"2" | b"5" | b"6" | b"8" | b"9" | b"21" | b"58" => return true,
            b"38" | b"48" => match codes.next() {
                Some(b"2") => {
                    let red = codes.next().unwrap_or_default();
                    if code == b"38" && red.ends_with(b"1") && red.len() <= 3 {
                        return true;
                    }
                    codes.nth(1);
                }
                _ => {
                    codes.next();
                }
            },
            code if code.contains(&b':') || code.starts_with(b"0") && code.len() > 1 => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// The `CSI … m` that makes vt100 print with this entry. The background is vt100's own, for erased cells.
pub(super) fn select_entry(id: AttributeId, background: Color) -> String {
    let [high, low] = id.to_be_bytes();
    let mut sequence = String::from("\x1b[0");
    add_color(&mut sequence, 38, Color::Rgb(ID_RED, high, low));
    add_color(&mut sequence, 48, background);
    sequence + "m"
}

/// The `CSI … m` that makes vt100 print with as much of this look as it can store.
pub(super) fn select_look(look: Attributes) -> String {
    let mut sequence = String::from("\x1b[0");
    for (on, code) in [
        (look.bold, ";1"),
        (look.dim, ";2"),
        (look.italic, ";3"),
        (look.underline != Underline::None, ";4"),
        (look.reverse, ";7"),
    ] {
        if on {
            sequence.push_str(code);
        }
    }
    let foreground = match look.foreground {
        // The nearest color that isn't an id.
        Color::Rgb(ID_RED, green, blue) => Color::Rgb(ID_RED + 1, green, blue),
        color => color,
    };
    add_color(&mut sequence, 38, foreground);
    add_color(&mut sequence, 48, look.background);
    sequence + "m"
}

fn add_color(sequence: &mut String, code: u8, color: Color) {
    // Writing to a string doesn't fail.
    let _ = match color {
        Color::Default => Ok(()),
        Color::Indexed(index) => write!(sequence, ";{code};5;{index}"),
        Color::Rgb(red, green, blue) => write!(sequence, ";{code};2;{red};{green};{blue}"),
    };
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Default,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Color::Rgb(r, g, b),
    }
}
