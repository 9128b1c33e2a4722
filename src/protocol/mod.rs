//! The protocol between clients and the daemon on the Unix socket.
//!
//! Control messages are JSON ([`message`]); terminal and log bytes are sent raw ([`frame`], [`reader`]).
//! Requests have replies, changes are sent as numbered notices, and each stream has a connection of its own.
//! [`greeting`] is the first message of each side, the same in every version; [`lock_record`] is the content of
//! a running daemon's lock file.

pub mod frame;
pub mod greeting;
pub mod lock_record;
pub mod message;
pub mod reader;
pub mod stream;
pub mod version;
