//! The rows of the list: groups, sessions, and the containers of expanded sessions.

use std::collections::{BTreeSet, HashSet};

use serde::{Deserialize, Serialize};

use super::tree::Tree;
use crate::{
    app::mirror::Mirror,
    model::{
        id::SessionKey,
        resources::{Bytes, Cpu, ResourceSlots},
        session::Session,
    },
    rules::grouping::{Grouping, groups, requested},
};

/// A row of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListRow {
    /// The head of a group, by its position.
    Group(usize),
    Session(SessionKey),
    /// A container of a session, by its position.
    Container(SessionKey, usize),
}

impl ListRow {
    /// The session that the row is about, `None` for a group.
    pub fn session(self) -> Option<SessionKey> {
        match self {
            Self::Group(_) => None,
            Self::Session(key) | Self::Container(key, _) => Some(key),
        }
    }
}

/// What is selected, also after rows have moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A group, by its name.
    Group(String),
    Session(SessionKey),
    Container(SessionKey, usize),
}

/// A group of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Group {
    /// Empty for the sessions without such a value.
    pub name: String,
    pub folded: bool,
    /// The positions of its sessions in [`Lines::keys`].
    from: usize,
    to: usize,
    /// How many of its sessions run.
    pub live: usize,
    pub requested: ResourceSlots,
    /// What its running sessions use now, `None` unless it is known of all of them.
    pub used: Option<(Cpu, Bytes)>,
}

impl Group {
    pub fn len(&self) -> usize {
        self.to - self.from
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn sum_use(&mut self, keys: &[SessionKey], mirror: &Mirror) {
        let live = live(keys, mirror);
        let mut sum = (0_u64, 0_u64);
        for key in live {
            let usage = mirror.usage(key);
            let Some((usage, cpu)) = usage.and_then(|usage| Some((usage, usage.cpu?))) else {
                self.used = None;
                return;
            };
            sum = (sum.0 + cpu.millis(), sum.1 + usage.mem.0);
        }
        self.used = (self.live > 0).then(|| (Cpu::from_millis(sum.0), Bytes(sum.1)));
    }
}

fn live<'a>(
    keys: &'a [SessionKey],
    mirror: &'a Mirror,
) -> impl Iterator<Item = SessionKey> + use<'a> {
    let is_live = |key: &SessionKey| {
        let session = mirror.session(*key);
        session.is_some_and(|session| session.status.is_live())
    };
    keys.iter().copied().filter(is_live)
}

/// A folded group: what it has in common, and its name.
pub type Fold = (Grouping, String);

/// How the list is divided: the grouping, and the folded groups. Saved for the next TUI.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Folds {
    /// The groupings of Running, Finished and Others.
    pub groupings: Vec<Option<Grouping>>,
    pub folded: BTreeSet<Fold>,
}

/// More folded groups aren't remembered.
const MOST_FOLDS: usize = 500;

impl Folds {
    /// Folds or unfolds a group. Returns whether that changed anything.
    pub(super) fn set(&mut self, grouping: Grouping, name: &str, folded: bool) -> bool {
        let fold = (grouping, name.to_owned());
        if folded {
            self.folded.len() < MOST_FOLDS && self.folded.insert(fold)
        } else {
            self.folded.remove(&fold)
        }
    }
}

/// The sessions of the list in order, and the rows that show them.
#[derive(Debug, Default)]
pub(super) struct Lines {
    keys: Vec<SessionKey>,
    groups: Vec<Group>,
    rows: Vec<ListRow>,
}

impl Lines {
    /// All sessions of the list, also those of folded groups.
    pub fn keys(&self) -> &[SessionKey] {
        &self.keys
    }

    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub fn rows(&self) -> &[ListRow] {
        &self.rows
    }

    /// The sessions of a group.
    pub fn members(&self, group: usize) -> &[SessionKey] {
        let range = self.groups.get(group).map(|it| it.from..it.to);
        range.map_or(&[], |range| &self.keys[range])
    }

    /// Takes the sorted sessions and divides them into groups.
    pub fn take(
        &mut self,
        keys: impl Iterator<Item = SessionKey>,
        grouping: Option<Grouping>,
        mirror: &Mirror,
    ) {
        self.keys.clear();
        self.groups.clear();
        let Some(grouping) = grouping else {
            self.keys.extend(keys);
            return;
        };
        let known = keys.filter_map(|key| mirror.session(key));
        for group in groups(known.map(|session| (grouping.of(session), session))) {
            let from = self.keys.len();
            let members = || group.members.iter().copied();
            self.keys.extend(members().map(Session::key));
            self.groups.push(Group {
                from,
                to: self.keys.len(),
                live: members().filter(|it| it.status.is_live()).count(),
                requested: requested(members()),
                name: group.name,
                ..Group::default()
            });
        }
        self.sum_use(mirror);
    }

    /// Adds up what the sessions of each group use.
    pub fn sum_use(&mut self, mirror: &Mirror) {
        for group in &mut self.groups {
            group.sum_use(&self.keys[group.from..group.to], mirror);
        }
    }

    /// Lays out the rows, without those that are folded.
    pub fn lay(&mut self, folded: impl Fn(&str) -> bool, tree: &Tree, mirror: &Mirror) {
        self.rows.clear();
        if self.groups.is_empty() {
            for key in &self.keys {
                push_session(&mut self.rows, *key, tree, mirror);
            }
            return;
        }
        for (at, group) in self.groups.iter_mut().enumerate() {
            group.folded = folded(&group.name);
            self.rows.push(ListRow::Group(at));
            if group.folded {
                continue;
            }
            for key in &self.keys[group.from..group.to] {
                push_session(&mut self.rows, *key, tree, mirror);
            }
        }
    }

    /// What a row shows, for finding it again.
    pub fn place(&self, row: usize) -> Option<Place> {
        Some(match *self.rows.get(row)? {
            ListRow::Group(group) => Place::Group(self.groups[group].name.clone()),
            ListRow::Session(key) => Place::Session(key),
            ListRow::Container(key, at) => Place::Container(key, at),
        })
    }

    /// The row that shows a place. A hidden container is found at its session, and a session in a folded group at
    /// its group.
    pub fn find(&self, place: &Place) -> Option<usize> {
        match place {
            Place::Group(name) => {
                let group = self.groups.iter().position(|it| it.name == *name)?;
                self.row_of(ListRow::Group(group))
            }
            Place::Session(key) => self
                .row_of(ListRow::Session(*key))
                .or_else(|| self.folded_into(*key)),
            Place::Container(key, at) => self
                .row_of(ListRow::Container(*key, *at))
                .or_else(|| self.find(&Place::Session(*key))),
        }
    }

    fn folded_into(&self, key: SessionKey) -> Option<usize> {
        if self.groups.is_empty() {
            return None;
        }
        let group = self.group_of(key)?;
        self.row_of(ListRow::Group(group))
    }

    /// The group of a session.
    pub fn group_of(&self, key: SessionKey) -> Option<usize> {
        let at = self.keys.iter().position(|it| *it == key)?;
        self.groups
            .iter()
            .position(|it| (it.from..it.to).contains(&at))
    }

    fn row_of(&self, row: ListRow) -> Option<usize> {
        self.rows.iter().position(|it| *it == row)
    }

    /// The sessions that a part of the rows stands for: also those of its folded groups.
    pub fn meant(&self, rows: impl Iterator<Item = usize>) -> Vec<SessionKey> {
        let mut keys = Vec::new();
        for row in rows.filter_map(|at| self.rows.get(at)) {
            match *row {
                ListRow::Group(group) if self.groups[group].folded => {
                    keys.extend_from_slice(self.members(group));
                }
                ListRow::Group(_) => {}
                ListRow::Session(key) | ListRow::Container(key, _) => keys.push(key),
            }
        }
        keys
    }

    /// The running sessions that rows show or add up, at most `most`, those of the rows first.
    pub fn live_of(&self, rows: &[ListRow], mirror: &Mirror, most: usize) -> Vec<SessionKey> {
        let mut keys: Vec<SessionKey> = rows.iter().filter_map(|row| row.session()).collect();
        for row in rows {
            if let ListRow::Group(group) = row {
                let members = live(self.members(*group), mirror);
                keys.extend(members.take(most.saturating_sub(keys.len())));
            }
        }
        let mut known: HashSet<SessionKey> = HashSet::with_capacity(keys.len());
        keys.retain(|key| known.insert(*key));
        keys
    }
}

fn push_session(rows: &mut Vec<ListRow>, key: SessionKey, tree: &Tree, mirror: &Mirror) {
    rows.push(ListRow::Session(key));
    if tree.is_open(key) {
        let count = tree.kernels(key, mirror).len();
        rows.extend((0..count).map(|at| ListRow::Container(key, at)));
    }
}
