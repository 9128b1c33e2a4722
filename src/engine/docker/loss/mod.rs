//! Files of a session that aren't in a folder: counts them, and copies them into a folder.

mod changes;
mod count;
mod rescue;
mod target;

use std::path::Path;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::watch;

use super::{
    DockerEngine,
    terminal::{exec, runner_command, streams::ProgramStarter},
    usage::disk,
};
use crate::{
    engine::{
        api::{Attached, Input, Losses, Result},
        losses::counted_in_time,
    },
    model::{
        failure::Failure,
        files::FileProgress,
        id::SessionId,
        loss::{Rescue, Rescued, Unsaved, UnsavedOrder},
        resources,
    },
};

pub(super) use self::target::remove_unfinished;

#[async_trait]
impl Losses for DockerEngine {
    async fn unsaved(&self, session: SessionId) -> Result<Unsaved> {
        // One session at a time: each count makes the engine read a whole container.
        let work = async {
            let _turn = self.counting.lock().await;
            self.count_unsaved(session).await
        };
        counted_in_time(work).await
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
