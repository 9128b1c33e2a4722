//! Draws the panels: one file for each.

mod apps;
mod bulk;
mod columns;
mod commands;
pub mod commit;
mod conflict;
mod contexts;
mod control_room;
mod custom_command;
mod dashboard;
mod explorer;
mod extend;
mod folders;
mod help;
pub mod history;
mod layouts;
mod new_shell;
mod notifications;
mod palette;
mod ports;
mod pull;
mod recents;
mod settings;
mod shells;
mod terminate;
mod themes;
mod transfers;
mod waiting;

use jiff::Timestamp;
use ratatui::layout::Rect;

use super::paint::Paint;
use crate::app::{
    app::App,
    area::DialogAreas,
    panels::{AnyPanel, each_panel},
};

/// A dialog on the screen.
pub trait Dialog {
    /// Computes the positions of all parts.
    fn place(&self, app: &App, screen: Rect) -> DialogAreas;

    fn draw(&self, paint: &mut Paint<'_>, app: &App, areas: &DialogAreas, now: Timestamp);
}

macro_rules! dialogs {
    (
        prompts { $($prompt:ident($line:ty),)* }
        dialogs { $($dialog:ident($state:ty),)* }
    ) => {
        /// The dialog of a panel, `None` if it is a prompt.
        pub fn dialog(panel: &AnyPanel) -> Option<&dyn Dialog> {
            match panel {
                $(AnyPanel::$prompt(_) => None,)*
                $(AnyPanel::$dialog(it) => Some(&**it),)*
            }
        }
    };
}
each_panel!(dialogs);
