//! Files of a session that aren't in a folder: counts them, and copies them into a folder.

mod changes;
mod count;
mod rescue;
mod target;

use std::{path::Path, time::Duration};

use async_trait::async_trait;
use bytes::Bytes;
use tokio::{sync::watch, time::timeout};

use super::{
    DockerEngine,
    terminal::{exec, runner_command, streams::ProgramStarter},
    usage::disk,
};
use crate::{
    engine::api::{Attached, Input, Losses, Result},
    model::{
        failure::Failure,
        files::FileProgress,
        id::SessionId,
        loss::{Rescue, Rescued, Unsaved, UnsavedOrder},
        resources,
    },
};

pub(super) use self::target::remove_unfinished;

/// How long counting may take.
const COUNTING: Duration = Duration::from_secs(60);

#[async_trait]
impl Losses for DockerEngine {
    async fn unsaved(&self, session: SessionId) -> Result<Unsaved> {
        // One session at a time: each count makes the engine read a whole container.
        let work = async {
            let _turn = self.counting.lock().await;
            self.count_unsaved(session).await
        };
        timeout(COUNTING, work).await.unwrap_or_else(|_| {
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

    async fn rescue(
        &self,
        session: SessionId,
        rescue: &Rescue,
        progress: watch::Sender<FileProgress>,
    ) -> Result<Rescued> {
        self.rescue_files(session, rescue, progress).await
    }

    async fn home_size(&self, session: SessionId) -> Option<resources::Bytes> {
        let scratches = self.scratches.clone();
        let look = move || disk::look(&scratches.homes(session)).held;
        tokio::task::spawn_blocking(look).await.ok().flatten()
    }
}

impl DockerEngine {
    /// Starts the runner's `unsaved` command in the session with an order.
    async fn ask_unsaved(
        &self,
        session: SessionId,
        starter: ProgramStarter,
        word: &str,
        order: &UnsavedOrder,
    ) -> Result<Attached> {
        let mut line = serde_json::to_vec(order).map_err(|error| {
            Failure::internal(tr_sent!(
                "the order for the session can't be written: {error}",
                error
            ))
            .hint(tr_sent!("copy files with `workbay cp`"))
        })?;
        line.push(b'\n');
        let key = starter.key();
        let argv = runner_command::unsaved(&starter.runner, word, key.as_deref());
        let ending = starter.ending(key, None);
        let started = exec::start(starter.connection, starter.container, argv, false, ending).await;
        let attached = started.map_err(|error| self.named(error, session))?;
        let input = attached.input.clone();
        // The runner may have ended; its output says why.
        tokio::spawn(async move { input.send(Input::Bytes(Bytes::from(line))).await });
        Ok(attached)
    }

    /// Whether a home directory of this machine is as new, or was taken over from an earlier session.
    fn is_taken_over(home: &Path) -> bool {
        let taken = home.parent().map(|dir| dir.join("log.taken-from"));
        taken.is_some_and(|path| path.exists())
    }
}
