//! The shared rules of a launch: the launcher checks them while the user types, the command line before it
//! sends the request, and the daemon before it launches.

pub mod amounts;
pub mod check;
pub mod command;
pub mod environment;
pub mod folders;
mod free_name;
pub mod grown;
pub mod key;
pub mod page;
pub mod places;
mod recorded;
pub mod relaunch;
pub mod script;
pub mod stop_hook;
pub mod table;
pub mod whatif;

pub use check::{Ground, check, check_words, warnings};
pub use free_name::free_name;
pub use recorded::check_recorded;

#[cfg(test)]
mod tests;
