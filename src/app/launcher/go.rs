//! Moves in the launcher: to a page, a row, or a problem. Asks for confirmation before it leaves something
//! unfinished.

use jiff::Timestamp;

use super::{
    Confirmation, FormResponse, FormRow, LAUNCH, Launcher, Overlay, Page, help::Topic,
    review::page_of,
};
use crate::{
    action::Action,
    app::{mirror::Mirror, step::Step},
    model::launch_field::FieldProblem,
};

/// A destination in the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    /// A page, and a row of it or the row that had the focus there.
    Page(Page, Option<FormRow>),
    /// A line that was clicked.
    Row(FormRow),
    /// The launch.
    Launch,
}

impl Destination {
    /// The row of `page` that it leads to.
    fn row_on(self, page: Page) -> Option<FormRow> {
        match self {
            Self::Page(to, row) => row.filter(|_| to == page),
            Self::Row(row) => Some(row),
            Self::Launch => None,
        }
    }

    fn with_row(self, row: FormRow) -> Self {
        match self {
            Self::Page(page, _) => Self::Page(page, Some(row)),
            Self::Row(_) => Self::Row(row),
            Self::Launch => self,
        }
    }
}

impl Launcher {
    /// Goes to the destination. Asks for confirmation if something unfinished would be left.
    pub(super) fn leave(
        &mut self,
        destination: Destination,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        if self.asks_before(destination) {
            return Vec::new();
        }
        self.go(destination, mirror, now)
    }

    fn asks_before(&mut self, destination: Destination) -> bool {
        if destination == Destination::Page(self.page, None) {
            return false;
        }
        let form = self.form(self.page);
        let unfinished = form.unfinished(self.row(), destination.row_on(self.page));
        let asks = unfinished.is_some();
        if let Some(unfinished) = unfinished {
            self.overlay = Some(Overlay::Question(Confirmation::leave(
                unfinished,
                destination,
            )));
        }
        asks
    }

    fn go(&mut self, destination: Destination, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        match destination {
            Destination::Page(page, row) => {
                self.open(page);
                self.focus[page.position()] = row.or(self.focus[page.position()]);
            }
            Destination::Row(row) => self.take_click(row),
            Destination::Launch => return self.launch(mirror, now),
        }
        Vec::new()
    }

    /// Discards the unfinished row and goes to the destination.
    pub(super) fn leave_without(
        &mut self,
        row: FormRow,
        destination: Destination,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        let page = self.page;
        let (form, _) = self.form_mut(page);
        let to = destination.row_on(page);
        let then = form.discard(row, to.unwrap_or(row));
        let destination = to.map_or(destination, |_| destination.with_row(then));
        let mut steps = self.changed(mirror, now);
        steps.extend(self.go(destination, mirror, now));
        steps
    }

    /// Shows a page.
    pub(super) fn open(&mut self, page: Page) {
        self.page = page;
        self.seen[page.position()] = true;
    }

    /// Whether Enter goes to the review. After a visit to the review, you return to a page only for a single
    /// change.
    pub fn goes_back_to_review(&self) -> bool {
        self.page != Page::Review && self.seen[Page::Review.position()]
    }

    /// The destination of Enter.
    pub(super) fn next_destination(&self) -> Destination {
        if self.page == Page::Review {
            return Destination::Launch;
        }
        if self.goes_back_to_review() {
            return Destination::Page(Page::Review, Some(LAUNCH));
        }
        Destination::Page(self.page.next(), None)
    }

    /// The topic that the focused row explains.
    pub fn topic(&self) -> Topic {
        match self.page {
            Page::Review => Topic::Card(page_of(self.row())),
            _ => Topic::Field(self.row().field),
        }
    }

    /// Shows a page. If it has a problem, focuses that.
    pub(super) fn open_to_fix(&mut self, page: Page) {
        let mut all = self.problems().iter();
        let known = all.find(|it| it.field.row().page == page).cloned();
        let refused = || {
            let (field, why) = self.wrong_on(page).next()?;
            Some(FieldProblem::new(field, why))
        };
        match known.or_else(refused) {
            Some(problem) => self.go_to_problem(&problem),
            None => self.open(page),
        }
    }

    /// Goes to the row that fixes a problem.
    pub(super) fn go_to_problem(&mut self, problem: &FieldProblem) {
        match self.row_of(problem) {
            Some(row) => {
                self.open(problem.field.row().page);
                self.focus_row(row);
            }
            // No row fixes the problem, but its card shows it.
            None => self.open(Page::Review),
        }
    }

    /// Focuses a row of the page.
    pub(super) fn focus_row(&mut self, row: FormRow) {
        self.focus[self.page.position()] = Some(row);
    }

    /// Handles a click on a step.
    pub(super) fn click_step(&mut self, page: Page) {
        if !self.asks_before(Destination::Page(page, None)) {
            self.open(page);
        }
    }

    /// Handles a click on a line: focuses it, or presses it if it has the focus.
    pub(super) fn click_row(&mut self, row: FormRow) {
        if !self.asks_before(Destination::Row(row)) {
            self.take_click(row);
        }
    }

    fn take_click(&mut self, row: FormRow) {
        if let Some(at) = row.clicked_choice().filter(|_| !self.rows().contains(&row)) {
            let (form, info) = self.form_mut(self.page);
            form.clicked(row.field, at, info);
            self.focus_row(FormRow::of(row.field));
            return self.check();
        }
        if self.row() != row {
            return self.focus_row(row);
        }
        let (form, info) = self.form_mut(self.page);
        form.pressed(row, info);
        self.check();
    }

    /// Handles the wheel, which moves like the up and down keys.
    pub(super) fn scroll(&mut self, action: Action) {
        let row = self.row();
        let (form, info) = self.form_mut(self.page);
        let to = match form.action(row, action, None, info) {
            FormResponse::Ignored => {
                self.neighbor_row(if action == Action::ListDown { 1 } else { -1 })
            }
            FormResponse::Focus(row) => Some(row),
            _ => return self.check(),
        };
        if let Some(to) = to
            && !self.asks_before(Destination::Page(self.page, Some(to)))
        {
            self.focus_row(to);
        }
    }

    /// The next row of the page, `None` if there is none.
    pub(super) fn neighbor_row(&self, by: isize) -> Option<FormRow> {
        let (rows, row) = (self.rows(), self.row());
        let at = rows.iter().position(|it| *it == row).unwrap_or(0);
        let next = at.checked_add_signed(by)?;
        rows.get(next).copied()
    }

    /// The next field, which is on the next page after the last field of this page.
    pub(super) fn neighbor_field(&self, by: isize) -> Destination {
        if let Some(row) = self.neighbor_row(by) {
            return Destination::Page(self.page, Some(row));
        }
        let (page, last) = if by > 0 {
            (self.page.next(), false)
        } else {
            (self.page.previous(), true)
        };
        if page == self.page {
            return Destination::Page(page, None);
        }
        let rows = self.form(page).rows(&self.info);
        let row = if last { rows.last() } else { rows.first() };
        Destination::Page(page, row.copied())
    }
}
