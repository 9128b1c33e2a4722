//! Marks rows of the list: one, a range, all of them.

use super::Sessions;
use crate::app::mirror::Mirror;

impl Sessions {
    /// Marks the selected session, or removes its mark, and goes to the next row.
    pub fn toggle_mark(&mut self, mirror: &Mirror) {
        if let Some(session) = self.selected().and_then(|it| mirror.session(it)) {
            self.marks.toggle(session);
            self.move_by(1);
        }
    }

    /// Marks the selected session, moves, and marks the session there.
    pub fn mark_and_move(&mut self, by: isize, mirror: &Mirror) {
        self.mark_selected(mirror);
        self.move_by(by);
        self.mark_selected(mirror);
    }

    fn mark_selected(&mut self, mirror: &Mirror) {
        if let Some(session) = self.selected().and_then(|it| mirror.session(it)) {
            self.marks.add(session);
            self.marks.anchor_at(session.key());
        }
    }

    /// Marks all rows, or removes their marks if all have one.
    pub fn mark_all(&mut self, mirror: &Mirror) {
        let all = self.rows.iter().all(|key| self.marks.has(*key));
        for key in &self.rows {
            match mirror.session(*key) {
                Some(session) if !all => self.marks.add(session),
                _ => self.marks.remove(*key),
            }
        }
    }

    /// Marks the rows from the one that was marked last to the selected one.
    pub fn mark_range(&mut self, mirror: &Mirror) {
        let anchor = self.marks.anchor();
        let from = anchor.and_then(|key| self.rows.iter().position(|row| *row == key));
        let from = from.unwrap_or(self.row);
        for at in from.min(self.row)..=from.max(self.row) {
            let key = self.rows.get(at);
            if let Some(session) = key.and_then(|key| mirror.session(*key)) {
                self.marks.add(session);
            }
        }
        if let Some(key) = self.selected() {
            self.marks.anchor_at(key);
        }
    }
}
