//! The real engine of this machine. These tests fail, not skip, where there is none: they need Docker,
//! tmux, and /bin/busybox linked statically.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test"
)]

mod batch;
mod clusters;
mod control;
mod engine_line;
mod environments;
mod folders;
mod home;
mod life;
mod limits;
mod ordinary_user;
mod shells;
mod streams;
mod support;
mod terminal;
mod usage;
