//! The heart for engines that schedule by themselves: it decides nothing, it watches, asks and tells.
//!
//! Of the same outer shape as the controller: [`Observer::handle`] takes a [`fact`] and the time and
//! says in a [`turn`] what follows. Sessions are the engine's and are kept in no store of ours.

mod answers;
mod asks;
mod check;
mod deed;
mod deeds;
pub mod fact;
mod folders;
mod holding;
mod idle;
mod launch;
mod line;
mod observer;
pub mod order;
mod prioritize;
mod reading;
mod row;
mod rows;
mod statistics;
mod sweep;
mod task;
pub mod turn;
mod window;
mod wire;

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;

pub use observer::Observer;
