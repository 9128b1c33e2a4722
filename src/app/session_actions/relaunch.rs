//! Relaunches a session with its settings, in a new home directory or in its own.

use super::{SessionAction, has_run};
use crate::{
    action::Action,
    app::{
        launcher::KeptHome,
        step::{Purpose, Step},
    },
    model::{request::SessionRequest, session::Session},
    protocol::message::Request,
    rules::{
        launch::grown::Grown,
        verdict::{memory_of_one, ran_out_of_memory},
    },
};

pub const ACTIONS: &[SessionAction] = &[
    SessionAction {
        action: Action::SessionAgain,
        run: |session, _| ask(session, None).into(),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionSameHome,
        wrong_state: without_home,
        run: |session, _| in_same_home(session).into(),
        ..SessionAction::BASE
    },
];

/// Why nothing can continue in the home directory of a session.
fn without_home(session: &Session) -> Option<String> {
    let (name, status) = (&session.name, &session.status);
    if !session.has_ended() {
        return Some(tr!(
            "{name} is {status}. Another session can use its home directory after it ended",
            name,
            status
        ));
    }
    if session.home.is_some() {
        return None;
    }
    Some(if has_run(session) {
        tr!(
            "The home directory of {name} was deleted, or another session continues in it",
            name
        )
    } else {
        tr!("{name} never ran, so it has no home directory", name)
    })
}

/// Requests the settings of an ended session, for a launch in its home directory.
pub fn in_same_home(session: &Session) -> Step {
    let home = KeptHome {
        session: session.key(),
        name: session.name.clone(),
    };
    ask(session, Some(home))
}

/// Requests the settings of the session. The answer opens a launcher.
fn ask(session: &Session, home: Option<KeptHome>) -> Step {
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
            home,
        },
    }
}
