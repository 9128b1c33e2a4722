//! Copies an id of a session, or of the container that is selected in its detail.

use super::{Connection, Outcome, SessionAction};
use crate::{
    action::Action,
    app::{panels::PanelEnv, step::Step},
    model::{kernel::Kernel, notice::Level, session::Session},
};

pub const ACTIONS: &[SessionAction] = &[
    SessionAction {
        action: Action::CopyId,
        changes: false,
        connection: |_| Connection::None,
        run: |session, _| Step::Copy(session.id.to_string()).into(),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::CopyKernelId,
        changes: false,
        connection: |_| Connection::None,
        run: |session, env| with_kernel(session, env, |kernel| Step::Copy(kernel.id.to_string())),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::CopyContainerId,
        changes: false,
        connection: |_| Connection::None,
        run: |session, env| {
            with_kernel(session, env, |kernel| match &kernel.container_id {
                Some(id) => Step::Copy(id.to_string()),
                None => {
                    let text = tr!("{hostname} has no container", hostname = kernel.hostname);
                    Step::toast(Level::Warning, text)
                }
            })
        },
        ..SessionAction::BASE
    },
];

fn with_kernel(
    session: &Session,
    env: &PanelEnv<'_>,
    step: impl FnOnce(&Kernel) -> Step,
) -> Outcome {
    let kernel = session.kernels.get(env.selected_kernel(session));
    let step = kernel.map_or_else(
        || {
            let text = tr!(
                "the containers of {name} aren't known yet",
                name = session.name
            );
            Step::toast(Level::Warning, text)
        },
        step,
    );
    step.into()
}
