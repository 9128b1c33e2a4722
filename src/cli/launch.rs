//! `workbay launch`.

use std::collections::BTreeMap;

use super::{
    args::Launch,
    fail::{Fail, Outcome, code},
    line::{self, Line},
    output,
};
use crate::{
    config::paths::Paths,
    model::{
        id::ContextName,
        name,
        session::{Session, SessionType},
        spec::{LaunchRequest, check_variable_name},
        status::Status,
    },
    protocol::message::{Reply, Request},
};

pub fn launch(paths: &Paths, arguments: Launch) -> Outcome {
    let (wait, json) = (arguments.wait.wait, arguments.format.json);
    let timeout = arguments.wait.timeout;
    let request = request(arguments)?;
    let session = line::block_on(async move {
        let mut line = Line::connect(paths).await?;
        let asked = ask(&line, request).await?;
        if !wait {
            return Ok(asked);
        }
        let what = format!("the launch of {}", asked.name);
        let snapshot = line.subscribe().await?;
        let settled = line.follow(&snapshot, asked.key(), is_settled);
        line::within(timeout, &what, settled).await
    })?;
    if json {
        output::json(&session)?;
    } else {
        output::line(&format!("{} {}", session.name, session.id))?;
    }
    if wait && session.status != Status::Running {
        return Err(not_running(&session));
    }
    Ok(0)
}

async fn ask(line: &Line, launch: LaunchRequest) -> Result<Session, Fail> {
    let launch = Box::new(launch);
    let context = ContextName::local();
    match line.ask(Request::Launch { context, launch }).await? {
        Reply::Session { session } => Ok(*session),
        other => Err(line::unexpected(&other)),
    }
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
        session_type: SessionType::Interactive,
        cpu: arguments.cpu,
        mem: arguments.mem,
        shmem: arguments.shm,
        env: variables(&arguments.variables)?,
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
