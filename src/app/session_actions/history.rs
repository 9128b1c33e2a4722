//! Shows the scheduling history of a session.

use super::{Connection, Outcome, SessionAction};
use crate::{action::Action, app::panels::history::HistoryTable, model::capability::Capability};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionHistory,
    changes: false,
    needs: Some(Capability::SchedulingHistory),
    connection: |_| Connection::Daemon,
    run: |session, _| {
        let mut table = HistoryTable::new(session.key(), session.name.clone());
        let ask = table.ask();
        Outcome::open_with(table, vec![ask])
    },
    ..SessionAction::BASE
}];
