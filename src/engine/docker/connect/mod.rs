//! Finds the engine, connects to it and handles its differences.

pub(super) mod connection;
pub(super) mod discover;
pub(super) mod docker_context;
pub(super) mod endpoint;
pub(super) mod locality;
pub(super) mod process_env;
pub(super) mod quirks;
pub(super) mod raw_request;
pub(super) mod transport;
