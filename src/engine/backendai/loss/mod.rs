//! Files of a running session that aren't in a folder. Workbay's program in the session counts them, and copies them
//! into a folder that the session mounts; into any other folder they go through the storage proxy.

mod reply;
mod rescue;
mod upload;

use async_trait::async_trait;
use serde::Serialize;
use tokio::sync::watch;

use super::{BackendAiEngine, stream::start_python};
use crate::{
    engine::{
        api::{Attached, Losses, Result},
        losses::counted_in_time,
        manager::Manager as _,
    },
    model::{
        failure::Failure,
        files::{FilePath, FileProgress},
        id::SessionId,
        loss::{Rescue, Rescued, Unsaved, UnsavedAnswer},
    },
};

/// The longest answer to a count in bytes.
const LONGEST: usize = 8 << 20;

/// What the session itself puts into the home directory.
const FIRST: [&str; 1] = ["home/work/id_container"];

/// What the program in the session is asked.
#[derive(Serialize)]
struct LossOrder<'a> {
    /// When the session began to run, in nanoseconds; 0 = unknown. The program also looks at the session's own services.
    since: i64,
    /// Files that nobody created.
    first: [&'static str; 1],
    /// What is copied; empty = what changed.
    paths: &'a [FilePath],
    folder: &'a str,
    /// The id of the folder, by which its mount is found.
    id: Option<&'a str>,
    directory: &'a FilePath,
}

#[async_trait]
impl Losses for BackendAiEngine {
    /// An open connection to the session is use of it, so nobody should ask this without a user who wants to know.
    async fn unsaved(&self, session: SessionId) -> Result<Unsaved> {
        let root = FilePath::root();
        let order = LossOrder {
            since: self.began(session).await?,
            first: FIRST,
            paths: &[],
            folder: "",
            id: None,
            directory: &root,
        };
        let counting = async {
            let attached = self.ask_loss(session, "unsaved", &order).await?;
            reply::read(attached, LONGEST).await
        };
        // The program gives up a little earlier, and reports that.
        let counted = counted_in_time(counting).await?;
        let answer: UnsavedAnswer = reply::parse(&counted)?;
        Ok(Unsaved {
            outside: answer.outside,
            home: answer.home.unwrap_or_default(),
            // The agent deletes it with the container.
            home_is_kept: false,
            keep_days: None,
        })
    }

    async fn rescue(
        &self,
        session: SessionId,
        rescue: &Rescue,
        progress: watch::Sender<FileProgress>,
    ) -> Result<Rescued> {
        self.rescue_files(session, rescue, &progress).await
    }
}

impl BackendAiEngine {
    /// When the manager says that the session began to run, in nanoseconds; 0 = it doesn't say.
    async fn began(&self, session: SessionId) -> Result<i64> {
        let row = self.session(session).await?;
        let started = row.and_then(|row| row.started_at);
        let nanoseconds = started.map_or(0, jiff::Timestamp::as_nanosecond);
        Ok(i64::try_from(nanoseconds).unwrap_or(0))
    }

    async fn ask_loss(
        &self,
        session: SessionId,
        task: &str,
        order: &LossOrder<'_>,
    ) -> Result<Attached> {
        let line = serde_json::to_string(order).map_err(|error| {
            Failure::internal(tr_sent!(
                "the order for the session can't be written: {error}",
                error
            ))
            .hint(tr_sent!("copy files with `workbay cp`"))
        })?;
        start_python(self, session, &[task], Some(&line)).await
    }
}
