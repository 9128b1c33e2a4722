//! The engines that run sessions.
//!
//! All engines implement one family of object-safe traits ([`api`]); the context's configuration chooses
//! the engine. What an engine lacks is data (`Capabilities`), never an `if docker` elsewhere.

pub mod api;
pub mod backendai;
pub mod docker;
pub mod files;
pub mod helper_files;
pub mod losses;
pub mod manager;
pub mod port_stream;
pub mod streams;
mod tcp;
