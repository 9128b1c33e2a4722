//! What test binaries share: an engine in memory, and daemons on it.
//!
//! Used as `#[path = "../support/mod.rs"] mod support;`. Not every binary uses all of it.
#![allow(dead_code, reason = "shared by several test binaries")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

pub mod engine;
pub mod place;
mod poll;
pub mod programs;
pub mod scheduler;
pub mod script;
pub mod test_daemon;
pub mod usage;
pub mod world;

pub use engine::{Call, MemoryEngine};
pub use scheduler::MemoryScheduler;
pub use test_daemon::{TestClient, TestDaemon, eventually};
