//! Whether an action makes sense now, and why not: a disabled action always has its reason.

use super::{
    facts::Facts,
    mirror::{Line, Mirror},
};
use crate::{
    action::Action,
    model::{
        capability::{Capability, EngineState},
        session::Session,
        status::Status,
    },
};

/// Why `action` cannot be done with the selected session; `None` = it can.
pub fn why_not(
    action: Action,
    session: Option<&Session>,
    mirror: &Mirror,
    facts: &Facts,
) -> Option<String> {
    match action {
        Action::SessionLaunch => changes(facts).or_else(|| unreachable(mirror)),
        Action::SessionsRefresh => daemon_away(mirror),
        Action::SessionOpen
        | Action::SessionShell
        | Action::SessionLogs
        | Action::SessionRename
        | Action::SessionTerminate
        | Action::CopyId => match session {
            None => Some("no session is selected".to_owned()),
            Some(session) => with_session(action, session, mirror, facts),
        },
        _ => None,
    }
}

fn with_session(
    action: Action,
    session: &Session,
    mirror: &Mirror,
    facts: &Facts,
) -> Option<String> {
    match action {
        Action::SessionShell => lacks(mirror, Capability::Terminal)
            .or_else(|| not_live(session, "a shell opens once it runs"))
            .or_else(|| unreachable(mirror)),
        Action::SessionLogs => {
            let begun = session
                .main_kernel()
                .is_some_and(|k| k.container_id.is_some())
                || session.started_at.is_some();
            lacks(mirror, Capability::Logs)
                .or_else(|| {
                    (!begun).then(|| {
                        format!("{} is {}: it has no log yet", session.name, session.status)
                    })
                })
                .or_else(|| daemon_away(mirror))
        }
        Action::SessionRename => changes(facts)
            .or_else(|| lacks(mirror, Capability::Rename))
            .or_else(|| not_live(session, "it can be renamed once it runs"))
            .or_else(|| unreachable(mirror)),
        Action::SessionTerminate => changes(facts)
            .or_else(|| {
                session
                    .status
                    .is_final()
                    .then(|| format!("{} has ended already", session.name))
            })
            .or_else(|| match session.status {
                // Nothing of it is left at the engine: its record alone is put away.
                Status::Error => daemon_away(mirror),
                _ => unreachable(mirror),
            }),
        _ => None,
    }
}

fn not_live(session: &Session, then: &str) -> Option<String> {
    let name = &session.name;
    match &session.status {
        status if status.is_live() => None,
        status if status.is_final() => Some(format!("{name} has ended; its log is kept")),
        status if status.is_starting() => Some(format!("{name} is {status}: {then}")),
        Status::Terminating => Some(format!("{name} is ending")),
        status => Some(format!("{name} is {status}: it does not run")),
    }
}

fn lacks(mirror: &Mirror, capability: Capability) -> Option<String> {
    mirror.why_not(capability).map(ToString::to_string)
}

fn changes(facts: &Facts) -> Option<String> {
    facts
        .read_only
        .then(|| "read-only: the setting ui.read_only is on".to_owned())
}

/// The daemon or the engine does not answer.
fn unreachable(mirror: &Mirror) -> Option<String> {
    daemon_away(mirror).or_else(|| match mirror.engine() {
        Some((_, EngineState::Lost { why, .. })) => Some(why.to_string()),
        _ => None,
    })
}

fn daemon_away(mirror: &Mirror) -> Option<String> {
    match mirror.line() {
        Line::Up => None,
        Line::Connecting => Some("still connecting to the daemon".to_owned()),
        Line::Down { .. } => {
            Some("the daemon does not answer; workbay tries again by itself".to_owned())
        }
        Line::Refused(failure) => Some(failure.message.to_string()),
    }
}
