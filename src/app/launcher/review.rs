//! The last page: cards with all settings, and the launch button.

use super::{Form, Heard, Offer, Page, Row};
use crate::{
    action::Action,
    key::Key,
    model::{launch_field::LaunchField as Field, spec::LaunchRequest},
};

/// The line of the launch button.
pub const LAUNCH: Row = Row::item(Field::Context, 1);

/// The cards, one for each page with fields.
pub const CARDS: [(Row, Page); 4] = [
    (Row::of(Field::SessionType), Page::Kind),
    (Row::of(Field::Environment), Page::Allocation),
    (Row::of(Field::Folders), Page::Storage),
    (Row::of(Field::PreopenPorts), Page::Network),
];

/// The page of a row's card. For the launch button, the review itself.
pub fn page_of(row: Row) -> Page {
    let card = CARDS.iter().find(|(card, _)| *card == row);
    card.map_or(Page::Review, |(_, page)| *page)
}

#[derive(Clone, Debug, Default)]
pub struct Review;

impl Form for Review {
    fn rows(&self, _offer: &Offer) -> Vec<Row> {
        let cards = CARDS.iter().map(|(row, _)| *row);
        cards.chain([LAUNCH]).collect()
    }

    fn first(&self, _offer: &Offer) -> Option<Row> {
        Some(LAUNCH)
    }

    fn action(&mut self, row: Row, action: Action, _key: Option<Key>, _offer: &Offer) -> Heard {
        let edits = matches!(
            action,
            Action::LauncherGoOn | Action::LauncherEdit | Action::LauncherMore
        );
        match page_of(row) {
            Page::Review => Heard::No,
            page if edits => Heard::Open(page),
            _ => Heard::No,
        }
    }

    fn read(&mut self, _request: &LaunchRequest, _offer: &Offer) {}

    fn write(&self, _request: &mut LaunchRequest, _offer: &Offer) {}
}
