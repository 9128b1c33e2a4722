//! Saved layouts: arrangements of panes under a name. `run` reads and writes them, because each is a file.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::panes::{SavedPane, SavedPaneTab};
use crate::model::text::Clean;

/// The version of the files' format.
const FORMAT: u32 = 1;

/// Maximum characters of a name.
const LONGEST_NAME: usize = 64;

/// The panes on their tabs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// First, so that a file of another version is recognized by it.
    version: u32,
    pub saved_at: Timestamp,
    /// The position of the tab that is shown.
    pub active: usize,
    #[serde(alias = "desks")]
    pub tabs: Vec<SavedPaneTab>,
}

/// What a file of any version has.
#[derive(Deserialize)]
struct Versioned {
    version: u32,
}

/// Why a file isn't a layout, with the place in the file, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutFault {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl Layout {
    /// A layout with these tabs of panes; `None` if they have no pane.
    #[must_use]
    pub fn new((tabs, active): (Vec<SavedPaneTab>, usize), now: Timestamp) -> Option<Self> {
        (!tabs.is_empty()).then_some(Self {
            version: FORMAT,
            saved_at: now,
            active,
            tabs,
        })
    }

    /// Reads a file.
    pub fn read(contents: &[u8]) -> Result<Self, LayoutFault> {
        let fault = |error: &serde_json::Error| LayoutFault {
            line: error.line().max(1),
            column: error.column().max(1),
            message: without_place(&error.to_string()),
        };
        let versioned: Versioned = serde_json::from_slice(contents).map_err(|it| fault(&it))?;
        let other = |message: &str| LayoutFault {
            line: 1,
            column: 1,
            message: message.to_owned(),
        };
        if versioned.version > FORMAT {
            return Err(other(tr!("a newer version of workbay wrote it")));
        }
        let layout: Self = serde_json::from_slice(contents).map_err(|it| fault(&it))?;
        if layout.tabs.is_empty() {
            return Err(other(tr!("it has no panes")));
        }
        Ok(layout)
    }

    /// The contents of the file, in lines, so that a mistake has a place.
    pub fn contents(&self) -> serde_json::Result<Vec<u8>> {
        let mut contents = serde_json::to_vec_pretty(self)?;
        contents.push(b'\n');
        Ok(contents)
    }

    /// All panes in reading order.
    pub fn panes(&self) -> Vec<&SavedPane> {
        self.tabs.iter().flat_map(SavedPaneTab::panes).collect()
    }
}

/// The reason of an error without ` at line 1 column 2`, which is shown before it.
fn without_place(message: &str) -> String {
    let end = message.rfind(" at line ").unwrap_or(message.len());
    message[..end].to_owned()
}

/// A layout's file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutRow {
    pub name: Clean,
    /// The layout, or why the file can't be read, with its name and the place.
    pub read: Result<Layout, Clean>,
}

/// What to do with the files. `Msg::Layouts` has the list and the result.
#[derive(Clone, Debug, PartialEq)]
pub enum LayoutOrder {
    List,
    Save { name: String, layout: Box<Layout> },
    Delete { name: String },
}

/// The layouts after an order was carried out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayoutsRead {
    pub rows: Vec<LayoutRow>,
    /// What became of the order, `None` if it only lists the layouts.
    pub outcome: Option<Result<Clean, Clean>>,
    /// The name of the layout that was saved.
    pub saved: Option<Clean>,
}

/// Checks the name of a layout, which is also the name of its file.
pub fn check_name(name: &str) -> Result<(), String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let allowed = |c: char| is_word(c) || matches!(c, '-' | '.');
    if name.is_empty() {
        return Err(tr!("type a name for the layout").to_owned());
    }
    if let Some(c) = name.chars().find(|c| !allowed(*c)) {
        let shown = c.escape_debug();
        return Err(tr!(
            "'{shown}' isn't allowed in a name. Use letters, digits, '_', '-' and '.'",
            shown
        ));
    }
    if !name.starts_with(is_word) {
        return Err(tr!("a name begins with a letter, a digit or _").to_owned());
    }
    match name.chars().count() {
        count if count > LONGEST_NAME => Err(tr!(
            "the name has {count} characters. Use 1 to {most}",
            count,
            most = LONGEST_NAME
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests;
