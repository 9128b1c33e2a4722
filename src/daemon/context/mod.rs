//! A context: its state machine, its engine, and what carries out commands.

mod commits;
pub(super) mod driver;
pub(super) mod executor;
pub(super) mod health_check;
pub(super) mod lazy_engine;
pub(super) mod manager_executor;
pub(super) mod pulls;
pub(super) mod query;
pub(super) mod runner;
mod running_tasks;
pub(super) mod stop_hook;
