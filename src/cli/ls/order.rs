//! In which order `workbay ls` prints.

use std::cmp::Ordering;

use clap::ValueEnum;

use crate::model::{
    ending::{Ending, ending},
    natural,
    session::{Session, by_run_time, newest_first},
};

/// A column to sort by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SortBy {
    #[default]
    Created,
    Name,
    Status,
    /// What failed comes first
    Result,
    Environment,
    Cpu,
    Mem,
    RunTime,
    Ended,
}

/// Puts what was `newest_first` into another order: times and amounts from the largest, words from A to
/// Z.
pub fn sort(sessions: &mut [Session], by: SortBy, reverse: bool) {
    sessions.sort_by(|a, b| {
        let order = compare(a, b, by);
        let order = if reverse { order.reverse() } else { order };
        order.then_with(|| newest_first(a, b))
    });
}

fn compare(a: &Session, b: &Session, by: SortBy) -> Ordering {
    let slots = |session: &Session| session.requested_slots.clone();
    let rank = |session: &Session| ending(session).map(Ending::rank);
    match by {
        SortBy::Created => b.created_at.cmp(&a.created_at),
        SortBy::Name => natural::compare(a.name.as_str(), b.name.as_str()),
        SortBy::Status => a.status.word().cmp(b.status.word()),
        // What has not ended is last.
        SortBy::Result => (rank(a).is_none(), rank(a)).cmp(&(rank(b).is_none(), rank(b))),
        SortBy::Environment => natural::compare(&a.environment.label(), &b.environment.label()),
        SortBy::Cpu => slots(b).cpu.cmp(&slots(a).cpu),
        SortBy::Mem => slots(b).mem.cmp(&slots(a).mem),
        SortBy::RunTime => by_run_time(b, a),
        SortBy::Ended => b.terminated_at.cmp(&a.terminated_at),
    }
}
