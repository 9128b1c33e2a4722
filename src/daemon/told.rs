//! What persons were told of late, kept for those who come later.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};

use crate::{
    model::{
        change::Change,
        notice::{Notice, NoticesEdit},
    },
    protocol::message::Reply,
};

/// How many are kept.
const KEPT: usize = 200;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Told {
    /// Oldest first.
    notices: VecDeque<Notice>,
    /// So many of the newest nobody has looked at.
    unseen: usize,
}

impl Told {
    pub fn heard(&mut self, change: &Change) {
        if let Change::Notice { notice } = change {
            if self.notices.len() == KEPT {
                self.notices.pop_front();
            }
            self.notices.push_back((**notice).clone());
            self.unseen = (self.unseen + 1).min(self.notices.len());
        }
    }

    pub fn all(&self) -> Reply {
        Reply::Notices {
            notices: self.notices.iter().cloned().collect(),
            unseen: self.unseen,
        }
    }

    pub fn edit(&mut self, edit: NoticesEdit) {
        match edit {
            NoticesEdit::Seen => self.unseen = 0,
            NoticesEdit::Forget { notice } => {
                self.notices.retain(|it| *it != *notice);
                self.unseen = self.unseen.min(self.notices.len());
            }
            NoticesEdit::Clear => *self = Self::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::notice::Level;

    fn notice(number: usize) -> Notice {
        let text = format!("notice {number}");
        Notice::message(jiff::Timestamp::UNIX_EPOCH, Level::Info, text)
    }

    fn counts(told: &Told) -> (usize, usize) {
        let Reply::Notices { notices, unseen } = told.all() else {
            panic!("no notices");
        };
        (notices.len(), unseen)
    }

    #[test]
    fn so_many_are_kept_and_those_since_the_last_look_are_counted() {
        let mut told = Told::default();
        for number in 0..250 {
            told.heard(&notice(number).into());
        }
        assert_eq!(counts(&told), (KEPT, KEPT));
        told.edit(NoticesEdit::Seen);
        told.heard(&notice(250).into());
        assert_eq!(counts(&told), (KEPT, 1));
        let notice = Box::new(notice(249));
        told.edit(NoticesEdit::Forget { notice });
        assert_eq!(counts(&told), (KEPT - 1, 1));
        told.edit(NoticesEdit::Clear);
        assert_eq!(counts(&told), (0, 0));
    }
}
