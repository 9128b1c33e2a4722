//! The state database: the sessions, containers, history and launches that the daemon stores.
//!
//! A reserve file keeps disk space free, so that the end of a session can be recorded on a full disk.
//!
//! One thread owns the SQLite file. All other code sends it work through a bounded channel. Only the daemon opens
//! the file for writing. A damaged file is set aside and a new one created, which is filled from the labels of the
//! containers on the engine. A single row that can't be read is set aside alone.

mod check;
mod checksum;
mod error;
mod figures;
mod file;
mod finished;
mod forwards;
mod health;
mod keep;
mod launches;
mod recents;
mod reserve;
mod row_values;
mod schema;
mod scrub;
mod unreadable;
mod unwritable;
mod values;

use std::{path::PathBuf, thread};

use tokio::sync::{mpsc, oneshot};

pub use error::StoreError;
pub use finished::{Mark, Unloaded};
pub use health::{Health, look};
pub use unwritable::Unwritten;

use crate::model::{
    figures::{Figures, FiguresRecord},
    forward::Forward,
    history::HistoryEntry,
    id::{ContextName, InstanceId, SessionId, SessionKey},
    recent::{Recent, RecentEdit, RecentId},
    record::{Mounts, SessionRecord, Write},
    secret_rules::SecretRules,
    spec::LaunchRequest,
    text::Clean,
};

/// How many jobs can wait for the owner thread.
const JOBS: usize = 64;

/// How many ended sessions are loaded before the first list by default: more than a screen shows. Each is read,
/// sent and listed before anything is seen.
pub const ENDED: u32 = 100;

/// How many ended sessions of a context are in memory by default, soon after the start.
pub const IN_MEMORY: u32 = 4_000;

/// The location and the settings of the store.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub database: PathBuf,
    /// A copy of the instance's ID, so that it survives the loss of the database. Containers are recognized by this ID.
    pub instance_file: PathBuf,
    /// How many finished sessions are loaded besides the unfinished ones. The others stay in the file.
    pub ended: u32,
    /// The maximum size of the file in pages of 4 KiB. `None` = the disk is the limit.
    pub page_limit: Option<u32>,
    /// Secret values by these rules are removed from what earlier versions wrote.
    pub secrets: SecretRules,
}

impl StoreOptions {
    /// Uses the database at this path, with the instance's ID in a file beside it.
    pub fn new(database: PathBuf) -> Self {
        Self {
            instance_file: database.with_file_name("instance"),
            database,
            ended: ENDED,
            page_limit: None,
            secrets: SecretRules::default(),
        }
    }
}

/// What the store contained when it was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    pub instance: InstanceId,
    /// Set if the file or sessions in it were lost, so that running sessions may be missing. This is the path of
    /// the mark beside the file. The code that adds the missing sessions removes the mark.
    pub incomplete: Option<PathBuf>,
    /// The unfinished sessions and the newest of the others, oldest first.
    pub records: Vec<SessionRecord>,
    /// The sessions that were left in the file.
    pub unloaded: Unloaded,
    /// The figures of sessions that had not ended.
    pub figures: Vec<(SessionKey, FiguresRecord)>,
    /// The folder mounts in sessions of engines that schedule.
    pub mounts: Vec<Mounts>,
    /// The forwards that were open.
    pub forwards: Vec<Forward>,
    /// The copy that was made before the file was changed to the newest layout.
    pub copy: Option<PathBuf>,
    /// Messages for the user about the opening, for example that a damaged file or row was set aside.
    pub notes: Vec<Clean>,
}

/// The channel to the owner thread, which is cheap to clone. The thread ends with the last clone.
#[derive(Clone, Debug)]
pub struct Store {
    jobs: mpsc::Sender<Job>,
}

/// The purpose of a write. On a full disk some purposes are still possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePurpose {
    Ordinary,
    /// The end of a session, which may use the reserved space.
    Ending,
}

enum Job {
    Write(
        Vec<Write>,
        WritePurpose,
        oneshot::Sender<Result<(), StoreError>>,
    ),
    WriteApart(
        Vec<Write>,
        WritePurpose,
        oneshot::Sender<Result<Vec<Unwritten>, StoreError>>,
    ),
    History(
        SessionId,
        oneshot::Sender<Result<Vec<HistoryEntry>, StoreError>>,
    ),
    Figures(
        SessionKey,
        oneshot::Sender<Result<Option<Figures>, StoreError>>,
    ),
    Launch(
        SessionKey,
        oneshot::Sender<Result<Option<LaunchRequest>, StoreError>>,
    ),
    Older(
        ContextName,
        Mark,
        u32,
        oneshot::Sender<Result<Vec<SessionRecord>, StoreError>>,
    ),
    Named(
        ContextName,
        String,
        u32,
        oneshot::Sender<Result<(u64, Vec<SessionId>), StoreError>>,
    ),
    Sessions(
        Vec<SessionId>,
        oneshot::Sender<Result<Vec<SessionRecord>, StoreError>>,
    ),
    Recents(oneshot::Sender<Result<Vec<Recent>, StoreError>>),
    EditRecent(
        RecentId,
        RecentEdit,
        oneshot::Sender<Result<Vec<Recent>, StoreError>>,
    ),
    Close(oneshot::Sender<()>),
}

impl Store {
    /// Opens (or creates) the store and starts its thread. Blocks on the disk.
    pub fn open(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let (mut file, opened) = file::StoreFile::open(options)?;
        let (jobs, mut waiting) = mpsc::channel(JOBS);
        thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                let mut closed = None;
                while let Some(job) = waiting.blocking_recv() {
                    // The work is done even if the receiver of the answer no longer exists.
                    match job {
                        Job::Write(writes, purpose, answer) => {
                            drop(answer.send(file.write(&writes, purpose)));
                        }
                        Job::WriteApart(writes, purpose, answer) => {
                            drop(answer.send(file.write_apart(&writes, purpose)));
                        }
                        Job::History(id, answer) => drop(answer.send(file.history(id))),
                        Job::Figures(session, answer) => {
                            drop(answer.send(file.figures(session)));
                        }
                        Job::Launch(session, answer) => drop(answer.send(file.launch(session))),
                        Job::Older(context, before, limit, answer) => {
                            drop(answer.send(file.older(context, &before, limit)));
                        }
                        Job::Named(context, text, limit, answer) => {
                            drop(answer.send(file.named(context, &text, limit)));
                        }
                        Job::Sessions(ids, answer) => drop(answer.send(file.sessions(&ids))),
                        Job::Recents(answer) => drop(answer.send(file.recents())),
                        Job::EditRecent(id, edit, answer) => {
                            drop(answer.send(file.edit_recent(id, &edit)));
                        }
                        Job::Close(answer) => {
                            closed = Some(answer);
                            break;
                        }
                    }
                }
                drop(file);
                if let Some(answer) = closed {
                    // The receiver of the answer may no longer exist.
                    let _ = answer.send(());
                }
            })
            .map_err(|error| StoreError::other(&options.database, &error))?;
        Ok((Self { jobs }, opened))
    }

    /// Writes all rows or none. They are in the file when this returns.
    pub async fn write(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.write_for(WritePurpose::Ordinary, writes).await
    }

    /// Like [`Self::write`], but the end of a session may use the reserved space.
    pub async fn write_for(
        &self,
        purpose: WritePurpose,
        writes: Vec<Write>,
    ) -> Result<(), StoreError> {
        self.ask(|answer| Job::Write(writes, purpose, answer)).await
    }

    /// Like [`Self::write_for`], but sets aside the rows that can't be written even with enough space. Returns those.
    pub async fn write_apart(
        &self,
        purpose: WritePurpose,
        writes: Vec<Write>,
    ) -> Result<Vec<Unwritten>, StoreError> {
        self.ask(|answer| Job::WriteApart(writes, purpose, answer))
            .await
    }

    /// Returns the history of a session, newest first.
    pub async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>, StoreError> {
        self.ask(|answer| Job::History(session, answer)).await
    }

    /// Returns the stored figures of a session.
    pub async fn figures(&self, session: SessionKey) -> Result<Option<Figures>, StoreError> {
        self.ask(|answer| Job::Figures(session, answer)).await
    }

    /// Returns how a session of an engine that schedules was launched from this instance.
    pub async fn launch(&self, session: SessionKey) -> Result<Option<LaunchRequest>, StoreError> {
        self.ask(|answer| Job::Launch(session, answer)).await
    }

    /// Returns the newest sessions of a context before the mark, from those that were left in the file.
    pub async fn older(
        &self,
        context: ContextName,
        before: Mark,
        limit: u32,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.ask(|answer| Job::Older(context, before, limit, answer))
            .await
    }

    /// Returns how many finished sessions have a name that contains the text, and the newest of them.
    pub async fn named(
        &self,
        context: ContextName,
        text: String,
        limit: u32,
    ) -> Result<(u64, Vec<SessionId>), StoreError> {
        self.ask(|answer| Job::Named(context, text, limit, answer))
            .await
    }

    /// Returns the sessions with these IDs that exist.
    pub async fn sessions(&self, ids: Vec<SessionId>) -> Result<Vec<SessionRecord>, StoreError> {
        self.ask(|answer| Job::Sessions(ids, answer)).await
    }

    /// Returns the recent launches: pinned ones first, then the newest first.
    pub async fn recents(&self) -> Result<Vec<Recent>, StoreError> {
        self.ask(Job::Recents).await
    }

    /// Changes a recent launch and returns all of them.
    pub async fn edit_recent(
        &self,
        id: RecentId,
        edit: RecentEdit,
    ) -> Result<Vec<Recent>, StoreError> {
        self.ask(|answer| Job::EditRecent(id, edit, answer)).await
    }

    /// Closes the file for all clones, and returns when it is closed.
    pub async fn close(self) {
        let (answer, answered) = oneshot::channel();
        if self.jobs.send(Job::Close(answer)).await.is_ok() {
            // The file is closed whether the thread answers or has ended.
            let _ = answered.await;
        }
    }

    async fn ask<T>(
        &self,
        job: impl FnOnce(oneshot::Sender<Result<T, StoreError>>) -> Job,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        self.jobs
            .send(job(answer))
            .await
            .map_err(|_| StoreError::Closed)?;
        answered.await.map_err(|_| StoreError::Closed)?
    }
}

#[cfg(test)]
mod tests;
