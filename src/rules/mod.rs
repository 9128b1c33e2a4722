//! The rules of sessions: what a launch may contain, which environment a word means, why a session waits, when it is
//! reclaimed and how it ended. Pure functions over the types of [`crate::model`].

pub mod ahead;
pub mod ending;
pub mod launch;
pub mod reclaim;
pub mod resolve;
pub mod verdict;
