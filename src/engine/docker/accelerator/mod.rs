//! Accelerators of this machine, and which session gets which.

pub(super) mod devices;
pub(super) mod nvidia;
