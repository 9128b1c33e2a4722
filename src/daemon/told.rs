//! What persons were told of late, kept for those who come later.

use std::collections::VecDeque;

use crate::model::{change::Change, notice::Notice};

/// How many are kept.
const KEPT: usize = 200;

/// Oldest first.
#[derive(Debug, Default)]
pub(super) struct Told(VecDeque<Notice>);

impl Told {
    pub fn heard(&mut self, change: &Change) {
        if let Change::Notice { notice } = change {
            if self.0.len() == KEPT {
                self.0.pop_front();
            }
            self.0.push_back((**notice).clone());
        }
    }

    pub fn all(&self) -> Vec<Notice> {
        self.0.iter().cloned().collect()
    }
}
