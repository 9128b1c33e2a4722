//! Decides whether an action is possible now. Every disabled action has a reason. The conditions of the actions on
//! a session are in `session_actions`.

use super::{
    facts::Facts,
    mirror::{DaemonConnection, Mirror},
    session_actions::{self, Connection, SessionAction},
    shown_contexts::ShownContexts,
};
use crate::{
    action::Action,
    model::{
        capability::{Capability, EngineState},
        id::ContextName,
        session::Session,
    },
};

/// Returns why `action` isn't possible for the selected session or in the contexts `shown`, `None` if it is
/// possible.
pub fn why_not(
    action: Action,
    session: Option<&Session>,
    shown: ShownContexts,
    mirror: &Mirror,
    facts: &Facts,
) -> Option<String> {
    match action {
        Action::SessionLaunch => why_no_launch(shown, mirror, facts),
        Action::SessionsRefresh | Action::LauncherRecents => daemon_disconnected(mirror),
        _ => {
            let action = session_actions::find(action)?;
            match session {
                None => Some(tr!("no session is selected").to_owned()),
                Some(session) => with_session(action, session, mirror, facts),
            }
        }
    }
}

/// Whether none of the shown engines supports the action, whatever the session.
pub fn lacking(action: Action, shown: ShownContexts, mirror: &Mirror) -> bool {
    let needs = session_actions::find(action)
        .filter(|it| !it.always_in_help)
        .and_then(|it| it.needs);
    let Some(capability) = needs else {
        return false;
    };
    let mut shown = mirror
        .shown(shown)
        .map(|state| state.context.name)
        .peekable();
    shown.peek().is_some() && shown.all(|name| mirror.why_not(name, capability).is_some())
}

/// With all contexts shown, one context that accepts a launch is enough.
fn why_no_launch(shown: ShownContexts, mirror: &Mirror, facts: &Facts) -> Option<String> {
    let mut first = None;
    for state in mirror.shown(shown) {
        let why = changes(facts).or_else(|| why_no_launch_in(state.context.name, mirror))?;
        first.get_or_insert(why);
    }
    first
        .or_else(|| changes(facts))
        .or_else(|| daemon_disconnected(mirror))
}

/// Why nothing can be changed, whatever the context.
pub fn why_no_change(facts: &Facts) -> Option<String> {
    changes(facts)
}

/// Why nothing can be changed in this context.
pub fn why_read_only(context: ContextName, mirror: &Mirror, facts: &Facts) -> Option<String> {
    changes(facts).or_else(|| read_only(mirror, context))
}

/// Why nothing can be launched in this context now.
pub fn why_no_launch_in(context: ContextName, mirror: &Mirror) -> Option<String> {
    read_only(mirror, context).or_else(|| unreachable(mirror, context))
}

fn with_session(
    action: &SessionAction,
    session: &Session,
    mirror: &Mirror,
    facts: &Facts,
) -> Option<String> {
    let context = session.context;
    let wrong_state = || (action.wrong_state)(session);
    let first = action.state_first.then(wrong_state).flatten();
    first
        .or_else(|| {
            let change = action.changes.then(|| changes(facts));
            change?.or_else(|| read_only(mirror, context))
        })
        .or_else(|| lacks(mirror, context, action.needs?))
        .or_else(wrong_state)
        .or_else(|| match (action.connection)(session) {
            Connection::None => None,
            Connection::Daemon => daemon_disconnected(mirror),
            Connection::Engine => unreachable(mirror, context),
        })
}

fn lacks(mirror: &Mirror, context: ContextName, capability: Capability) -> Option<String> {
    mirror.why_not(context, capability).map(ToString::to_string)
}

fn changes(facts: &Facts) -> Option<String> {
    facts
        .read_only
        .then(|| tr!("read-only: the setting `ui.read-only` is on").to_owned())
}

/// Why nothing can be changed in this context.
pub fn read_only(mirror: &Mirror, context: ContextName) -> Option<String> {
    mirror
        .context(context)
        .is_some_and(|state| state.context.read_only)
        .then(|| {
            tr!(
                "read-only: contexts.toml has read-only for the context {context}",
                context
            )
        })
}

/// The daemon or the context's engine isn't connected.
fn unreachable(mirror: &Mirror, context: ContextName) -> Option<String> {
    daemon_disconnected(mirror).or_else(|| match mirror.engine(context) {
        Some(EngineState::Lost { why, .. }) => Some(why.to_string()),
        _ => None,
    })
}

fn daemon_disconnected(mirror: &Mirror) -> Option<String> {
    match mirror.connection() {
        DaemonConnection::Up => None,
        DaemonConnection::Connecting => Some(tr!("still connecting to the daemon").to_owned()),
        DaemonConnection::Down { .. } => {
            Some(tr!("daemon disconnected. Retrying automatically").to_owned())
        }
        DaemonConnection::Refused(failure) => Some(failure.to_string()),
    }
}
