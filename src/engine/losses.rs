//! Files of sessions that aren't in a folder: counting and copying them.

use std::time::Duration;

use async_trait::async_trait;
use tokio::{sync::watch, time::timeout};

use super::api::Result;
use crate::model::{
    failure::Failure,
    files::FileProgress,
    id::SessionId,
    loss::{Rescue, Rescued, Unsaved},
    resources::Bytes,
};

/// How long counting may take.
const COUNTING: Duration = Duration::from_secs(60);

/// Files of sessions that aren't in a folder.
#[async_trait]
pub trait Losses: Send + Sync {
    /// Counts the files of a running session that aren't in a folder. It isn't use of the session.
    async fn unsaved(&self, _session: SessionId) -> Result<Unsaved> {
        Err(no_losses())
    }

    /// Copies files of a running session into a new directory of a folder. On an error nothing stays there, and nothing
    /// if the call is dropped.
    async fn rescue(
        &self,
        _session: SessionId,
        _rescue: &Rescue,
        _progress: watch::Sender<FileProgress>,
    ) -> Result<Rescued> {
        Err(no_losses())
    }

    /// The space of the home directories that a session left on this machine; `None` = none, or it can't be measured.
    async fn home_size(&self, _session: SessionId) -> Option<Bytes> {
        None
    }
}

fn no_losses() -> Failure {
    Failure::unsupported(tr_sent!(
        "this engine can't report which files of a session changed"
    ))
    .hint(tr_sent!("copy files with `workbay cp`"))
}

/// Limits the time that counting takes.
pub(super) async fn counted_in_time<T>(counting: impl Future<Output = Result<T>>) -> Result<T> {
    timeout(COUNTING, counting).await.unwrap_or_else(|_| {
        let seconds = COUNTING.as_secs();
        let text = tr_sent!(
            "the files of the session weren't counted within {seconds}s",
            seconds
        );
        Err(Failure::reported(text).hint(tr_sent!(
            "the session may have very many files. Copy what you need into a folder"
        )))
    })
}
