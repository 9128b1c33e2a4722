//! The saved form of a tree.

use super::{Split, Tree, WHOLE};
use crate::app::panes::{
    PaneId,
    kept::{KeptPane, KeptTree},
};

impl Tree {
    /// Saves the panes for which there is data. The others are left out, and their neighbors take their area.
    pub fn kept(&self, told: &dyn Fn(PaneId) -> Option<KeptPane>) -> Option<KeptTree> {
        match self {
            Self::Pane(pane) => told(*pane).map(KeptTree::Pane),
            Self::Split(split) => match (split.first.kept(told), split.second.kept(told)) {
                (Some(first), Some(second)) => Some(KeptTree::Split {
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
        kept: KeptTree,
        made: &mut dyn FnMut(KeptPane) -> Option<PaneId>,
    ) -> Option<Self> {
        match kept {
            KeptTree::Pane(pane) => made(pane).map(Self::Pane),
            KeptTree::Split {
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
