//! The list of transfers: how far each is, and how it ended.

use super::{Hint, MOVE, Panel, PanelEnv, scroll::ListCursor};
use crate::{
    action::{Action, Scope},
    app::{
        area::DialogPart,
        step::Step,
        transfers::{Transfer, TransferState, TransferStep, Transfers},
    },
    key::Key,
    model::notice::Level,
};

#[derive(Clone, Debug, Default)]
pub struct TransferList {
    pub list: ListCursor,
    has_rows: bool,
}

impl TransferList {
    /// The transfers, the newest first.
    pub fn rows<'a>(&self, transfers: &'a Transfers) -> Vec<&'a Transfer> {
        transfers.list().rev().collect()
    }

    fn marked<'a>(&self, transfers: &'a Transfers) -> Option<&'a Transfer> {
        self.rows(transfers).get(self.list.marked()).copied()
    }

    fn act(action: Action, transfer: &Transfer) -> Vec<Step> {
        let id = transfer.id;
        let step = match action {
            Action::TransferCancel if !transfer.state.is_open() => {
                return vec![Step::toast(Level::Info, tr!("this transfer has ended"))];
            }
            Action::TransferCancel => TransferStep::Cancel(id),
            Action::TransferResume if !transfer.state.can_resume() => {
                let text = tr!("only an interrupted, failed or cancelled transfer can be resumed");
                return vec![Step::toast(Level::Info, text)];
            }
            Action::TransferResume => TransferStep::Resume(id),
            Action::TransferForget if transfer.state.is_open() => TransferStep::Cancel(id),
            Action::TransferForget => TransferStep::Forget(id),
            Action::TransferOpen => {
                // A question opens automatically while this list is on top.
                if matches!(transfer.state, TransferState::Asking(_)) {
                    return Vec::new();
                }
                let (place, path) = transfer.job.target();
                let place = place.clone();
                return vec![Step::CLOSE, Step::Explore { place, path }];
            }
            _ => return Vec::new(),
        };
        vec![Step::Transfer(step)]
    }
}

const HINTS: &[Hint] = &[
    (
        Scope::Transfers,
        &[Action::TransferOpen],
        tr_later!("show files"),
    ),
    (
        Scope::Transfers,
        &[Action::TransferCancel],
        tr_later!("cancel"),
    ),
    (
        Scope::Transfers,
        &[Action::TransferResume],
        tr_later!("resume"),
    ),
    (
        Scope::Transfers,
        &[Action::TransferForget],
        tr_later!("remove"),
    ),
    (Scope::Transfers, MOVE, tr_later!("move")),
    (Scope::Global, &[Action::Back], tr_later!("close")),
];

const EMPTY_HINTS: &[Hint] = &[(Scope::Global, &[Action::Back], tr_later!("close"))];

impl Panel for TransferList {
    fn scope(&self) -> Scope {
        Scope::Transfers
    }

    fn action(&mut self, action: Action, _: Option<Key>, env: &PanelEnv<'_>) -> Vec<Step> {
        if self.list.action(action, env.transfers.list().len()) {
            return Vec::new();
        }
        match (action, self.marked(env.transfers)) {
            (Action::Back, _) => vec![Step::CLOSE],
            (action, Some(transfer)) => Self::act(action, transfer),
            (_, None) => vec![Step::toast(Level::Info, tr!("no transfer is selected"))],
        }
    }

    fn click(&mut self, part: DialogPart, env: &PanelEnv<'_>) -> Vec<Step> {
        match part {
            DialogPart::Outside => vec![Step::CLOSE],
            DialogPart::Row(row) => {
                let at = self.list.scroll() + row;
                self.list.go_to(at, env.transfers.list().len());
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn wheel(&mut self, by: isize, env: &PanelEnv<'_>) {
        self.list.move_by(by.signum(), env.transfers.list().len());
    }

    fn laid_out(&mut self, height: usize, env: &PanelEnv<'_>) {
        let count = env.transfers.list().len();
        self.list.laid_out(height, count);
        self.has_rows = count > 0;
    }

    fn hints(&self) -> Vec<Hint> {
        let hints = if self.has_rows { HINTS } else { EMPTY_HINTS };
        hints.to_vec()
    }
}
