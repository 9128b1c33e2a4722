//! tmux's control protocol, pure: its words as they come, its commands as lines, what is asked of it.

mod command;
mod listing;
mod reader;

pub use command::{Command, Target};
pub use listing::{CopyMode, Group, LISTED, Listing, WATCHED, Window};
pub use reader::{Heard, Reader};
