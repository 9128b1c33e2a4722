//! All input and output of the TUI.
//!
//! [`main`] runs the TUI, and [`shell`] runs a shell of a session in the calling terminal. The rest carries
//! out the effects of the [`app`](crate::app) and brings it events.

mod ansi;
mod background;
mod browser;
pub mod canvas;
mod clipboard;
mod clock;
pub mod connection;
mod custom_commands;
mod desktop;
mod editor;
pub mod effects;
pub mod event_loop;
mod facts;
mod files;
mod input;
mod key_tester;
mod keyboard;
pub mod keymaps;
mod late_answer;
mod launch;
mod layouts;
pub mod live;
mod log;
pub mod logs;
mod machine;
mod recordings;
mod requests;
pub mod saved;
pub mod screen;
pub mod settings;
mod shell;
mod start;
mod streams;
pub mod theming;
mod transfers;
mod watch;

pub use key_tester::key_tester;
pub use shell::shell;
pub use start::{Options, main};
