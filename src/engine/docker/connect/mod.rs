//! Finds the engine, connects to it and knows what is particular to it.

pub(super) mod connection;
pub(super) mod discover;
pub(super) mod docker_context;
pub(super) mod endpoint;
pub(super) mod locality;
pub(super) mod process_env;
pub(super) mod quirks;
pub(super) mod raw_request;
pub(super) mod transport;
