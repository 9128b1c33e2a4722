//! `workbay context login`: logs in with a one-time password.

use crate::{
    cli::{
        Start,
        connection::{self, Connection},
        fail::{Fail, Outcome, code},
        output, tty,
    },
    locale,
    model::{
        failure::FailureKind, id::ContextName, one_time_code::OneTimeCode, request::ContextRequest,
    },
    protocol::message::Request,
};

/// Succeeds when the manager has accepted the login. Doesn't ask if no code is needed.
pub fn log_in(start: &Start, name: &str) -> Outcome {
    let context = start
        .contexts
        .named(name)
        .map_err(|why| Fail::new(code::NOT_FOUND, why))?;
    connection::block_on(async {
        let connection = Connection::connect(&start.paths).await?;
        if needs_code(&connection, context).await? {
            let code = read_code(context)?;
            let request = Request::context(context, ContextRequest::LogIn { code });
            connection.request_done(request).await?;
        }
        output::print(&format!("{}\n", tr!("logged in to {context}", context)))?;
        Ok(0)
    })
}

/// Connects, and returns whether the login needs a code.
async fn needs_code(connection: &Connection, context: ContextName) -> Result<bool, Fail> {
    let refresh = Request::context(context, ContextRequest::Refresh);
    match connection.request_done(refresh).await {
        Ok(()) => Ok(false),
        Err(Fail {
            failure: Some(failure),
            ..
        }) if failure.kind == FailureKind::NeedsCode => Ok(true),
        Err(fail) => Err(fail),
    }
}

/// The code that is typed or piped into the command.
fn read_code(context: ContextName) -> Result<OneTimeCode, Fail> {
    if tty::is_interactive() {
        output::remark(&tr!("Type the one-time password for {context}:", context));
    }
    let typed = tty::answer()?;
    if typed.is_empty() {
        return Err(Fail::usage(tr!("no one-time password was typed")).hint(tr!(
            "type it after the question, or pipe it into the command"
        )));
    }
    OneTimeCode::parse(&typed).map_err(|why| Fail::usage(locale::text(why)))
}
