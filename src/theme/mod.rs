//! Colors by meaning: a fixed set of faces, each with a parent. All styles are resolved once into an array.

pub mod builtin;
mod choice;
pub mod color;
pub mod contrast;
pub mod face;
mod fit;
mod fit_256;
mod oklab;
mod read;

use std::path::Path;

use face::Face;
use ratatui::style::{Color, Style};

pub use choice::ThemeChoice;
pub use color::ColorDepth;

use crate::config::{Problem, document::Document, library::Library};

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

    /// The theme of this name, from the user's own directory first. With any problem, returns a built-in theme
    /// that works on any terminal instead.
    pub fn load(name: &str, dir: Option<&Path>, depth: ColorDepth) -> (Self, Vec<Problem>) {
        match Self::open(name, dir, depth) {
            Ok(theme) => (theme, Vec::new()),
            Err(problems) => (Self::fallback(depth), problems),
        }
    }

    /// The theme of this name, from the user's own directory first, or all its problems.
    pub fn open(name: &str, dir: Option<&Path>, depth: ColorDepth) -> Result<Self, Vec<Problem>> {
        Ok(Self::resolve(&read_chain(name, dir)?, depth))
    }

    /// The theme in a file, as if it were in the user's directory.
    pub fn read(file: &Path, dir: Option<&Path>, depth: ColorDepth) -> Result<Self, Vec<Problem>> {
        let document = crate::config::library::read(file).map_err(|problem| vec![problem])?;
        let chain = library(dir)
            .chain_of(document)
            .map_err(|problem| vec![problem])?;
        Ok(Self::resolve(&sheet(&chain)?, depth))
    }

    /// The theme to use if the chosen theme is invalid: the built-in theme that works on any terminal.
    pub fn fallback(depth: ColorDepth) -> Self {
        let sheet = read_chain(safe_name(depth), None).unwrap_or_default();
        Self::resolve(&sheet, depth)
    }

    fn resolve(sheet: &read::Sheet, depth: ColorDepth) -> Self {
        let basic = || Self::exact(&read_chain(BASIC, None).unwrap_or_default());
        fit::fit(Self::exact(sheet), depth, basic)
    }

    /// The styles as they are written.
    fn exact(sheet: &read::Sheet) -> Self {
        let styles = Face::ALL.iter().map(|face| inherited(sheet, *face));
        let palette = sheet.palette();
        Self {
            styles: styles.collect(),
            palette: palette
                .map(|(name, color)| (name.to_owned(), color))
                .collect(),
            depth: ColorDepth::TrueColor,
        }
    }

    /// The style of a context's name: its own color (a name of the palette or `#rrggbb`), otherwise the
    /// theme's color for the position of the context in the configuration.
    pub fn context(&self, own: Option<&str>, position: usize) -> Style {
        let own = own.and_then(|own| {
            let named = self.palette.iter().find(|(name, _)| name == own);
            let written = || color::reduce(color::parse(own)?, self.depth);
            let found = named.map(|(_, color)| *color).or_else(written);
            // The nearest of 16 colors can be a gray, which isn't readable on every terminal.
            found.filter(|color| self.depth > ColorDepth::Ansi16 || color::has_hue(*color))
        });
        match own {
            Some(color) => Style::new().fg(color),
            None => self.style(Face::CONTEXTS[position % Face::CONTEXTS.len()]),
        }
    }

    /// The theme on a terminal whose background is dark or not. A theme that leaves the background to the terminal, but is for
    /// the other kind, gets a background of its own: its text couldn't be read otherwise.
    #[must_use]
    pub fn on_background(mut self, is_dark: Option<bool>) -> Self {
        let screen = self.style(Face::Screen);
        let (Some(for_dark), Some(is_dark)) = (contrast::is_dark(&self), is_dark) else {
            return self;
        };
        if for_dark != is_dark && screen.bg.is_none() {
            let usual = if for_dark {
                Color::Rgb(0x1c, 0x1c, 0x1c)
            } else {
                Color::Rgb(0xfa, 0xfa, 0xfa)
            };
            if let Some(style) = self.styles.get_mut(Face::Screen as usize) {
                style.bg = color::reduce(usual, self.depth);
            }
        }
        self
    }

    /// The style of a face.
    pub fn style(&self, face: Face) -> Style {
        self.styles.get(face as usize).copied().unwrap_or_default()
    }
}

/// The theme of the terminal's own 16 colors.
const BASIC: &str = "ansi16";

/// All themes, and whether each is the user's own.
pub fn names(dir: Option<&Path>) -> Vec<(String, bool)> {
    library(dir).names()
}

fn safe_name(depth: ColorDepth) -> &'static str {
    if depth <= ColorDepth::Ansi16 {
        BASIC
    } else {
        "default-dark"
    }
}

fn library(dir: Option<&Path>) -> Library<'_> {
    Library {
        kind: tr_later!("theme"),
        dir,
        builtin: builtin::THEMES,
    }
}

fn read_chain(name: &str, dir: Option<&Path>) -> Result<read::Sheet, Vec<Problem>> {
    let chain = library(dir).chain(name).map_err(|problem| vec![problem])?;
    sheet(&chain)
}

fn sheet(chain: &[Document]) -> Result<read::Sheet, Vec<Problem>> {
    let mut sheet = read::Sheet::default();
    let mut problems = Vec::new();
    for document in chain {
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

#[cfg(test)]
mod tests;
