//! Creates an image from a running session.

use futures_util::stream::BoxStream;
use serde_json::{Value, json};

use super::events;
use crate::{
    engine::{
        api::Result,
        backendai::{
            BackendAiEngine,
            request::{http::ManagerCall, manager_error::declined},
        },
        manager::TaskProgress,
    },
    model::{
        failure::{Failure, FailureKind},
        id::SessionId,
        own_image,
    },
};

impl BackendAiEngine {
    pub(in crate::engine::backendai) async fn make_image(
        &self,
        session: SessionId,
        image_name: &str,
    ) -> Result<BoxStream<'static, Result<TaskProgress>>> {
        check(image_name)?;
        let connection = self.core.connection().await?;
        let body = json!({"image_name": image_name, "image_visibility": "user"});
        let call = ManagerCall::post(format!("/session/{session}/imagify"), &body);
        let answer: Value = match connection.http.json(&call).await {
            Ok(answer) => answer,
            Err(error) => return Err(connection.why_not(session, error).await),
        };
        let Some(task) = answer["task_id"].as_str() else {
            return Err(Failure::reported(tr_sent!(
                "it creates the image, but without a task ID to follow"
            )));
        };
        events::task(connection.http.clone(), task).await
    }
}

impl crate::engine::backendai::connect::connection::ManagerConnection {
    async fn why_not(&self, session: SessionId, error: Failure) -> Failure {
        if error.kind != FailureKind::Refused {
            return error;
        }
        if error
            .what
            .as_str()
            .to_ascii_lowercase()
            .contains("container registry")
        {
            return Failure::refused(tr_sent!(
                "the session's project has no container registry for images"
            ))
            .hint(tr_sent!(
                "ask the administrator of the cluster to set a container registry"
            ));
        }
        match self.seen_after(session, error).await {
            (_, Some(status)) if !status.is_live() => declined(tr_sent!(
                "only images of running sessions can be created. This session is {status}",
                status
            )),
            (error, _) => error,
        }
    }
}

/// The manager's rule, with the length limits of the WebUI.
fn check(name: &str) -> Result<()> {
    own_image::check_name(name).map_err(declined)
}
