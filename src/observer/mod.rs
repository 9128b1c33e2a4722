//! The pure part for engines that have their own scheduler: it doesn't decide, it watches, requests
//! and reports.
//!
//! Its interface is like the scheduler's: [`Observer::handle`] takes an event ([`fact`]) and the
//! time, and returns a [`turn`] with the consequences. The engine keeps the sessions. The state
//! database doesn't.

mod answers;
mod asks;
mod changes;
mod check;
mod connecting;
mod connection_state;
mod core;
pub mod fact;
mod folders;
mod holding;
mod idle;
mod launch;
mod machine;
pub mod order;
mod pending;
mod reading;
mod row;
mod rows;
mod statistics;
mod sweep;
mod task;
pub mod turn;
mod window;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub(crate) use answers::vanished;
pub use core::Observer;
