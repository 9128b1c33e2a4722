//! What the loop writes to the state database, and what it loads from it.

pub(super) mod disk_limits;
pub(super) mod disk_space;
pub(super) mod kept_homes;
pub(super) mod loading;
pub(super) mod preload;
pub(super) mod recent_launch;
pub(super) mod unloaded;
pub(super) mod writing;
