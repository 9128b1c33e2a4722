//! Folders and files of this machine that are mounted into sessions.

pub(super) mod binds;
pub(super) mod mounts;
pub(super) mod store;
