//! The open terminals: tabs, cells, status line.

use super::paint::Paint;
use crate::{
    app::{area::Areas, panes::Panes},
    keymap::Keymap,
};

/// Paints the page of the terminals and sets `paint.cursor`.
pub fn draw(_paint: &mut Paint<'_>, _areas: &Areas, _panes: &Panes, _keymap: &Keymap) {}
