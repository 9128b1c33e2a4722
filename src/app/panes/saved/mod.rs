//! The panes on their tabs, saved for the next TUI. The shells keep running in their sessions, which know
//! each pane by its tag.

mod arrange;

use serde::{Deserialize, Serialize};

pub use arrange::{Arranged, FoundSession};

use super::{Axis, Pane, PaneId, PaneTab, Panes, ShellPlace, tree::Tree};
use crate::{
    app::step::Ids,
    model::{
        id::{KernelId, SessionKey},
        shell_start::ShellStart,
        text::Clean,
    },
};

/// A file with more entries than this wasn't written by workbay.
const MOST: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPaneTab {
    pub(super) tree: SavedTree,
    /// The position of the focused pane in reading order.
    pub(super) focus: usize,
    pub(super) zoomed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum SavedTree {
    Pane(SavedPane),
    Split {
        axis: Axis,
        share: u32,
        first: Box<SavedTree>,
        second: Box<SavedTree>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedPane {
    /// `None` is a shell of this machine, which restarts.
    pub session: Option<SessionKey>,
    /// A container of the session other than its main one.
    #[serde(default)]
    pub(super) kernel: Option<KernelId>,
    pub name: Clean,
    pub(super) tag: String,
    pub(super) start: ShellStart,
    /// The id of the window that it showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) window: Option<u32>,
}

impl SavedPaneTab {
    /// Its panes in reading order.
    pub fn panes(&self) -> Vec<&SavedPane> {
        self.tree.panes()
    }
}

impl SavedPane {
    /// Whether it shows the main container of a session.
    pub fn is_of_session(&self) -> bool {
        self.session.is_some() && self.kernel.is_none()
    }
}

impl SavedTree {
    fn panes(&self) -> Vec<&SavedPane> {
        match self {
            Self::Pane(pane) => vec![pane],
            Self::Split { first, second, .. } => [first.panes(), second.panes()].concat(),
        }
    }
}

impl Panes {
    /// The tabs with the panes that can be restored, and the shown tab.
    pub fn saved(&self) -> (Vec<SavedPaneTab>, usize) {
        let tabs: Vec<Option<SavedPaneTab>> =
            self.tabs.iter().map(|it| self.saved_tab(it)).collect();
        let before = tabs.iter().take(self.active).flatten().count();
        (tabs.into_iter().flatten().collect(), before)
    }

    fn saved_tab(&self, tab: &PaneTab) -> Option<SavedPaneTab> {
        let saved = |id: PaneId| {
            let keeps = |pane: &&Pane| {
                (pane.takes_keys() || pane.is_without_session()) && !pane.runs_command_here()
            };
            let pane = self.pane(id).filter(keeps)?;
            Some(pane.saved())
        };
        let tree = tab.tree.saved(&saved)?;
        let panes = tab.panes().into_iter().filter(|id| saved(*id).is_some());
        let focus = panes.take_while(|id| *id != tab.focus).count();
        Some(SavedPaneTab {
            tree,
            focus,
            zoomed: tab.zoomed,
        })
    }

    /// Restores tabs without panes that aren't `wanted`. Nothing is opened until the terminal view is shown.
    pub fn restore(
        &mut self,
        tabs: Vec<SavedPaneTab>,
        active: usize,
        wanted: impl Fn(&SavedPane) -> bool,
        ids: &mut Ids,
    ) {
        for (at, tab) in tabs.into_iter().enumerate() {
            let mut made = |pane: SavedPane| {
                (self.list.len() < MOST && wanted(&pane)).then(|| self.put_back(pane, ids))
            };
            if let Some(tree) = Tree::restored(tab.tree, &mut made) {
                self.add_restored(tree, (tab.focus, tab.zoomed), at <= active);
            }
        }
    }

    /// Adds a tab of restored panes. `focus` is a position in reading order.
    fn add_restored(&mut self, tree: Tree, (focus, zoomed): (usize, bool), is_active: bool) {
        let panes = tree.panes();
        let focus = panes[focus.min(panes.len() - 1)];
        if is_active {
            self.active = self.tabs.len();
        }
        self.tabs.push(PaneTab {
            tree,
            focus,
            zoomed,
        });
    }

    pub(super) fn put_back(&mut self, saved: SavedPane, ids: &mut Ids) -> PaneId {
        self.opened += 1;
        let id = PaneId(self.opened);
        let place = match (saved.session, saved.kernel) {
            (Some(session), Some(kernel)) => ShellPlace::Container(session, kernel),
            (Some(session), None) => ShellPlace::Session(session),
            (None, _) => ShellPlace::Host,
        };
        let mut pane = Pane::new(id, place, saved.name, saved.tag, ids.stream());
        pane.start = saved.start;
        self.take_in(pane);
        id
    }
}

#[cfg(test)]
mod tests;
