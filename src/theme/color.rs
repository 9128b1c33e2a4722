//! Parses the colors of theme files, and reduces them for terminals with fewer colors.

use ratatui::style::Color;

/// How many colors the terminal shows. The caller determines it from COLORTERM, TERM and NO_COLOR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ColorDepth {
    /// No colors. Styles still use bold, underlined or reversed text.
    None,
    /// The 16 colors of the terminal's own palette.
    Ansi16,
    Ansi256,
    TrueColor,
}

impl ColorDepth {
    /// The color depth of a terminal, from environment variables.
    pub fn of(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
        let term = variable("TERM").unwrap_or_default();
        let true_color = matches!(
            variable("COLORTERM").as_deref(),
            Some("truecolor" | "24bit")
        );
        match () {
            () if set("NO_COLOR") || term == "dumb" => Self::None,
            () if true_color || term.ends_with("-direct") => Self::TrueColor,
            () if term.contains("256color") => Self::Ansi256,
            () => Self::Ansi16,
        }
    }
}

/// The terminal's own colors by name. `white` is the seventh color, a light gray in most palettes.
pub const NAMED: &[(&str, Color)] = &[
    ("default", Color::Reset),
    ("black", Color::Black),
    ("red", Color::Red),
    ("green", Color::Green),
    ("yellow", Color::Yellow),
    ("blue", Color::Blue),
    ("magenta", Color::Magenta),
    ("cyan", Color::Cyan),
    ("white", Color::Gray),
    ("bright-black", Color::DarkGray),
    ("bright-red", Color::LightRed),
    ("bright-green", Color::LightGreen),
    ("bright-yellow", Color::LightYellow),
    ("bright-blue", Color::LightBlue),
    ("bright-magenta", Color::LightMagenta),
    ("bright-cyan", Color::LightCyan),
    ("bright-white", Color::White),
];

/// `#rrggbb` or a name of [`NAMED`].
pub fn parse(text: &str) -> Option<Color> {
    if let Some((_, color)) = NAMED.iter().find(|(name, _)| *name == text) {
        return Some(*color);
    }
    let digits = text.strip_prefix('#')?;
    if digits.len() != 6 || !digits.chars().all(|c| c.is_ascii_hexdigit()) {
        return None;
    }
    let number = u32::from_str_radix(digits, 16).ok()?;
    Some(Color::from_u32(number))
}

/// The nearest color that the terminal can show. `None` = no color.
pub fn reduce(color: Color, depth: ColorDepth) -> Option<Color> {
    match (depth, color) {
        (ColorDepth::None, _) => None,
        (ColorDepth::Ansi256, Color::Rgb(r, g, b)) => Some(Color::Indexed(nearest_256([r, g, b]))),
        (ColorDepth::Ansi16, Color::Rgb(r, g, b)) => Some(nearest_16([r, g, b])),
        (ColorDepth::Ansi16, Color::Indexed(index)) if index >= 16 => {
            Some(nearest_16(rgb_of_index(index)))
        }
        _ => Some(color),
    }
}

/// The steps of the 6x6x6 cube of the 256-color palette.
const CUBE: [u8; 6] = [0, 95, 135, 175, 215, 255];

/// The palette of xterm, used as an estimate for the distance to the 16 colors.
const SIXTEEN: [([u8; 3], Color); 16] = [
    ([0, 0, 0], Color::Black),
    ([205, 0, 0], Color::Red),
    ([0, 205, 0], Color::Green),
    ([205, 205, 0], Color::Yellow),
    ([0, 0, 238], Color::Blue),
    ([205, 0, 205], Color::Magenta),
    ([0, 205, 205], Color::Cyan),
    ([229, 229, 229], Color::Gray),
    ([127, 127, 127], Color::DarkGray),
    ([255, 0, 0], Color::LightRed),
    ([0, 255, 0], Color::LightGreen),
    ([255, 255, 0], Color::LightYellow),
    ([92, 92, 255], Color::LightBlue),
    ([255, 0, 255], Color::LightMagenta),
    ([0, 255, 255], Color::LightCyan),
    ([255, 255, 255], Color::White),
];

/// Red, green and blue of a color that is the same on every terminal; `None` for the 16 colors of the
/// terminal's palette and its default colors.
pub fn rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(index) if index >= 16 => Some(rgb_of_index(index)),
        _ => None,
    }
}

/// Whether a color is the same on every terminal that shows it.
pub fn is_exact(color: Color) -> bool {
    rgb(color).is_some()
}

/// Whether a color of the terminal's palette isn't black, white, a gray or a default color.
pub fn has_hue(color: Color) -> bool {
    !matches!(
        color,
        Color::Reset | Color::Black | Color::Gray | Color::DarkGray | Color::White
    )
}

/// The light of a part of a color, from 0 to 1.
pub(super) fn linear(part: u8) -> f64 {
    let part = f64::from(part) / 255.0;
    if part <= 0.03928 {
        part / 12.92
    } else {
        ((part + 0.055) / 1.055).powf(2.4)
    }
}

fn rgb_of_index(index: u8) -> [u8; 3] {
    match index {
        0..16 => SIXTEEN[usize::from(index)].0,
        16..232 => {
            let n = usize::from(index - 16);
            [CUBE[n / 36], CUBE[n / 6 % 6], CUBE[n % 6]]
        }
        232.. => [8 + (index - 232) * 10; 3],
    }
}

fn nearest_256(rgb: [u8; 3]) -> u8 {
    (16..=255u8)
        .min_by_key(|index| distance(rgb, rgb_of_index(*index)))
        .unwrap_or(16)
}

fn nearest_16(rgb: [u8; 3]) -> Color {
    SIXTEEN
        .iter()
        .min_by_key(|(known, _)| distance(rgb, *known))
        .map_or(Color::Reset, |(_, color)| *color)
}

/// Weighted like human vision: green most, blue least.
fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    [3, 6, 1]
        .into_iter()
        .zip(a.into_iter().zip(b))
        .map(|(weight, (a, b))| weight * u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_read() {
        assert_eq!(parse("#1c2d3e"), Some(Color::Rgb(0x1c, 0x2d, 0x3e)));
        assert_eq!(parse("bright-black"), Some(Color::DarkGray));
        assert_eq!(parse("default"), Some(Color::Reset));
        for bad in ["#12345", "#12345g", "#+12345", "gray", ""] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_depth_is_that_of_the_variables() {
        let with = |pairs: &'static [(&str, &str)]| {
            ColorDepth::of(|name| {
                let found = pairs.iter().find(|(key, _)| *key == name);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(with(&[("TERM", "xterm")]), ColorDepth::Ansi16);
        assert_eq!(with(&[("TERM", "xterm-256color")]), ColorDepth::Ansi256);
        assert_eq!(with(&[("COLORTERM", "truecolor")]), ColorDepth::TrueColor);
        for variables in [
            &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")],
            &[("COLORTERM", "truecolor"), ("TERM", "dumb")],
        ] {
            assert_eq!(with(variables), ColorDepth::None);
        }
    }

    #[test]
    fn fewer_colours_give_the_nearest() {
        let grey = Color::Rgb(8, 8, 8);
        assert_eq!(reduce(grey, ColorDepth::Ansi256), Some(Color::Indexed(232)));
        let red = Color::Rgb(255, 0, 0);
        assert_eq!(reduce(red, ColorDepth::Ansi256), Some(Color::Indexed(196)));
        assert_eq!(reduce(red, ColorDepth::Ansi16), Some(Color::LightRed));
        assert_eq!(
            reduce(Color::Indexed(196), ColorDepth::Ansi16),
            Some(Color::LightRed)
        );
        assert_eq!(reduce(Color::Cyan, ColorDepth::Ansi16), Some(Color::Cyan));
        assert_eq!(reduce(red, ColorDepth::None), None);
        assert_eq!(reduce(Color::Reset, ColorDepth::Ansi16), Some(Color::Reset));
    }

    #[test]
    fn every_index_of_the_palette_is_its_own_nearest() {
        for index in 16..=255u8 {
            let found = rgb_of_index(nearest_256(rgb_of_index(index)));
            assert_eq!(found, rgb_of_index(index));
        }
    }
}
