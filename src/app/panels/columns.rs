//! The list of columns of a tab: which are shown, in which order, how wide.

use super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        sessions::{
            columns::{ColumnChoice, ColumnChoices},
            sort::Column,
        },
        step::Step,
    },
    key::Key,
    model::status::Tab,
};

/// The narrowest and the widest column that can be set.
const WIDTHS: (u16, u16) = (4, 80);

#[derive(Clone, Debug)]
pub struct ColumnPicker {
    pub tab: Tab,
    pub choices: ColumnChoices,
    pub list: ListCursor,
    /// The widths on the screen, from which a width is changed.
    widths: Vec<(Column, u16)>,
}

impl ColumnPicker {
    /// `widths` are the columns on the screen.
    #[must_use]
    pub fn new(tab: Tab, choices: ColumnChoices, widths: Vec<(Column, u16)>) -> Self {
        Self {
            tab,
            choices,
            list: ListCursor::default(),
            widths,
        }
    }

    fn marked(&mut self) -> Option<&mut ColumnChoice> {
        self.choices.get_mut(self.list.marked())
    }

    fn toggle(&mut self) {
        if let Some(choice) = self.marked()
            && choice.column != Column::Name
        {
            choice.shown = !choice.shown;
        }
    }

    fn shift(&mut self, by: isize) {
        let at = self.list.marked();
        let to = at.saturating_add_signed(by);
        if to != at && to < self.choices.len() {
            self.choices.swap(at, to);
            self.list.go_to(to, self.choices.len());
        }
    }

    fn resize(&mut self, by: i16) {
        let widths = self.widths.clone();
        if let Some(choice) = self.marked() {
            let on_screen = widths.iter().find(|(column, _)| *column == choice.column);
            let now = choice.width.or(on_screen.map(|(_, width)| *width));
            let width = now.unwrap_or(12).saturating_add_signed(by);
            choice.width = Some(width.clamp(WIDTHS.0, WIDTHS.1));
        }
    }

    /// The change is visible at once.
    fn apply(&self) -> Vec<Step> {
        let columns = self.choices.clone();
        vec![Step::Columns {
            tab: self.tab,
            columns,
        }]
    }
}

const HINTS: &[Hint] = &[
    (Scope::Columns, &[Action::ColumnToggle], tr_later!("show")),
    (
        Scope::Columns,
        &[Action::ColumnDown, Action::ColumnUp],
        tr_later!("reorder"),
    ),
    (
        Scope::Columns,
        &[Action::ColumnWider, Action::ColumnNarrower],
        tr_later!("width"),
    ),
    (
        Scope::Columns,
        &[Action::ColumnAutomatic],
        tr_later!("fit width"),
    ),
    (
        Scope::Columns,
        &[Action::ColumnReset],
        tr_later!("reset all"),
    ),
    (Scope::Columns, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

impl Panel for ColumnPicker {
    fn scope(&self) -> Scope {
        Scope::Columns
    }

    fn action(&mut self, action: Action, _: Option<Key>, _: &PanelEnv<'_>) -> Vec<Step> {
        if self.list.action(action, self.choices.len()) {
            return Vec::new();
        }
        match action {
            Action::ColumnToggle => self.toggle(),
            Action::ColumnDown => self.shift(1),
            Action::ColumnUp => self.shift(-1),
            Action::ColumnWider => self.resize(1),
            Action::ColumnNarrower => self.resize(-1),
            Action::ColumnAutomatic => {
                if let Some(choice) = self.marked() {
                    choice.width = None;
                }
            }
            Action::ColumnReset => {
                let columns = Vec::new();
                let tab = self.tab;
                return vec![Step::CLOSE, Step::Columns { tab, columns }];
            }
            Action::Back => return vec![Step::CLOSE],
            _ => return Vec::new(),
        }
        self.apply()
    }

    fn click(&mut self, part: DialogPart, _: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Outside => vec![Step::CLOSE],
            DialogPart::Row(row) => {
                self.list
                    .go_to(self.list.scroll() + row, self.choices.len());
                self.toggle();
                self.apply()
            }
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, _: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), self.choices.len());
    }

    fn laid_out(&mut self, height: usize, _: &PanelEnv<'_>) {
        self.list.laid_out(height, self.choices.len());
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}
