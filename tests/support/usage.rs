//! What sessions use, as the engines in memory report it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use workbay::{
    engine::api::{Need, UsageAsk},
    model::{id::SessionId, usage::Usage},
};

/// The usage that the test has set for the requested sessions.
pub fn sampled(
    said: &BTreeMap<SessionId, Usage>,
    asked: &[UsageAsk],
    now: Timestamp,
) -> Vec<(SessionId, Usage)> {
    let asked = asked.iter().filter(|one| one.need > Need::Kept);
    let sampled = asked.filter_map(|one| {
        let usage = Usage {
            at: now,
            ..said.get(&one.session)?.clone()
        };
        Some((one.session, usage))
    });
    sampled.collect()
}
