//! Changes of a session: each is a row here. Launches are in `relaunch.rs`.

use super::{Connection, Outcome, SessionAction, is_pending, not_running};
use crate::{
    action::Action,
    app::{
        panels::{
            PanelEnv, commit::CommitForm, extend::ExtendDialog, priority::PriorityForm,
            rename::Rename, terminate::TerminateDialog, waiting::WaitingDialog,
        },
        step::{Go, Step},
    },
    model::{
        capability::Capability,
        environment::EnvironmentSource,
        session::{CommitStatus, Session, SessionType},
        status::Status,
    },
};

pub const ACTIONS: &[SessionAction] = &[
    SessionAction {
        action: Action::SessionRename,
        needs: Some(Capability::Rename),
        wrong_state: |session| not_running(session, tr!("only running sessions can be renamed")),
        run: |session, _| Outcome::open(Rename::new(session.key(), &session.name)),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionCommit,
        needs: Some(Capability::Commit),
        wrong_state: no_image_of,
        run: |session, env| {
            let environments = env.mirror.environments(session.context);
            let limit = env.facts.image_limit;
            Outcome::open(CommitForm::new(session, environments, limit))
        },
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionExtend,
        needs: Some(Capability::Reprieve),
        wrong_state: nothing_to_extend,
        run: |session, _| {
            let rules = Step::Go(Go::LoadExtensionRules(session.context));
            Outcome::open_with(ExtendDialog::new(session), vec![rules])
        },
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionWhyNot,
        state_first: true,
        wrong_state: |session| {
            let (name, status) = (&session.name, &session.status);
            (!is_pending(session)).then(|| {
                tr!(
                    "{name} is {status}. Only PENDING sessions wait",
                    name,
                    status
                )
            })
        },
        run: |session, _| {
            Outcome::open_with(WaitingDialog::new(session), WaitingDialog::ask(session))
        },
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionPriority,
        needs: Some(Capability::Priority),
        always_in_help: true,
        wrong_state: |session| {
            let (name, status) = (&session.name, &session.status);
            (!is_pending(session)).then(|| {
                tr!(
                    "{name} is {status}. Only PENDING sessions have a priority to change",
                    name,
                    status
                )
            })
        },
        connection: |_| Connection::Daemon,
        run: |session, _| Outcome::open(PriorityForm::new(session)),
        ..SessionAction::BASE
    },
    SessionAction {
        action: Action::SessionTerminate,
        wrong_state: |session| {
            let has_ended = session.has_ended();
            has_ended.then(|| tr!("{name} has already ended", name = session.name))
        },
        connection: |session| match session.status {
            // The engine has nothing left of the session, so only its record is removed.
            Status::Error => Connection::Daemon,
            _ => Connection::Engine,
        },
        run: open_terminate_dialog,
        ..SessionAction::BASE
    },
];

fn no_image_of(session: &Session) -> Option<String> {
    let name = &session.name;
    if session.session_type != SessionType::Interactive {
        return Some(tr!(
            "{name} isn't interactive. Images are created from interactive sessions only",
            name
        ));
    }
    if matches!(session.environment.source, EnvironmentSource::Host) {
        return Some(tr!(
            "{name} runs in the host environment, which has no image",
            name
        ));
    }
    not_running(session, tr!("an image can be created when it runs")).or_else(|| {
        let is_busy = session.commit == CommitStatus::Ongoing;
        is_busy.then(|| tr!("an image of {name} is already being created", name))
    })
}

fn nothing_to_extend(session: &Session) -> Option<String> {
    not_running(session, tr!("only running sessions have idle checks")).or_else(|| {
        let is_unchecked = session.idle_checks.is_empty() && !session.reprieve.exempt;
        is_unchecked.then(|| {
            let name = &session.name;
            tr!(
                "{name} has no idle limit, so there is nothing to extend",
                name
            )
        })
    })
}

fn open_terminate_dialog(session: &Session, env: &PanelEnv<'_>) -> Outcome {
    let theirs = env.mirror.can(session.context, Capability::Schedules);
    let days = (!theirs).then_some(env.facts.keep_days);
    let shells = env.panes.open_in(session.key());
    let mut dialog = TerminateDialog::new(session, shells, days);
    let steps = dialog.ask_files(session).into_iter().collect();
    Outcome::open_with(dialog, steps)
}
