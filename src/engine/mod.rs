//! Where sessions really run.
//!
//! One trait family ([`api`]), object safe, chosen by the context's configuration. What an engine
//! lacks is data (`Capabilities`), never an `if docker` elsewhere.

pub mod api;
pub mod backendai;
pub mod docker;
pub mod error;
pub mod scheduler;
mod tcp;
