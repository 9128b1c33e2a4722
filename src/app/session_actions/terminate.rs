//! Terminates a session, after a dialog.

use super::{Connection, Outcome, SessionAction};
use crate::{
    action::Action,
    app::panels::{PanelEnv, terminate::TerminateDialog},
    model::{capability::Capability, session::Session, status::Status},
};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionTerminate,
    wrong_state: |session| {
        let has_ended = session.has_ended();
        has_ended.then(|| format!("{} has already ended", session.name))
    },
    connection: |session| match session.status {
        // The engine has nothing left of the session, so only its record is removed.
        Status::Error => Connection::Daemon,
        _ => Connection::Engine,
    },
    run: open_dialog,
    ..SessionAction::BASE
}];

fn open_dialog(session: &Session, env: &PanelEnv<'_>) -> Outcome {
    let theirs = env.mirror.can(session.context, Capability::Schedules);
    let days = (!theirs).then_some(env.facts.keep_days);
    let shells = env.panes.open_in(session.key());
    let mut dialog = TerminateDialog::new(session, shells, days);
    let steps = dialog.ask_files(session).into_iter().collect();
    Outcome::open_with(dialog, steps)
}
