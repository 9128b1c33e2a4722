//! A session in the queue: why it waits, and its priority.

use super::{Connection, Outcome, SessionAction, not_pending};
use crate::{
    action::Action,
    app::panels::{priority::PriorityForm, waiting::WaitingDialog},
    model::capability::Capability,
};

pub const ACTIONS: &[SessionAction] = &[
    SessionAction {
        action: Action::SessionWhyNot,
        state_first: true,
        wrong_state: |session| not_pending(session, "wait"),
        run: |session, _| {
            Outcome::open_with(WaitingDialog::new(session), WaitingDialog::ask(session))
        },
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionPriority,
        needs: Some(Capability::Priority),
        always_in_help: true,
        wrong_state: |session| not_pending(session, "have a priority to change"),
        connection: |_| Connection::Daemon,
        run: |session, _| Outcome::open(PriorityForm::new(session)),
        ..SessionAction::BASE
    },
];
