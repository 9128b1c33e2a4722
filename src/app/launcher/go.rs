//! Where one goes in the wizard: to a page, to a row, to a field.

use super::{Heard, Launcher, Page, Row};
use crate::{action::Action, model::launch::FieldProblem};

impl Launcher {
    /// Shows a page.
    pub fn open(&mut self, page: Page) {
        self.page = page;
        self.seen[page.position()] = true;
    }

    /// Shows a page; where something is wrong on it, that.
    pub(super) fn open_to_mend(&mut self, page: Page) {
        let wrong = self.wrong_on(page).next();
        match wrong.map(|(field, why)| FieldProblem::new(field, why)) {
            Some(problem) => self.go_to_problem(&problem),
            None => self.open(page),
        }
    }

    /// Goes to where a problem is mended.
    pub(super) fn go_to_problem(&mut self, problem: &FieldProblem) {
        let page = Page::of(problem.field);
        match self.form(page).row_of(problem, &self.offer) {
            Some(row) => {
                self.open(page);
                self.stand_on(row);
            }
            // Nowhere to be mended: its card says it.
            None => self.open(Page::Review),
        }
    }

    /// Gives a row of the page the focus.
    pub fn stand_on(&mut self, row: Row) {
        self.focus[self.page.position()] = Some(row);
    }

    /// A line was clicked: it gets the focus; one that has it already is pressed.
    pub fn press(&mut self, row: Row) {
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

    /// A turn of the wheel moves as up and down do.
    pub fn wheel(&mut self, action: Action) {
        let row = self.row();
        let (form, offer) = self.form_mut(self.page);
        if form.action(row, action, None, offer) == Heard::No {
            self.step_row(if action == Action::ListDown { 1 } else { -1 });
        } else {
            self.check();
        }
    }

    /// To the next row of the page; `false` = there is none.
    pub(super) fn step_row(&mut self, by: isize) -> bool {
        let rows = self.rows();
        let row = self.row();
        let at = rows.iter().position(|it| *it == row).unwrap_or(0);
        let next = at.checked_add_signed(by).and_then(|at| rows.get(at));
        if let Some(next) = next {
            self.stand_on(*next);
        }
        next.is_some()
    }

    /// To the next field, on the next page where this one ends.
    pub(super) fn step_field(&mut self, by: isize) {
        if self.step_row(by) {
            return;
        }
        let page = if by > 0 {
            self.page.next()
        } else {
            self.page.previous()
        };
        if page != self.page {
            self.open(page);
            let rows = self.rows();
            let row = if by > 0 { rows.first() } else { rows.last() };
            self.focus[page.position()] = row.copied();
        }
    }
}
