//! Launches over a connection that may end before the answer.

use std::future::Future;

use super::{Client, PendingReply};
use crate::{
    model::{
        failure::{Failure, FailureKind},
        id::ContextName,
        spec::LaunchRequest,
        status::Tab,
    },
    protocol::message::{Reply, Request},
    rules::launch::key,
};

impl Client {
    /// Launches sessions. If the connection ends before the answer, repeats the request with the same
    /// idempotency key over the connection that `renewed` returns. `None` = the result isn't known.
    pub async fn launch(
        &self,
        context: ContextName,
        launch: &LaunchRequest,
        renewed: impl Future<Output = Option<Self>>,
    ) -> Option<Result<Reply, Failure>> {
        let first = self.put(request(context, launch)).await;
        self.follow_launch(first, context, launch, renewed).await
    }

    /// Does the same for a launch that was already sent.
    pub async fn follow_launch(
        &self,
        first: Result<PendingReply, Failure>,
        context: ContextName,
        launch: &LaunchRequest,
        renewed: impl Future<Output = Option<Self>>,
    ) -> Option<Result<Reply, Failure>> {
        let first = match first {
            Ok(asked) => asked.answer().await,
            Err(failure) => Err(failure),
        };
        if first.is_ok() || !self.is_lost() {
            return Some(first);
        }
        let client = renewed.await?;
        if !client.knows_keys(context).await {
            return None;
        }
        match client.ask(request(context, launch)).await {
            Err(_) if client.is_lost() => None,
            // The sessions on the engine aren't known in this case.
            Err(failure) if failure.kind == FailureKind::Unreachable => None,
            second => Some(second),
        }
    }

    /// Whether the context recognizes a repeated launch by its key and launches nothing twice. An engine that
    /// schedules doesn't know keys.
    async fn knows_keys(&self, context: ContextName) -> bool {
        let tab = Some(Tab::Running);
        let Ok(Reply::Snapshot { snapshot }) = self.ask(Request::Snapshot { tab }).await else {
            return false;
        };
        let mut contexts = snapshot.contexts.iter().map(|state| &state.context);
        contexts.any(|it| it.name == context && !it.kind.schedules())
    }
}

/// The request for a launch.
#[must_use]
pub fn request(context: ContextName, launch: &LaunchRequest) -> Request {
    Request::Launch {
        context,
        launch: Box::new(launch.clone()),
    }
}

/// The launch with an idempotency key: its own, or a new one.
#[must_use]
pub fn with_key(launch: LaunchRequest) -> LaunchRequest {
    let key = launch.idempotency_key.clone().unwrap_or_else(key::random);
    LaunchRequest {
        idempotency_key: Some(key),
        ..launch
    }
}

/// The failure for a launch that the daemon didn't answer. `key` is the key for repeating the command.
#[must_use]
pub fn unknown(key: Option<&str>) -> Failure {
    let help = match key {
        Some(key) => tr!(
            "run `workbay ls`, or repeat the command with `--idempotency-key {key}`, which never \
             launches twice",
            key
        ),
        None => {
            tr!("run `workbay ls` to see whether the session exists before you try again").into()
        }
    };
    let text = tr!("the daemon stopped before it answered, so the launch may have happened");
    Failure::lost(text).hint(help)
}
