//! Measures whether a theme can be read: the contrast of every text with every background that it is drawn on.

use ratatui::style::Color;

use super::{Theme, color, face::Face};

/// The least contrast of text that is easy to read (WCAG 2.1, level AA).
pub const TEXT: f64 = 4.5;
/// The least contrast of lines and tracks, which no one reads.
pub const LINE: f64 = 1.5;

/// Faces without text: lines, tracks, scrollbars.
const LINES: [Face; 4] = [
    Face::Bar,
    Face::Border,
    Face::BorderFocused,
    Face::Scrollbar,
];
/// Faces that only give a background, and the view below a dialog, which isn't read.
const GROUNDS: [Face; 3] = [Face::Screen, Face::RowSelected, Face::Shade];
/// The backgrounds that other faces are drawn on.
const RAISED: [Face; 3] = [Face::RowSelected, Face::Dialog, Face::Toast];

/// Usual backgrounds of terminals, for themes that leave the background to the terminal.
const DARK: [Color; 3] = [
    Color::Rgb(0x1c, 0x1c, 0x1c),
    Color::Rgb(0, 0, 0),
    Color::Rgb(0x28, 0x2c, 0x34),
];
const LIGHT: [Color; 3] = [
    Color::Rgb(255, 255, 255),
    Color::Rgb(0xfa, 0xfa, 0xfa),
    Color::Rgb(0xf5, 0xf5, 0xf5),
];

/// A foreground on a background.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    pub face: Face,
    /// The face that gives the background, `None` for the terminal's own background.
    pub on: Option<Face>,
    pub foreground: Color,
    pub background: Color,
    /// From 1 (equal) to 21 (black on white).
    pub ratio: f64,
    /// The least contrast of this kind of face.
    pub least: f64,
}

impl Pair {
    pub fn is_readable(&self) -> bool {
        self.ratio >= self.least
    }
}

/// Whether a face has text.
pub(super) fn is_text(face: Face) -> bool {
    !LINES.contains(&face) && !GROUNDS.contains(&face)
}

/// Every pair that the program draws. Pairs with a color of the terminal's own palette are left out, because
/// nobody but the terminal knows it.
#[must_use]
pub fn pairs(theme: &Theme) -> Vec<Pair> {
    let grounds = grounds(theme);
    let faces = Face::ALL.iter().filter(|face| !GROUNDS.contains(face));
    let mut pairs = Vec::new();
    for face in faces {
        let style = theme.style(*face);
        let own = style.bg.map(|bg| vec![(Some(*face), bg)]);
        let is_line = LINES.contains(face);
        let least = if is_line { LINE } else { TEXT };
        for (on, background) in own.unwrap_or_else(|| grounds.clone()) {
            // Lines on the selected row are part of its bars, which have numbers beside them.
            if is_line && on == Some(Face::RowSelected) {
                continue;
            }
            let (Some(foreground), Some(ratio)) = (
                style.fg,
                style
                    .fg
                    .and_then(|foreground| ratio(foreground, background)),
            ) else {
                continue;
            };
            pairs.push(Pair {
                face: *face,
                on,
                foreground,
                background,
                ratio,
                least,
            });
        }
    }
    pairs
}

/// The backgrounds that faces without one of their own are drawn on.
pub(super) fn grounds(theme: &Theme) -> Vec<(Option<Face>, Color)> {
    let screen = match theme.style(Face::Screen).bg {
        Some(background) => vec![(Some(Face::Screen), background)],
        None => usual(theme).iter().map(|color| (None, *color)).collect(),
    };
    let raised = RAISED
        .iter()
        .filter_map(|face| Some((Some(*face), theme.style(*face).bg?)));
    screen.into_iter().chain(raised).collect()
}

/// The backgrounds of terminals that the theme is for. Light text is for dark terminals.
fn usual(theme: &Theme) -> &'static [Color] {
    match is_dark(theme) {
        Some(true) => &DARK,
        Some(false) => &LIGHT,
        None => &[],
    }
}

/// Whether the theme is for dark terminals; `None` if its text has the terminal's own color.
#[must_use]
pub fn is_dark(theme: &Theme) -> Option<bool> {
    let text = theme.style(Face::Text).fg.and_then(luminance)?;
    Some(text > 0.18)
}

/// The contrast of two colors as the accessibility guidelines (WCAG) define it, `None` if one is of the
/// terminal's palette.
#[must_use]
pub fn ratio(a: Color, b: Color) -> Option<f64> {
    Some(ratio_of(luminance(a)?, luminance(b)?))
}

/// The contrast of two luminances.
pub(super) fn ratio_of(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

pub(super) fn luminance(color: Color) -> Option<f64> {
    let [r, g, b] = color::rgb(color)?.map(color::linear);
    Some(0.2126 * r + 0.7152 * g + 0.0722 * b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_contrast_is_that_of_the_guidelines() {
        let white = Color::Rgb(255, 255, 255);
        let ratio = |color| ratio(color, white).unwrap();
        assert!((ratio(Color::Rgb(0, 0, 0)) - 21.0).abs() < 0.01);
        // The lightest gray that passes on white.
        assert!(ratio(Color::Rgb(0x76, 0x76, 0x76)) >= TEXT);
        assert!(ratio(Color::Rgb(0x77, 0x77, 0x77)) < TEXT);
        assert_eq!(super::ratio(Color::Red, white), None);
    }

    #[test]
    fn a_theme_knows_its_kind_of_terminal() {
        let dark = |name| {
            let theme = Theme::builtin(name, color::ColorDepth::TrueColor).unwrap();
            is_dark(&theme)
        };
        assert_eq!(dark("nord"), Some(true));
        assert_eq!(dark("default-light"), Some(false));
        assert_eq!(dark("ansi16"), None);
    }
}
