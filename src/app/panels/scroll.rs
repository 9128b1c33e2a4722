//! The marked row and the visible rows of a list.

use crate::action::Action;

#[derive(Clone, Debug, Default)]
pub struct ListCursor {
    marked: usize,
    scroll: usize,
    height: usize,
}

impl ListCursor {
    pub fn marked(&self) -> usize {
        self.marked
    }

    /// The first visible row.
    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// Takes the number of visible rows from the layout.
    pub fn laid_out(&mut self, height: usize, count: usize) {
        self.height = height;
        self.go_to(self.marked, count);
    }

    pub fn move_by(&mut self, by: isize, count: usize) {
        self.go_to(self.marked.saturating_add_signed(by), count);
    }

    /// Marks a row, which becomes visible.
    pub fn go_to(&mut self, at: usize, count: usize) {
        self.marked = at.min(count.saturating_sub(1));
        let height = self.height.max(1);
        self.scroll = self
            .scroll
            .max((self.marked + 1).saturating_sub(height))
            .min(self.marked)
            .min(count.saturating_sub(height));
    }

    /// Scrolls up until a row is visible, if the marked one stays visible.
    pub fn reveal(&mut self, at: usize) {
        if self.marked < at + self.height {
            self.scroll = self.scroll.min(at);
        }
    }

    /// The lines of a motion by a page.
    pub fn page(&self) -> isize {
        self.height.max(2).cast_signed() - 1
    }

    /// Handles an action that moves in the list. Returns `false` for any other action.
    pub fn action(&mut self, action: Action, count: usize) -> bool {
        let by = motion(action, self.page());
        by.is_some_and(|by| {
            self.move_by(by, count);
            true
        })
    }
}

/// The distance of a motion, with pages of `page` lines.
pub fn motion(action: Action, page: isize) -> Option<isize> {
    Some(match action {
        Action::ListDown => 1,
        Action::ListUp => -1,
        Action::ListPageDown => page,
        Action::ListPageUp => -page,
        Action::ListHalfDown => page.midpoint(1),
        Action::ListHalfUp => -page.midpoint(1),
        Action::ListFirst => isize::MIN / 2,
        Action::ListLast => isize::MAX / 2,
        _ => return None,
    })
}
