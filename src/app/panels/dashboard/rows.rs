//! The rows of the dashboard: what the shown machines or clusters have, who uses it, what will be reclaimed, what
//! failed.

use jiff::Timestamp;

use super::{Dashboard, engines, users};
use crate::{
    app::{mirror::DaemonConnection, panels::PanelEnv},
    model::{id::SessionKey, resources::Bytes},
    rules::grouping::Grouping,
};

/// A row of the dashboard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DashRow {
    Blank,
    /// The title of a section, and a note beside it.
    Section(String, String),
    /// Why a section has no rows, or has only a part of them.
    Note(NoteKind, String),
    Meters(MeterRow),
    /// The space of a disk: what is on it, its path, used and total.
    Disk {
        label: String,
        path: String,
        used: Bytes,
        total: Bytes,
    },
    Device(DeviceLine),
    Session(SessionLine),
}

/// A device of an engine: how busy it is, and its memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLine {
    /// `GPU 0`.
    pub name: String,
    /// The sessions that use it; `None` = unknown.
    pub sessions: Option<String>,
    /// In thousandths.
    pub busy: Option<u64>,
    pub memory: Meter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    Empty,
    Loading,
    Problem,
}

/// A row with CPU, memory and accelerators.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MeterRow {
    /// Where Enter leads, `None` if the row can't be selected.
    pub target: Option<Target>,
    pub label: String,
    pub note: String,
    pub cpu: Meter,
    pub memory: Meter,
    pub accelerators: String,
}

/// An amount as a part of a whole: thousandths of a core, or bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// `None` = not known.
    pub used: Option<u64>,
    /// What others use of the whole.
    pub others: u64,
    pub whole: Option<u64>,
    /// It isn't known yet, because it needs a second reading.
    pub measuring: bool,
}

/// A session that will be reclaimed, or failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLine {
    pub key: SessionKey,
    pub name: String,
    /// When it is reclaimed, or when it ended; `None` = it is over a limit now.
    pub at: Option<Timestamp>,
    pub why: String,
    /// What it gives back, if it is reclaimed.
    pub frees: Option<String>,
    pub failed: bool,
}

/// Where a row leads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Target {
    /// To the list, filtered by a value.
    Filter(Grouping, String),
    Session(SessionKey),
}

impl DashRow {
    pub fn target(&self) -> Option<Target> {
        match self {
            Self::Meters(row) => row.target.clone(),
            Self::Session(line) => Some(Target::Session(line.key)),
            Self::Blank
            | Self::Section(..)
            | Self::Note(..)
            | Self::Disk { .. }
            | Self::Device(_) => None,
        }
    }
}

/// All rows, from the top.
pub fn rows(panel: &Dashboard, env: &PanelEnv<'_>) -> Vec<DashRow> {
    let mut rows = Vec::new();
    match env.mirror.connection() {
        DaemonConnection::Connecting => {
            return vec![note(NoteKind::Loading, tr!("Connecting to the daemon"))];
        }
        DaemonConnection::Down { .. } => {
            let text = tr!("Daemon disconnected. Retrying automatically.");
            rows.push(note(NoteKind::Problem, text));
            rows.push(note(
                NoteKind::Empty,
                tr!("The figures are the last known ones."),
            ));
        }
        DaemonConnection::Refused(failure) => {
            return vec![note(NoteKind::Problem, &failure.to_string())];
        }
        DaemonConnection::Up => {}
    }
    let shown = || env.mirror.shown(env.shown);
    let contexts = shown().map(|state| engines::context_rows(panel, state, env));
    let groups = shown().map(|state| engines::group_rows(state, env));
    let owners = std::iter::once_with(|| users::owner_rows(env));
    for section in contexts.chain(groups).chain(owners) {
        add(&mut rows, section);
    }
    let free = panel.height.saturating_sub(rows.len());
    for section in users::session_rows(env, free) {
        add(&mut rows, section);
    }
    rows
}

fn add(rows: &mut Vec<DashRow>, section: Vec<DashRow>) {
    if !rows.is_empty() && !section.is_empty() {
        rows.push(DashRow::Blank);
    }
    rows.extend(section);
}

pub(super) fn note(kind: NoteKind, text: &str) -> DashRow {
    DashRow::Note(kind, text.to_owned())
}
