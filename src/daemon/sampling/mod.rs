//! Samples of the use of sessions: which are taken, kept and sent.

pub(super) mod figures;
pub(super) mod recorded;
pub(super) mod recorder;
pub(super) mod sampler;
pub(super) mod watching;
