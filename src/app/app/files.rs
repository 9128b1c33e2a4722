//! The explorer and the transfers: answers, streams and events of theirs, and the questions of transfers.

use jiff::{SignedDuration, Timestamp};

use super::App;
use crate::{
    app::{
        effect::Effect,
        focus::Focus,
        msg::StreamEvent,
        panels::{
            AnyPanel,
            conflict::ConflictDialog,
            explorer::{Explorer, ExplorerPurpose},
            folders::FoldersPanel,
            terminate,
            transfers::TransferList,
        },
        step::Step,
        transfers::{TransferEnd, TransferEvent, TransferId, TransferJob, TransferOrder},
    },
    model::{
        failure::Failure,
        files::{FilePath, FilePlace},
        id::ContextName,
        notice::Level,
        text::Clean,
    },
    protocol::message::{Reply, StreamId},
};

/// How long a second `q` stops the transfers and quits.
const LEAVING: SignedDuration = SignedDuration::from_secs(3);

impl App {
    /// Shows the files of a place.
    pub(super) fn explore(&mut self, place: FilePlace, path: FilePath) {
        let explorer = Explorer::new(place, path);
        let explorer = match self.panels.get::<Explorer>() {
            Some(open) => explorer.after(open),
            None => explorer,
        };
        // The data page is above the explorer, and would hide it.
        self.panels.close::<FoldersPanel>();
        self.panels.push(explorer);
    }

    pub(super) fn files_answered(
        &mut self,
        asked: ExplorerPurpose,
        result: Result<Reply, Failure>,
    ) -> Vec<Step> {
        match (self.panels.get_mut::<Explorer>(), asked, result) {
            (Some(explorer), asked, result) => explorer.answered(asked, result),
            (None, ExplorerPurpose::Changed { done, .. }, Ok(_)) => {
                vec![Step::toast(Level::Success, done.as_str())]
            }
            (None, ExplorerPurpose::Changed { .. }, Err(failure)) => vec![Step::failure(&failure)],
            (None, _, _) => Vec::new(),
        }
    }

    /// After a reconnect, interrupted transfers continue, and the explorer reads its directory again.
    pub(super) fn files_link_up(&mut self) -> Vec<Step> {
        if let Some(explorer) = self.panels.get_mut::<Explorer>() {
            explorer.link_up();
        }
        self.transfers.link_up()
    }

    /// The same after an engine is connected again, for what needs that engine.
    pub(super) fn files_engine_up(&mut self, context: ContextName) -> Vec<Step> {
        let mut steps = Vec::new();
        if let Some(explorer) = self.panels.get_mut::<Explorer>() {
            steps.extend(explorer.engine_up(context));
        }
        steps.extend(self.transfers.engine_up(context));
        steps
    }

    /// Requests what the explorer needs for its next frame.
    pub(super) fn ask_for_explorer(&mut self, now: Timestamp) -> Vec<Step> {
        if !matches!(self.panels.dialog(), Some(AnyPanel::Explorer(_))) {
            return Vec::new();
        }
        let dialog = self.areas.dialog.as_ref();
        let shows_preview = dialog.is_some_and(|it| it.side.is_some());
        let (mirror, ids) = (&self.mirror, &mut self.ids);
        let explorer = self.panels.get_mut::<Explorer>();
        explorer.map_or_else(Vec::new, |it| {
            it.ask_if_due(mirror, shows_preview, ids, now)
        })
    }

    pub(super) fn is_of_explorer(&self, stream: StreamId) -> bool {
        let explorer = self.panels.get::<Explorer>();
        explorer.is_some_and(|it| it.owns(stream))
    }

    pub(super) fn explorer_stream(&mut self, stream: StreamId, event: &StreamEvent) -> Vec<Step> {
        let explorer = self.panels.get_mut::<Explorer>();
        explorer.map_or_else(Vec::new, |it| it.stream(stream, event))
    }

    /// Opens or closes the list of transfers.
    pub(super) fn toggle_transfers(&mut self) -> Vec<Step> {
        if self.panels.close::<TransferList>() {
            return Vec::new();
        }
        let is_over_explorer = matches!(self.top(), Some(AnyPanel::Explorer(it)) if !it.is_busy());
        let is_busy = matches!(self.focus(), Focus::Panel | Focus::Filter);
        if is_busy && !is_over_explorer {
            return Vec::new();
        }
        self.panels.push(TransferList::default());
        Vec::new()
    }

    pub(super) fn transfer_event(
        &mut self,
        id: TransferId,
        event: TransferEvent,
        now: Timestamp,
    ) -> Vec<Step> {
        if let TransferEvent::EditReady(path) = &event {
            return self.edit_ready(id, path.clone(), now);
        }
        let has_ended = matches!(event, TransferEvent::Ended(_));
        let is_whole = matches!(
            &event,
            TransferEvent::Ended(TransferEnd::Done { skipped: 0 })
        );
        let job = self.transfers.get(id).map(|it| it.job.clone());
        let mut steps: Vec<Step> = self.transfers.event(id, event, now).into_iter().collect();
        let job = job.filter(|_| has_ended);
        if let Some(TransferJob::Rescue {
            session,
            name,
            then_terminate: Some(force),
            ..
        }) = job.as_ref().filter(|_| is_whole)
        {
            steps.push(terminate::ask(*session, name, *force));
        }
        if let (Some(job), Some(explorer)) = (job, self.panels.get_mut::<Explorer>()) {
            for place in job.changes() {
                steps.extend(explorer.changed(&place));
            }
        }
        steps
    }

    /// The editor takes the whole terminal, so it opens only if you still look at the explorer.
    fn edit_ready(
        &mut self,
        id: TransferId,
        path: std::path::PathBuf,
        now: Timestamp,
    ) -> Vec<Step> {
        let is_shown = matches!(self.top(), Some(AnyPanel::Explorer(it)) if !it.is_busy());
        if !is_shown {
            let text = tr!("The editor didn't open, because the explorer isn't shown any more");
            return vec![
                Step::Do(Effect::Transfer {
                    id,
                    order: TransferOrder::Cancel,
                }),
                Step::toast(Level::Info, text),
            ];
        }
        let ready = TransferEvent::EditReady(path.clone());
        self.transfers.event(id, ready, now);
        vec![Step::Do(Effect::EditFile { transfer: id, path })]
    }

    pub(super) fn file_edited(&mut self, id: TransferId, result: Result<(), Clean>) -> Vec<Step> {
        self.transfers.edited(id, result).into_iter().collect()
    }

    /// Opens the question of a transfer while you look at files or transfers. It closes when it is answered or
    /// its transfer has ended.
    pub(super) fn follow_conflicts(&mut self) {
        let transfers = &self.transfers;
        if let Some(open) = self.panels.get::<ConflictDialog>() {
            if open.is_asked(transfers) {
                return;
            }
            self.panels.close::<ConflictDialog>();
        }
        let may_open = match self.panels.dialog() {
            Some(AnyPanel::Explorer(explorer)) => !explorer.is_busy(),
            Some(AnyPanel::Transfers(_)) => true,
            _ => false,
        };
        if let Some(dialog) = ConflictDialog::of(transfers).filter(|_| may_open) {
            self.panels.push(dialog);
        }
    }

    /// Quitting stops transfers, so a second key is needed while some are open.
    pub(super) fn transfers_before_leave(&mut self, now: Timestamp) -> Option<Step> {
        let open = self.transfers.open().count();
        let was_asked = self.leaving.is_some_and(|until| now < until);
        if open == 0 || was_asked {
            return None;
        }
        self.leaving = now.checked_add(LEAVING).ok();
        let what = match open {
            1 => tr!("1 transfer is running").to_owned(),
            n => tr!("{n} transfers are running", n),
        };
        let text = tr!("{what}. Press q again to stop and quit, T to show", what);
        Some(Step::toast(Level::Warning, text))
    }
}
