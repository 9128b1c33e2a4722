//! The rows of the launcher's pages, and the interface of a page's form.

use super::info::LaunchInfo;
pub use crate::rules::launch::page::Page;
use crate::{
    action::Action,
    app::step::Step,
    key::Key,
    model::{
        launch_field::{FieldProblem, LaunchField},
        spec::LaunchRequest,
    },
};

/// A row that can have the focus: a field, or a line of a field that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FormRow {
    pub field: LaunchField,
    /// The line of a list. The form decides what the numbers mean. A plain field has 0.
    pub item: usize,
}

impl FormRow {
    pub const fn of(field: LaunchField) -> Self {
        Self { field, item: 0 }
    }

    pub const fn item(field: LaunchField, item: usize) -> Self {
        Self { field, item }
    }

    /// An option of a field. It never has the focus, but you can click it.
    pub const fn choice(field: LaunchField, at: usize) -> Self {
        Self::item(field, usize::MAX / 2 + at)
    }

    /// The position of the option that was clicked.
    pub const fn clicked_choice(self) -> Option<usize> {
        self.item.checked_sub(usize::MAX / 2)
    }
}

/// The result of an action in a form.
#[derive(Clone, Debug, PartialEq)]
pub enum FormResponse {
    /// The form didn't use the action, so the launcher handles it.
    Ignored,
    Handled,
    /// The form used the action, and the focus goes to this row.
    Focus(FormRow),
    /// The launcher opens another page and focuses its problem.
    OpenPage(Page),
    /// The form used the action, and these steps follow.
    Steps(Vec<Step>),
    /// The form asks for confirmation and calls [`PageForm::confirmed`] on yes. The text, and the label of the
    /// button Yes.
    Confirm(String, &'static str),
}

/// Something unfinished.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfinished {
    /// The row that is unfinished.
    pub row: FormRow,
    /// The question before it is left.
    pub text: String,
}

/// The form of one page. It stores your texts and choices until they become a request.
pub trait PageForm {
    /// The rows that can have the focus, from the top.
    fn rows(&self, info: &LaunchInfo) -> Vec<FormRow>;

    /// The row that has the focus when the page opens for the first time.
    fn first(&self, info: &LaunchInfo) -> Option<FormRow> {
        self.rows(info).first().copied()
    }

    /// Handles a key that types or edits. Returns `false` if the key isn't used.
    fn key(&mut self, _row: FormRow, _key: Key, _info: &LaunchInfo) -> bool {
        false
    }

    /// Handles Esc, which discards the unfinished part of a row. Returns `false` if there is none.
    fn back(&mut self, _row: FormRow, _info: &LaunchInfo) -> bool {
        false
    }

    fn paste(&mut self, _row: FormRow, _text: &str, _info: &LaunchInfo) -> bool {
        false
    }

    /// Handles an action before the launcher does. `key` is the pressed key, because left, right and Enter
    /// can belong to a text.
    fn action(
        &mut self,
        _row: FormRow,
        _action: Action,
        _key: Option<Key>,
        _info: &LaunchInfo,
    ) -> FormResponse {
        FormResponse::Ignored
    }

    /// The row that the last key, paste or confirmation moved the focus to. The launcher asks once after each
    /// of them.
    fn moved(&mut self) -> Option<FormRow> {
        None
    }

    /// Handles a confirmation of [`FormResponse::Confirm`].
    fn confirmed(&mut self, _row: FormRow, _info: &LaunchInfo) -> Vec<Step> {
        Vec::new()
    }

    /// The unfinished part of a row that would be left by going to `to`, which is `None` for another page.
    fn unfinished(&self, _row: FormRow, _to: Option<FormRow>) -> Option<Unfinished> {
        None
    }

    /// Discards the unfinished part of a row. Returns the new position of `to`.
    fn discard(&mut self, _row: FormRow, to: FormRow) -> FormRow {
        to
    }

    /// Handles a click on a line that already has the focus.
    fn pressed(&mut self, _row: FormRow, _info: &LaunchInfo) {}

    /// Handles a click on an option of a field. The field gets the focus.
    fn clicked(&mut self, _field: LaunchField, _at: usize, _info: &LaunchInfo) {}

    /// Fills the form from a request: a relaunch, a recipe, or the defaults.
    fn read(&mut self, request: &LaunchRequest, info: &LaunchInfo);

    /// Writes the form to a request. Texts that don't parse are left out and are reported by
    /// [`PageForm::problems`].
    fn write(&self, request: &mut LaunchRequest, info: &LaunchInfo);

    /// The problems in addition to the rules of `rules::launch::check`: texts that don't parse, and
    /// incomplete rows.
    fn problems(&self, _info: &LaunchInfo) -> Vec<FieldProblem> {
        Vec::new()
    }

    /// The row that fixes a problem: the row of its field, or the affected row of a list.
    fn row_of(&self, problem: &FieldProblem, info: &LaunchInfo) -> Option<FormRow> {
        let mut rows = self.rows(info).into_iter();
        rows.find(|row| row.field == problem.field)
    }

    /// Takes a change of the context's data. `request` is the previous content of all forms.
    fn info_changed(&mut self, _info: &LaunchInfo, _request: &LaunchRequest) {}
}
