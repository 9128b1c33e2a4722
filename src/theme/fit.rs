//! Fits the styles of a theme to what the terminal can show: 256 colors, 16 colors, or none.

use ratatui::style::{Color, Modifier, Style};

use super::{
    Theme,
    color::{self, ColorDepth},
    face::Face,
    fit_256,
};

/// Reduces all styles. `basic` is the theme of the terminal's own 16 colors.
pub fn fit(mut theme: Theme, depth: ColorDepth, basic: impl FnOnce() -> Theme) -> Theme {
    match depth {
        ColorDepth::TrueColor => {}
        ColorDepth::Ansi256 => theme = fit_256::fit(&theme),
        ColorDepth::Ansi16 => theme = of_16(theme, &basic()),
        ColorDepth::None => theme = without_colors(of_16(theme, &basic())),
    }
    theme.depth = depth;
    theme
}

/// The style of a face stays if it only uses the terminal's own colors. Otherwise the face looks as in `basic`:
/// the meaning of a color matters more than its shade, and the terminal's own text can be read on any background.
fn of_16(mut theme: Theme, basic: &Theme) -> Theme {
    let is_own = |color: Option<Color>| color.is_none_or(|color| !color::is_exact(color));
    for face in Face::ALL {
        let style = &mut theme.styles[*face as usize];
        if !(is_own(style.fg) && is_own(style.bg) && is_own(style.underline_color)) {
            *style = basic.style(*face);
        }
    }
    for (_, color) in &mut theme.palette {
        *color = color::reduce(*color, ColorDepth::Ansi16).unwrap_or(Color::Reset);
    }
    theme
}

/// Faces that must be visible without colors. Bold text alone doesn't stand out in a list with other bold text.
const STANDS_OUT: [Face; 2] = [Face::RowSelected, Face::ButtonActive];

fn without_colors(mut theme: Theme) -> Theme {
    for face in Face::ALL {
        let style = &mut theme.styles[*face as usize];
        *style = Style {
            fg: None,
            bg: None,
            underline_color: None,
            ..*style
        };
        if STANDS_OUT.contains(face) {
            *style = style.add_modifier(Modifier::REVERSED);
        }
    }
    theme.palette.clear();
    theme
}
