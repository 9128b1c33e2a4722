//! Panes on their desks as they are remembered for the next TUI. The shells themselves go on in their
//! sessions; each pane is known there by its tag.

use serde::{Deserialize, Serialize};

use super::{Axis, Desk, Pane, PaneId, Panes, Place, tree::Tree};
use crate::{
    app::step::Ids,
    model::{
        id::{KernelId, SessionKey},
        shell::ShellStart,
        text::Clean,
    },
};

/// Of more than this a file is not one of ours.
const MOST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptDesk {
    pub(super) tree: KeptTree,
    /// Which of its panes has the keys, in reading order.
    pub(super) focus: usize,
    pub(super) zoomed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum KeptTree {
    Pane(KeptPane),
    Split {
        axis: Axis,
        share: u32,
        first: Box<KeptTree>,
        second: Box<KeptTree>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPane {
    /// `None` = a shell of this host, which begins anew.
    pub session: Option<SessionKey>,
    /// Another container of it than its main one.
    #[serde(default)]
    pub(super) kernel: Option<KernelId>,
    pub(super) name: Clean,
    pub(super) tag: String,
    pub(super) start: ShellStart,
}

impl Panes {
    /// The desks with what can come back, and which of them is shown.
    pub fn kept(&self) -> (Vec<KeptDesk>, usize) {
        let desks: Vec<Option<KeptDesk>> = self.desks.iter().map(|it| self.kept_desk(it)).collect();
        let before = desks.iter().take(self.active).flatten().count();
        (desks.into_iter().flatten().collect(), before)
    }

    fn kept_desk(&self, desk: &Desk) -> Option<KeptDesk> {
        let kept = |id: PaneId| {
            let pane = self.pane(id).filter(|pane| pane.takes_keys())?;
            Some(pane.kept())
        };
        let tree = desk.tree.kept(&kept)?;
        let panes = desk.panes().into_iter().filter(|id| kept(*id).is_some());
        let focus = panes.take_while(|id| *id != desk.focus).count();
        Some(KeptDesk {
            tree,
            focus,
            zoomed: desk.zoomed,
        })
    }

    /// Puts desks back as they were, without the panes that are not `wanted` any more. Nothing is opened
    /// before the page is shown.
    pub fn restore(
        &mut self,
        desks: Vec<KeptDesk>,
        active: usize,
        wanted: impl Fn(&KeptPane) -> bool,
        ids: &mut Ids,
    ) {
        for (at, desk) in desks.into_iter().enumerate() {
            let mut made = |pane: KeptPane| {
                (self.list.len() < MOST && wanted(&pane)).then(|| self.put_back(pane, ids))
            };
            let Some(tree) = Tree::restored(desk.tree, &mut made) else {
                continue;
            };
            let panes = tree.panes();
            let focus = panes[desk.focus.min(panes.len() - 1)];
            if at <= active {
                self.active = self.desks.len();
            }
            self.desks.push(Desk {
                tree,
                focus,
                zoomed: desk.zoomed,
            });
        }
    }

    fn put_back(&mut self, kept: KeptPane, ids: &mut Ids) -> PaneId {
        self.opened += 1;
        let id = PaneId(self.opened);
        let place = match (kept.session, kept.kernel) {
            (Some(session), Some(kernel)) => Place::Container(session, kernel),
            (Some(session), None) => Place::Session(session),
            (None, _) => Place::Host,
        };
        let mut pane = Pane::new(id, place, kept.name, kept.tag, ids.stream());
        pane.start = kept.start;
        self.take_in(pane);
        id
    }
}

#[cfg(test)]
mod tests;
