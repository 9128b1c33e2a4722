//! `workbay relaunch`, and whatever else launches with the settings of a launch before.

use super::{
    super::{
        Start,
        args::{Fields, Manner, Relaunch},
        choice::Choice,
        fail::{Fail, Outcome},
        find,
        line::{self, Line},
    },
    ask, check, dry_run, request, tell, wait,
};
use crate::{
    model::{
        id::{ContextName, SessionId, SessionKey},
        launch::{LaunchField, check::names},
        session::Session,
        spec::LaunchRequest,
    },
    protocol::message::{Reply, Request, Snapshot},
};

/// `-` and four characters.
const SUFFIX: usize = 5;
const LONGEST_NAME: usize = 64;
/// `-100`, of the last of many copies.
const LONGEST_NUMBER: usize = 4;

pub fn relaunch(start: &Start, arguments: Relaunch) -> Outcome {
    let Relaunch {
        one,
        fields,
        manner,
    } = arguments;
    line::block_on(async {
        let mut line = Line::connect(&start.paths).await?;
        let session = find::session(&line, Choice::of(start), &one.session).await?;
        let mut base = settings(&line, session.key()).await?;
        if base.name.is_none() && !session.status.is_final() {
            base.name = Some(session.name.to_string());
        }
        launch(&mut line, session.context, base, fields, &manner).await
    })
}

/// What a session was launched with, secrets left out.
pub async fn settings(line: &Line, session: SessionKey) -> Result<LaunchRequest, Fail> {
    match line.ask(Request::Again { session }).await? {
        Reply::Again { launch } => Ok(*launch),
        other => Err(line::unexpected(&other)),
    }
}

/// Launches `base` with what is given over it, under a fresh name where its own is taken.
pub async fn launch(
    line: &mut Line,
    context: ContextName,
    base: LaunchRequest,
    fields: Fields,
    manner: &Manner,
) -> Outcome {
    let named = fields.name.is_some();
    let around = request::Around::here();
    let mut request = request::over(base, fields, &around)?;
    // It was kept for then; now it would be refused.
    request.starts_at = request.starts_at.filter(|at| at.lies_ahead(around.now));
    if !named {
        let snapshot = line.snapshot().await?;
        let taken = |name: &str| is_taken(&snapshot, context, name);
        if let Some(name) = request.name.take() {
            let mut all = names(&name, request.copies()).into_iter();
            let clash = all.any(|name| taken(&name));
            request.name = Some(if clash {
                fresh(&name, request.copies())
            } else {
                name
            });
        }
    }
    check(&request, manner)?;
    if manner.dry_run {
        return dry_run(&request, Some(context.as_str()));
    }
    let mut answer = ask(line, context, request.clone()).await?;
    // A cluster knows of sessions that are not told here.
    if let (Err(refused), Some(name), false) = (&answer, &request.name, named)
        && refused.0.field == Some(LaunchField::Name)
    {
        request.name = Some(fresh(name, request.copies()));
        answer = ask(line, context, request.clone()).await?;
    }
    let (made, failure) = answer?;
    let made: Vec<Session> = wait::out(line, made, manner).await?;
    tell(&made, failure, &request, manner)
}

fn is_taken(snapshot: &Snapshot, context: ContextName, name: &str) -> bool {
    let mut sessions = snapshot.sessions.iter();
    sessions.any(|session| {
        session.context == context && session.name == *name && !session.status.is_final()
    })
}

/// The name with `-xxxx`, cut where it would become too long.
fn fresh(name: &str, copies: u32) -> String {
    let random = SessionId::random().short();
    let number = if copies > 1 { LONGEST_NUMBER } else { 0 };
    let longest = LONGEST_NAME - SUFFIX - number;
    let kept: String = name.chars().take(longest).collect();
    let random: String = random.chars().take(SUFFIX - 1).collect();
    format!("{kept}-{random}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::name;

    #[test]
    fn a_fresh_name_keeps_the_rule() {
        for old in ["work", &"x".repeat(64)] {
            let new = fresh(old, 1);
            assert_eq!(name::check(&new), Ok(()));
            for name in names(&fresh(old, 100), 100) {
                assert_eq!(name::check(&name), Ok(()));
            }
            assert_ne!(new, old);
            assert!(new.starts_with(&old[..4]), "{new}");
        }
    }
}
