//! A daemon over its socket: the life of sessions, a lost engine, several clients, restarts, kills.

#[path = "../support/mod.rs"]
mod support;

mod clients;
mod disk;
mod life;
mod line;
mod process;
mod streams;
