//! The list of sessions: tab, order, filter, selection, scrolling.
//!
//! The list is collected again only after its sessions have changed, and filtered again only after the filter
//! has changed. All other operations cost as much as the visible rows.

pub mod columns;
pub mod filter;
mod index;
mod marking;
pub mod marks;
pub mod reach;
pub mod sort;

use std::{
    collections::HashMap,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use super::{
    mirror::Mirror,
    sessions::columns::ColumnChoices,
    sessions::filter::{Filter, Hits},
    sessions::marks::Marks,
    sessions::sort::{Column, SortOrder},
    shown_contexts::ShownContexts,
};
use crate::model::{id::SessionKey, status::Tab, text::Clean};
use index::Index;

/// How often a filter with conditions on time is applied again.
pub const TIME_STEP: SignedDuration = SignedDuration::from_secs(5);

#[derive(Debug, Default)]
pub struct Sessions {
    shown: ShownContexts,
    tab: TabState,
    pub filter: Filter,
    pub marks: Marks,
    /// The chosen columns of each tab.
    columns: [ColumnChoices; 3],
    /// Those of the setting `ui.columns`.
    default_columns: [ColumnChoices; 3],
    index: Index,
    rows: Vec<SessionKey>,
    stale: bool,
    /// The selected row. `refresh` keeps it up to date with `selected`.
    row: usize,
    offset: usize,
    height: usize,
    /// The session to select when it appears.
    wanted: Option<SessionKey>,
    hits: HashMap<SessionKey, Hits>,
    widest: Widest,
}

/// The widths of the longest texts in the list, and other facts that its columns depend on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widest {
    pub name: u16,
    /// The width includes the version.
    pub environment: u16,
    /// An idle check will reclaim one of the sessions, or would do so.
    pub reclaim: bool,
    pub owners: Owners,
    /// One session has an accelerator.
    pub accelerators: bool,
}

/// The owners of the listed sessions. A number represents the name of a single owner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owners {
    #[default]
    None,
    One(u64),
    Several,
}

impl Owners {
    fn of(owner: &Clean) -> Self {
        let mut hasher = DefaultHasher::new();
        owner.as_str().hash(&mut hasher);
        Self::One(hasher.finish())
    }

    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::None, it) | (it, Self::None) => it,
            (one, other) if one == other => one,
            _ => Self::Several,
        }
    }

    pub fn are_several(self) -> bool {
        self == Self::Several
    }
}

impl Widest {
    fn and(self, other: Self) -> Self {
        Self {
            name: self.name.max(other.name),
            environment: self.environment.max(other.environment),
            reclaim: self.reclaim | other.reclaim,
            owners: self.owners.and(other.owners),
            accelerators: self.accelerators | other.accelerators,
        }
    }
}

/// The tab that is shown, and the selected session and the order of each tab.
#[derive(Debug)]
struct TabState {
    shown: Tab,
    selected: [Option<SessionKey>; 3],
    orders: [SortOrder; 3],
}

impl Default for TabState {
    fn default() -> Self {
        Self {
            shown: Tab::Running,
            selected: [None; 3],
            orders: Tab::ALL.map(SortOrder::of),
        }
    }
}

impl Sessions {
    pub fn tab(&self) -> Tab {
        self.tab.shown
    }

    pub fn order(&self) -> SortOrder {
        self.tab.orders[self.tab.shown as usize]
    }

    /// The orders of all tabs.
    pub fn orders(&self) -> &[SortOrder; 3] {
        &self.tab.orders
    }

    /// Restores saved orders, as far as they are valid.
    pub fn restore_orders(&mut self, orders: &[SortOrder]) {
        let tabs = Tab::ALL.into_iter().zip(&mut self.tab.orders);
        for ((tab, own), order) in tabs.zip(orders) {
            if order.column.is_of(tab) && order.column != Column::Context {
                *own = *order;
            }
        }
        self.stale = true;
    }

    /// The contexts whose sessions are listed.
    pub fn shown(&self) -> ShownContexts {
        self.shown
    }

    /// Lists the sessions of another context, or of all.
    pub fn show(&mut self, shown: ShownContexts) {
        if shown == self.shown {
            return;
        }
        self.shown = shown;
        self.offset = 0;
        self.row = 0;
        self.stale = true;
        if shown != ShownContexts::All {
            for (order, tab) in self.tab.orders.iter_mut().zip(Tab::ALL) {
                if order.column == Column::Context {
                    *order = SortOrder::of(tab);
                }
            }
        }
    }

    /// The number of rows after filtering.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The last rows are visible, or almost. More should be loaded if there are more.
    pub fn is_near_end(&self) -> bool {
        let seen = (self.offset + self.height).max(self.row);
        seen + self.height.max(10) >= self.rows.len()
    }

    /// The widths that columns would need to show all texts in full.
    pub fn widest(&self) -> Widest {
        self.widest
    }

    /// Position of the first visible row.
    pub fn offset(&self) -> usize {
        self.offset
    }

    pub fn selected(&self) -> Option<SessionKey> {
        self.rows.get(self.row).copied()
    }

    /// All ids, from the top.
    pub fn rows(&self) -> &[SessionKey] {
        &self.rows
    }

    /// The ids on the screen, from the top.
    pub fn visible(&self) -> &[SessionKey] {
        let end = (self.offset + self.height).min(self.rows.len());
        self.rows.get(self.offset..end).unwrap_or_default()
    }

    /// The characters of a visible row that match the filter.
    pub fn hits(&self, id: SessionKey) -> Option<&Hits> {
        self.hits.get(&id)
    }

    /// The list must be collected again before it is read.
    pub fn mark_stale(&mut self) {
        self.stale = true;
    }

    /// Takes the time. A filter with conditions on it is applied again.
    pub fn passed(&mut self, now: Timestamp, zone: &TimeZone) {
        let before = self.filter.time();
        if now.duration_since(before) < TIME_STEP && before <= now {
            return;
        }
        self.filter.set_time(now, zone);
        if self.filter.follows_time() {
            self.index.forget_kept();
        }
    }

    pub fn mark_stale_if_sorted_by_usage(&mut self) {
        self.stale |= self.order().follows_usage();
    }

    pub fn show_tab(&mut self, tab: Tab) {
        if tab != self.tab.shown {
            self.tab.shown = tab;
            self.offset = 0;
            self.row = 0;
            self.stale = true;
        }
    }

    pub fn sort(&mut self, order: SortOrder) {
        self.tab.orders[self.tab.shown as usize] = order;
        self.stale = true;
    }

    /// Selects a session when it appears in the list, in the tab that it has by then.
    pub fn select_when_there(&mut self, id: SessionKey) {
        self.wanted = Some(id);
        self.stale = true;
    }

    /// Does the same for the session of the detail, unless another one is about to be selected.
    pub fn go_along(&mut self, id: SessionKey) {
        if self.wanted.is_none() {
            self.select_when_there(id);
        }
    }

    /// Updates the list from the mirror and the filter, and restores the selection.
    pub fn refresh(&mut self, mirror: &Mirror) {
        if std::mem::take(&mut self.stale) {
            self.go_to_wanted(mirror);
            self.marks.follow(mirror);
            let (tab, shown, order) = (self.tab.shown, self.shown, self.order());
            self.index.collect(mirror, tab, shown, order);
        } else if !self.index.is_behind(&self.filter) {
            return;
        }
        self.index.keep(&mut self.filter, mirror, self.shown);
        self.widest = self.index.widest();
        self.rows.clear();
        self.rows.extend(self.index.keys());
        self.find_selection();
    }

    fn go_to_wanted(&mut self, mirror: &Mirror) {
        let Some(session) = self.wanted.and_then(|id| mirror.session(id)) else {
            return;
        };
        self.wanted = None;
        self.tab.shown = session.tab();
        self.tab.selected[session.tab() as usize] = Some(session.key());
        if !self.shown.has(session.context) {
            self.shown = ShownContexts::One(session.context);
        }
        if !self.filter.accepts(session, self.shown) {
            self.filter.clear();
        }
    }

    /// The selection stays on its session. If the session is gone, the selection stays on its row.
    fn find_selection(&mut self) {
        let wanted = self.tab.selected[self.tab.shown as usize];
        let found = wanted.and_then(|id| self.rows.iter().position(|row| *row == id));
        match found {
            Some(at) => self.go_to(at),
            // A session that a filter hides stays selected and is marked again when its row returns.
            None if self.filter.is_on() => {
                self.row = self.row.min(self.rows.len().saturating_sub(1));
                self.keep_visible();
            }
            None => self.go_to(self.row),
        }
    }

    /// Selects the row at `at`, or the last one.
    pub fn go_to(&mut self, at: usize) {
        self.row = at.min(self.rows.len().saturating_sub(1));
        if let Some(id) = self.rows.get(self.row) {
            self.tab.selected[self.tab.shown as usize] = Some(*id);
        }
        self.keep_visible();
    }

    pub fn move_by(&mut self, by: isize) {
        self.go_to(self.row.saturating_add_signed(by));
    }

    pub fn page(&self) -> isize {
        self.height.max(2).cast_signed() - 1
    }

    pub fn go_to_last(&mut self) {
        self.go_to(self.rows.len());
    }

    /// Scrolls by the wheel. The selection moves only as far as necessary.
    pub fn scroll(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(self.height);
        self.offset = self.offset.saturating_add_signed(by).min(last);
        let low = self.offset;
        let high = (self.offset + self.height).saturating_sub(1);
        let at = self.row.clamp(low, high.max(low));
        self.go_to(at);
    }

    /// Takes the number of rows that fit from the layout. Also finds what to highlight in them.
    pub fn laid_out(&mut self, height: usize, mirror: &Mirror) {
        self.height = height;
        self.keep_visible();
        self.hits.clear();
        if self.filter.is_on() {
            for id in self.visible().to_vec() {
                if let Some(session) = mirror.session(id) {
                    let hits = self.filter.hits(session);
                    self.hits.insert(id, hits);
                }
            }
        }
    }

    fn keep_visible(&mut self) {
        let height = self.height.max(1);
        let last = self.rows.len().saturating_sub(height);
        self.offset = self
            .offset
            .max((self.row + 1).saturating_sub(height))
            .min(self.row)
            .min(last);
    }
}
