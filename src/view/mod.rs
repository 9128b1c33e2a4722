//! From the app's state to cells: `layout` says where, `draw` paints. Nothing is changed here, and
//! nothing is read but the arguments.

mod amount;
mod banner;
mod bar;
mod borders;
pub mod cells;
mod columns;
mod confirm;
mod detail;
mod dialog;
pub mod draw;
pub mod glyphs;
mod header;
mod help;
mod hints;
mod idle;
mod keep;
mod launcher;
pub mod layout;
mod list;
pub mod logs;
mod notices;
pub mod paint;
pub mod panes;
mod picker;
mod prompt;
mod reason;
mod recents;
mod scheduling;
mod spark;
mod state;
mod statistics;
mod status;
mod tabs;
pub mod text;
mod toasts;
mod whynot;
