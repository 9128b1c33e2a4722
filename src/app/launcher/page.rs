//! The rows of the launcher's pages, and what the form of a page does.

use super::offer::Offer;
pub use crate::model::launch::page::Page;
use crate::{
    action::Action,
    app::step::Step,
    key::Key,
    model::{
        launch::{FieldProblem, LaunchField},
        spec::LaunchRequest,
    },
};

/// Something a person can stand on: a field, or a line of a field that is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row {
    pub field: LaunchField,
    /// Which line of a list; what the numbers mean is its form's own. 0 of a plain field.
    pub item: usize,
}

impl Row {
    pub const fn of(field: LaunchField) -> Self {
        Self { field, item: 0 }
    }

    pub const fn item(field: LaunchField, item: usize) -> Self {
        Self { field, item }
    }

    /// A choice of a field that is turned through: nobody stands on it, it can only be clicked.
    pub const fn choice(field: LaunchField, at: usize) -> Self {
        Self::item(field, usize::MAX / 2 + at)
    }

    /// The position of the choice that was clicked.
    pub const fn clicked_choice(self) -> Option<usize> {
        self.item.checked_sub(usize::MAX / 2)
    }
}

/// What a form did with an action.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Nothing: the wizard does what it usually means.
    No,
    Yes,
    /// Done, and the focus goes there.
    Goto(Row),
    /// Another page opens, where something is wrong on it.
    Open(Page),
    /// Done; this is asked or shown besides.
    Steps(Vec<Step>),
    /// It asks first; on yes it hears [`Form::confirmed`]. The text, and what a yes does.
    Question(String, &'static str),
}

/// Something half done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undone {
    /// Where it is done.
    pub row: Row,
    /// What is asked before it is left behind.
    pub text: String,
}

/// The form of one page: the text and marks of a person, until they become a request.
pub trait Form {
    /// Where one can stand now, from the top.
    fn rows(&self, offer: &Offer) -> Vec<Row>;

    /// Where one stands when the page is opened for the first time.
    fn first(&self, offer: &Offer) -> Option<Row> {
        self.rows(offer).first().copied()
    }

    /// A key that is text, or edits it; `false` = it is free for others.
    fn key(&mut self, _row: Row, _key: Key, _offer: &Offer) -> bool {
        false
    }

    /// Esc: what is half done in a row is given up; `false` = nothing is.
    fn back(&mut self, _row: Row, _offer: &Offer) -> bool {
        false
    }

    fn paste(&mut self, _row: Row, _text: &str, _offer: &Offer) -> bool {
        false
    }

    /// An action of the launcher's scope, before the wizard hears it. `key` is what was pressed:
    /// left, right and Enter may belong to a text.
    fn action(&mut self, _row: Row, _action: Action, _key: Option<Key>, _offer: &Offer) -> Heard {
        Heard::No
    }

    /// Where the last key, paste or yes took the focus within the page; asked once after each.
    fn moved(&mut self) -> Option<Row> {
        None
    }

    /// A person said yes to what [`Heard::Question`] asked.
    fn confirmed(&mut self, _row: Row, _offer: &Offer) {}

    /// What is half done where one stands and would be left behind by going to `to`; `None` = to
    /// another page.
    fn undone(&self, _row: Row, _to: Option<Row>) -> Option<Undone> {
        None
    }

    /// What is half done in a row goes; gives where `to` is then.
    fn let_go(&mut self, _row: Row, to: Row) -> Row {
        to
    }

    /// A line was clicked that has the focus already.
    fn pressed(&mut self, _row: Row, _offer: &Offer) {}

    /// A choice of a field was clicked; the field gets the focus.
    fn clicked(&mut self, _field: LaunchField, _at: usize, _offer: &Offer) {}

    /// Fills itself from a request: a launch done again, a recipe, the defaults.
    fn read(&mut self, request: &LaunchRequest, offer: &Offer);

    /// Says what it holds; what does not parse is left out and is one of [`Form::problems`].
    fn write(&self, request: &mut LaunchRequest, offer: &Offer);

    /// What is wrong beyond the rules of `model::launch::check`: text that does not parse, rows
    /// half filled.
    fn problems(&self, _offer: &Offer) -> Vec<FieldProblem> {
        Vec::new()
    }

    /// Where a problem is mended: the row of its field; of a list the one it is about.
    fn row_of(&self, problem: &FieldProblem, offer: &Offer) -> Option<Row> {
        let mut rows = self.rows(offer).into_iter();
        rows.find(|row| row.field == problem.field)
    }

    /// What is known of the context changed. `request` is what all forms said before.
    fn offered(&mut self, _offer: &Offer, _request: &LaunchRequest) {}
}
