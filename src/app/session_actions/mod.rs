//! The actions on a session: when each of them is possible, and what it does. Related actions share a file.

mod apps;
mod changes;
mod copy;
mod files;
mod history;
mod open;
pub(super) mod relaunch;

use super::{
    panels::{AnyPanel, PanelEnv},
    step::Step,
};
use crate::{
    action::Action,
    model::{capability::Capability, session::Session, status::Status},
};

/// All actions on a session.
const ALL: &[&[SessionAction]] = &[
    open::ACTIONS,
    apps::ACTIONS,
    files::ACTIONS,
    changes::ACTIONS,
    relaunch::ACTIONS,
    history::ACTIONS,
    copy::ACTIONS,
];

/// An action on a session. `allowed::why_not` checks its conditions in the order of the fields.
#[derive(Clone, Copy, Debug)]
pub struct SessionAction {
    pub action: Action,
    /// Whether it changes something, so that it isn't possible while the TUI or the context is read-only.
    pub changes: bool,
    /// What the engine must support.
    pub needs: Option<Capability>,
    /// Why the session isn't in the right state for it, `None` if it is.
    pub wrong_state: fn(&Session) -> Option<String>,
    /// What must be connected.
    pub connection: fn(&Session) -> Connection,
    /// What it does with the session, about which everything known is passed.
    pub run: fn(&Session, &PanelEnv<'_>) -> Outcome,
    /// Whether a wrong state is the reason even where nothing may be changed.
    pub state_first: bool,
    /// Whether the help lists it even if no shown engine supports it.
    pub always_in_help: bool,
}

impl SessionAction {
    /// What an action is if it sets nothing else: a change for which the engine must be connected.
    const BASE: Self = Self {
        action: Action::SessionOpen,
        changes: true,
        needs: None,
        wrong_state: |_| None,
        connection: |_| Connection::Engine,
        run: |_, _| Outcome::default(),
        state_first: false,
        always_in_help: false,
    };
}

/// What an action needs to be connected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    None,
    Daemon,
    /// The daemon, and the engine of the session.
    Engine,
}

/// What an action leads to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// The panel that opens.
    pub panel: Option<AnyPanel>,
    pub steps: Vec<Step>,
}

impl Outcome {
    fn open(panel: impl Into<AnyPanel>) -> Self {
        Self::open_with(panel, Vec::new())
    }

    fn open_with(panel: impl Into<AnyPanel>, steps: Vec<Step>) -> Self {
        Self {
            panel: Some(panel.into()),
            steps,
        }
    }
}

impl From<Step> for Outcome {
    fn from(step: Step) -> Self {
        Self {
            panel: None,
            steps: vec![step],
        }
    }
}

/// The action on a session, `None` if the action isn't about a session.
pub fn find(action: Action) -> Option<&'static SessionAction> {
    let mut all = ALL.iter().copied().flatten();
    all.find(|it| it.action == action)
}

/// Why a session isn't running. `then` is what becomes possible when it runs.
fn not_running(session: &Session, then: &str) -> Option<String> {
    let name = &session.name;
    match &session.status {
        status if status.is_live() => None,
        status if status.is_final() && !has_run(session) => Some(never_ran(session)),
        status if status.is_final() => Some(tr!("{name} has ended. Its log is kept", name)),
        status if status.is_starting() => {
            Some(tr!("{name} is {status}: {then}", name, status, then))
        }
        Status::Terminating => Some(tr!("{name} is being terminated", name)),
        status => Some(tr!("{name} is {status}. It isn't running", name, status)),
    }
}

/// Whether anything of a session has run.
fn has_run(session: &Session) -> bool {
    let main = session.main_kernel();
    main.is_some_and(|it| it.container_id.is_some()) || session.started_at.is_some()
}

fn never_ran(session: &Session) -> String {
    tr!(
        "{name} never ran, so it has no shell or log",
        name = session.name
    )
}

/// Whether a session waits in the queue.
fn is_pending(session: &Session) -> bool {
    session.status == Status::Pending
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_action_on_a_session_is_in_the_table_once() {
        let table: Vec<Action> = ALL.iter().copied().flatten().map(|it| it.action).collect();
        for action in Action::ALL {
            let is_of_session = action.name().starts_with("session.");
            let expected = usize::from(is_of_session && *action != Action::SessionLaunch);
            let found = table.iter().filter(|it| *it == action).count();
            assert_eq!(found, expected, "{}", action.name());
        }
    }
}
