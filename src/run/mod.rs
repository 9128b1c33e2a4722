//! All input and output of the TUI.
//!
//! [`main`] runs the TUI, and [`shell`] runs a shell of a session in the calling terminal. The rest carries
//! out the effects of the [`app`](crate::app) and brings it events.

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
