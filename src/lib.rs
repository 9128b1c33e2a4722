//! workbay: container compute sessions from the keyboard, over SSH.
//!
//! Two processes meet at [`protocol`]: the **face** (the TUI or one plain command) shows, the
//! **daemon** (one per user) acts. The floor plan, the direction data runs and what each room never
//! does are in `docs/architecture.md`; `tests/layers.rs` enforces who may import whom.

pub mod action;
pub mod app;
pub mod cli;
pub mod client;
pub mod config;
pub mod controller;
pub mod daemon;
pub mod engine;
#[cfg(test)]
mod fuzz;
pub mod key;
pub mod keymap;
pub mod model;
pub mod protocol;
pub mod run;
pub mod runner;
pub mod store;
pub mod terminal;
pub mod theme;
pub mod tree;
pub mod view;
