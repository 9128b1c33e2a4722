//! (being built)

pub mod paths;
