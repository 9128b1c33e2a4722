//! The last page: cards with all settings, and the launch button.

use super::{FormResponse, FormRow, LaunchInfo, Page, PageForm};
use crate::{
    action::Action,
    key::Key,
    model::{launch_field::LaunchField as Field, spec::LaunchRequest},
};

/// The line of the launch button.
pub const LAUNCH: FormRow = FormRow::item(Field::Context, 1);

/// The cards, one for each page with fields.
pub const CARDS: [(FormRow, Page); 4] = [
    (FormRow::of(Field::SessionType), Page::Kind),
    (FormRow::of(Field::Environment), Page::Allocation),
    (FormRow::of(Field::Folders), Page::Storage),
    (FormRow::of(Field::PreopenPorts), Page::Network),
];

/// The page of a row's card. For the launch button, the review itself.
pub fn page_of(row: FormRow) -> Page {
    let card = CARDS.iter().find(|(card, _)| *card == row);
    card.map_or(Page::Review, |(_, page)| *page)
}

#[derive(Clone, Debug, Default)]
pub struct ReviewForm;

impl PageForm for ReviewForm {
    fn rows(&self, _info: &LaunchInfo) -> Vec<FormRow> {
        let cards = CARDS.iter().map(|(row, _)| *row);
        cards.chain([LAUNCH]).collect()
    }

    fn first(&self, _info: &LaunchInfo) -> Option<FormRow> {
        Some(LAUNCH)
    }

    fn action(
        &mut self,
        row: FormRow,
        action: Action,
        _key: Option<Key>,
        _info: &LaunchInfo,
    ) -> FormResponse {
        let edits = matches!(
            action,
            Action::LauncherContinue | Action::LauncherEdit | Action::LauncherMore
        );
        match page_of(row) {
            Page::Review => FormResponse::Ignored,
            page if edits => FormResponse::OpenPage(page),
            _ => FormResponse::Ignored,
        }
    }

    fn read(&mut self, _request: &LaunchRequest, _info: &LaunchInfo) {}

    fn write(&self, _request: &mut LaunchRequest, _info: &LaunchInfo) {}
}
