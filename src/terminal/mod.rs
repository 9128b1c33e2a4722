//! Terminals in memory: bytes in, cells out; keys in, bytes out.
//!
//! [`emulator`] is the only file that names the vt100 crate. What a container prints is hostile: it
//! ends here as cells, titles as `Clean`, questions answered to the child alone.

pub mod clipboard;
pub mod control;
pub mod defaults;
pub mod emulator;
pub mod encode;
pub mod fatal;
pub mod filter;
mod guarded;
pub mod link;
pub mod look;
pub mod pty;
pub mod raw;
