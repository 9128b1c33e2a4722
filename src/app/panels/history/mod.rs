//! The full scheduling history of one session: a table that you can filter, sort and unfold.

use std::collections::BTreeSet;

use super::{FILTER_HINTS, Hint, Panel, PanelEnv, scroll::motion};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        input::Input,
        step::{Purpose, Step},
    },
    key::Key,
    model::{
        failure::Failure,
        history::{HistoryEntry, SubStep, filter::HistoryFilter},
        id::SessionKey,
        notice::Level,
        request::SessionRequest,
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
pub enum HistoryState {
    #[default]
    Asked,
    /// The entries as the engine sent them, newest first.
    Known(Vec<HistoryEntry>),
    Failed(Clean),
}

#[derive(Clone, Debug)]
pub struct HistoryTable {
    session: SessionKey,
    name: Clean,
    state: HistoryState,
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
    /// The marked step of the marked entry.
    step: Option<usize>,
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

impl HistoryTable {
    #[must_use]
    pub fn new(session: SessionKey, name: Clean) -> Self {
        Self {
            session,
            name,
            state: HistoryState::default(),
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
            step: None,
            scroll: 0,
            height: 1,
        }
    }

    /// Requests the history, also again.
    pub fn ask(&mut self) -> Step {
        self.asking = true;
        let session = self.session;
        Step::Ask {
            request: Request::session(session, SessionRequest::History),
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
            Err(failure) => self.state = HistoryState::Failed(failure.message()),
        }
    }

    /// Takes new entries. Unfolded and marked entries stay so if they moved.
    fn take(&mut self, entries: Vec<HistoryEntry>) {
        let same = |one: &HistoryEntry, other: &HistoryEntry| {
            one.id == other.id && one.at == other.at && one.phase == other.phase
        };
        let old = match std::mem::take(&mut self.state) {
            HistoryState::Known(old) => old,
            _ => Vec::new(),
        };
        let now_at = |place: &usize| {
            let old = old.get(*place)?;
            entries.iter().position(|it| same(it, old))
        };
        let marked = self.rows.get(self.marked).and_then(now_at);
        self.unfolded = self.unfolded.iter().filter_map(now_at).collect();
        let step = self.step.take();
        self.state = HistoryState::Known(entries);
        self.arrange();
        if let Some(place) = marked {
            self.step = step;
            self.mark(place);
        }
    }

    pub fn session(&self) -> SessionKey {
        self.session
    }

    pub fn name(&self) -> &Clean {
        &self.name
    }

    pub fn state(&self) -> &HistoryState {
        &self.state
    }

    fn all(&self) -> &[HistoryEntry] {
        match &self.state {
            HistoryState::Known(entries) => entries,
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

    pub fn marked_line(&self) -> ShownLine {
        match self.step {
            Some(step) => ShownLine::Step(self.marked, step),
            None => ShownLine::Entry(self.marked),
        }
    }

    /// The marked step, `None` while an entry is marked.
    pub fn marked_step(&self) -> Option<&SubStep> {
        self.entry(self.marked)?.steps.get(self.step?)
    }

    pub fn scroll(&self) -> usize {
        self.scroll
    }

    pub fn query(&self) -> &Input {
        &self.query
    }

    pub fn wrong(&self) -> Option<&str> {
        self.problem.as_deref()
    }

    /// Scrolls so that the marked line is visible. For an entry, so are as many of its steps as fit.
    fn keep_visible(&mut self) {
        let lines = self.lines();
        let is_marked = |line: &ShownLine| match (line, self.step) {
            (ShownLine::Entry(row) | ShownLine::Step(row, _), None) => *row == self.marked,
            (line, Some(_)) => *line == self.marked_line(),
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
        let matches = |place: &usize| self.filter.matches(&entries[*place]);
        let mut rows: Vec<usize> = (0..entries.len()).filter(matches).collect();
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
        let has_step = found.is_some() && self.is_unfolded(self.marked);
        if !has_step || self.marked_step().is_none() {
            self.step = None;
        }
        self.keep_visible();
    }

    fn move_by(&mut self, by: isize) {
        let lines = self.lines();
        let marked = self.marked_line();
        let now = lines.iter().position(|line| *line == marked).unwrap_or(0);
        let next = now.saturating_add_signed(by);
        if let Some(line) = lines.get(next).or(lines.last()) {
            self.mark_line(*line);
        }
    }

    fn mark_line(&mut self, line: ShownLine) {
        (self.marked, self.step) = match line {
            ShownLine::Entry(row) => (row, None),
            ShownLine::Step(row, step) => (row, Some(step)),
        };
        self.keep_visible();
    }

    fn unfold(&mut self) {
        let Some(place) = self.rows.get(self.marked).copied() else {
            return;
        };
        if self.unfolded.remove(&place) {
            self.step = None;
        } else {
            self.unfolded.insert(place);
        }
        self.keep_visible();
    }

    fn copy_id(&self) -> Vec<Step> {
        let id = self.entry(self.marked).and_then(|entry| entry.id.as_ref());
        id.map(|id| Step::Copy(id.to_string()))
            .into_iter()
            .collect()
    }

    fn clear_filter(&mut self, env: &PanelEnv<'_>) {
        self.typing = false;
        self.query = Input::default();
        self.read_filter(env);
    }

    fn read_filter(&mut self, env: &PanelEnv<'_>) {
        match HistoryFilter::read(self.query.text(), env.now, &env.facts.time_zone) {
            Ok(filter) => {
                self.filter = filter;
                self.problem = None;
                self.arrange();
            }
            Err(problem) => self.problem = Some(problem),
        }
    }
}

const HINTS: &[Hint] = &[
    (Scope::Global, &[Action::Back], tr_later!("close")),
    (Scope::History, &[Action::HistoryUnfold], tr_later!("steps")),
    (
        Scope::History,
        &[Action::HistoryFilter],
        tr_later!("filter"),
    ),
    (Scope::History, &[Action::HistorySort], tr_later!("sort")),
    (
        Scope::History,
        &[Action::HistoryReverse],
        tr_later!("reverse"),
    ),
    (
        Scope::History,
        &[Action::HistoryRefresh],
        tr_later!("refresh"),
    ),
    (
        Scope::History,
        &[Action::HistoryCopyId],
        tr_later!("copy id"),
    ),
];

impl Panel for HistoryTable {
    fn scope(&self) -> Scope {
        if self.typing {
            Scope::Input
        } else {
            Scope::History
        }
    }

    fn outer_scopes(&self) -> &'static [Scope] {
        if self.typing {
            &[Scope::History, Scope::Global]
        } else {
            &[Scope::Global]
        }
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        let page = self.height.max(2).cast_signed() - 1;
        match action {
            Action::HistoryUnfold if !self.has_steps() => {
                let text = tr!("this entry has no steps");
                return vec![Step::toast(Level::Info, text)];
            }
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
            Action::HistoryRefresh => return vec![self.ask()],
            Action::HistoryCopyId => return self.copy_id(),
            Action::InputSubmit => self.typing = false,
            Action::InputCancel => self.clear_filter(env),
            Action::Back => return self.back(env),
            _ => self.move_by(motion(action, page).unwrap_or(0)),
        }
        Vec::new()
    }

    fn key(&mut self, key: Key, env: &PanelEnv<'_>) -> Option<Vec<Step>> {
        let used = self.typing && self.query.key(key);
        used.then(|| {
            self.read_filter(env);
            Vec::new()
        })
    }

    fn paste(&mut self, text: &str, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.typing {
            self.query.paste(text);
            self.read_filter(env);
        }
        Vec::new()
    }

    /// Clears the filter first, then closes the table.
    fn back(&mut self, env: &PanelEnv<'_>) -> Vec<Step> {
        if !self.typing && self.query.is_empty() {
            return vec![Step::CLOSE];
        }
        self.clear_filter(env);
        Vec::new()
    }

    /// A click marks an entry or a step. A click on the marked one unfolds or folds the entry.
    fn click(&mut self, part: DialogPart, _: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(line) => {
                let line = self.lines().get(self.scroll + line).copied();
                match line {
                    Some(line) if line == self.marked_line() => self.unfold(),
                    Some(line) => self.mark_line(line),
                    None => {}
                }
                Vec::new()
            }
            DialogPart::Outside => vec![Step::CLOSE],
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.move_by(by.signum());
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.height = height.max(1);
        self.keep_visible();
    }

    fn hints(&self) -> Vec<Hint> {
        if self.typing { FILTER_HINTS } else { HINTS }.to_vec()
    }
}

#[cfg(test)]
mod tests;
