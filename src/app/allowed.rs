//! Decides whether an action is possible now. Every disabled action has a reason.

use super::{
    facts::Facts,
    mirror::{DaemonConnection, Mirror},
    shown_contexts::ShownContexts,
};
use crate::{
    action::Action,
    model::{
        capability::{Capability, EngineState},
        id::ContextName,
        session::{CommitStatus, Session, SessionType},
        status::Status,
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
        Action::SessionsRefresh | Action::LauncherRecents => daemon_away(mirror),
        action if is_about_a_session(action) => match session {
            None => Some("no session is selected".to_owned()),
            Some(session) => with_session(action, session, mirror, facts),
        },
        _ => None,
    }
}

/// Whether the action needs one session.
pub fn is_about_a_session(action: Action) -> bool {
    matches!(
        action,
        Action::SessionOpen
            | Action::SessionShell
            | Action::SessionLogs
            | Action::SessionRename
            | Action::SessionTerminate
            | Action::SessionCommit
            | Action::SessionExtend
            | Action::SessionAgain
            | Action::SessionHistory
            | Action::SessionWhyNot
            | Action::SessionPriority
            | Action::CopyId
    )
}

/// Whether none of the shown engines supports the action, whatever the session.
pub fn lacking(action: Action, shown: ShownContexts, mirror: &Mirror) -> bool {
    let capability = match action {
        Action::SessionCommit => Capability::Commit,
        Action::SessionExtend => Capability::Reprieve,
        Action::SessionRename => Capability::Rename,
        Action::SessionHistory => Capability::SchedulingHistory,
        _ => return false,
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
        .or_else(|| daemon_away(mirror))
}

/// Why nothing can be launched in this context now.
pub fn why_no_launch_in(context: ContextName, mirror: &Mirror) -> Option<String> {
    read_only(mirror, context).or_else(|| unreachable(mirror, context))
}

fn with_session(
    action: Action,
    session: &Session,
    mirror: &Mirror,
    facts: &Facts,
) -> Option<String> {
    let context = session.context;
    let may_change = || changes(facts).or_else(|| read_only(mirror, context));
    match action {
        Action::SessionShell => lacks(mirror, context, Capability::Terminal)
            .or_else(|| not_live(session, "a shell opens when it runs"))
            .or_else(|| unreachable(mirror, context)),
        Action::SessionLogs => {
            let begun = session
                .main_kernel()
                .is_some_and(|k| k.container_id.is_some())
                || session.started_at.is_some();
            lacks(mirror, context, Capability::Logs)
                .or_else(|| {
                    (!begun).then(|| {
                        format!("{} is {}. It has no log yet", session.name, session.status)
                    })
                })
                .or_else(|| daemon_away(mirror))
        }
        Action::SessionRename => may_change()
            .or_else(|| lacks(mirror, context, Capability::Rename))
            .or_else(|| not_live(session, "only running sessions can be renamed"))
            .or_else(|| unreachable(mirror, context)),
        Action::SessionCommit => may_change()
            .or_else(|| lacks(mirror, context, Capability::Commit))
            .or_else(|| {
                let other = session.session_type != SessionType::Interactive;
                let name = &session.name;
                other.then(|| format!("{name} isn't interactive. Images are created from interactive sessions only"))
            })
            .or_else(|| not_live(session, "an image can be created when it runs"))
            .or_else(|| {
                let busy = session.commit == CommitStatus::Ongoing;
                busy.then(|| format!("an image of {} is already being created", session.name))
            })
            .or_else(|| unreachable(mirror, context)),
        Action::SessionExtend => may_change()
            .or_else(|| lacks(mirror, context, Capability::Reprieve))
            .or_else(|| not_live(session, "only running sessions have idle checks"))
            .or_else(|| {
                let unchecked = session.idle_checks.is_empty() && !session.reprieve.exempt;
                unchecked.then(|| format!("no idle checks apply to {}", session.name))
            })
            .or_else(|| unreachable(mirror, context)),
        Action::SessionWhyNot => (session.status != Status::Pending)
            .then(|| format!("{} is {}. Only PENDING sessions wait", session.name, session.status))
            .or_else(|| may_change().or_else(|| unreachable(mirror, context))),
        Action::SessionPriority => may_change()
            .or_else(|| lacks(mirror, context, Capability::Priority))
            .or_else(|| {
                (session.status != Status::Pending).then(|| {
                    format!(
                        "{} is {}. Only PENDING sessions have a priority to change",
                        session.name, session.status
                    )
                })
            })
            .or_else(|| daemon_away(mirror)),
        Action::SessionHistory => {
            lacks(mirror, context, Capability::SchedulingHistory).or_else(|| daemon_away(mirror))
        }
        Action::SessionAgain => may_change().or_else(|| unreachable(mirror, context)),
        Action::SessionTerminate => may_change()
            .or_else(|| {
                session
                    .status
                    .is_final()
                    .then(|| format!("{} has already ended", session.name))
            })
            .or_else(|| match session.status {
                // The engine has nothing left of the session, so only its record is removed.
                Status::Error => daemon_away(mirror),
                _ => unreachable(mirror, context),
            }),
        _ => None,
    }
}

fn not_live(session: &Session, then: &str) -> Option<String> {
    let name = &session.name;
    match &session.status {
        status if status.is_live() => None,
        status if status.is_final() => Some(format!("{name} has ended. Its log is kept")),
        status if status.is_starting() => Some(format!("{name} is {status}: {then}")),
        Status::Terminating => Some(format!("{name} is being terminated")),
        status => Some(format!("{name} is {status}. It isn't running")),
    }
}

fn lacks(mirror: &Mirror, context: ContextName, capability: Capability) -> Option<String> {
    mirror.why_not(context, capability).map(ToString::to_string)
}

fn changes(facts: &Facts) -> Option<String> {
    facts
        .read_only
        .then(|| "read-only: the setting `ui.read-only` is on".to_owned())
}

fn read_only(mirror: &Mirror, context: ContextName) -> Option<String> {
    mirror
        .context(context)
        .is_some_and(|state| state.context.read_only)
        .then(|| format!("read-only: contexts.toml has read-only for the context {context}"))
}

/// The daemon or the context's engine isn't connected.
fn unreachable(mirror: &Mirror, context: ContextName) -> Option<String> {
    daemon_away(mirror).or_else(|| match mirror.engine(context) {
        Some(EngineState::Lost { why, .. }) => Some(why.to_string()),
        _ => None,
    })
}

fn daemon_away(mirror: &Mirror) -> Option<String> {
    match mirror.connection() {
        DaemonConnection::Up => None,
        DaemonConnection::Connecting => Some("still connecting to the daemon".to_owned()),
        DaemonConnection::Down { .. } => {
            Some("daemon disconnected; workbay retries automatically".to_owned())
        }
        DaemonConnection::Refused(failure) => Some(failure.to_string()),
    }
}
