//! Keeps what vt100 can't store for a cell: strikethrough, blinking and concealed text, styles and colors of
//! underlines, links.
//!
//! A pen is everything that a child chose for what it prints next. vt100 stores a plain pen itself. Any other
//! pen is in a table, and vt100's foreground color is its number: a color whose red is 1. If a child chooses
//! such a color, it gets a pen too. So every color in vt100 is either a real color or a number, and the pen
//! follows everything that vt100 does with attributes (saved cursors, the other screen, erasing, repeating).

use std::{collections::HashMap, fmt::Write as _, sync::Arc};

use super::parser::Parser;
use crate::terminal::{
    link::Link,
    look::{Colour, Look, Underline},
};

/// The red of foreground colors that are pen numbers.
const MARK: u8 = 1;
/// Most pens at a time. One screen never has that many in practice, and the limit bounds hostile output.
const MOST: usize = 4096;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Pen {
    pub look: Look,
    pub link: Option<Arc<Link>>,
}

#[derive(Debug, Default)]
pub(super) struct Pens {
    pens: Vec<Pen>,
    numbers: HashMap<Pen, u16>,
    /// Pens that no cell uses any more.
    free: Vec<u16>,
    /// How many pens were refused since the last search for unused pens.
    refused: usize,
}

/// The pen number that is stored as this color.
fn number_of(colour: vt100::Color) -> Option<u16> {
    match colour {
        vt100::Color::Rgb(MARK, high, low) => Some(u16::from_be_bytes([high, low])),
        _ => None,
    }
}

impl Pens {
    /// Look and link of a cell.
    pub fn of(&self, cell: &vt100::Cell) -> (Look, Option<&Arc<Link>>) {
        if !cell.has_contents() {
            // An erased cell has only the background of the eraser.
            let look = Look {
                background: colour(cell.bgcolor()),
                ..Look::default()
            };
            return (look, None);
        }
        if let Some(pen) = number_of(cell.fgcolor()).and_then(|number| self.get(number)) {
            return (pen.look, pen.link.as_ref());
        }
        let look = Look {
            foreground: colour(cell.fgcolor()),
            background: colour(cell.bgcolor()),
            bold: cell.bold(),
            dim: cell.dim(),
            italic: cell.italic(),
            underline: underline(cell.underline()),
            reverse: cell.inverse(),
            ..Look::default()
        };
        (look, None)
    }

    /// The pen that the child prints with now.
    pub fn present(&self, screen: &vt100::Screen) -> Pen {
        if let Some(pen) = number_of(screen.fgcolor()).and_then(|number| self.get(number)) {
            return pen.clone();
        }
        let look = Look {
            foreground: colour(screen.fgcolor()),
            background: colour(screen.bgcolor()),
            bold: screen.bold(),
            dim: screen.dim(),
            italic: screen.italic(),
            underline: underline(screen.underline()),
            reverse: screen.inverse(),
            ..Look::default()
        };
        Pen { look, link: None }
    }

    /// Makes vt100 print with this pen from now on. `shown` is one more screen whose cells have pens.
    pub fn take_up(&mut self, pen: Pen, parser: &mut Parser, shown: Option<&vt100::Screen>) {
        let look = pen.look;
        let number = if is_plain(&pen) {
            None
        } else {
            self.number(pen, parser, shown)
        };
        let mut sequence = String::from("\x1b[0");
        if let Some(number) = number {
            let [high, low] = number.to_be_bytes();
            say_colour(&mut sequence, 38, Colour::Rgb(MARK, high, low));
        } else {
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
                // If the table is full, use the nearest color that isn't a pen number.
                Colour::Rgb(MARK, green, blue) => Colour::Rgb(MARK + 1, green, blue),
                colour => colour,
            };
            say_colour(&mut sequence, 38, foreground);
        }
        say_colour(&mut sequence, 48, look.background);
        sequence.push('m');
        parser.process(sequence.as_bytes());
    }

    fn get(&self, number: u16) -> Option<&Pen> {
        self.pens.get(usize::from(number))
    }

    /// The pen's number, or `None` if the table is full.
    fn number(&mut self, pen: Pen, parser: &Parser, shown: Option<&vt100::Screen>) -> Option<u16> {
        if let Some(number) = self.numbers.get(&pen) {
            return Some(*number);
        }
        let number = match self.room() {
            Some(number) => number,
            None => {
                // Searching all cells is slow, so don't do it for each pen of a child that keeps adding pens.
                if !self.refused.is_multiple_of(MOST) {
                    self.refused += 1;
                    return None;
                }
                self.refused = 1;
                self.clear_away(parser, shown);
                let number = self.room()?;
                self.refused = 0;
                number
            }
        };
        match self.pens.get_mut(usize::from(number)) {
            Some(place) => *place = pen.clone(),
            None => self.pens.push(pen.clone()),
        }
        self.numbers.insert(pen, number);
        Some(number)
    }

    fn room(&mut self) -> Option<u16> {
        let next = u16::try_from(self.pens.len()).ok();
        let new = next.filter(|_| self.pens.len() < MOST);
        self.free.pop().or(new)
    }

    /// Removes the pens that no cell and no cursor uses.
    fn clear_away(&mut self, parser: &Parser, shown: Option<&vt100::Screen>) {
        let mut used = vec![false; self.pens.len()];
        parser.each_colour(shown, |colour| {
            let place = number_of(colour).and_then(|number| used.get_mut(usize::from(number)));
            if let Some(place) = place {
                *place = true;
            }
        });
        self.free.clear();
        for (number, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
            let pen = std::mem::take(&mut self.pens[number]);
            self.numbers.remove(&pen);
            self.free.extend(u16::try_from(number));
        }
    }

    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.numbers.len()
    }
}

/// Whether vt100 can store the whole pen.
fn is_plain(pen: &Pen) -> bool {
    let look = &pen.look;
    pen.link.is_none()
        && matches!(look.underline, Underline::None | Underline::Single)
        && look.underline_colour == Colour::Default
        && !(look.struck || look.blink || look.concealed || (look.bold && look.dim))
        && !matches!(look.foreground, Colour::Rgb(MARK, _, _))
}

/// Whether these parameters of `CSI … m` choose something that vt100 can't store.
pub(super) fn is_more_than_plain(parameters: &[u8]) -> bool {
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

fn say_colour(sequence: &mut String, code: u8, colour: Colour) {
    // Writing to a string doesn't fail.
    let _ = match colour {
        Colour::Default => Ok(()),
        Colour::Indexed(index) => write!(sequence, ";{code};5;{index}"),
        Colour::Rgb(red, green, blue) => write!(sequence, ";{code};2;{red};{green};{blue}"),
    };
}

fn underline(on: bool) -> Underline {
    if on {
        Underline::Single
    } else {
        Underline::None
    }
}

fn colour(colour: vt100::Color) -> Colour {
    match colour {
        vt100::Color::Default => Colour::Default,
        vt100::Color::Idx(index) => Colour::Indexed(index),
        vt100::Color::Rgb(r, g, b) => Colour::Rgb(r, g, b),
    }
}
