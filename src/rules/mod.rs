//! The rules of sessions: what a launch may contain, which environment a word means, why a session waits, when it is
//! reclaimed, how it ended, which commands lead into it, and which sessions a filter means. Pure functions over the types of [`crate::model`].

pub mod ahead;
pub mod column;
pub mod command_template;
pub mod ending;
pub mod export;
pub mod filter;
pub mod grouping;
pub mod launch;
pub mod listed;
pub mod loss;
pub mod reclaim;
pub mod resolve;
pub mod ssh_tunnel;
pub mod verdict;
