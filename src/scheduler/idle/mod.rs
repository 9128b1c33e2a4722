//! Idle checks: which sessions aren't needed any more, when they are reclaimed, and who is warned
//! before.
//!
//! [`evaluate`] is a pure function of one session's state and the time. Its result is data
//! (`session.idle_checks`). [`check_idle`] reports it, sends warnings, and ends sessions that have
//! expired. docs/idle.md describes the rules for users.

mod averages;
mod check_idle;
mod evaluate;
mod keep;
mod reclaim_reason;
mod tracking;
mod used;

#[cfg(test)]
mod tests;

pub(super) use tracking::Idle;
