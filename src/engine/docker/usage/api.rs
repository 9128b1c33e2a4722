//! The engine's own figures, for engines whose control groups cannot be seen from here.

use bollard::query_parameters::StatsOptionsBuilder;
use futures_util::StreamExt as _;

use super::Reading;
use crate::{engine::docker::line::Line, model::resources::Bytes};

/// One answer; `None` when the container does not run.
pub(super) async fn ask(line: &Line, container: &str) -> Option<Reading> {
    let options = StatsOptionsBuilder::default()
        .stream(false)
        .one_shot(true)
        .build();
    let mut answers = line.docker.stats(container, Some(options)).boxed();
    let figures = answers.next().await?.ok()?;
    let cpu_nanos = figures.cpu_stats?.cpu_usage?.total_usage?;
    let memory = figures.memory_stats?;
    let detail = memory.stats.unwrap_or_default();
    let idle = ["total_inactive_file", "inactive_file"]
        .iter()
        .find_map(|name| detail.get(*name).copied())
        .unwrap_or(0);
    Some(Reading {
        cpu_nanos,
        mem: Bytes(memory.usage?.saturating_sub(idle)),
    })
}
