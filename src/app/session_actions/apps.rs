//! Shows the apps of a session.

use super::{Outcome, SessionAction, not_running};
use crate::{
    action::Action,
    app::panels::{PanelEnv, apps::AppLauncher},
    model::{
        capability::Capability,
        session::{Session, SessionType},
    },
};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionApps,
    needs: Some(Capability::Dial),
    wrong_state,
    run: open,
    ..SessionAction::BASE
}];

fn wrong_state(session: &Session) -> Option<String> {
    if session.session_type == SessionType::System {
        return Some(tr!(
            "{name} is a system session, which has no apps",
            name = session.name
        ));
    }
    not_running(session, tr!("its apps open when it runs"))
}

fn open(session: &Session, env: &PanelEnv<'_>) -> Outcome {
    let has_proxy = env.mirror.can(session.context, Capability::AppProxy);
    let mut launcher = AppLauncher::new(session).with_proxy(has_proxy);
    let ask = launcher.ask();
    Outcome::open_with(launcher, vec![ask])
}
