//! Marks rows of the list: one, a range, all of them. A mark on a group marks its sessions.

use super::{Sessions, lines::ListRow};
use crate::{app::mirror::Mirror, model::id::SessionKey};

impl Sessions {
    /// Marks the selected session or the sessions of the selected group, or removes their marks. Goes to the next
    /// row.
    pub fn toggle_mark(&mut self, mirror: &Mirror) {
        match self.selected_row() {
            Some(ListRow::Group(group)) => {
                let members = self.lines.members(group).to_vec();
                self.toggle_all(&members, mirror);
            }
            Some(ListRow::Session(key) | ListRow::Container(key, _)) => {
                if let Some(session) = mirror.session(key) {
                    self.marks.toggle(session);
                }
            }
            None => return,
        }
        self.move_by(1);
    }

    /// Marks the selected session, moves, and marks the session there.
    pub fn mark_and_move(&mut self, by: isize, mirror: &Mirror) {
        self.mark_selected(mirror);
        self.move_by(by);
        self.mark_selected(mirror);
    }

    fn mark_selected(&mut self, mirror: &Mirror) {
        let keys = self.lines.meant(self.row..=self.row);
        for session in keys.iter().filter_map(|key| mirror.session(*key)) {
            self.marks.add(session);
            self.marks.anchor_at(session.key());
        }
    }

    /// Marks all sessions of the list, or removes their marks if all have one.
    pub fn mark_all(&mut self, mirror: &Mirror) {
        let keys = self.keys().to_vec();
        self.toggle_all(&keys, mirror);
    }

    fn toggle_all(&mut self, keys: &[SessionKey], mirror: &Mirror) {
        let all = keys.iter().all(|key| self.marks.has(*key));
        for key in keys {
            match mirror.session(*key) {
                Some(session) if !all => self.marks.add(session),
                _ => self.marks.remove(*key),
            }
        }
    }

    /// Marks the rows from the one that was marked last to the selected one.
    pub fn mark_range(&mut self, mirror: &Mirror) {
        let anchor = self.marks.anchor();
        let from = anchor.and_then(|key| self.lines.find(&super::Place::Session(key)));
        let from = from.unwrap_or(self.row);
        let keys = self.lines.meant(from.min(self.row)..=from.max(self.row));
        for session in keys.iter().filter_map(|key| mirror.session(*key)) {
            self.marks.add(session);
        }
        if let Some(key) = self.selected() {
            self.marks.anchor_at(key);
        }
    }

    /// Whether every session of a group is marked.
    pub fn is_group_marked(&self, group: usize) -> bool {
        let members = self.lines.members(group);
        !self.marks.is_empty()
            && !members.is_empty()
            && members.iter().all(|key| self.marks.has(*key))
    }
}
