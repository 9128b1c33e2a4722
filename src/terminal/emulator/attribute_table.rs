//! The attributes of cells that vt100 can't store, by id. [`super::encoding`] explains how a cell has an id.

use std::{collections::HashMap, sync::Arc};

use super::{encoding, parser::Parser};
use crate::terminal::{attributes::Attributes, link::Link};

/// Most entries at a time. One screen never has that many in practice, and the limit bounds hostile output.
const LIMIT: usize = 4096;

pub(super) type AttributeId = u16;

/// Everything that a child chose for what it prints.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct CellAttributes {
    pub look: Attributes,
    pub link: Option<Arc<Link>>,
}

#[derive(Debug, Default)]
pub(super) struct AttributeTable {
    entries: Vec<CellAttributes>,
    ids: HashMap<CellAttributes, AttributeId>,
    /// Entries that no cell uses any more.
    free: Vec<AttributeId>,
    /// How many entries were refused since the last search for unused ones.
    refused: usize,
    /// The entry of the saved cursor. vt100 doesn't show it.
    saved: Option<AttributeId>,
}

impl AttributeTable {
    /// Attributes and link of a cell.
    pub fn of(&self, cell: &vt100::Cell) -> (Attributes, Option<&Arc<Link>>) {
        match self.entry(cell.fgcolor()).filter(|_| cell.has_contents()) {
            Some(entry) => (entry.look, entry.link.as_ref()),
            None => (encoding::look_of_cell(cell), None),
        }
    }

    /// The attributes that the child prints with now.
    pub fn current(&self, screen: &vt100::Screen) -> CellAttributes {
        let entry = self.entry(screen.fgcolor()).cloned();
        entry.unwrap_or_else(|| CellAttributes {
            look: encoding::look_of_cursor(screen),
            link: None,
        })
    }

    /// Makes vt100 print with these attributes from now on. `shown` is one more screen whose cells have ids.
    pub fn select(
        &mut self,
        attributes: CellAttributes,
        parser: &mut Parser,
        shown: Option<&vt100::Screen>,
    ) {
        let look = attributes.look;
        let id = if encoding::needs_entry(&attributes) {
            self.id(attributes, parser, shown)
        } else {
            None
        };
        let sequence = match id {
            Some(id) => encoding::select_entry(id, look.background),
            // If the table is full, some attributes are lost.
            None => encoding::select_look(look),
        };
        parser.process(sequence.as_bytes());
    }

    /// The child saved the cursor with its attributes.
    pub fn cursor_saved(&mut self, screen: &vt100::Screen) {
        self.saved = encoding::id_of(screen.fgcolor());
    }

    fn entry(&self, color: vt100::Color) -> Option<&CellAttributes> {
        self.entries.get(usize::from(encoding::id_of(color)?))
    }

    /// The id of the entry, or `None` if the table is full.
    fn id(
        &mut self,
        attributes: CellAttributes,
        parser: &mut Parser,
        shown: Option<&vt100::Screen>,
    ) -> Option<AttributeId> {
        if let Some(id) = self.ids.get(&attributes) {
            return Some(*id);
        }
        let id = match self.unused() {
            Some(id) => id,
            None => {
                // Searching all cells is slow, so don't do it for each choice of a child that keeps choosing.
                if !self.refused.is_multiple_of(LIMIT) {
                    self.refused += 1;
                    return None;
                }
                self.refused = 1;
                self.remove_unused(parser, shown);
                let id = self.unused()?;
                self.refused = 0;
                id
            }
        };
        match self.entries.get_mut(usize::from(id)) {
            Some(entry) => *entry = attributes.clone(),
            None => self.entries.push(attributes.clone()),
        }
        self.ids.insert(attributes, id);
        Some(id)
    }

    fn unused(&mut self) -> Option<AttributeId> {
        let next = AttributeId::try_from(self.entries.len()).ok();
        let new = next.filter(|_| self.entries.len() < LIMIT);
        self.free.pop().or(new)
    }

    /// Removes the entries that no cell and no cursor uses.
    fn remove_unused(&mut self, parser: &mut Parser, shown: Option<&vt100::Screen>) {
        let mut used = vec![false; self.entries.len()];
        let mut mark = |id: AttributeId| {
            if let Some(used) = used.get_mut(usize::from(id)) {
                *used = true;
            }
        };
        self.saved.into_iter().for_each(&mut mark);
        parser.each_color(shown, |color| {
            encoding::id_of(color).into_iter().for_each(&mut mark);
        });
        self.free.clear();
        for (id, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
            let entry = std::mem::take(&mut self.entries[id]);
            self.ids.remove(&entry);
            self.free.extend(AttributeId::try_from(id));
        }
    }

    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.ids.len()
    }
}
