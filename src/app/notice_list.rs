//! The list of notifications on the screen: the marked one and the visible ones.

use super::notices::Notices;
use crate::model::notice::Notice;

#[derive(Clone, Debug, Default)]
pub struct NoticeList {
    marked: usize,
    scroll: usize,
    height: usize,
}

impl NoticeList {
    pub fn marked(&self) -> usize {
        self.marked
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    /// The number of rows in a page.
    pub fn page(&self) -> isize {
        self.height.max(2).cast_signed() - 1
    }

    pub fn notice<'a>(&self, notices: &'a Notices) -> Option<&'a Notice> {
        notices.get(self.marked)
    }

    /// Takes the number of visible rows from the layout.
    pub fn laid_out(&mut self, height: usize, count: usize) {
        self.height = height.max(1);
        self.go_to(self.marked, count);
    }

    pub fn move_by(&mut self, by: isize, count: usize) {
        self.go_to(self.marked.saturating_add_signed(by), count);
    }

    pub fn go_to(&mut self, at: usize, count: usize) {
        self.marked = at.min(count.saturating_sub(1));
        let height = self.height.max(1);
        self.scroll = self
            .scroll
            .max((self.marked + 1).saturating_sub(height))
            .min(self.marked)
            .min(count.saturating_sub(height));
    }

    /// The marked notification stays marked when new ones appear above it. At the top, the newest one becomes
    /// marked.
    pub fn came(&mut self, above: usize, count: usize) {
        if self.marked > 0 {
            self.go_to(self.marked + above, count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marked_one_stays_marked_and_in_sight() {
        let mut list = NoticeList::default();
        list.laid_out(3, 10);
        list.came(1, 11);
        assert_eq!(list.marked(), 0);
        list.move_by(4, 11);
        assert_eq!((list.marked(), list.scroll()), (4, 2));
        list.came(1, 12);
        assert_eq!((list.marked(), list.scroll()), (5, 3));
        list.move_by(isize::MAX / 2, 12);
        assert_eq!((list.marked(), list.scroll()), (11, 9));
        list.go_to(11, 0);
        assert_eq!((list.marked(), list.scroll()), (0, 0));
    }
}
