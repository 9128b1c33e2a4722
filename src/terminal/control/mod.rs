//! tmux's control protocol, without I/O: commands, messages and listings.

mod command;
mod listing;
mod reader;
mod screen;

pub use command::{Command, Target};
pub use listing::{CopyMode, Group, LISTED, Listing, WATCHED, Window};
pub use reader::{ControlEvent, Reader};
pub use screen::{SCREEN, SCREEN_NAME, ScreenSize};
