//! The log view: title, lines, status line.

use super::paint::Paint;
use crate::{
    app::{area::Areas, logs::Logs},
    keymap::Keymap,
};

/// Paints the page of a log.
pub fn draw(_paint: &mut Paint<'_>, _areas: &Areas, _logs: &Logs, _keymap: &Keymap) {}
