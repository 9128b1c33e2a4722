//! The default colors of the outer terminal. Programs in a pane query them to distinguish a dark screen from
//! a light one.

use std::fmt;

/// Red, green and blue, each 0 to 65535.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgb(pub [u16; 3]);

impl Rgb {
    /// Parses a terminal's answer: `rgb:` and three parts of one to four hexadecimal digits, or `rgba:` with
    /// a fourth part that is ignored. Source: XParseColor of Xlib, ctlseqs of xterm.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let parts = text
            .strip_prefix("rgb:")
            .or_else(|| text.strip_prefix("rgba:"))?;
        let mut parts = parts.split('/').map(part);
        Some(Self([parts.next()??, parts.next()??, parts.next()??]))
    }

    /// Whether it is a dark background.
    #[must_use]
    pub fn is_dark(self) -> bool {
        self.luminance() < 0.5
    }

    /// Perceived brightness from 0 (black) to 1 (white), by Rec. 709.
    #[must_use]
    pub fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|part| f64::from(part) / f64::from(u16::MAX));
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }
}

/// `f`, `ff`, `fff` and `ffff` all mean the full value.
fn part(digits: &str) -> Option<u16> {
    let most = match digits.len() {
        1 => 0xf,
        2 => 0xff,
        3 => 0xfff,
        4 => 0xffff,
        _ => return None,
    };
    let value = u32::from_str_radix(digits, 16).ok()?;
    u16::try_from(value * 0xffff / most).ok()
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "rgb:{red:04x}/{green:04x}/{blue:04x}")
    }
}

/// `None` = the terminal did not answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DefaultColors {
    pub foreground: Option<Rgb>,
    pub background: Option<Rgb>,
}

impl DefaultColors {
    /// The color that the OSC with this number queries.
    #[must_use]
    pub fn of(self, osc: u16) -> Option<Rgb> {
        match osc {
            10 => self.foreground,
            11 => self.background,
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_read_in_every_length() {
        for (text, color) in [
            ("rgb:ffff/8080/0000", [0xffff, 0x8080, 0]),
            ("rgb:ff/80/00", [0xffff, 0x8080, 0]),
            ("rgb:f/8/0", [0xffff, 0x8888, 0]),
            ("rgb:fff/800/000", [0xffff, 0x8007, 0]),
            ("rgba:1e1e/1e1e/2e2e/ffff", [0x1e1e, 0x1e1e, 0x2e2e]),
        ] {
            let [red, green, blue] = Rgb::parse(text).unwrap().0;
            assert!(red.abs_diff(color[0]) <= 1, "{text}");
            assert!(green.abs_diff(color[1]) <= 1, "{text}");
            assert!(blue.abs_diff(color[2]) <= 1, "{text}");
        }
        for wrong in [
            "",
            "#ffffff",
            "rgb:ff/ff",
            "rgb:ffffff/0/0",
            "rgb:g/0/0",
            "rgb://",
        ] {
            assert_eq!(Rgb::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn white_is_bright_and_black_is_not() {
        assert!(Rgb::parse("rgb:ff/fb/ee").unwrap().luminance() > 0.9);
        assert!(Rgb::parse("rgb:1e1e/1e1e/2e2e").unwrap().luminance() < 0.2);
    }
}
