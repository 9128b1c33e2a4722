//! The rules of sessions: what a launch may contain, which environment a word means, why a session waits, when it is
//! reclaimed, how it ended, and which commands lead into it. Pure functions over the types of [`crate::model`].

pub mod ahead;
pub mod ending;
pub mod launch;
pub mod loss;
pub mod reclaim;
pub mod resolve;
pub mod ssh_tunnel;
pub mod verdict;
