//! Turns the app's state into cells: `layout` computes positions, `draw` paints. The view changes no state
//! and reads only its arguments.

mod amount;
mod badge;
mod banner;
mod bar;
mod borders;
pub mod cells;
mod chart;
mod columns;
mod detail;
mod dialog;
pub mod draw;
pub mod glyphs;
mod header;
mod hints;
mod idle_cell;
mod launcher;
pub mod layout;
pub mod logs;
mod overview;
pub mod paint;
mod panels;
pub mod panes;
mod prompt;
mod qr;
mod reason;
mod session_table;
mod spark;
mod state;
mod statistics;
mod status;
pub mod still;
pub mod surface;
mod tabs;
pub mod text;
mod toasts;
mod which_key;
