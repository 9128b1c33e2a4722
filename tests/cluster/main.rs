//! A real Backend.AI cluster, the one `scripts/cluster/up` brings up on this machine.
//!
//! No part of a plain `cargo test`: run `make test-cluster`, or, where one is up,
//! `cargo test --test cluster -- --test-threads=1`. Without a cluster every test fails and says so.
//! Each test ends its own sessions, also when it fails; their names begin with `wbt-`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../support/changes.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod changes;
#[path = "../support/machine.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod machine;
#[path = "../support/memory.rs"]
mod memory;
#[path = "../support/poll.rs"]
#[allow(dead_code, reason = "shared with tests of engines")]
mod poll;
#[path = "../support/schemas.rs"]
mod schemas;
#[path = "../support/terminal.rs"]
#[allow(dead_code, reason = "shared with other test programs")]
mod terminal;

mod accelerators;
mod apps;
mod bad_connection;
mod batch;
mod built;
mod command_line;
mod commands;
mod domains;
mod events;
mod files;
mod folder;
mod folders;
mod images;
mod journey;
mod kernels;
mod launching;
mod life;
mod limits;
mod listing;
mod login;
mod owners;
mod pane;
mod projects;
mod queue;
mod recovery;
mod refusals;
mod relaunching;
mod script;
mod session_files;
mod side_by_side;
mod soak;
mod streams;
mod strict_logins;
mod support;
mod together;
mod typed;
mod unstarted;
mod valkey;
