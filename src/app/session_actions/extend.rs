//! Extends a session or exempts it from idle checks.

use super::{Outcome, SessionAction, not_running};
use crate::{
    action::Action,
    app::{
        panels::extend::ExtendDialog,
        step::{Go, Step},
    },
    model::{capability::Capability, session::Session},
};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionExtend,
    needs: Some(Capability::Reprieve),
    wrong_state,
    run: |session, _| {
        let rules = Step::Go(Go::LoadExtensionRules(session.context));
        Outcome::open_with(ExtendDialog::new(session), vec![rules])
    },
    ..SessionAction::BASE
}];

fn wrong_state(session: &Session) -> Option<String> {
    not_running(session, "only running sessions have idle checks").or_else(|| {
        let is_unchecked = session.idle_checks.is_empty() && !session.reprieve.exempt;
        is_unchecked.then(|| {
            let name = &session.name;
            format!("{name} has no idle limit, so there is nothing to extend")
        })
    })
}
