//! The SSH server of sessions with OpenSSH's own programs, and attacks on it. The session is a directory of this machine.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail at any line"
)]

mod attacks;
mod files;
mod forwards;
mod local;
mod server;
mod shells;
