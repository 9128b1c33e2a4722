//! The daemon's client.
