//! A launch over a connection that may end before the answer.

use std::future::Future;

use super::{Asked, Client};
use crate::{
    model::{id::ContextName, launch::key, spec::LaunchRequest, status::Tab},
    protocol::message::{Failure, FailureKind, Reply, Request},
};

impl Client {
    /// Launches. When the connection ends before the answer, asks once more over the connection that
    /// `renewed` gives, with the same idempotency key. `None` = it is not known whether it launched.
    pub async fn launch(
        &self,
        context: ContextName,
        launch: &LaunchRequest,
        renewed: impl Future<Output = Option<Self>>,
    ) -> Option<Result<Reply, Failure>> {
        let first = self.put(request(context, launch)).await;
        self.follow_launch(first, context, launch, renewed).await
    }

    /// The same for a launch that was put already.
    pub async fn follow_launch(
        &self,
        first: Result<Asked, Failure>,
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
            // What the engine holds isn't known then.
            Err(failure) if failure.kind == FailureKind::Unreachable => None,
            second => Some(second),
        }
    }

    /// Whether a launch that is repeated with its key launches nothing twice in this context. An engine
    /// that schedules does not know keys.
    async fn knows_keys(&self, context: ContextName) -> bool {
        let tab = Some(Tab::Running);
        let Ok(Reply::Snapshot { snapshot }) = self.ask(Request::Snapshot { tab }).await else {
            return false;
        };
        let mut contexts = snapshot.contexts.iter().map(|state| &state.context);
        contexts.any(|it| it.name == context && !it.kind.schedules())
    }
}

/// As the daemon is asked for it.
#[must_use]
pub fn request(context: ContextName, launch: &LaunchRequest) -> Request {
    Request::Launch {
        context,
        launch: Box::new(launch.clone()),
    }
}

/// This launch with an idempotency key: the one it has, or a new one.
#[must_use]
pub fn with_key(launch: LaunchRequest) -> LaunchRequest {
    let key = launch.idempotency_key.clone().unwrap_or_else(key::random);
    LaunchRequest {
        idempotency_key: Some(key),
        ..launch
    }
}

/// A launch that the daemon did not answer. `key` is what the command can be repeated with.
#[must_use]
pub fn unknown(key: Option<&str>) -> Failure {
    let help = match key {
        Some(key) => format!(
            "run `workbay ls`, or repeat the command with `--idempotency-key {key}`, which never \
             launches twice"
        ),
        None => "run `workbay ls` to see whether the session exists before you try again".into(),
    };
    let text = "the daemon stopped before it answered, so the launch may have happened";
    Failure::new(FailureKind::Unreachable, text).with_help(help)
}
