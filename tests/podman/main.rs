//! Podman, rootful and rootless. These tests fail, not skip, where it is missing: they need root, podman
//! with what a rootless one needs, and the user workbay-test; `scripts/test-setup` sees to it.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail the test"
)]
#![allow(dead_code, reason = "helpers are shared with other test binaries")]

#[path = "../support/bad_connection.rs"]
mod bad_connection;
#[path = "../support/bench.rs"]
mod bench;
#[path = "../support/copied.rs"]
mod copied;
#[path = "../support/echo_app.rs"]
mod echo_app;
mod life;
mod own_images;
#[path = "../support/pane.rs"]
mod pane;
#[path = "../support/podman_engine.rs"]
mod podman_engine;
#[path = "../support/poll.rs"]
mod poll;
#[path = "../support/private_engine.rs"]
mod private_engine;
mod pulls;
#[path = "../support/registry.rs"]
mod registry;
mod rootful;
mod rootless;
