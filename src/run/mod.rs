//! The shell of the TUI: all its input and output.
//!
//! [`main`] is the full-screen view, [`shell`] one session's terminal on the calling terminal.
//! Everything else says what the [`app`](crate::app) wants done outside itself, or brings it what
//! happened there.

mod background;
mod brush;
pub mod canvas;
mod clipboard;
mod clock;
mod desktop;
mod editor;
pub mod effects;
pub mod face;
mod files;
mod input;
pub mod kept;
mod key_tester;
mod keyboard;
mod launch;
mod link;
pub mod live;
mod log;
pub mod logs;
mod questions;
pub mod screen;
mod shell;
mod start;
mod streams;
mod surroundings;

pub use key_tester::key_tester;
pub use shell::shell;
pub use start::{Options, main};
