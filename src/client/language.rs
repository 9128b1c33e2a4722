//! Translates what the daemon sends, which is English.

use crate::{
    locale,
    model::{
        app::{App, AppState},
        capability::{Capabilities, EngineState},
        change::Change,
        environment::Environment,
        failure::Failure,
        history::HistoryEntry,
        notice::Notice,
        pull::Pull,
        session::Session,
        text::Clean,
    },
    protocol::message::{Reply, Snapshot, StreamEnd},
};

/// Translates the answer to a request.
pub fn answer(mut result: Result<Reply, Failure>) -> Result<Reply, Failure> {
    if locale::catalog().is_none() {
        return result;
    }
    match &mut result {
        Ok(reply) => of_reply(reply),
        Err(failure) => of_failure(failure),
    }
    result
}

/// Translates a change.
pub fn change(mut change: Change) -> Change {
    if locale::catalog().is_none() {
        return change;
    }
    match &mut change {
        Change::Session { session } => of_session(session),
        Change::Engine { engine, .. } => of_engine(engine),
        Change::Environments { environments, .. } => of_environments(environments),
        Change::Pull { pull, .. } => of_pull(pull),
        Change::Notice { notice } => of_notice(notice),
        Change::Gone { .. }
        | Change::Totals { .. }
        | Change::Statistics { .. }
        | Change::Usage { .. }
        | Change::Forwards { .. } => {}
    }
    change
}

/// Translates why a stream ended.
pub fn end(mut end: StreamEnd) -> StreamEnd {
    match &mut end {
        StreamEnd::Exited { .. } => {}
        StreamEnd::Failed { failure } => of_failure(failure),
        StreamEnd::Lost { why } => text(why),
    }
    end
}

/// Translates a text.
pub fn of(mut message: Clean) -> Clean {
    text(&mut message);
    message
}

fn text(text: &mut Clean) {
    if let Some(translated) = locale::sent(text.as_str()) {
        *text = Clean::multiline(&translated);
    }
}

fn maybe(value: &mut Option<Clean>) {
    if let Some(value) = value {
        text(value);
    }
}

fn of_reply(reply: &mut Reply) {
    match reply {
        Reply::Snapshot { snapshot } => of_snapshot(snapshot),
        Reply::Session { session } => of_session(session),
        Reply::Launched { sessions, failure } => {
            sessions.iter_mut().for_each(of_session);
            if let Some(failure) = failure {
                of_failure(failure);
            }
        }
        Reply::Environments { environments } => of_environments(environments),
        Reply::History { entries } => entries.iter_mut().for_each(of_entry),
        Reply::Apps { apps } => apps.iter_mut().for_each(of_app),
        Reply::Notices { notices, .. } => notices.iter_mut().for_each(of_notice),
        _ => {}
    }
}

fn of_snapshot(snapshot: &mut Snapshot) {
    snapshot.sessions.iter_mut().for_each(of_session);
    for context in &mut snapshot.contexts {
        of_engine(&mut context.engine);
        of_environments(&mut context.environments);
    }
}

fn of_failure(failure: &mut Failure) {
    text(&mut failure.what);
    maybe(&mut failure.why);
    maybe(&mut failure.hint);
}

/// `pending_request` stays English, because it is compared.
fn of_session(session: &mut Session) {
    maybe(&mut session.status_message);
    if let Some((_, words)) = &mut session.stop_hook_end {
        text(words);
    }
    if let Some(pull) = &mut session.pull {
        of_pull(pull);
    }
}

fn of_pull(pull: &mut Pull) {
    maybe(&mut pull.broken);
}

fn of_engine(engine: &mut EngineState) {
    match engine {
        EngineState::Connecting => {}
        EngineState::Connected { info } => of_capabilities(&mut info.capabilities),
        EngineState::Lost { why, hint, .. } => {
            text(why);
            maybe(hint);
        }
    }
}

fn of_capabilities(capabilities: &mut Capabilities) {
    for (_, why) in &mut capabilities.missing {
        text(why);
    }
}

fn of_environments(environments: &mut [Environment]) {
    for environment in environments {
        maybe(&mut environment.unavailable);
    }
}

fn of_entry(entry: &mut HistoryEntry) {
    maybe(&mut entry.message);
    for step in &mut entry.steps {
        maybe(&mut step.message);
    }
}

fn of_notice(notice: &mut Notice) {
    text(&mut notice.text);
}

fn of_app(app: &mut App) {
    if let AppState::Failed { why } = &mut app.state {
        text(why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{locale::embedded, model::testing};

    #[test]
    fn the_texts_of_the_daemon_are_in_the_language_of_the_client() {
        let why = "needs 1 CPU, 0 of 2 free in group gpu; position 3 in queue";
        let mut session = testing::session(1 << 96, "train-1");
        session.status_message = Some(Clean::new(why));
        let change_of = |session: &Session| Change::Session {
            session: Box::new(session.clone()),
        };
        assert_eq!(change(change_of(&session)), change_of(&session));
        let _korean = locale::in_this_thread(embedded::korean());
        let translated = change(change_of(&session));
        session.status_message = Some(Clean::new(
            "그룹 gpu에서 1 CPU 필요, 2 중 0 사용 가능, 대기열에서 3번째",
        ));
        assert_eq!(translated, change_of(&session));
        let failure = Failure::not_found("session a1b2 not found").because("no space left");
        let translated = answer(Err(failure)).unwrap_err();
        assert_eq!(
            translated.to_string(),
            "세션 a1b2: 찾을 수 없습니다: no space left"
        );
    }
}
