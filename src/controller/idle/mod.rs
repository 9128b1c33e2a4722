//! Idle checks: which session nobody needs any more, when it is ended for it, who is warned before.
//!
//! [`judge`] is a pure function of what is known of one session and the time; what it says is data
//! (`session.idle_checks`). Apart from it [`attend`] tells it, warns, and ends who is over. The rules
//! in the words of people stand in docs/idle.md.

mod attend;
mod clock;
mod figures;
mod judge;
mod keep;
mod used;
pub(super) mod warn;
mod words;

#[cfg(test)]
mod tests;

pub(super) use clock::Idle;
