//! Groups the list, and folds groups and sessions.

use jiff::Timestamp;

use super::{
    Sessions,
    lines::{Folds, Group, ListRow},
    tree::Tree,
};
use crate::{
    app::{detail::Used, mirror::Mirror, step::Step},
    model::{id::SessionKey, session::Session},
    rules::grouping::Grouping,
};

/// The most sessions whose use is sampled for the sums of groups.
const MOST_SAMPLED: usize = 256;

impl Sessions {
    /// What the sessions of the shown tab are grouped by.
    pub fn grouping(&self) -> Option<Grouping> {
        let groupings = &self.folds.groupings;
        groupings.get(self.tab() as usize).copied().flatten()
    }

    pub fn group_by(&mut self, grouping: Option<Grouping>) {
        let at = self.tab() as usize;
        let groupings = &mut self.folds.groupings;
        groupings.resize(groupings.len().max(at + 1), None);
        groupings[at] = grouping;
        self.stale = true;
    }

    /// Groups by the next useful value, at last by none. Returns why it can't.
    pub fn group_by_next(&mut self, mirror: &Mirror) -> Option<String> {
        let (tab, shown) = (self.tab(), self.shown());
        let listed = mirror
            .sessions()
            .filter(move |it| it.tab() == tab && shown.has(it.context));
        let useful = Grouping::useful(listed);
        let next = match self.grouping() {
            None => useful.first(),
            Some(now) => useful.iter().find(|it| **it > now),
        };
        if next.is_none() && self.grouping().is_none() {
            return Some(tr!("nothing to group by: the sessions have the same values").to_owned());
        }
        self.group_by(next.copied());
        None
    }

    pub fn folds(&self) -> &Folds {
        &self.folds
    }

    /// Restores the saved groupings and folded groups.
    pub fn restore_folds(&mut self, folds: Folds) {
        self.folds = folds;
        self.folds.groupings.truncate(3);
        self.stale = true;
    }

    /// The groups of the list, empty unless it is grouped.
    pub fn groups(&self) -> &[Group] {
        self.lines.groups()
    }

    /// The sessions of a group, in the order of the list.
    pub fn members(&self, group: usize) -> &[SessionKey] {
        self.lines.members(group)
    }

    /// The selected group and its position.
    pub fn selected_group(&self) -> Option<(usize, &Group)> {
        match self.selected_row()? {
            ListRow::Group(at) => Some((at, self.groups().get(at)?)),
            ListRow::Session(_) | ListRow::Container(..) => None,
        }
    }

    /// The session and the position of the selected container.
    pub fn selected_container(&self) -> Option<(SessionKey, usize)> {
        match self.selected_row()? {
            ListRow::Container(key, at) => Some((key, at)),
            ListRow::Group(_) | ListRow::Session(_) => None,
        }
    }

    /// The expanded sessions.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Folds the selected group or session, or the one that the selected row belongs to. Returns why it can't.
    pub fn fold(&mut self, mirror: &Mirror) -> Option<String> {
        match self.selected_row() {
            Some(ListRow::Group(at)) => self.fold_group(at, true),
            Some(ListRow::Container(key, _)) => {
                self.tree.collapse(key);
                self.refolded = true;
            }
            Some(ListRow::Session(key)) => {
                if self.tree.collapse(key) {
                    self.refolded = true;
                } else if let Some(group) = self.lines.group_of(key) {
                    self.fold_group(group, true);
                } else {
                    let name = &mirror.session(key)?.name;
                    return Some(tr!(
                        "{name} is in no group and has no unfolded containers",
                        name
                    ));
                }
            }
            None => {}
        }
        None
    }

    /// Unfolds the selected group, or lists the containers of the selected session. Returns why it can't.
    pub fn unfold(&mut self, mirror: &Mirror) -> Option<String> {
        match self.selected_row()? {
            ListRow::Group(at) => self.fold_group(at, false),
            ListRow::Container(..) => {}
            ListRow::Session(key) => {
                let session = mirror.session(key)?;
                if session.containers() < 2 {
                    return Some(tr!("{name} has one container", name = session.name));
                }
                self.tree.expand(key);
                self.refolded = true;
            }
        }
        None
    }

    /// Folds or unfolds the selected group. Returns `false` if no group is selected.
    pub fn toggle_group(&mut self) -> bool {
        let selected = self.selected_group();
        let Some((at, folded)) = selected.map(|(at, group)| (at, group.folded)) else {
            return false;
        };
        self.fold_group(at, !folded);
        true
    }

    fn fold_group(&mut self, at: usize, folded: bool) {
        let (Some(grouping), Some(group)) = (self.grouping(), self.groups().get(at)) else {
            return;
        };
        let name = group.name.clone();
        self.folds.set(grouping, &name, folded);
        self.refolded = true;
    }

    /// Folds all groups, or unfolds them if all are folded. Without groups, does the same with the visible sessions
    /// of several containers. Returns why it can't.
    pub fn fold_all(&mut self, mirror: &Mirror) -> Option<String> {
        self.refolded = true;
        let Some(grouping) = self.grouping() else {
            self.expand_all(mirror);
            let nothing = self.tree.is_empty() && !self.has_expandable(mirror);
            let why = tr!("no groups, and no session has several containers");
            return nothing.then(|| why.to_owned());
        };
        let folded = self.groups().iter().all(|group| group.folded);
        let names: Vec<String> = self.groups().iter().map(|it| it.name.clone()).collect();
        for name in names {
            self.folds.set(grouping, &name, !folded);
        }
        None
    }

    /// Whether a visible session has several containers.
    fn has_expandable(&self, mirror: &Mirror) -> bool {
        let mut visible = self.visible_sessions();
        visible.any(|key| mirror.session(key).is_some_and(|it| it.containers() > 1))
    }

    fn expand_all(&mut self, mirror: &Mirror) {
        if !self.tree.is_empty() {
            self.tree.collapse_all();
            return;
        }
        let visible: Vec<SessionKey> = self.visible_sessions().collect();
        for session in visible.into_iter().filter_map(|key| mirror.session(key)) {
            if session.containers() > 1 {
                self.tree.expand(session.key());
            }
        }
    }

    /// Unfolds the group of a session, so that its row is visible.
    pub(super) fn reveal(&mut self, session: &Session) {
        if let Some(grouping) = self.grouping() {
            self.folds.set(grouping, &grouping.of(session), false);
        }
    }

    /// Lays out the rows again and restores the selection.
    pub(super) fn lay(&mut self, mirror: &Mirror) {
        let (folds, grouping) = (&self.folds, self.grouping());
        let folded = |name: &str| {
            let fold = grouping.map(|grouping| (grouping, name.to_owned()));
            fold.is_some_and(|fold| folds.folded.contains(&fold))
        };
        self.lines.lay(folded, &self.tree, mirror);
        self.find_selection();
    }

    /// The sessions whose use the visible rows show, also added up in groups.
    pub fn sampled(&self, mirror: &Mirror) -> Vec<SessionKey> {
        self.lines.live_of(self.visible(), mirror, MOST_SAMPLED)
    }

    /// Requests what the visible expanded sessions need.
    pub fn ask_if_due(&mut self, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.tree.is_empty() {
            return Vec::new();
        }
        let visible: Vec<SessionKey> = self.visible_sessions().collect();
        self.tree.ask_if_due(&visible, mirror, now)
    }

    /// Takes a full reading of a session.
    pub fn read_in_full(&mut self, session: &Session) {
        self.refolded |= self.tree.read_in_full(session);
    }

    pub fn figures_answered(&mut self, key: SessionKey, used: &Used) {
        self.tree.figures_answered(key, used);
    }

    /// A new sample of a session has arrived.
    pub fn moved(&mut self, key: SessionKey) {
        self.tree.moved(key);
    }

    /// The daemon is connected again, and earlier requests may never be answered.
    pub fn ask_again(&mut self) {
        self.tree.ask_again();
    }
}
