//! workbay: container compute sessions from the keyboard, over SSH.
//!
//! Two processes meet at [`protocol`]: the client (the TUI or a plain command) shows, and the daemon (one for
//! each user) acts. `docs/architecture.md` describes the modules, the direction of data and what each module
//! never does. `tests/layers.rs` enforces which module may import which.

// First, because its macros are used everywhere.
#[macro_use]
pub mod locale;

pub mod action;
pub mod app;
pub mod archive;
pub mod cli;
pub mod client;
pub mod config;
pub mod daemon;
pub mod engine;
pub mod files;
#[cfg(test)]
mod fuzz;
pub mod gateway;
pub mod key;
pub mod keymap;
mod log_filter;
pub mod model;
pub mod observer;
pub mod plain;
pub mod protocol;
pub mod rules;
pub mod run;
pub mod runner;
pub mod scheduler;
mod space;
pub mod ssh_server;
pub mod state_machine;
pub mod store;
pub mod terminal;
pub mod theme;
pub mod transfer;
pub mod tree;
pub mod view;
