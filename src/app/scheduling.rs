//! The full scheduling history of one session: a table that you can filter, sort and unfold.

use std::collections::BTreeSet;

use jiff::{Timestamp, tz::TimeZone};

use super::{
    input::Input,
    step::{Purpose, Step},
};
use crate::{
    action::Action,
    key::Key,
    model::{
        failure::Failure,
        history::{HistoryEntry, filter::HistoryFilter},
        id::SessionKey,
        text::Clean,
    },
    protocol::message::{Reply, Request},
};

/// The time that entries are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SortedBy {
    #[default]
    Updated,
    Created,
}

/// The state of the history.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Told {
    #[default]
    Asked,
    /// The entries as the engine sent them, newest first.
    Known(Vec<HistoryEntry>),
    Failed(Clean),
}

#[derive(Clone, Debug)]
pub struct Scheduling {
    session: SessionKey,
    name: Clean,
    told: Told,
    /// The history was requested again, and the earlier entries are still shown.
    pub asking: bool,
    pub sorted_by: SortedBy,
    pub oldest_first: bool,
    query: Input,
    /// The filter is being typed.
    pub typing: bool,
    filter: HistoryFilter,
    /// Why the typed filter is invalid. The previous filter stays active.
    problem: Option<String>,
    /// The entries whose steps are shown, by their index in the engine's list.
    unfolded: BTreeSet<usize>,
    /// Indexes in the engine's list, in the order of the table.
    rows: Vec<usize>,
    marked: usize,
    scroll: usize,
    height: usize,
}

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShownLine {
    /// An entry, by its position among the shown entries.
    Entry(usize),
    /// A step of an entry.
    Step(usize, usize),
}

impl Scheduling {
    #[must_use]
    pub fn new(session: SessionKey, name: Clean) -> Self {
        Self {
            session,
            name,
            told: Told::default(),
            asking: false,
            sorted_by: SortedBy::default(),
            oldest_first: false,
            query: Input::default(),
            typing: false,
            filter: HistoryFilter::default(),
            problem: None,
            unfolded: BTreeSet::new(),
            rows: Vec::new(),
            marked: 0,
            scroll: 0,
            height: 1,
        }
    }

    /// Requests the history, also again.
    pub fn ask(&mut self) -> Step {
        self.asking = true;
        let session = self.session;
        Step::Ask {
            request: Request::History { session },
            purpose: Purpose::Scheduling(session),
        }
    }

    pub fn answered(&mut self, session: SessionKey, result: Result<Reply, Failure>) {
        if session != self.session {
            return;
        }
        self.asking = false;
        match result {
            Ok(Reply::History { entries }) => self.take(entries),
            Ok(_) => {}
            Err(failure) => self.told = Told::Failed(failure.message()),
        }
    }

    /// Takes new entries. Unfolded and marked entries stay so if they moved.
    fn take(&mut self, entries: Vec<HistoryEntry>) {
        let same = |one: &HistoryEntry, other: &HistoryEntry| {
            one.id == other.id && one.at == other.at && one.phase == other.phase
        };
        let old = match std::mem::take(&mut self.told) {
            Told::Known(old) => old,
            _ => Vec::new(),
        };
        let now_at = |place: &usize| {
            let old = old.get(*place)?;
            entries.iter().position(|it| same(it, old))
        };
        let marked = self.rows.get(self.marked).and_then(now_at);
        self.unfolded = self.unfolded.iter().filter_map(now_at).collect();
        self.told = Told::Known(entries);
        self.arrange();
        if let Some(place) = marked {
            self.mark(place);
        }
    }

    pub fn session(&self) -> SessionKey {
        self.session
    }

    pub fn name(&self) -> &Clean {
        &self.name
    }

    pub fn told(&self) -> &Told {
        &self.told
    }

    fn all(&self) -> &[HistoryEntry] {
        match &self.told {
            Told::Known(entries) => entries,
            _ => &[],
        }
    }

    /// The number of all entries, shown or not.
    pub fn count(&self) -> usize {
        self.all().len()
    }

    /// The shown entries, in their order.
    pub fn shown(&self) -> impl ExactSizeIterator<Item = &HistoryEntry> {
        self.rows.iter().map(|place| &self.all()[*place])
    }

    pub fn entry(&self, row: usize) -> Option<&HistoryEntry> {
        self.all().get(*self.rows.get(row)?)
    }

    /// Whether the marked entry has steps.
    pub fn has_steps(&self) -> bool {
        let marked = self.entry(self.marked);
        marked.is_some_and(|entry| !entry.steps.is_empty())
    }

    pub fn is_unfolded(&self, row: usize) -> bool {
        let place = self.rows.get(row);
        place.is_some_and(|place| self.unfolded.contains(place))
    }

    /// Every line of the table, including those that aren't visible.
    pub fn lines(&self) -> Vec<ShownLine> {
        let mut lines = Vec::new();
        for (row, entry) in self.shown().enumerate() {
            lines.push(ShownLine::Entry(row));
            if self.is_unfolded(row) {
                lines.extend((0..entry.steps.len()).map(|step| ShownLine::Step(row, step)));
            }
        }
        lines
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    pub fn problem(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Takes the number of visible lines from the layout.
    pub fn laid_out(&mut self, height: usize) {
        self.height = height.max(1);
        self.keep_visible();
    }

    /// Scrolls so that the marked entry is visible, with as many of its steps as fit.
    fn keep_visible(&mut self) {
        let lines = self.lines();
        let is_marked = |line: &ShownLine| match line {
            ShownLine::Entry(row) | ShownLine::Step(row, _) => *row == self.marked,
        };
        let first = lines.iter().position(is_marked).unwrap_or(0);
        let last = lines.iter().rposition(is_marked).unwrap_or(0);
        let end = last.min(first + self.height - 1);
        self.scroll = self
            .scroll
            .max((end + 1).saturating_sub(self.height))
            .min(first)
            .min(lines.len().saturating_sub(self.height));
    }

    /// Filters and sorts again.
    fn arrange(&mut self) {
        let place = self.rows.get(self.marked).copied();
        let entries = self.all();
        let holds = |place: &usize| self.filter.holds(&entries[*place]);
        let mut rows: Vec<usize> = (0..entries.len()).filter(holds).collect();
        // Entries with the same time keep the engine's order.
        let key = |place: &usize| match self.sorted_by {
            SortedBy::Updated => entries[*place].updated_at(),
            SortedBy::Created => entries[*place].at,
        };
        rows.sort_by_key(|place| std::cmp::Reverse(key(place)));
        if self.oldest_first {
            rows.reverse();
        }
        self.rows = rows;
        self.mark(place.unwrap_or_default());
    }

    fn mark(&mut self, place: usize) {
        let found = self.rows.iter().position(|it| *it == place);
        self.marked = found.unwrap_or(0);
        self.keep_visible();
    }

    pub fn move_by(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(by).min(last);
        self.keep_visible();
    }

    /// Handles a click on a line. A click on the marked entry unfolds or folds it.
    pub fn click(&mut self, line: usize) {
        let (ShownLine::Entry(row) | ShownLine::Step(row, _)) =
            match self.lines().get(self.scroll + line) {
                Some(line) => *line,
                None => return,
            };
        if row == self.marked {
            self.unfold();
        } else {
            self.marked = row;
            self.keep_visible();
        }
    }

    fn unfold(&mut self) {
        let Some(place) = self.rows.get(self.marked).copied() else {
            return;
        };
        if !self.unfolded.remove(&place) {
            self.unfolded.insert(place);
        }
        self.keep_visible();
    }

    /// Handles an action of the table, or of the input for the filter. Returns `None` for other actions.
    pub fn action(&mut self, action: Action, now: Timestamp, zone: &TimeZone) -> Option<Vec<Step>> {
        let page = self.height.max(2).cast_signed() - 1;
        match action {
            Action::ListDown => self.move_by(1),
            Action::ListUp => self.move_by(-1),
            Action::ListPageDown => self.move_by(page),
            Action::ListPageUp => self.move_by(-page),
            Action::ListFirst => self.move_by(isize::MIN),
            Action::ListLast => self.move_by(isize::MAX),
            Action::HistoryUnfold => self.unfold(),
            Action::HistoryFilter => self.typing = true,
            Action::HistorySort => {
                self.sorted_by = match self.sorted_by {
                    SortedBy::Updated => SortedBy::Created,
                    SortedBy::Created => SortedBy::Updated,
                };
                self.arrange();
            }
            Action::HistoryReverse => {
                self.oldest_first = !self.oldest_first;
                self.arrange();
            }
            Action::HistoryRefresh => return Some(vec![self.ask()]),
            Action::HistoryCopyId => return Some(self.copy_id()),
            Action::InputSubmit => self.typing = false,
            Action::InputCancel => self.clear_filter(now, zone),
            _ => return None,
        }
        Some(Vec::new())
    }

    fn copy_id(&self) -> Vec<Step> {
        let id = self.entry(self.marked).and_then(|entry| entry.id.as_ref());
        id.map(|id| Step::Copy(id.to_string()))
            .into_iter()
            .collect()
    }

    /// Handles Esc, which clears the filter first. Returns `false` if there was none.
    pub fn back(&mut self, now: Timestamp, zone: &TimeZone) -> bool {
        let had = self.typing || !self.query.is_empty();
        self.clear_filter(now, zone);
        had
    }

    fn clear_filter(&mut self, now: Timestamp, zone: &TimeZone) {
        self.typing = false;
        self.query = Input::default();
        self.read_filter(now, zone);
    }

    /// Handles a key while the filter is typed.
    pub fn key(&mut self, key: Key, now: Timestamp, zone: &TimeZone) -> bool {
        let taken = self.typing && self.query.key(key);
        if taken {
            self.read_filter(now, zone);
        }
        taken
    }

    pub fn paste(&mut self, text: &str, now: Timestamp, zone: &TimeZone) {
        if self.typing {
            self.query.paste(text);
            self.read_filter(now, zone);
        }
    }

    fn read_filter(&mut self, now: Timestamp, zone: &TimeZone) {
        match HistoryFilter::read(self.query.text(), now, zone) {
            Ok(filter) => {
                self.filter = filter;
                self.problem = None;
                self.arrange();
            }
            Err(problem) => self.problem = Some(problem),
        }
    }
}

#[cfg(test)]
mod tests;
