//! The real engine of this machine. These tests fail, not skip, where there is none: they need Docker,
//! tmux, and /bin/busybox linked statically.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test"
)]

#[path = "../support/alacritty.rs"]
#[allow(dead_code, reason = "shared with the recorded streams")]
mod alacritty;
mod apps;
mod batch;
#[path = "../support/bench.rs"]
mod bench;
mod capture;
mod clusters;
mod control;
#[path = "../support/copied.rs"]
mod copied;
#[path = "../support/echo_app.rs"]
mod echo_app;
mod engine_connection;
mod environments;
mod far;
#[path = "../support/far_engine.rs"]
mod far_engine;
mod files;
mod folders;
mod home;
mod images_any;
mod life;
mod limits;
mod long_logs;
mod losses;
mod network;
mod ordinary_user;
mod own_images;
mod own_user;
#[path = "../support/pane.rs"]
mod pane;
#[path = "../support/poll.rs"]
mod poll;
#[path = "../support/private_engine.rs"]
mod private_engine;
mod quotas;
#[path = "../support/relay.rs"]
mod relay;
mod remains;
mod shells;
mod streams;
mod support;
mod terminal;
mod usage;
