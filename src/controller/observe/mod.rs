//! The heart for engines that schedule by themselves: it decides nothing, it watches, asks and tells.
//!
//! Of the same outer shape as the controller: [`Observer::handle`] takes a [`fact`] and the time and
//! says in a [`turn`] what follows. Sessions are the engine's and are kept in no store of ours.

pub mod fact;
mod observer;
pub mod order;
pub mod turn;

pub use observer::Observer;
