//! What faces and the daemon say to each other over the Unix socket.
//!
//! Control messages are JSON ([`message`]); terminal and log bytes travel raw beside them
//! ([`frame`], [`reader`]). Requests have replies, changes come as numbered notices, each stream has a
//! connection of its own.
//! [`greeting`] is the first word of each side, the same in every version; [`presence`] is what a living
//! daemon writes into its lock file.

pub mod frame;
pub mod greeting;
pub mod message;
pub mod presence;
pub mod reader;
pub mod version;
