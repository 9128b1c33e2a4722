//! What the daemon remembers: sessions, kernels, their history, who asked for what.
//!
//! Space is kept free beside the file, so that the end of a session can be recorded on a full disk.
//!
//! One thread owns the SQLite file; everybody else sends it work through a bounded channel. The
//! daemon alone opens it. A broken file is kept aside and a new one begun: the containers on the
//! engine bear labels enough to fill it again. A row that cannot be read is set aside alone.

mod check;
mod checksum;
mod error;
mod figures;
mod file;
mod health;
mod keep;
mod launches;
mod recents;
mod reserve;
mod rows;
mod schema;
mod scrub;
mod shelf;
mod unreadable;
mod unwritable;
mod values;

use std::{path::PathBuf, thread};

use tokio::sync::{mpsc, oneshot};

pub use error::StoreError;
pub use health::{Health, look};
pub use shelf::{Mark, Shelved};
pub use unwritable::Unwritten;

use crate::model::{
    figures::{Figures, FiguresRecord},
    history::HistoryEntry,
    id::{ContextName, InstanceId, SessionId, SessionKey},
    launch::secrets::SecretRules,
    recent::{Recent, RecentEdit, RecentId},
    record::{Mounts, SessionRecord, Write},
    spec::LaunchRequest,
    text::Clean,
};

/// Jobs that wait for the owner thread.
const JOBS: usize = 64;

/// Ended sessions that are loaded usually.
pub const ENDED: u32 = 4_000;

/// Where the store lies and how it is kept.
#[derive(Clone, Debug)]
pub struct StoreOptions {
    pub database: PathBuf,
    /// The instance's id once more, so that it survives the loss of the database: containers are
    /// recognised by it.
    pub instance_file: PathBuf,
    /// Ended sessions that are loaded besides those that are not done with; the others stay in the file.
    pub ended: u32,
    /// The file never grows beyond so many pages of 4 KiB; `None` = the disk is the limit.
    pub page_limit: Option<u32>,
    /// Values that are secret by these rules are removed from what earlier versions wrote.
    pub secrets: SecretRules,
}

impl StoreOptions {
    /// The database there, the instance's id beside it.
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

/// What the store held when it was opened.
#[derive(Clone, Debug)]
pub struct Opened {
    pub instance: InstanceId,
    /// The file was lost and begun again, or sessions in it were: what runs on the engine may not be in it yet.
    /// This mark beside it is removed by who has filled it.
    pub incomplete: Option<PathBuf>,
    /// Whoever is not done with, and the newest of the others; oldest first.
    pub records: Vec<SessionRecord>,
    /// What was left in the file.
    pub shelved: Shelved,
    /// What sessions used that had not ended.
    pub figures: Vec<(SessionKey, FiguresRecord)>,
    /// Where folders were mounted in sessions of engines that schedule.
    pub mounts: Vec<Mounts>,
    /// The copy that was made before the file was brought to the newest layout.
    pub copy: Option<PathBuf>,
    /// What a person should know about the opening (a broken file or row was kept aside).
    pub notes: Vec<Clean>,
}

/// The line to the owner thread; cheap to clone. The thread ends with the last clone.
#[derive(Clone, Debug)]
pub struct Store {
    jobs: mpsc::Sender<Job>,
}

/// What a write is for, so that some can be recorded where others cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    Ordinary,
    /// A session ends: it may take the space that is reserved for it.
    Ending,
}

enum Job {
    Write(Vec<Write>, Purpose, oneshot::Sender<Result<(), StoreError>>),
    WriteApart(
        Vec<Write>,
        Purpose,
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
    /// Opens (or begins) the store and starts its thread. Blocks on the disk.
    pub fn open(options: &StoreOptions) -> Result<(Self, Opened), StoreError> {
        let (mut file, opened) = file::StoreFile::open(options)?;
        let (jobs, mut waiting) = mpsc::channel(JOBS);
        thread::Builder::new()
            .name("store".to_owned())
            .spawn(move || {
                let mut closed = None;
                while let Some(job) = waiting.blocking_recv() {
                    // Whoever waited may have gone; the work is done all the same.
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
                    // Whoever waited may have gone.
                    let _ = answer.send(());
                }
            })
            .map_err(|error| StoreError::other(&options.database, &error))?;
        Ok((Self { jobs }, opened))
    }

    /// Writes all of it or nothing; it has reached the file when this returns.
    pub async fn write(&self, writes: Vec<Write>) -> Result<(), StoreError> {
        self.write_for(Purpose::Ordinary, writes).await
    }

    /// The same; what ends a session may take the reserved space.
    pub async fn write_for(&self, purpose: Purpose, writes: Vec<Write>) -> Result<(), StoreError> {
        self.ask(|answer| Job::Write(writes, purpose, answer)).await
    }

    /// The same, without the rows that cannot be written whatever room there is: they are kept aside. Those rows.
    pub async fn write_apart(
        &self,
        purpose: Purpose,
        writes: Vec<Write>,
    ) -> Result<Vec<Unwritten>, StoreError> {
        self.ask(|answer| Job::WriteApart(writes, purpose, answer))
            .await
    }

    /// What happened to a session, newest first.
    pub async fn history(&self, session: SessionId) -> Result<Vec<HistoryEntry>, StoreError> {
        self.ask(|answer| Job::History(session, answer)).await
    }

    /// What is kept of a session's use.
    pub async fn figures(&self, session: SessionKey) -> Result<Option<Figures>, StoreError> {
        self.ask(|answer| Job::Figures(session, answer)).await
    }

    /// How a session of an engine that schedules was launched from here.
    pub async fn launch(&self, session: SessionKey) -> Result<Option<LaunchRequest>, StoreError> {
        self.ask(|answer| Job::Launch(session, answer)).await
    }

    /// Ended sessions of a context that were left in the file: the newest before the mark.
    pub async fn older(
        &self,
        context: ContextName,
        before: Mark,
        limit: u32,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.ask(|answer| Job::Older(context, before, limit, answer))
            .await
    }

    /// How many sessions that are done with have a name that holds the text, and the newest of them.
    pub async fn named(
        &self,
        context: ContextName,
        text: String,
        limit: u32,
    ) -> Result<(u64, Vec<SessionId>), StoreError> {
        self.ask(|answer| Job::Named(context, text, limit, answer))
            .await
    }

    /// Those of these sessions that there are.
    pub async fn sessions(&self, ids: Vec<SessionId>) -> Result<Vec<SessionRecord>, StoreError> {
        self.ask(|answer| Job::Sessions(ids, answer)).await
    }

    /// Remembered launches: pinned ones first, then the newest first.
    pub async fn recents(&self) -> Result<Vec<Recent>, StoreError> {
        self.ask(Job::Recents).await
    }

    /// Changes one of them and tells all.
    pub async fn edit_recent(
        &self,
        id: RecentId,
        edit: RecentEdit,
    ) -> Result<Vec<Recent>, StoreError> {
        self.ask(|answer| Job::EditRecent(id, edit, answer)).await
    }

    /// Closes the file, for every clone; returns when it is closed.
    pub async fn close(self) {
        let (answer, answered) = oneshot::channel();
        if self.jobs.send(Job::Close(answer)).await.is_ok() {
            // Whether the thread answers or has gone: it is closed.
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
