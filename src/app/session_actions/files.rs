//! Shows the files of a running session, or of the home directory that an ended one left.

use super::{Connection, Outcome, SessionAction, has_run};
use crate::{
    action::Action,
    app::{panels::PanelEnv, step::Step},
    model::{files::FilePlace, session::Session},
};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionFiles,
    changes: false,
    always_in_help: true,
    wrong_state: without_files,
    connection: |_| Connection::Engine,
    run: open,
    ..SessionAction::BASE
}];

fn without_files(session: &Session) -> Option<String> {
    let name = &session.name;
    match &session.status {
        status if status.is_live() => None,
        status if status.is_final() && !has_run(session) => {
            Some(tr!("{name} never ran, so it has no files", name))
        }
        status if status.is_final() => None,
        status => Some(tr!(
            "{name} is {status}: its files open when it runs",
            name,
            status
        )),
    }
}

fn open(session: &Session, _: &PanelEnv<'_>) -> Outcome {
    Step::explore(FilePlace::Session {
        session: session.key(),
    })
    .into()
}
