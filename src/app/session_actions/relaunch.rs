//! Relaunches a session with its settings.

use super::SessionAction;
use crate::{
    action::Action,
    app::step::{Purpose, Step},
    model::{request::SessionRequest, session::Session},
    protocol::message::Request,
    rules::{
        launch::grown::Grown,
        verdict::{memory_of_one, ran_out_of_memory},
    },
};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionAgain,
    run: |session, _| ask(session).into(),
    ..SessionAction::BASE
}];

/// Requests the settings of the session. The answer opens a launcher.
fn ask(session: &Session) -> Step {
    let short = ran_out_of_memory(session);
    let memory = short.then(|| memory_of_one(session));
    // A generated name isn't kept.
    let generated = session.name.as_str().ends_with("-session");
    Step::Ask {
        request: Request::session(session.key(), SessionRequest::Again),
        purpose: Purpose::Again {
            context: session.context,
            name: (!generated).then(|| session.name.clone()),
            grown: memory.filter(|memory| memory.0 > 0).map(Grown::from),
        },
    }
}
