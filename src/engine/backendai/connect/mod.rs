//! Connects to a manager: its address, our account there, and what its version can do.

pub(super) mod base_url;
pub(super) mod capabilities;
pub(super) mod clock_skew;
pub(super) mod config;
pub(super) mod connection;
pub(super) mod features;
pub(super) mod header;
pub(super) mod login;
pub(super) mod pool;
pub(super) mod shared;
pub(super) mod sign;
pub(super) mod tls_roots;
pub(super) mod version;
