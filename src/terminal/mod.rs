//! Terminals in memory: they turn output bytes into cells, and keys into input bytes.
//!
//! Only [`emulator`] uses the vt100 crate. The output of a container is hostile. It becomes cells here,
//! titles become `Clean`, and only the child gets answers to its queries.

pub mod asciicast;
pub mod attributes;
pub mod clipboard;
pub mod control;
pub mod defaults;
pub mod emulator;
pub mod encode;
pub mod fatal;
pub mod filter;
mod guarded;
pub mod link;

pub mod pty;
pub mod raw;
