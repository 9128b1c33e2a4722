//! The saved form of a tree.

use super::{Split, Tree, WHOLE};
use crate::app::panes::{
    PaneId,
    saved::{SavedPane, SavedTree},
};

impl Tree {
    /// Saves the panes for which there is data. The others are left out, and their neighbors take their area.
    pub fn saved(&self, pane_of: &dyn Fn(PaneId) -> Option<SavedPane>) -> Option<SavedTree> {
        match self {
            Self::Pane(pane) => pane_of(*pane).map(SavedTree::Pane),
            Self::Split(split) => match (split.first.saved(pane_of), split.second.saved(pane_of)) {
                (Some(first), Some(second)) => Some(SavedTree::Split {
                    axis: split.axis,
                    share: split.share,
                    first: Box::new(first),
                    second: Box::new(second),
                }),
                (one, None) | (None, one) => one,
            },
        }
    }

    /// Restores a tree with the panes that `made` creates.
    pub fn restored(
        kept: SavedTree,
        made: &mut dyn FnMut(SavedPane) -> Option<PaneId>,
    ) -> Option<Self> {
        match kept {
            SavedTree::Pane(pane) => made(pane).map(Self::Pane),
            SavedTree::Split {
                axis,
                share,
                first,
                second,
            } => {
                let first = Self::restored(*first, made);
                match (first, Self::restored(*second, made)) {
                    (Some(first), Some(second)) => Some(Self::Split(Box::new(Split {
                        axis,
                        share: share.clamp(WHOLE / 20, WHOLE / 20 * 19),
                        first,
                        second,
                    }))),
                    (one, None) | (None, one) => one,
                }
            }
        }
    }
}
