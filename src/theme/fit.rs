//! Fits the styles of a theme to what the terminal can show: 256 colors, 16 colors, or none.

use ratatui::style::{Color, Modifier, Style};

use super::{
    Theme,
    color::{self, ColorDepth},
    contrast::{self, TEXT},
    face::Face,
};

/// Reduces all styles. `basic` is the theme of the terminal's own 16 colors.
pub fn fit(mut theme: Theme, depth: ColorDepth, basic: impl FnOnce() -> Theme) -> Theme {
    match depth {
        ColorDepth::TrueColor => {}
        ColorDepth::Ansi256 => theme = of_256(theme),
        ColorDepth::Ansi16 => theme = of_16(theme, &basic()),
        ColorDepth::None => theme = without_colors(of_16(theme, &basic())),
    }
    theme.depth = depth;
    theme
}

/// The nearest colors of the 256. The steps of this palette are coarse: two backgrounds may become one, and text
/// may come too close to a background.
fn of_256(theme: Theme) -> Theme {
    let mut fitted = theme.clone();
    let reduce = |color| color::reduce(color, ColorDepth::Ansi256);
    for style in &mut fitted.styles {
        style.bg = style.bg.and_then(reduce);
        style.fg = style.fg.and_then(reduce);
        style.underline_color = style.underline_color.and_then(reduce);
    }
    keep_row_apart(&theme, &mut fitted);
    let grounds: Vec<Color> = contrast::grounds(&fitted)
        .into_iter()
        .map(|(_, ground)| ground)
        .collect();
    let pairs = contrast::pairs(&fitted);
    for pair in pairs.iter().filter(|pair| !pair.is_readable()) {
        let same = pairs.iter().filter(|other| other.face == pair.face);
        let grounds: Vec<Color> = same.map(|pair| pair.background).collect();
        let written = theme.style(pair.face).fg;
        if let Some(color) = written.and_then(|fg| readable(fg, &grounds, pair.least)) {
            fitted.styles[pair.face as usize].fg = Some(color);
        }
    }
    fitted.palette = theme
        .palette
        .iter()
        .map(|(name, color)| {
            let near = reduce(*color).unwrap_or(*color);
            let reads = grounds.iter().all(|it| is_readable(near, *it, TEXT));
            let fitting = (!reads).then(|| readable(*color, &grounds, TEXT)).flatten();
            (name.clone(), fitting.unwrap_or(near))
        })
        .collect();
    fitted
}

/// Keeps the background of the selected row different from the background of the screen.
fn keep_row_apart(theme: &Theme, fitted: &mut Theme) {
    let row = Face::RowSelected;
    let screen = fitted.style(Face::Screen).bg;
    let (Some(written), Some(taken)) = (theme.style(row).bg, screen) else {
        return;
    };
    if fitted.style(row).bg == screen {
        let other = |color: &Color| *color != taken;
        fitted.styles[row as usize].bg = color::nearest_of_256(written, other);
    }
}

/// The nearest color of the 256 with this contrast to all these backgrounds.
fn readable(written: Color, grounds: &[Color], least: f64) -> Option<Color> {
    color::nearest_of_256(written, |color| {
        grounds
            .iter()
            .all(|ground| is_readable(*color, *ground, least))
    })
}

fn is_readable(color: Color, ground: Color, least: f64) -> bool {
    contrast::ratio(color, ground).is_none_or(|ratio| ratio >= least)
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
