//! `workbay launch`.

use std::collections::BTreeMap;

use super::{
    Start,
    args::Launch,
    choice::Choice,
    fail::{Fail, Outcome, code},
    find,
    line::{self, Line},
    output,
};
use crate::{
    model::{
        id::ContextName,
        name,
        session::{BatchResult, Session, SessionType},
        spec::{LaunchRequest, check_variable_name},
        status::Status,
        text::Clean,
    },
    protocol::message::{Reply, Request, Snapshot},
};

pub fn launch(start: &Start, arguments: Launch) -> Outcome {
    let (wait, json) = (arguments.wait.wait, arguments.format.json);
    let timeout = arguments.wait.timeout;
    let request = request(arguments)?;
    let session = line::block_on(async move {
        let mut line = Line::connect(&start.paths).await?;
        let snapshot = line.snapshot().await?;
        let context = Choice::of(start).context(&snapshot)?;
        refuse_queue_words(&snapshot, context, &request)?;
        let asked = ask(&line, context, request).await?;
        if !wait {
            return Ok(asked);
        }
        let what = format!("the launch of {}", asked.name);
        let snapshot = line.subscribe().await?;
        let mut told = None;
        let settled = line.follow(&snapshot, asked.key(), |session| {
            tell_why(session, &mut told);
            is_settled(session)
        });
        line::within(timeout, &what, settled).await
    })?;
    if json {
        output::json(&session)?;
    } else {
        output::line(&format!("{} {}", session.name, session.id))?;
    }
    if wait && !has_begun(&session) {
        return Err(not_running(&session));
    }
    Ok(0)
}

/// What makes sense only where a queue decides.
fn refuse_queue_words(
    snapshot: &Snapshot,
    context: ContextName,
    request: &LaunchRequest,
) -> Result<(), Fail> {
    let Some(state) = find::state(snapshot, context) else {
        return Ok(());
    };
    let words = [
        ("--batch", request.startup_command.is_some()),
        ("--project", request.project.is_some()),
        ("--resource-group", request.resource_group.is_some()),
        ("--folder", !request.mounts.is_empty()),
    ];
    let given = words.into_iter().find(|(_, given)| *given);
    match given {
        Some((word, _)) if !state.context.kind.schedules() => Err(Fail::usage(format!(
            "{word} is not for context {context}, which is of kind {}",
            state.context.kind.word()
        ))),
        _ => Ok(()),
    }
}

async fn ask(line: &Line, context: ContextName, launch: LaunchRequest) -> Result<Session, Fail> {
    let launch = Box::new(launch);
    match line.ask(Request::Launch { context, launch }).await? {
        Reply::Launched { mut sessions, .. } if !sessions.is_empty() => Ok(sessions.remove(0)),
        other => Err(line::unexpected(&other)),
    }
}

/// Says why it still waits, once for each reason.
fn tell_why(session: &Session, told: &mut Option<Clean>) {
    let why = session.status_message.as_ref();
    if let Some(why) = why.filter(|why| !is_settled(session) && told.as_ref() != Some(why)) {
        output::remark(&format!(
            "workbay: {} is {}: {why}",
            session.name, session.status
        ));
        *told = Some(why.clone());
    }
}

/// A batch command may have ended well before anybody looked.
fn has_begun(session: &Session) -> bool {
    session.status == Status::Running || session.result == BatchResult::Success
}

/// It runs, or it is known that it will not.
fn is_settled(session: &Session) -> bool {
    !session.status.is_starting()
}

fn not_running(session: &Session) -> Fail {
    let (name, status) = (&session.name, &session.status);
    let fail = Fail::new(code::FAILED, format!("session {name} is {status}"));
    match session
        .status_message
        .as_ref()
        .or(session.status_info.as_ref())
    {
        Some(why) => fail.help(why.clone()),
        None => fail,
    }
}

fn request(arguments: Launch) -> Result<LaunchRequest, Fail> {
    if let Some(name) = &arguments.name {
        name::check(name).map_err(|error| Fail::usage(error.to_string()))?;
    }
    Ok(LaunchRequest {
        name: arguments.name,
        environment: arguments.env,
        image: arguments.image,
        session_type: match arguments.batch {
            Some(_) => SessionType::Batch,
            None => SessionType::Interactive,
        },
        cpu: arguments.cpu,
        mem: arguments.mem,
        shmem: arguments.shm,
        env: variables(&arguments.variables)?,
        startup_command: arguments.batch,
        project: arguments.project,
        resource_group: arguments.resource_group,
        mounts: arguments.folders,
        ..LaunchRequest::default()
    })
}

/// `K=V` words; a later one of the same name wins.
fn variables(words: &[String]) -> Result<BTreeMap<String, String>, Fail> {
    let mut variables = BTreeMap::new();
    for word in words {
        let Some((name, value)) = word.split_once('=') else {
            return Err(Fail::usage(format!(
                "'-e {word}' has no '=': write -e NAME=VALUE"
            )));
        };
        check_variable_name(name).map_err(Fail::usage)?;
        variables.insert(name.to_owned(), value.to_owned());
    }
    Ok(variables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_split_at_the_first_equals_sign() {
        let words = ["A=1".to_owned(), "B=x=y".to_owned(), "A=2".to_owned()];
        let read = variables(&words).unwrap();
        assert_eq!(read["A"], "2");
        assert_eq!(read["B"], "x=y");
        let fail = variables(&["NAME".to_owned()]).unwrap_err();
        assert_eq!(fail.code, code::USAGE);
        assert!(variables(&["1A=x".to_owned()]).is_err());
    }

    #[test]
    fn a_name_that_breaks_the_rule_is_refused_before_anything_is_asked() {
        let arguments = Launch {
            name: Some("ab".into()),
            ..Launch::default()
        };
        let fail = request(arguments).unwrap_err();
        assert_eq!(
            fail.message.unwrap(),
            "the name 'ab' is too short: 4 to 64 characters"
        );
    }
}
