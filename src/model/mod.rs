//! The data types of workbay in Backend.AI's terms: serde, no I/O, no clock.
//!
//! All types can be sent between the daemon and its clients, stored, and printed as JSON. Text from outside
//! is [`text::Clean`]. Times are [`jiff::Timestamp`] and always come from the caller.

pub mod account;
pub mod address;
pub mod app;
pub mod app_definition;
pub mod app_order;
pub mod capability;
pub mod catalogue;
pub mod change;
pub mod cidr;
pub mod context;
pub mod custom_command;
pub mod digest;
pub mod environment;
pub mod failure;
pub mod figures;
pub mod files;
pub mod fnv;
pub mod folder;
pub mod forward;
#[cfg(test)]
mod fuzz;
pub mod helper;
pub mod history;
pub mod id;
pub mod idle;
pub mod image;
pub mod inside;
pub mod kernel;
pub mod launch_field;
pub mod link_schemes;
pub mod listen_frame;
pub mod log;
pub mod loss;
pub mod name;
pub mod natural;
pub mod nearest;
pub mod network;
pub mod notice;
pub mod one_time_code;
pub mod own_image;
pub mod own_line;
pub mod policy;
pub mod ports;
pub mod priority;
pub mod problem;
pub mod pull;
pub mod reached;
pub mod recent;
pub mod record;
pub mod reference;
pub mod request;
pub mod resources;
#[cfg(test)]
mod schema;
pub mod secret;
pub mod secret_rules;
pub mod selector;
pub mod service;
pub mod session;
pub mod setting_kind;
pub mod settings;
pub mod shared_files;
pub mod shell_start;
pub mod short;
pub mod span;
pub mod spec;
pub mod start_time;
pub mod statistics;
pub mod status;
pub mod stop_hook;
#[cfg(test)]
pub mod testing;
pub mod text;
pub mod usage;
pub mod wellknown;
