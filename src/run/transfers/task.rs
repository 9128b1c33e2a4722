//! What all transfers share: progress, questions, ends.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use jiff::Timestamp;
use tokio::sync::{OwnedMutexGuard, mpsc};

use super::{copy, download, edit, upload};
use crate::{
    app::{
        msg::Msg,
        transfers::{
            Conflict, ConflictAnswer, ConflictChoice, TransferEnd, TransferEvent, TransferId,
            TransferJob, TransferOrder, TransferProgress,
        },
    },
    client::Client,
    model::{
        failure::{Failure, FailureKind},
        files::{FilePath, FilePlace},
        text::Clean,
    },
    protocol::message::StreamEnd,
    run::clock,
};

/// Minimum time between two reports of progress.
const PACE: Duration = Duration::from_millis(200);

/// Why a transfer doesn't continue.
#[derive(Debug)]
pub enum Stop {
    Failed(Failure),
    /// The connection broke.
    Interrupted(Clean),
}

pub type Result<T> = std::result::Result<T, Stop>;

impl From<Failure> for Stop {
    fn from(failure: Failure) -> Self {
        if failure.kind == FailureKind::Unreachable {
            return Self::Interrupted(failure.message());
        }
        Self::Failed(failure)
    }
}

impl Stop {
    /// An error of this machine's files.
    pub fn local(path: &Path, what: &str, error: &std::io::Error) -> Self {
        let path = Clean::new(&path.to_string_lossy());
        let hint = match error.kind() {
            std::io::ErrorKind::NotFound => tr!("check the path"),
            std::io::ErrorKind::PermissionDenied => tr!("choose a directory that you can write to"),
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
                tr!("delete files that you don't need, or choose another directory")
            }
            _ => tr!("check the path and its permissions"),
        };
        let failure = Failure::internal(tr!("{path} can't be {what}: {error}", path, what, error));
        Self::Failed(failure.hint(hint))
    }

    /// Why a stream ended early.
    pub fn of_stream(end: StreamEnd) -> Self {
        match end {
            StreamEnd::Failed { failure } => failure.into(),
            StreamEnd::Lost { why } => Self::Interrupted(why),
            StreamEnd::Exited { .. } => {
                Self::Interrupted(tr!("the transfer ended before it was complete").into())
            }
        }
    }
}

/// What an interrupted transfer needs to continue.
#[derive(Debug, Default)]
pub struct Memory {
    /// The files that are complete, by their path at the source.
    pub done: HashSet<OsString>,
    /// Small files that were sent together and may not be stored yet, by their path at the source.
    pub unstored: HashSet<OsString>,
    /// The names that "keep both" chose, by the path at the source.
    pub renamed: HashMap<OsString, OsString>,
    /// The file that was under way.
    pub begun: Option<Begun>,
    /// The answer for all conflicts.
    pub all: Option<ConflictChoice>,
}

/// A file that was under way. It continues only if the source is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    pub source: OsString,
    pub size: u64,
    pub modified: Option<Timestamp>,
    /// Whether an existing file is replaced.
    pub replace: bool,
}

/// A part that is removed if the transfer is cancelled.
#[derive(Clone, Debug)]
pub enum Part {
    Local(PathBuf),
    Remote(FilePlace, FilePath),
}

/// The answers that a transfer waits for.
pub struct Orders(mpsc::Receiver<TransferOrder>);

impl Orders {
    pub fn new(received: mpsc::Receiver<TransferOrder>) -> Self {
        Self(received)
    }

    /// The answer to a question.
    async fn answer(&mut self) -> ConflictAnswer {
        loop {
            match self.0.recv().await {
                Some(TransferOrder::Answer(answer)) => return answer,
                Some(_) => {}
                // The TUI ends, and the runtime with it.
                None => std::future::pending().await,
            }
        }
    }

    /// The result of the editor.
    pub async fn edited(&mut self) -> std::result::Result<(), Clean> {
        loop {
            match self.0.recv().await {
                Some(TransferOrder::Edited(result)) => return result,
                Some(_) => {}
                None => std::future::pending().await,
            }
        }
    }
}

/// One transfer that runs.
pub struct Task {
    id: TransferId,
    client: Option<Client>,
    answers: mpsc::Sender<Msg>,
    pub orders: Orders,
    pub memory: OwnedMutexGuard<Memory>,
    pub progress: TransferProgress,
    reported: Option<Instant>,
    pub part: Option<Part>,
    pub skipped: u64,
}

impl Task {
    pub fn new(
        id: TransferId,
        client: Option<Client>,
        answers: mpsc::Sender<Msg>,
        orders: Orders,
        memory: OwnedMutexGuard<Memory>,
    ) -> Self {
        Self {
            id,
            client,
            answers,
            orders,
            memory,
            progress: TransferProgress::default(),
            reported: None,
            part: None,
            skipped: 0,
        }
    }

    pub async fn carry_out(&mut self, job: &TransferJob, drafts: &Path) -> TransferEnd {
        let result = match job {
            TransferJob::Upload {
                from,
                to,
                directory,
            } => upload::upload(self, from, to, directory)
                .await
                .map(|()| true),
            TransferJob::Download { from, paths, to } => download::download(self, from, paths, to)
                .await
                .map(|()| true),
            TransferJob::Copy {
                from,
                paths,
                to,
                directory,
                moves,
            } => copy::copy(self, (from, paths), (to, directory), *moves)
                .await
                .map(|()| true),
            TransferJob::Delete { from, paths } => {
                copy::delete(self, from, paths).await.map(|()| true)
            }
            TransferJob::Rescue {
                session, rescue, ..
            } => copy::rescue(self, *session, rescue).await.map(|()| true),
            TransferJob::Edit {
                place,
                path,
                read_only,
            } => edit::edit(self, drafts, (place, path), *read_only).await,
        };
        let skipped = self.skipped;
        match result {
            Ok(true) => TransferEnd::Done { skipped },
            Ok(false) => TransferEnd::Unchanged,
            Err(Stop::Failed(failure)) => TransferEnd::Failed(failure),
            Err(Stop::Interrupted(why)) => TransferEnd::Interrupted(why),
        }
    }

    /// The connection to the daemon.
    pub fn client(&self) -> Result<&Client> {
        let lost = || Stop::Interrupted(tr!("the daemon is disconnected").into());
        self.client.as_ref().ok_or_else(lost)
    }

    /// Reports that another file begins.
    pub async fn begin(&mut self, name: Clean) {
        self.progress.current = name;
        self.report_if_due().await;
    }

    /// Counts transferred bytes.
    pub async fn moved(&mut self, bytes: u64) {
        self.progress.bytes += bytes;
        self.report_if_due().await;
    }

    pub async fn report_if_due(&mut self) {
        let now = clock::instant();
        if self.reported.is_none_or(|last| now - last >= PACE) {
            self.reported = Some(now);
            self.report().await;
        }
    }

    /// Reports the progress now.
    pub async fn report(&self) {
        self.send(TransferEvent::Progress(self.progress.clone()))
            .await;
    }

    pub async fn send(&self, event: TransferEvent) {
        let id = self.id;
        let _ = self.answers.send(Msg::Transfer { id, event }).await;
    }

    /// Asks what to do about a name that is taken.
    pub async fn ask(&mut self, conflict: Conflict) -> ConflictChoice {
        if let Some(choice) = self.memory.all {
            return choice;
        }
        self.report().await;
        self.send(TransferEvent::Asks(conflict)).await;
        let answer = self.orders.answer().await;
        if answer.all {
            self.memory.all = Some(answer.choice);
        }
        answer.choice
    }

    /// A file is complete.
    pub fn finished(&mut self, source: OsString) {
        self.part = None;
        self.memory.begun = None;
        self.memory.done.insert(source);
        self.progress.files += 1;
    }

    /// Removes what a cancelled transfer left.
    pub async fn clean_up(&mut self) {
        match self.part.take() {
            Some(Part::Local(path)) => {
                let _ = tokio::fs::remove_file(path).await;
            }
            Some(Part::Remote(place, path)) => {
                let _ = copy::delete_quietly(self, &place, path).await;
            }
            None => {}
        }
    }
}
