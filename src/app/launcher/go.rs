//! Moves in the launcher: to a page, a row, or a problem. Asks for confirmation before it leaves something
//! unfinished.

use jiff::Timestamp;

use super::{Heard, LAUNCH, Launcher, Overlay, Page, Question, Row, help::Topic, review::page_of};
use crate::{
    action::Action,
    app::{mirror::Mirror, step::Step},
    model::launch_field::FieldProblem,
};

/// A destination in the launcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// A page, and a row of it or the row that had the focus there.
    To(Page, Option<Row>),
    /// A line that was clicked.
    Click(Row),
    /// The launch.
    Launch,
}

impl Way {
    /// The row of `page` that it leads to.
    fn row_on(self, page: Page) -> Option<Row> {
        match self {
            Self::To(to, row) => row.filter(|_| to == page),
            Self::Click(row) => Some(row),
            Self::Launch => None,
        }
    }

    fn with_row(self, row: Row) -> Self {
        match self {
            Self::To(page, _) => Self::To(page, Some(row)),
            Self::Click(_) => Self::Click(row),
            Self::Launch => self,
        }
    }
}

impl Launcher {
    /// Goes to the destination. Asks for confirmation if something unfinished would be left.
    pub(super) fn leave(&mut self, way: Way, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        if self.asks_before(way) {
            return Vec::new();
        }
        self.go(way, mirror, now)
    }

    fn asks_before(&mut self, way: Way) -> bool {
        if way == Way::To(self.page, None) {
            return false;
        }
        let form = self.form(self.page);
        let undone = form.undone(self.row(), way.row_on(self.page));
        let asks = undone.is_some();
        if let Some(undone) = undone {
            self.overlay = Some(Overlay::Question(Question::leave(undone, way)));
        }
        asks
    }

    fn go(&mut self, way: Way, mirror: &Mirror, now: Timestamp) -> Vec<Step> {
        match way {
            Way::To(page, row) => {
                self.open(page);
                self.focus[page.position()] = row.or(self.focus[page.position()]);
            }
            Way::Click(row) => self.take_click(row),
            Way::Launch => return self.launch(mirror, now),
        }
        Vec::new()
    }

    /// Discards the unfinished row and goes to the destination.
    pub(super) fn leave_without(
        &mut self,
        row: Row,
        way: Way,
        mirror: &Mirror,
        now: Timestamp,
    ) -> Vec<Step> {
        let page = self.page;
        let (form, _) = self.form_mut(page);
        let to = way.row_on(page);
        let then = form.let_go(row, to.unwrap_or(row));
        let way = to.map_or(way, |_| way.with_row(then));
        let mut steps = self.changed(mirror, now);
        steps.extend(self.go(way, mirror, now));
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
    pub(super) fn way_on(&self) -> Way {
        if self.page == Page::Review {
            return Way::Launch;
        }
        if self.goes_back_to_review() {
            return Way::To(Page::Review, Some(LAUNCH));
        }
        Way::To(self.page.next(), None)
    }

    /// The topic that the focused row explains.
    pub(super) fn topic(&self) -> Topic {
        match self.page {
            Page::Review => Topic::Card(page_of(self.row())),
            _ => Topic::Field(self.row().field),
        }
    }

    /// Shows a page. If it has a problem, focuses that.
    pub(super) fn open_to_mend(&mut self, page: Page) {
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
                self.stand_on(row);
            }
            // No row fixes the problem, but its card shows it.
            None => self.open(Page::Review),
        }
    }

    /// Focuses a row of the page.
    pub(super) fn stand_on(&mut self, row: Row) {
        self.focus[self.page.position()] = Some(row);
    }

    /// Handles a click on a step.
    pub(super) fn click_step(&mut self, page: Page) {
        if !self.asks_before(Way::To(page, None)) {
            self.open(page);
        }
    }

    /// Handles a click on a line: focuses it, or presses it if it has the focus.
    pub(super) fn click_row(&mut self, row: Row) {
        if !self.asks_before(Way::Click(row)) {
            self.take_click(row);
        }
    }

    fn take_click(&mut self, row: Row) {
        if let Some(at) = row.clicked_choice().filter(|_| !self.rows().contains(&row)) {
            let (form, offer) = self.form_mut(self.page);
            form.clicked(row.field, at, offer);
            self.stand_on(Row::of(row.field));
            return self.check();
        }
        if self.row() != row {
            return self.stand_on(row);
        }
        let (form, offer) = self.form_mut(self.page);
        form.pressed(row, offer);
        self.check();
    }

    /// Handles the wheel, which moves like the up and down keys.
    pub(super) fn scroll(&mut self, action: Action) {
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        let to = match form.action(row, action, None, offer) {
            Heard::No => self.row_beside(if action == Action::ListDown { 1 } else { -1 }),
            Heard::Goto(row) => Some(row),
            _ => return self.check(),
        };
        if let Some(to) = to
            && !self.asks_before(Way::To(self.page, Some(to)))
        {
            self.stand_on(to);
        }
    }

    /// The next row of the page, `None` if there is none.
    pub(super) fn row_beside(&self, by: isize) -> Option<Row> {
        let (rows, row) = (self.rows(), self.row());
        let at = rows.iter().position(|it| *it == row).unwrap_or(0);
        let next = at.checked_add_signed(by)?;
        rows.get(next).copied()
    }

    /// The next field, which is on the next page after the last field of this page.
    pub(super) fn field_beside(&self, by: isize) -> Way {
        if let Some(row) = self.row_beside(by) {
            return Way::To(self.page, Some(row));
        }
        let (page, last) = if by > 0 {
            (self.page.next(), false)
        } else {
            (self.page.previous(), true)
        };
        if page == self.page {
            return Way::To(page, None);
        }
        let rows = self.form(page).rows(&self.offer);
        let row = if last { rows.last() } else { rows.first() };
        Way::To(page, row.copied())
    }
}
