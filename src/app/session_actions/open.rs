//! Opens a view of a session: its details, its log, a shell in it.

use super::{Connection, Outcome, SessionAction, has_run, never_ran, not_running};
use crate::{
    action::Action,
    app::{
        panels::PanelEnv,
        step::{Go, Step},
    },
    model::{capability::Capability, session::Session},
};

pub const ACTIONS: &[SessionAction] = &[
    SessionAction {
        action: Action::SessionOpen,
        changes: false,
        connection: |_| Connection::None,
        run: |session, _| Step::Go(Go::Detail(session.key())).into(),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionLogs,
        changes: false,
        needs: Some(Capability::Logs),
        always_in_help: true,
        wrong_state: without_log,
        connection: |_| Connection::Daemon,
        run: |session, _| Step::Go(Go::Logs(session.key())).into(),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionShell,
        changes: false,
        needs: Some(Capability::Terminal),
        always_in_help: true,
        wrong_state: |session| not_running(session, tr!("a shell opens when it runs")),
        run: open_shell,
        ..SessionAction::BASE
    },
];

fn without_log(session: &Session) -> Option<String> {
    if has_run(session) {
        return None;
    }
    Some(match &session.status {
        status if status.is_final() => never_ran(session),
        status => tr!(
            "{name} is {status}. It has no log yet",
            name = session.name,
            status
        ),
    })
}

/// Opens a shell in the container that is selected in the detail, otherwise in the main one.
fn open_shell(session: &Session, env: &PanelEnv<'_>) -> Outcome {
    let at = env.selected_kernel(session);
    let selected = session.kernels.get(at).filter(|_| at > 0);
    let go = match selected {
        Some(kernel) => Go::ContainerShell(session.key(), kernel.id),
        None => Go::Shell(session.key()),
    };
    Step::Go(go).into()
}
