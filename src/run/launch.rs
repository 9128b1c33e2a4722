//! Launches of the TUI whose answer the daemon may not have sent.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::connection::Current;
use crate::{
    client::{
        Client, PendingReply,
        launch::{unknown, with_key},
    },
    model::{failure::Failure, id::ContextName, spec::LaunchRequest},
    protocol::message::Reply,
};

/// How long to wait for a new connection.
const PATIENCE: Duration = Duration::from_secs(30);

/// The last launch without an answer. If you launch the same again, the request has the same key, so the
/// daemon doesn't launch it twice.
#[derive(Clone, Debug, Default)]
pub struct Unanswered(Arc<Mutex<Option<(ContextName, LaunchRequest)>>>);

impl Unanswered {
    /// The answer to a launch that was sent with its key.
    pub async fn follow(
        self,
        client: Client,
        put: Result<PendingReply, Failure>,
        current: Current,
        context: ContextName,
        launch: LaunchRequest,
    ) -> Result<Reply, Failure> {
        let renewed = renewed(current);
        let answer = client.follow_launch(put, context, &launch, renewed);
        if let Some(answer) = answer.await {
            self.answered(&launch);
            return answer;
        }
        Err(unknown(None))
    }

    /// The launch with its earlier key, if the same launch was requested before.
    pub fn keyed(&self, context: ContextName, launch: LaunchRequest) -> LaunchRequest {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, known)) = &*last
            && *of == context
            && known.clone().without_key() == launch
        {
            return known.clone();
        }
        let launch = with_key(launch);
        *last = Some((context, launch.clone()));
        launch
    }

    /// Forgets the launch, so that the next equal request is another launch.
    fn answered(&self, launch: &LaunchRequest) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_some_and(|(_, known)| known == launch) {
            *last = None;
        }
    }
}

/// Waits for the next working connection.
async fn renewed(mut current: Current) -> Option<Client> {
    let works = |client: &Option<Client>| client.as_ref().is_some_and(|it| !it.is_lost());
    let next = tokio::time::timeout(PATIENCE, current.wait_for(works)).await;
    next.ok()?.ok()?.clone()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_launch_has_the_same_key_until_it_is_answered() {
        let unanswered = Unanswered::default();
        let context = ContextName::local();
        let asked = LaunchRequest::default();
        let first = unanswered.keyed(context, asked.clone());
        assert_eq!(unanswered.keyed(context, asked.clone()), first);
        unanswered.answered(&first);
        let second = unanswered.keyed(context, asked.clone());
        assert_ne!(second, first);
        let other = LaunchRequest {
            count: Some(2),
            ..asked
        };
        assert_eq!(
            unanswered.keyed(context, other.clone()).without_key(),
            other
        );
    }
}
