//! Recordings of panes: what their programs print, and their sizes. Keys are never recorded.

use std::path::PathBuf;

use bytes::Bytes;
use jiff::Timestamp;

use super::{PaneId, PaneState, Panes, head_name};
use crate::{
    app::{effect::Effect, file_name::file_name, step::Step},
    model::{notice::Level, text::Clean},
};

/// Identifies a recording while this TUI runs.
pub type RecordingId = u32;

/// What is written to a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordOrder {
    Start {
        /// The new file, which gets another name if it exists.
        path: PathBuf,
        columns: u16,
        rows: u16,
        title: Clean,
        /// Paints the screen as it is at the start.
        screen: Vec<u8>,
        /// The recording ends at this size in bytes.
        limit: u64,
    },
    Output(Bytes),
    Resize {
        columns: u16,
        rows: u16,
    },
    Stop,
}

/// The end of a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingEnd {
    /// The file, `None` if it couldn't be created.
    pub path: Option<PathBuf>,
    /// Why it ended before it was stopped. The file has everything until then.
    pub problem: Option<Clean>,
}

/// The recordings that are being written.
#[derive(Debug, Default)]
pub(super) struct Recordings {
    /// The directory of new files.
    directory: PathBuf,
    limit: u64,
    list: Vec<(RecordingId, PaneId)>,
    begun: RecordingId,
}

impl Panes {
    /// Sets the directory of recordings, and the size in bytes at which one ends.
    #[must_use]
    pub fn recording_to(mut self, directory: PathBuf, limit: u64) -> Self {
        self.recordings.directory = directory;
        self.recordings.limit = limit;
        self
    }

    /// Whether the pane is recorded.
    pub fn is_recorded(&self, pane: PaneId) -> bool {
        self.recording_of(pane).is_some()
    }

    fn recording_of(&self, pane: PaneId) -> Option<RecordingId> {
        let mut list = self.recordings.list.iter();
        list.find(|(_, it)| *it == pane).map(|(id, _)| *id)
    }

    /// Records the focused pane, or stops that.
    pub(super) fn toggle_recording(&mut self, now: Timestamp) -> Vec<Step> {
        let Some(pane) = self.active() else {
            return Vec::new();
        };
        if let Some(id) = self.recording_of(pane.id) {
            return self.stop_recordings(|(it, _)| *it == id);
        }
        if pane.state != PaneState::Live {
            let text = tr!("the shell isn't connected, so there is nothing to record");
            return vec![Step::toast(Level::Info, text)];
        }
        let (columns, rows) = pane.emulator.size();
        let time = now.strftime("%Y%m%dT%H%M%SZ");
        let file = format!("{}-{time}.cast", file_name(pane.name.as_str()));
        let order = RecordOrder::Start {
            path: self.recordings.directory.join(file),
            columns,
            rows,
            title: Clean::new(&head_name(pane)),
            screen: pane.emulator.contents(),
            limit: self.recordings.limit,
        };
        let pane = pane.id;
        self.recordings.begun += 1;
        let id = self.recordings.begun;
        self.recordings.list.push((id, pane));
        let text = tr!("recording what this pane shows. Keys aren't recorded");
        vec![
            Step::Do(Effect::Record { id, order }),
            Step::toast(Level::Info, text),
        ]
    }

    /// The program of a pane has printed something.
    pub(super) fn record_output(&self, pane: PaneId, bytes: &Bytes) -> Option<Step> {
        let id = self.recording_of(pane)?;
        let order = RecordOrder::Output(bytes.clone());
        Some(Step::Do(Effect::Record { id, order }))
    }

    /// The size of a pane has changed.
    pub(super) fn record_sizes(&self, before: &[(PaneId, (u16, u16))]) -> Vec<Step> {
        let changed = |(id, pane): &(RecordingId, PaneId)| {
            let size = self.pane(*pane)?.emulator.size();
            let (_, old) = before.iter().find(|(it, _)| it == pane)?;
            let (columns, rows) = size;
            let order = RecordOrder::Resize { columns, rows };
            (*old != size).then_some(Step::Do(Effect::Record { id: *id, order }))
        };
        self.recordings.list.iter().filter_map(changed).collect()
    }

    /// The sizes of recorded panes.
    pub(super) fn recorded_sizes(&self) -> Vec<(PaneId, (u16, u16))> {
        let list = self.recordings.list.iter();
        let size =
            |(_, pane): &(RecordingId, PaneId)| Some((*pane, self.pane(*pane)?.emulator.size()));
        list.filter_map(size).collect()
    }

    /// Stops the recordings of panes that were closed or whose shell has ended.
    pub(super) fn follow_recordings(&mut self) -> Vec<Step> {
        let open: Vec<PaneId> = self
            .list
            .iter()
            .filter(|pane| pane.takes_keys())
            .map(|pane| pane.id)
            .collect();
        self.stop_recordings(|(_, pane)| !open.contains(pane))
    }

    pub(super) fn stop_recordings(
        &mut self,
        stops: impl Fn(&(RecordingId, PaneId)) -> bool,
    ) -> Vec<Step> {
        let mut steps = Vec::new();
        self.recordings.list.retain(|it| {
            let stops = stops(it);
            if stops {
                let (id, order) = (it.0, RecordOrder::Stop);
                steps.push(Step::Do(Effect::Record { id, order }));
            }
            !stops
        });
        steps
    }

    /// A recording has ended: it was stopped, or it couldn't be continued.
    pub fn recording_ended(&mut self, id: RecordingId, end: &RecordingEnd) -> Vec<Step> {
        self.recordings.list.retain(|(it, _)| *it != id);
        let file = end.path.as_ref().map(|path| path.display().to_string());
        vec![match (&end.problem, file) {
            (None, Some(file)) => {
                let text = tr!(
                    "recording saved to {file}\nworkbay replay FILE plays it",
                    file
                );
                Step::toast(Level::Success, text)
            }
            (Some(why), Some(file)) => {
                let text = tr!(
                    "recording ended: {why}\nsaved until then: {file}",
                    why,
                    file
                );
                Step::toast(Level::Error, text)
            }
            (why, None) => {
                let why = why
                    .as_ref()
                    .map_or(tr!("the file wasn't created"), Clean::as_str);
                Step::toast(Level::Error, tr!("not recorded: {why}", why))
            }
        }]
    }
}
