//! Renames and terminates sessions and changes their priority.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::Method;
use serde_json::json;

use crate::{
    engine::{
        api::Result,
        backendai::{
            BackendAiEngine,
            connect::connection::ManagerConnection,
            request::{
                gql::Schema,
                http::{ManagerCall, SHORT},
                manager_error::declined,
            },
        },
    },
    model::{
        failure::{Failure, FailureKind},
        id::SessionId,
        name,
        status::Status,
    },
};

/// Only administrators may use it, in all releases.
const PRIORITY: &str = "mutation($input: ModifyComputeSessionInput!) \
     { modify_compute_session(input: $input) { item { row_id priority } } }";

impl BackendAiEngine {
    pub(in crate::engine::backendai) async fn end(
        &self,
        session: SessionId,
        force: bool,
    ) -> Result<()> {
        let connection = self.core.connection().await?;
        let path = if force {
            format!("/session/{session}?forced=true")
        } else {
            format!("/session/{session}")
        };
        let call = ManagerCall::new(Method::DELETE, path).within(SHORT);
        let Err(error) = connection.send_for_owner(session, &call).await else {
            return Ok(());
        };
        match connection.seen_after(session, error).await {
            (error, Some(status)) if !status.is_final() => Err(needs_force(error, force)),
            (_, Some(_)) => Ok(()),
            (error, None) => Err(error),
        }
    }

    pub(in crate::engine::backendai) async fn name(
        &self,
        session: SessionId,
        name: &str,
    ) -> Result<()> {
        // The manager accepts any name here, even names that it refuses at a launch.
        name::check_latin(name).map_err(|error| declined(error.to_string()))?;
        let connection = self.core.connection().await?;
        let path = format!("/session/{session}/rename");
        let call = ManagerCall::post(path, &json!({"name": name})).within(SHORT);
        let Err(error) = connection.http.send(&call).await else {
            return Ok(());
        };
        if taken_on_its_own(&connection, session, name, &error).await {
            return Ok(());
        }
        match connection.seen_after(session, error).await {
            (_, Some(status)) if !status.is_live() => Err(declined(tr_sent!(
                "only running sessions can be renamed. This session is {status}",
                status
            ))),
            (error, _) => Err(connection.only_owner(session, error).await),
        }
    }

    /// A failed mutation changes nothing, even if the manager itself has failed (26.9.6 has such a
    /// bug).
    pub(in crate::engine::backendai) async fn set_priority(
        &self,
        session: SessionId,
        priority: i32,
    ) -> Result<()> {
        let connection = self.core.connection().await?;
        let id = STANDARD.encode(format!("ComputeSessionNode:{session}"));
        let input = json!({"input": {"id": id, "priority": priority}});
        match connection.http.ask(Schema::One, PRIORITY, input).await {
            Ok(_) => Ok(()),
            Err(error) => Err(connection.seen_after(session, error).await.0),
        }
    }
}

impl ManagerConnection {
    /// A refused request may mean that the session doesn't exist any more, which the manager
    /// reports as "no permission". Returns the session's status, or the better error.
    pub(in crate::engine::backendai) async fn seen_after(
        &self,
        session: SessionId,
        error: Failure,
    ) -> (Failure, Option<Status>) {
        if error.is_lost() || error.is_denied() {
            return (error, None);
        }
        match self.status_of(session).await {
            Ok(Some(status)) => (error, Some(status)),
            Ok(None) => (Failure::session_not_found(session), None),
            Err(_) => (error, None),
        }
    }
}

/// Older managers terminate a session that is being created only with force.
fn needs_force(error: Failure, force: bool) -> Failure {
    if error.kind == FailureKind::Refused && error.hint.is_none() && !force {
        return error.hint(tr_sent!("if necessary, terminate the session with --force"));
    }
    error
}

/// The manager refuses a rename to the current name as "already exists". Checks whether the session
/// itself has that name.
async fn taken_on_its_own(
    connection: &ManagerConnection,
    session: SessionId,
    name: &str,
    error: &Failure,
) -> bool {
    let taken = tr_sent!("a session with that name already exists");
    if error.kind != FailureKind::Refused || !error.what.as_str().contains(taken) {
        return false;
    }
    matches!(connection.name_of(session).await, Ok(Some(present)) if present == name)
}
