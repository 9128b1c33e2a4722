//! The question what to do about a name that is taken.

use super::{Hint, Panel, PanelEnv};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        step::Step,
        transfers::{
            Conflict, ConflictAnswer, ConflictChoice, TransferId, TransferStep, Transfers,
        },
    },
    key::Key,
    model::text::Clean,
};

#[derive(Clone, Debug)]
pub struct ConflictDialog {
    pub transfer: TransferId,
    /// What the transfer does: `Upload of data`.
    pub title: Clean,
    pub conflict: Conflict,
    /// The selected answer. The first one loses nothing.
    pub choice: ConflictChoice,
    pub all: bool,
}

impl ConflictDialog {
    /// The question of the first transfer that asks one.
    #[must_use]
    pub fn of(transfers: &Transfers) -> Option<Self> {
        let (transfer, conflict) = transfers.asking()?;
        let title = tr!(
            "{verb} of {quoted}",
            verb = transfer.job.verb(),
            quoted = transfer.job.quoted()
        );
        Some(Self {
            transfer: transfer.id,
            title: Clean::new(&title),
            conflict: conflict.clone(),
            choice: ConflictChoice::default(),
            all: false,
        })
    }

    /// Whether the transfer still waits for the answer.
    pub fn is_asked(&self, transfers: &Transfers) -> bool {
        let asking = transfers.asking();
        asking.is_some_and(|(it, conflict)| {
            it.id == self.transfer && conflict.name == self.conflict.name
        })
    }

    fn answer(&self, choice: ConflictChoice) -> Vec<Step> {
        let answer = ConflictAnswer {
            choice,
            all: self.all,
        };
        let answer = TransferStep::Answer(self.transfer, answer);
        vec![Step::CLOSE, Step::Transfer(answer)]
    }

    fn select(&mut self, by: isize) {
        let all = ConflictChoice::ALL;
        let at = all.iter().position(|it| *it == self.choice).unwrap_or(0);
        let at = (at.cast_signed() + by).rem_euclid(all.len().cast_signed());
        self.choice = all[at.cast_unsigned()];
    }
}

const HINTS: &[Hint] = &[
    (
        Scope::Conflict,
        &[Action::ConflictPress],
        tr_later!("answer"),
    ),
    (
        Scope::Conflict,
        &[Action::ConflictPrevious, Action::ConflictNext],
        tr_later!("other answer"),
    ),
    (
        Scope::Conflict,
        &[Action::ConflictAll],
        tr_later!("for all"),
    ),
    (Scope::Conflict, &[Action::ConflictSkip], tr_later!("skip")),
];

impl Panel for ConflictDialog {
    fn scope(&self) -> Scope {
        Scope::Conflict
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        match action {
            Action::ConflictNext => self.select(1),
            Action::ConflictPrevious => self.select(-1),
            Action::ConflictAll => self.all = !self.all,
            Action::ConflictPress => return self.answer(self.choice),
            Action::ConflictSkip | Action::Back => return self.back(env),
            _ => {}
        }
        Vec::new()
    }

    fn back(&mut self, _: &PanelEnv<'_>) -> Vec<Step> {
        self.answer(ConflictChoice::Skip)
    }

    /// The rows of the dialog are its answers.
    fn click(&mut self, part: DialogPart, _: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Row(row) => match ConflictChoice::ALL.get(row) {
                Some(choice) => self.answer(*choice),
                None => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    fn hints(&self) -> Vec<Hint> {
        HINTS.to_vec()
    }
}
