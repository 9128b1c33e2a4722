//! Translates what the daemon sends, which is English.

use crate::{
    locale,
    model::{
        app::{App, AppState},
        capability::{Capabilities, EngineState},
        catalogue::Catalogue,
        change::Change,
        environment::Environment,
        failure::Failure,
        forward::Forward,
        history::HistoryEntry,
        loss::Unsaved,
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
        Change::Forwards { forwards } => forwards.iter_mut().for_each(of_forward),
        Change::Gone { .. }
        | Change::Totals { .. }
        | Change::Statistics { .. }
        | Change::Usage { .. } => {}
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

/// Translates a failure of work that the daemon and this process share, such as work on files.
pub fn failure(mut failure: Failure) -> Failure {
    if locale::catalog().is_some() {
        of_failure(&mut failure);
    }
    failure
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
        Reply::Images { images } => {
            for image in images {
                maybe(&mut image.owner);
            }
        }
        Reply::Catalogue { catalogue } => of_catalogue(catalogue),
        Reply::Forwards { forwards } => forwards.iter_mut().for_each(of_forward),
        Reply::Opened { opened } => {
            maybe(&mut opened.remark);
            of_forward(&mut opened.forward);
        }
        Reply::Files { listing } => maybe(&mut listing.read_only),
        Reply::Unsaved { unsaved } => of_unsaved(unsaved),
        Reply::Notices { notices, .. } => notices.iter_mut().for_each(of_notice),
        _ => {}
    }
}

fn of_snapshot(snapshot: &mut Snapshot) {
    snapshot.sessions.iter_mut().for_each(of_session);
    snapshot.forwards.iter_mut().for_each(of_forward);
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

fn of_session(session: &mut Session) {
    if let Some(request) = &mut session.pending_request {
        of_request(request);
    }
    maybe(&mut session.status_message);
    if let Some((_, words)) = &mut session.stop_hook_end {
        text(words);
    }
    if let Some(pull) = &mut session.pull {
        of_pull(pull);
    }
}

/// `creating image base-1: 2/3 storing the changed files`.
fn of_request(request: &mut Clean) {
    let said = request.as_str().to_owned();
    let numbered = said.split_once(": ").and_then(|(what, step)| {
        let (number, step) = step.split_once(' ')?;
        let is_number = number.chars().all(|c| c.is_ascii_digit() || c == '/');
        is_number.then_some((what, number, step))
    });
    let Some((what, number, step)) = numbered else {
        return text(request);
    };
    let of = |english: &str| of(Clean::new(english));
    *request = Clean::new(&format!("{}: {number} {}", of(what), of(step)));
}

fn of_catalogue(catalogue: &mut Catalogue) {
    for (part, why) in &mut catalogue.gaps {
        *part = Clean::new(locale::of(part.as_str()));
        text(why);
    }
    for kind in &mut catalogue.accelerators {
        maybe(&mut kind.note);
    }
}

fn of_unsaved(unsaved: &mut Unsaved) {
    maybe(&mut unsaved.outside.incomplete);
    maybe(&mut unsaved.home.incomplete);
}

fn of_forward(forward: &mut Forward) {
    maybe(&mut forward.broken);
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
        maybe(&mut environment.facts.group);
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
    for argument in &mut app.arguments {
        text(&mut argument.title);
    }
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
