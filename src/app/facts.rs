//! What the face knows about itself and its surroundings from the start; `run` finds it out.

use std::path::PathBuf;

use jiff::tz::TimeZone;

use crate::model::settings::{LaunchSettings, NotificationSettings, TerminalSettings};

/// Constant for the life of a face.
#[derive(Clone, Debug)]
pub struct Facts {
    /// Login name of the person.
    pub user: String,
    /// Name of this machine.
    pub host: String,
    /// `0.1.0`.
    pub version: String,
    pub time_zone: TimeZone,
    /// Whether drawing characters beyond ASCII may be used.
    pub unicode: bool,
    /// Nothing destructive is offered.
    pub read_only: bool,
    /// Whether the bars above the list are shown at the start.
    pub statistics: bool,
    /// Whether the mouse is taken at the start.
    pub mouse: bool,
    /// Whether the face itself runs inside tmux (its prefix is taken there).
    pub inside_tmux: bool,
    /// Prefix of this face's terminal tags; unique per face process, so that two faces on one
    /// session are two clients.
    pub tag: String,
    /// What the launcher offers.
    pub launch: LaunchSettings,
    /// How loud it is.
    pub notifications: NotificationSettings,
    /// Where copies are saved that are too long for the clipboard.
    pub copies: PathBuf,
    /// Copying in terminals.
    pub terminal: TerminalSettings,
    /// Days that log and scratch of an ended session are kept.
    pub keep_days: u32,
}
