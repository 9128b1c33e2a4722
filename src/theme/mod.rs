//! Colours by meaning: a closed set of faces, each with a parent, resolved once into an array.

pub mod face;

use face::Face;
use ratatui::style::Style;

/// Every face with its style; made by reading `themes/*.toml`.
#[derive(Clone, Debug)]
pub struct Theme {
    styles: Vec<Style>,
}

impl Theme {
    /// The style of a face: an array look-up.
    pub fn style(&self, face: Face) -> Style {
        self.styles.get(face as usize).copied().unwrap_or_default()
    }
}
