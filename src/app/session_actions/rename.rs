//! Renames a session.

use super::{Outcome, SessionAction, not_running};
use crate::{action::Action, app::panels::rename::Rename, model::capability::Capability};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionRename,
    needs: Some(Capability::Rename),
    wrong_state: |session| not_running(session, "only running sessions can be renamed"),
    run: |session, _| Outcome::open(Rename::new(session.key(), &session.name)),
    ..SessionAction::BASE
}];
