//! The pure heart of the daemon: facts in, orders and changes out.
//!
//! [`Controller::handle`](Controller::handle) takes what happened ([`fact`]) and the time,
//! and says in a [`turn`] what to write down first, what to tell faces, what to order from the engine
//! and whom to answer. It reads no clock, holds no lock and does no I/O, so every order of events can
//! be played through in a test.
//!
//! [`Controller`] decides for engines that only run containers, [`observe::Observer`] watches those
//! that schedule by themselves.

mod adopt;
mod again;
mod catalogue;
mod clock;
mod cluster;
mod connecting;
mod core;
mod delete;
mod dress;
mod due;
mod ended;
pub mod fact;
mod failure;
mod held;
mod hints;
mod home;
mod idle;
mod launch;
mod life;
mod line;
pub mod observe;
pub mod order;
mod pulling;
mod purpose;
mod queue;
mod reboot;
mod reconcile;
mod record;
mod remains;
mod requests;
mod secrets;
mod stop_hook;
mod surveys;
pub mod turn;

pub use core::Controller;

#[cfg(test)]
mod tests;
