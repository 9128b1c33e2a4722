//! The list of sessions: tab, order, filter, selection, scrolling.
//!
//! The list is collected again only after its sessions have changed, and filtered again only after the filter
//! has changed. All other operations cost as much as the visible rows.

pub mod columns;
pub mod filter;
mod folding;
mod index;
pub mod lines;
mod marking;
pub mod marks;
pub mod reach;
pub mod sort;
pub mod tree;
mod widest;

use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp, tz::TimeZone};

use super::{
    mirror::Mirror,
    sessions::columns::ColumnChoices,
    sessions::filter::{Filter, Hits},
    sessions::lines::{Folds, ListRow},
    sessions::marks::Marks,
    sessions::sort::{Column, SortOrder},
    sessions::tree::Tree,
    shown_contexts::ShownContexts,
};
use crate::model::{id::SessionKey, status::Tab};
use index::Index;
use lines::{Lines, Place};

pub use widest::{Owners, Widest};

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
    folds: Folds,
    tree: Tree,
    /// Those of the setting `ui.columns`.
    default_columns: [ColumnChoices; 3],
    index: Index,
    lines: Lines,
    stale: bool,
    /// Groups or containers were folded or unfolded since the rows were laid out.
    refolded: bool,
    /// New samples have arrived since the use of the groups was added up.
    usage_stale: bool,
    /// The selected row. `refresh` keeps it up to date with `selected`.
    row: usize,
    offset: usize,
    height: usize,
    /// The session to select when it appears.
    wanted: Option<SessionKey>,
    hits: HashMap<SessionKey, Hits>,
    widest: Widest,
}

/// The tab that is shown, and the selected session and the order of each tab.
#[derive(Debug)]
struct TabState {
    shown: Tab,
    selected: [Option<Place>; 3],
    orders: [SortOrder; 3],
}

impl Default for TabState {
    fn default() -> Self {
        Self {
            shown: Tab::Running,
            selected: [const { None }; 3],
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

    /// The number of sessions after filtering.
    pub fn len(&self) -> usize {
        self.lines.keys().len()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.keys().is_empty()
    }

    /// The last rows are visible, or almost. More should be loaded if there are more.
    pub fn is_near_end(&self) -> bool {
        let seen = (self.offset + self.height).max(self.row);
        seen + self.height.max(10) >= self.rows().len()
    }

    /// The widths that columns would need to show all texts in full.
    pub fn widest(&self) -> Widest {
        self.widest
    }

    /// Position of the first visible row.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The selected session, or that of the selected container; `None` on a group.
    pub fn selected(&self) -> Option<SessionKey> {
        self.selected_row()?.session()
    }

    pub fn selected_row(&self) -> Option<ListRow> {
        self.rows().get(self.row).copied()
    }

    /// All sessions of the list, from the top, also those of folded groups.
    pub fn keys(&self) -> &[SessionKey] {
        self.lines.keys()
    }

    /// All rows, from the top.
    pub fn rows(&self) -> &[ListRow] {
        self.lines.rows()
    }

    /// The rows on the screen, from the top.
    pub fn visible(&self) -> &[ListRow] {
        let end = (self.offset + self.height).min(self.rows().len());
        self.rows().get(self.offset..end).unwrap_or_default()
    }

    /// The sessions of the rows on the screen.
    pub fn visible_sessions(&self) -> impl Iterator<Item = SessionKey> + '_ {
        self.visible().iter().filter_map(|row| match row {
            ListRow::Session(key) => Some(*key),
            ListRow::Group(_) | ListRow::Container(..) => None,
        })
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

    /// New samples of use have arrived.
    pub fn usage_changed(&mut self) {
        self.stale |= self.order().follows_usage();
        self.usage_stale = true;
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
        let refolded = std::mem::take(&mut self.refolded);
        if std::mem::take(&mut self.stale) {
            self.go_to_wanted(mirror);
            self.marks.follow(mirror);
            self.tree.follow(mirror);
            let (tab, shown, order) = (self.tab.shown, self.shown, self.order());
            self.index.collect(mirror, tab, shown, order);
        } else if !self.index.is_behind(&self.filter) {
            if refolded {
                self.lay(mirror);
            }
            if std::mem::take(&mut self.usage_stale) {
                self.lines.sum_use(mirror);
            }
            return;
        }
        self.index.keep(&mut self.filter, mirror, self.shown);
        self.widest = self.index.widest();
        self.usage_stale = false;
        let grouping = self.grouping();
        self.lines.take(self.index.keys(), grouping, mirror);
        self.lay(mirror);
    }

    fn go_to_wanted(&mut self, mirror: &Mirror) {
        let Some(session) = self.wanted.and_then(|id| mirror.session(id)) else {
            return;
        };
        self.wanted = None;
        self.tab.shown = session.tab();
        self.tab.selected[session.tab() as usize] = Some(Place::Session(session.key()));
        self.reveal(session);
        if !self.shown.has(session.context) {
            self.shown = ShownContexts::One(session.context);
        }
        if !self.filter.accepts(session, self.shown) {
            self.filter.clear();
        }
    }

    /// The selection stays on its session. If the session is gone, the selection stays on its row.
    fn find_selection(&mut self) {
        let wanted = self.tab.selected[self.tab.shown as usize].as_ref();
        let found = wanted.and_then(|place| self.lines.find(place));
        match found {
            Some(at) => self.go_to(at),
            // A session that a filter hides stays selected and is marked again when its row returns.
            None if self.filter.is_on() => {
                self.row = self.row.min(self.rows().len().saturating_sub(1));
                self.keep_visible();
            }
            None => self.go_to(self.row),
        }
    }

    /// Selects the row at `at`, or the last one.
    pub fn go_to(&mut self, at: usize) {
        self.row = at.min(self.rows().len().saturating_sub(1));
        if let Some(place) = self.lines.place(self.row) {
            self.tab.selected[self.tab.shown as usize] = Some(place);
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
        self.go_to(self.rows().len());
    }

    /// Scrolls by the wheel. The selection moves only as far as necessary.
    pub fn scroll(&mut self, by: isize) {
        let last = self.rows().len().saturating_sub(self.height);
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
            let visible: Vec<SessionKey> = self.visible_sessions().collect();
            for id in visible {
                if let Some(session) = mirror.session(id) {
                    let hits = self.filter.hits(session);
                    self.hits.insert(id, hits);
                }
            }
        }
    }

    fn keep_visible(&mut self) {
        self.offset = self.offset_for(self.height);
    }

    /// The first visible row of `height`, so that the selected one is visible.
    fn offset_for(&self, height: usize) -> usize {
        let height = height.max(1);
        let last = self.rows().len().saturating_sub(height);
        self.offset
            .max((self.row + 1).saturating_sub(height))
            .min(self.row)
            .min(last)
    }

    /// The line of the selected row on a screen of `height` rows, from the top, before the layout is taken.
    pub fn selected_line(&self, height: usize) -> Option<usize> {
        self.selected_row()?;
        self.row.checked_sub(self.offset_for(height))
    }
}
