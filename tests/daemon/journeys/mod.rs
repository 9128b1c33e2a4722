//! What people do and see: the real loop of the TUI and the real daemon, over its socket, on an
//! engine in memory.
//!
//! A test reads as a story: keys pressed, and what must be on the screen some time after. Nobody
//! waits for a fixed time, only for what they want to see.

use crate::support;

mod board;
mod user;

mod acting;
mod daemon;
mod engine;
mod launching;
mod reading;
mod together;
