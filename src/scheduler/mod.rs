//! The pure part of the daemon for engines that only run containers: events in, orders and changes
//! out.
//!
//! [`Scheduler::handle`](Scheduler::handle) takes an event ([`fact`]) and the time. It returns a
//! [`turn`]: what to write first, what to report to clients, what to order from the engine and
//! which requests to answer. It doesn't read a clock, hold a lock or do I/O, so a test can play
//! through any order of events.
//!
//! [`Scheduler`] decides when a session starts. [`Observer`](crate::observer::Observer) watches
//! engines that have their own scheduler.

mod adopt;
mod catalogue;
mod clock_changes;
mod cluster;
mod commit;
mod connecting;
mod connection_state;
mod core;
mod deadlines;
mod dress;
mod due;
mod ended;
pub mod fact;
mod failure;
mod hints;
mod home;
mod idle;
mod launch;
mod lifecycle;
mod machine;
pub mod order;
mod pulling;
mod purpose;
mod queue;
mod reboot;
mod reconcile;
mod record;
mod relaunch;
mod requests;
mod secrets;
mod stop_hook;
mod surveys;
mod tracked_session;
pub mod turn;

pub use core::Scheduler;

#[cfg(test)]
mod tests;
