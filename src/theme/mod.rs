//! Colors by meaning: a fixed set of faces, each with a parent. All styles are resolved once into an array.

pub mod builtin;
pub mod color;
pub mod face;
mod read;

use std::path::Path;

use face::Face;
use ratatui::style::{Color, Modifier, Style};

pub use color::ColorDepth;

use crate::config::{
    Problem,
    library::{FileOrigin, Library},
};

/// The style of every face, read from `themes/*.toml`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Theme {
    styles: Vec<Style>,
    /// Named colors, reduced to what the terminal can show.
    palette: Vec<(String, Color)>,
    depth: ColorDepth,
}

impl Default for Theme {
    /// `default-dark` in true color.
    fn default() -> Self {
        Self::load("default-dark", None, ColorDepth::TrueColor).0
    }
}

impl Theme {
    /// The built-in theme of this name, or `None` if it doesn't exist.
    pub fn builtin(name: &str, depth: ColorDepth) -> Option<Self> {
        let known = builtin::THEMES.iter().any(|theme| theme.name == name);
        known.then(|| Self::load(name, None, depth).0)
    }

    /// The theme of this name, from the user's own directory first. With any problem, returns [`fallback`]
    /// instead.
    pub fn load(name: &str, dir: Option<&Path>, depth: ColorDepth) -> (Self, Vec<Problem>) {
        match read_chain(name, dir) {
            Ok(sheet) => (Self::resolve(&sheet, depth), Vec::new()),
            Err(problems) => (Self::fallback(depth), problems),
        }
    }

    /// The theme to use if the chosen theme is invalid: the built-in theme that works on any terminal.
    fn fallback(depth: ColorDepth) -> Self {
        let sheet = read_chain(safe_name(depth), None).unwrap_or_default();
        Self::resolve(&sheet, depth)
    }

    fn resolve(sheet: &read::Sheet, depth: ColorDepth) -> Self {
        let styles = Face::ALL
            .iter()
            .map(|face| reduce(*face, inherited(sheet, *face), depth))
            .collect();
        let palette = sheet.palette().filter_map(|(name, color)| {
            let color = color::reduce(color, depth)?;
            Some((name.to_owned(), color))
        });
        Self {
            styles,
            palette: palette.collect(),
            depth,
        }
    }

    /// The style of a context's name: its own color (a name of the palette or `#rrggbb`), otherwise the
    /// theme's color for the position of the context in the configuration.
    pub fn context(&self, own: Option<&str>, position: usize) -> Style {
        let own = own.and_then(|own| {
            let named = self.palette.iter().find(|(name, _)| name == own);
            let written = || color::reduce(color::parse(own)?, self.depth);
            named.map(|(_, color)| *color).or_else(written)
        });
        match own {
            Some(color) => Style::new().fg(color),
            None => self.style(Face::CONTEXTS[position % Face::CONTEXTS.len()]),
        }
    }

    /// The style of a face.
    pub fn style(&self, face: Face) -> Style {
        self.styles.get(face as usize).copied().unwrap_or_default()
    }
}

/// The theme that the setting `ui.theme` selects. `dark` is whether the terminal's background is dark, if
/// known.
pub fn choose(setting: &str, dark: Option<bool>, depth: ColorDepth) -> &str {
    match (setting, dark) {
        ("auto", _) if depth <= ColorDepth::Ansi16 => "ansi16",
        ("auto", Some(true)) => "default-dark",
        ("auto", Some(false)) => "default-light",
        // On an unknown background only the terminal's own palette is readable.
        ("auto", None) => "ansi16",
        (name, _) => name,
    }
}

/// All themes, and whether each is the user's own.
pub fn names(dir: Option<&Path>) -> Vec<(String, bool)> {
    let names = library(dir).names().into_iter();
    names
        .map(|(name, origin)| (name, origin == FileOrigin::Person))
        .collect()
}

fn safe_name(depth: ColorDepth) -> &'static str {
    if depth <= ColorDepth::Ansi16 {
        "ansi16"
    } else {
        "default-dark"
    }
}

fn library(dir: Option<&Path>) -> Library<'_> {
    Library {
        kind: "theme",
        dir,
        builtin: builtin::THEMES,
    }
}

fn read_chain(name: &str, dir: Option<&Path>) -> Result<read::Sheet, Vec<Problem>> {
    let chain = library(dir).chain(name).map_err(|problem| vec![problem])?;
    let mut sheet = read::Sheet::default();
    let mut problems = Vec::new();
    for document in &chain {
        let faults = sheet.add(document);
        problems.extend(faults.into_iter().map(|fault| document.problem(fault)));
    }
    if problems.is_empty() {
        Ok(sheet)
    } else {
        Err(problems)
    }
}

/// The face's own style, or the style of its nearest ancestor with a style.
fn inherited(sheet: &read::Sheet, face: Face) -> Style {
    let mut face = face;
    loop {
        if let Some(style) = sheet.style(face) {
            return style;
        }
        if face.parent() == face {
            return Style::new();
        }
        face = face.parent();
    }
}

/// Faces that must be visible even if the terminal can't show their colors.
const STANDS_OUT: [Face; 2] = [Face::RowSelected, Face::ButtonActive];

fn reduce(face: Face, written: Style, depth: ColorDepth) -> Style {
    let mut style = written;
    let fit = |color| color::reduce(color, depth);
    style.fg = written.fg.and_then(fit);
    style.bg = written.bg.and_then(fit);
    style.underline_color = written.underline_color.and_then(fit);
    // A subtle background has no similar color among the 16 colors: black on black would be invisible.
    // Without colors, bold text alone doesn't stand out in a list with other bold text.
    let lost = style.bg != written.bg && depth <= ColorDepth::Ansi16;
    if STANDS_OUT.contains(&face) && (lost || depth == ColorDepth::None) {
        style.fg = None;
        style.bg = None;
        style = style.add_modifier(Modifier::REVERSED);
    }
    style
}

#[cfg(test)]
mod tests;
