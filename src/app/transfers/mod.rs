//! The transfers of files in this TUI: how far each is, and how it ended.

mod job;
mod rate;
mod rescue;

use std::collections::VecDeque;

use jiff::Timestamp;

pub use job::{
    Conflict, ConflictAnswer, ConflictChoice, ConflictKind, ConflictSide, TransferEnd,
    TransferEvent, TransferId, TransferJob, TransferOrder, TransferProgress,
};
pub use rate::Rate;

use super::{effect::Effect, step::Step};
use crate::model::{
    failure::Failure,
    files::{FilePath, FilePlace},
    id::ContextName,
    notice::Level,
    text::Clean,
};

/// How many ended transfers the list keeps.
const KEPT: usize = 50;

/// What a transfer does now, or how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferState {
    Running,
    /// It waits for your answer.
    Asking(Conflict),
    /// The file is in your editor.
    Editing,
    /// The connection broke. It continues after the reconnect.
    Interrupted(Clean),
    Done {
        skipped: u64,
    },
    Unchanged,
    Failed(Failure),
    Cancelled,
}

impl TransferState {
    pub fn can_resume(&self) -> bool {
        matches!(
            self,
            Self::Interrupted(_) | Self::Failed(_) | Self::Cancelled
        )
    }

    /// Whether it can still change files.
    pub fn is_open(&self) -> bool {
        matches!(
            self,
            Self::Running | Self::Asking(_) | Self::Editing | Self::Interrupted(_)
        )
    }
}

#[derive(Clone, Debug)]
pub struct Transfer {
    pub id: TransferId,
    pub job: TransferJob,
    pub state: TransferState,
    pub progress: TransferProgress,
    pub rate: Rate,
}

impl Transfer {
    /// How much is done, in percent.
    pub fn percent(&self) -> Option<u8> {
        let (files, bytes) = self.progress.of?;
        let (done, all) = if bytes > 0 {
            (self.progress.bytes, bytes)
        } else {
            (self.progress.files, files)
        };
        let percent = u128::from(done.min(all)) * 100 / u128::from(all.max(1));
        u8::try_from(percent).ok()
    }

    /// In how many seconds it is done at its present rate.
    pub fn seconds_left(&self) -> Option<u64> {
        let (_, bytes) = self.progress.of?;
        let rate = self.rate.bytes_per_second().filter(|rate| *rate > 0)?;
        Some(bytes.saturating_sub(self.progress.bytes).div_ceil(rate))
    }
}

/// Files that were copied or cut, to be pasted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileClipboard {
    pub from: FilePlace,
    pub paths: Vec<FilePath>,
    pub moves: bool,
}

/// What a panel wants of the transfers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransferStep {
    Start(TransferJob),
    Cancel(TransferId),
    /// Continues an interrupted transfer, or repeats a failed one.
    Resume(TransferId),
    Answer(TransferId, ConflictAnswer),
    Forget(TransferId),
    Clip(FileClipboard),
}

/// The transfers, the newest last, and the files to paste.
#[derive(Clone, Debug, Default)]
pub struct Transfers {
    list: VecDeque<Transfer>,
    last: TransferId,
    clipboard: Option<FileClipboard>,
}

impl Transfers {
    pub fn list(&self) -> impl DoubleEndedIterator<Item = &Transfer> + ExactSizeIterator {
        self.list.iter()
    }

    pub fn get(&self, id: TransferId) -> Option<&Transfer> {
        self.list.iter().find(|it| it.id == id)
    }

    fn get_mut(&mut self, id: TransferId) -> Option<&mut Transfer> {
        self.list.iter_mut().find(|it| it.id == id)
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn clipboard(&self) -> Option<&FileClipboard> {
        self.clipboard.as_ref()
    }

    /// The transfers that aren't done.
    pub fn open(&self) -> impl Iterator<Item = &Transfer> {
        self.list.iter().filter(|it| it.state.is_open())
    }

    /// The first transfer that waits for an answer.
    pub fn asking(&self) -> Option<(&Transfer, &Conflict)> {
        self.list.iter().find_map(|it| match &it.state {
            TransferState::Asking(conflict) => Some((it, conflict)),
            _ => None,
        })
    }

    /// How much of all open transfers is done, in percent.
    pub fn percent(&self) -> Option<u8> {
        let parts: Option<Vec<(u64, u64)>> = self
            .open()
            .map(|it| Some((it.progress.bytes, it.progress.of?.1)))
            .collect();
        let parts = parts?;
        let done: u128 = parts.iter().map(|(done, _)| u128::from(*done)).sum();
        let all: u128 = parts.iter().map(|(_, all)| u128::from(*all)).sum();
        (all > 0).then(|| u8::try_from((done * 100 / all).min(100)).unwrap_or(100))
    }

    pub(super) fn step(&mut self, step: TransferStep) -> Vec<Step> {
        match step {
            TransferStep::Start(job) => vec![self.start(job)],
            TransferStep::Cancel(id) => self.cancel(id),
            TransferStep::Resume(id) => self.resume(id).into_iter().collect(),
            TransferStep::Answer(id, answer) => {
                let Some(transfer) = self.get_mut(id) else {
                    return Vec::new();
                };
                transfer.state = TransferState::Running;
                vec![order(id, TransferOrder::Answer(answer))]
            }
            TransferStep::Forget(id) => {
                self.list.retain(|it| it.id != id || it.state.is_open());
                Vec::new()
            }
            TransferStep::Clip(clipboard) => {
                self.clipboard = Some(clipboard);
                Vec::new()
            }
        }
    }

    fn start(&mut self, job: TransferJob) -> Step {
        self.last += 1;
        if let TransferJob::Copy { moves: true, .. } = &job {
            self.clipboard = None;
        }
        self.list.push_back(Transfer {
            id: self.last,
            job: job.clone(),
            state: TransferState::Running,
            progress: TransferProgress::default(),
            rate: Rate::default(),
        });
        let ended = self.list.iter().filter(|it| !it.state.is_open()).count();
        if ended > KEPT
            && let Some(at) = self.list.iter().position(|it| !it.state.is_open())
        {
            self.list.remove(at);
        }
        let resumed = false;
        order(self.last, TransferOrder::Start { job, resumed })
    }

    fn cancel(&mut self, id: TransferId) -> Vec<Step> {
        match self.get_mut(id) {
            Some(transfer) if matches!(transfer.state, TransferState::Interrupted(_)) => {
                transfer.state = TransferState::Cancelled;
                Vec::new()
            }
            Some(transfer) if transfer.state.is_open() => vec![order(id, TransferOrder::Cancel)],
            _ => Vec::new(),
        }
    }

    fn resume(&mut self, id: TransferId) -> Option<Step> {
        let transfer = self.get_mut(id)?;
        let resumed = match &transfer.state {
            TransferState::Interrupted(_) => true,
            TransferState::Failed(_) | TransferState::Cancelled => false,
            _ => return None,
        };
        transfer.state = TransferState::Running;
        transfer.rate = Rate::default();
        let job = transfer.job.clone();
        Some(order(id, TransferOrder::Start { job, resumed }))
    }

    /// The daemon is connected again: continues what was interrupted.
    pub(super) fn link_up(&mut self) -> Vec<Step> {
        self.resume_interrupted(|_| true)
    }

    /// An engine is connected again: continues what was interrupted there.
    pub(super) fn engine_up(&mut self, context: ContextName) -> Vec<Step> {
        self.resume_interrupted(|job| job.is_in(context))
    }

    fn resume_interrupted(&mut self, wanted: impl Fn(&TransferJob) -> bool) -> Vec<Step> {
        let interrupted = self
            .list
            .iter()
            .filter(|it| matches!(it.state, TransferState::Interrupted(_)) && wanted(&it.job));
        let ids: Vec<TransferId> = interrupted.map(|it| it.id).collect();
        ids.into_iter().filter_map(|id| self.resume(id)).collect()
    }

    /// Takes what a transfer reports. An end is reported with a toast.
    pub(super) fn event(
        &mut self,
        id: TransferId,
        event: TransferEvent,
        now: Timestamp,
    ) -> Option<Step> {
        let transfer = self.get_mut(id)?;
        match event {
            TransferEvent::Progress(progress) => {
                transfer.rate.moved(progress.bytes, now);
                transfer.progress = progress;
                None
            }
            TransferEvent::Asks(conflict) => {
                transfer.state = TransferState::Asking(conflict);
                None
            }
            TransferEvent::EditReady(_) => {
                transfer.state = TransferState::Editing;
                None
            }
            TransferEvent::Ended(end) => {
                let toast = match &transfer.job {
                    TransferJob::Rescue { .. } => rescue::toast_of(transfer, &end),
                    job => toast_of(job, &end),
                };
                transfer.state = match end {
                    TransferEnd::Done { skipped } => TransferState::Done { skipped },
                    TransferEnd::Unchanged => TransferState::Unchanged,
                    TransferEnd::Failed(failure) => TransferState::Failed(failure),
                    TransferEnd::Interrupted(why) => TransferState::Interrupted(why),
                    TransferEnd::Cancelled => TransferState::Cancelled,
                };
                if transfer.state == TransferState::Unchanged {
                    self.list.retain(|it| it.id != id);
                }
                Some(toast)
            }
        }
    }

    /// Your editor exited.
    pub(super) fn edited(&mut self, id: TransferId, result: Result<(), Clean>) -> Option<Step> {
        let transfer = self.get_mut(id)?;
        transfer.state = TransferState::Running;
        Some(order(id, TransferOrder::Edited(result)))
    }
}

fn order(id: TransferId, order: TransferOrder) -> Step {
    Step::Do(Effect::Transfer { id, order })
}

fn toast_of(job: &TransferJob, end: &TransferEnd) -> Step {
    let (subject, verb) = (job.quoted(), job.verb().to_lowercase());
    match end {
        TransferEnd::Done { skipped } => {
            let skipped = match skipped {
                0 => String::new(),
                1 => tr!(", 1 entry skipped").to_owned(),
                n => tr!(", {n} entries skipped", n),
            };
            let text = format!("{}{skipped}", job.done_text(&subject));
            Step::toast(Level::Success, text)
        }
        TransferEnd::Unchanged => Step::toast(Level::Info, tr!("{subject} is unchanged", subject)),
        TransferEnd::Failed(failure) => {
            let hint = failure.hint.as_ref();
            let hint = hint.map_or_else(String::new, |hint| format!("\n{hint}"));
            let text = format!(
                "{}{hint}",
                tr!(
                    "{verb} of {subject} failed: {why}",
                    verb,
                    subject,
                    why = failure.message()
                )
            );
            Step::toast(Level::Error, text)
        }
        TransferEnd::Interrupted(why) => {
            let text = tr!(
                "{verb} of {subject} was interrupted: {why}",
                verb,
                subject,
                why
            );
            Step::toast(Level::Warning, text)
        }
        TransferEnd::Cancelled => Step::toast(
            Level::Info,
            tr!("{verb} of {subject} was cancelled", verb, subject),
        ),
    }
}

#[cfg(test)]
mod tests;
