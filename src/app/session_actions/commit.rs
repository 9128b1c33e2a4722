//! Creates an image from a session.

use super::{Outcome, SessionAction, not_running};
use crate::{
    action::Action,
    app::panels::commit::CommitForm,
    model::{
        capability::Capability,
        environment::EnvironmentSource,
        session::{CommitStatus, Session, SessionType},
    },
};

pub const ACTIONS: &[SessionAction] = &[SessionAction {
    action: Action::SessionCommit,
    needs: Some(Capability::Commit),
    wrong_state,
    run: |session, env| {
        let environments = env.mirror.environments(session.context);
        let limit = env.facts.image_limit;
        Outcome::open(CommitForm::new(session, environments, limit))
    },
    ..SessionAction::BASE
}];

fn wrong_state(session: &Session) -> Option<String> {
    let name = &session.name;
    if session.session_type != SessionType::Interactive {
        return Some(format!(
            "{name} isn't interactive. Images are created from interactive sessions only"
        ));
    }
    if matches!(session.environment.source, EnvironmentSource::Host) {
        return Some(format!(
            "{name} runs in the host environment, which has no image"
        ));
    }
    not_running(session, "an image can be created when it runs").or_else(|| {
        let is_busy = session.commit == CommitStatus::Ongoing;
        is_busy.then(|| format!("an image of {name} is already being created"))
    })
}
