//! Launches of the TUI that the daemon may not answer.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::link::Current;
use crate::{
    client::{
        Client,
        launch::{unknown, with_key},
    },
    model::{id::ContextName, spec::LaunchRequest},
    protocol::message::{Failure, Reply},
};

/// How long a new connection is waited for.
const PATIENCE: Duration = Duration::from_secs(30);

/// The last launch of which nobody knows what became: when it is asked for again, it has the same
/// key, so it launches nothing twice.
#[derive(Clone, Debug, Default)]
pub struct Unanswered(Arc<Mutex<Option<(ContextName, LaunchRequest)>>>);

impl Unanswered {
    pub async fn launch(
        self,
        client: &Client,
        current: Current,
        context: ContextName,
        launch: LaunchRequest,
    ) -> Result<Reply, Failure> {
        let launch = with_key(self.take(context, launch));
        if let Some(answer) = client.launch(context, &launch, renewed(current)).await {
            return answer;
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((context, launch));
        Err(unknown(None))
    }

    /// With its key where the same was asked for before.
    fn take(&self, context: ContextName, launch: LaunchRequest) -> LaunchRequest {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        let same = known
            .filter(|(where_, known)| *where_ == context && known.clone().without_key() == launch);
        same.map_or(launch, |(_, known)| known)
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
    fn the_same_launch_once_more_has_the_same_key() {
        let unanswered = Unanswered::default();
        let context = ContextName::local();
        let asked = LaunchRequest::default();
        let sent = with_key(asked.clone());
        let keep = || *unanswered.0.lock().unwrap() = Some((context, sent.clone()));
        keep();
        assert_eq!(unanswered.take(context, asked.clone()), sent);
        assert_eq!(unanswered.take(context, asked.clone()), asked, "only once");
        keep();
        let other = LaunchRequest {
            count: Some(2),
            ..asked
        };
        assert_eq!(unanswered.take(context, other.clone()), other);
    }
}
