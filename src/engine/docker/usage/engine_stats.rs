//! The engine's own figures, for engines whose control groups aren't readable from this machine.

use bollard::{
    models::{ContainerBlkioStats, ContainerStatsResponse},
    query_parameters::StatsOptionsBuilder,
};
use futures_util::StreamExt as _;

use super::{counters::TransferredBytes, readings::UsageReading};
use crate::{
    engine::docker::connect::connection::EngineConnection,
    model::{resources::Bytes, usage::Traffic},
};

/// One reading; `None` when the container doesn't run.
pub(super) async fn ask(connection: &EngineConnection, container: &str) -> Option<UsageReading> {
    let options = StatsOptionsBuilder::default()
        .stream(false)
        .one_shot(true)
        .build();
    let mut answers = connection.docker.stats(container, Some(options)).boxed();
    reading(answers.next().await?.ok()?)
}

fn reading(figures: ContainerStatsResponse) -> Option<UsageReading> {
    let block = figures.blkio_stats.and_then(of_devices);
    // A container without its own network has no figures.
    let network = figures.networks.map(|networks| {
        let mut moved = TransferredBytes::default();
        for one in networks.values() {
            moved.add(one.rx_bytes.unwrap_or(0), one.tx_bytes.unwrap_or(0));
        }
        moved
    });
    let memory = figures.memory_stats?;
    let detail = memory.stats.unwrap_or_default();
    let idle = ["total_inactive_file", "inactive_file"]
        .iter()
        .find_map(|name| detail.get(*name).copied())
        .unwrap_or(0);
    let cpu = figures.cpu_stats?;
    let periods = cpu
        .throttling_data
        .and_then(|it| it.periods.zip(it.throttled_periods));
    Some(UsageReading {
        cpu_nanos: cpu.cpu_usage?.total_usage?,
        periods,
        mem: Bytes(memory.usage?.saturating_sub(idle)),
        traffic: Traffic::counted(
            block.map(TransferredBytes::pair),
            network.map(TransferredBytes::pair),
        ),
        ..UsageReading::default()
    })
}

fn of_devices(figures: ContainerBlkioStats) -> Option<TransferredBytes> {
    let mut moved = TransferredBytes::default();
    for entry in figures.io_service_bytes_recursive? {
        moved.add_operation(
            entry.op.as_deref().unwrap_or_default(),
            entry.value.unwrap_or(0),
        );
    }
    Some(moved)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(body: serde_json::Value) -> Option<UsageReading> {
        reading(serde_json::from_value(body).unwrap())
    }

    #[test]
    fn an_answer_is_read_as_docker_stats_does() {
        let body = serde_json::json!({
            "cpu_stats": {"cpu_usage": {"total_usage": 7},
                "throttling_data": {"periods": 9, "throttled_periods": 4, "throttled_time": 1}},
            "memory_stats": {"usage": 1000, "stats": {"total_inactive_file": 300, "inactive_file": 1}},
            "blkio_stats": {"io_service_bytes_recursive": [
                {"major": 8, "minor": 0, "op": "Read", "value": 5},
                {"major": 8, "minor": 0, "op": "write", "value": 6},
                {"major": 8, "minor": 0, "op": "Total", "value": 11}]},
            "networks": {"eth0": {"rx_bytes": 1, "tx_bytes": 2}, "eth1": {"rx_bytes": 10, "tx_bytes": 20}},
        });
        let reading = read(body).unwrap();
        assert_eq!((reading.cpu_nanos, reading.mem), (7, Bytes(700)));
        assert_eq!(reading.periods, Some((9, 4)));
        let counted = Traffic::counted(Some((5, 6)), Some((11, 22)));
        assert_eq!(reading.traffic, counted);
    }

    #[test]
    fn what_is_not_reported_is_not_known() {
        let body = serde_json::json!({
            "cpu_stats": {"cpu_usage": {"total_usage": 7}},
            "memory_stats": {"usage": 10},
            "blkio_stats": {"io_service_bytes_recursive": null},
        });
        assert_eq!(read(body).unwrap().traffic, Traffic::default());
        assert_eq!(read(serde_json::json!({})), None, "it does not run");
    }
}
