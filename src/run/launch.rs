//! Launches of the TUI that the daemon may not answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::link::Current;
use crate::{
    client::{
        Asked, Client,
        launch::{unknown, with_key},
    },
    model::{id::ContextName, spec::LaunchRequest},
    protocol::message::{Failure, Reply},
};

/// How long a new connection is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The last launch that has no answer yet: when it is asked for again, it has the same key, so it launches
/// nothing twice.
#[derive(Clone, Debug, Default)]
pub struct Unanswered(Arc<Mutex<Option<(ContextName, LaunchRequest)>>>);

impl Unanswered {
    /// The answer to a launch that was put with its key.
    pub async fn follow(
        self,
        client: Client,
        put: Result<Asked, Failure>,
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

    /// With the key it has where the same was asked for before.
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

    /// The next one like it is another launch.
    fn answered(&self, launch: &LaunchRequest) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_some_and(|(_, known)| known == launch) {
            *last = None;
        }
    }
}

/// The next connection that works.
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
