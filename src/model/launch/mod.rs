//! The shared rules of a launch: the launcher checks them while the user types, the command line before it
//! sends the request, and the daemon before it launches.

pub mod again;
pub mod amounts;
pub mod check;
pub mod command;
pub mod environment;
pub mod field;
pub mod folders;
mod free_name;
pub mod grown;
pub mod key;
pub mod page;
pub mod ports;
pub mod priority;
mod recorded;
pub mod script;
pub mod secrets;
pub mod start;
pub mod stop_hook;
pub mod table;
pub mod whatif;

pub use check::{Ground, check, check_words, warnings};
pub use field::{FieldProblem, LaunchField};
pub use free_name::free_name;
pub use recorded::check_recorded;
pub use start::StartAt;

#[cfg(test)]
mod tests;
