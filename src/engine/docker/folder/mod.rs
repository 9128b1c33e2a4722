//! Folders and files of this machine that are mounted into sessions.
//!
//! `store` has the user's folders, `host_paths` those of the system-wide configuration, `trash` deleted ones. `requests`
//! carries out what clients ask for, with `clone` and `sizes` for what takes long.

mod access;
pub(super) mod binds;
mod clone;
mod host_paths;
pub(super) mod mounts;
pub(super) mod quotas;
mod requests;
pub(super) mod sizes;
pub(super) mod store;
mod trash;
