//! Live usage of sessions, as far as the manager reports it.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::engine::backendai::{
    connect::connection::ManagerConnection,
    request::{
        filter,
        gql::Schema,
        lenient_json::{Node, number},
        queries,
    },
};
use crate::{
    engine::api::Result,
    model::{
        id::SessionId,
        resources::{Bytes, Cpu},
        text::Clean,
        usage::{AcceleratorUsage, Traffic, Usage},
    },
};

const FIELDS: &str = "row_id kernel_nodes { edges { node { row_id status live_stat } } }";
/// Sessions per request. The limit is low because statistics are expensive.
const SESSIONS: usize = 50;
/// The most kinds of accelerators that are read for one session.
const KINDS: usize = 16;
/// A manager sends 2^63 for a capacity without a limit. No real number of bytes comes near this
/// bound.
const ENDLESS: f64 = 1e18;

impl ManagerConnection {
    /// Usage of these sessions, and of each kernel of a cluster session. Sessions without figures
    /// are left out.
    pub(in crate::engine::backendai) async fn usage(
        &self,
        sessions: &[SessionId],
        now: Timestamp,
    ) -> Result<Vec<(SessionId, Usage)>> {
        let mut all = Vec::with_capacity(sessions.len());
        for ids in sessions.chunks(SESSIONS) {
            let query = queries::some(self.bound(), ids.len(), FIELDS);
            let mut variables = json!({"filter": filter::ids(ids)});
            self.bind(self.bound(), &mut variables)?;
            let data = self.http.ask(Schema::One, &query, variables).await?;
            let nodes = Node::new(&data).edges("compute_session_nodes");
            all.extend(nodes.filter_map(|node| of_session(Node::new(node), now)));
        }
        Ok(all)
    }
}

/// The usage of a cluster session is known when all its running containers have reported theirs.
fn of_session(node: Node<'_>, now: Timestamp) -> Option<(SessionId, Usage)> {
    let id = node.str("row_id")?.parse().ok()?;
    let mut kernels: Vec<Node<'_>> = node.edges("kernel_nodes").map(Node::new).collect();
    let of = |kernel: &Node<'_>| of_stat(&kernel.blob("live_stat"), now);
    if let [only] = kernels.as_slice() {
        return Some((id, of(only)?));
    }
    // For an ended kernel, the manager still reports its last usage.
    kernels.retain(|kernel| !kernel.status("status").is_final());
    let each = kernels
        .iter()
        .map(|kernel| Some((kernel.str("row_id")?.parse().ok()?, of(kernel)?)));
    Some((id, Usage::sum(each.collect::<Option<Vec<_>>>()?)?))
}

/// `{"cpu_util": {"current": "12.3", "unit_hint": "percent"}, "mem": {"current": "…"}}`.
fn of_stat(stat: &Value, now: Timestamp) -> Option<Usage> {
    let mem = number(stat.get("mem")?.get("current")?)?;
    let cpu = stat.get("cpu_util").and_then(cpu);
    Some(Usage {
        accelerators: accelerators(stat),
        home: amount(stat, "io_scratch_size", "current").map(Bytes),
        traffic: traffic(stat),
        ..Usage::new(now, cpu, whole(mem).map(Bytes)?)
    })
}

/// Disk reads and writes are totals. For the network, the manager reports only rates.
fn traffic(stat: &Value) -> Traffic {
    Traffic {
        block_read: amount(stat, "io_read", "current"),
        block_write: amount(stat, "io_write", "current"),
        network_in_rate: amount(stat, "net_rx", "current"),
        network_out_rate: amount(stat, "net_tx", "current"),
        ..Traffic::default()
    }
}

/// One entry for each kind that has a `…_util` or a `…_mem`, for all its devices together.
fn accelerators(stat: &Value) -> Vec<AcceleratorUsage> {
    let keys = stat.as_object().into_iter().flat_map(|all| all.keys());
    let kinds: BTreeSet<&str> = keys
        .filter_map(|key| key.strip_suffix("_util").or(key.strip_suffix("_mem")))
        .filter(|kind| !kind.is_empty() && *kind != "cpu")
        .take(KINDS)
        .collect();
    let usage = |kind: &str| {
        let mem = format!("{kind}_mem");
        AcceleratorUsage {
            name: Clean::new(kind),
            utilization: stat.get(format!("{kind}_util")).and_then(utilization),
            mem: amount(stat, &mem, "current").map(Bytes),
            mem_total: amount(stat, &mem, "capacity").map(Bytes),
        }
    };
    kinds.into_iter().map(usage).collect()
}

/// Hundredths of a percent of all devices. Each device has a capacity of 100.
fn utilization(metric: &Value) -> Option<u32> {
    let read = |name: &str| metric.get(name).and_then(number);
    let capacity = read("capacity").filter(|all| (1.0..ENDLESS).contains(all));
    let part = match (read("current"), capacity) {
        (Some(current), Some(all)) => current / all * 100.0,
        (current, _) => read("pct").or(current)?,
    };
    u32::try_from(whole(part * 100.0)?).ok()
}

fn amount(stat: &Value, key: &str, name: &str) -> Option<u64> {
    whole(number(stat.get(key)?.get(name)?)?)
}

/// `None` for numbers that mean "no limit".
fn whole(number: f64) -> Option<u64> {
    (number < ENDLESS).then(|| number.max(0.0).round() as u64)
}

/// The unit depends on the release: percent of one core, or thousandths of a core.
fn cpu(metric: &Value) -> Option<Cpu> {
    let current = number(metric.get("current")?)?.max(0.0);
    let millis = match metric.get("unit_hint").and_then(Value::as_str) {
        Some("millicores") => current,
        _ => current * 10.0,
    };
    Some(Cpu::from_millis(millis.round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::id::KernelId;

    #[test]
    fn everything_a_kernel_reports() {
        let metric = |current: &str, capacity: &str, unit: &str| json!({"current": current, "capacity": capacity, "pct": "0.00", "unit_hint": unit});
        let endless = "9223372036854775807";
        let stat = json!({
            "mem": metric("119726080", "268435456", "bytes"),
            "cpu_used": metric("12", endless, "msec"),
            "io_read": metric("4096", endless, "bytes"),
            "io_write": metric("8192", endless, "bytes"),
            "net_rx": metric("1500.4", endless, "bps"),
            "net_tx": metric("0", endless, "bps"),
            "io_scratch_size": metric("77", "0", "bytes"),
            "cuda_util": metric("50", "200", "percent"),
            "cuda_mem": metric("1024", "4096", "bytes"),
            "rocm_util": {"current": "12.5", "capacity": null, "unit_hint": "percent"},
            "tpu_mem": metric("5", endless, "bytes"),
        });
        let usage = of_stat(&stat, Timestamp::UNIX_EPOCH).unwrap();
        assert_eq!(usage.home, Some(Bytes(77)));
        let traffic = Traffic {
            block_read: Some(4096),
            block_write: Some(8192),
            network_in_rate: Some(1500),
            network_out_rate: Some(0),
            ..Traffic::default()
        };
        assert_eq!(usage.traffic, traffic);
        let device =
            |name: &str, utilization, mem: Option<u64>, total: Option<u64>| AcceleratorUsage {
                name: name.into(),
                utilization,
                mem: mem.map(Bytes),
                mem_total: total.map(Bytes),
            };
        let all = [
            device("cuda", Some(2_500), Some(1024), Some(4096)),
            device("rocm", Some(1_250), None, None),
            device("tpu", None, Some(5), None),
        ];
        assert_eq!(usage.accelerators, all);
    }

    #[test]
    fn both_units_of_cpu() {
        let now = Timestamp::UNIX_EPOCH;
        let new = json!({"cpu_util": {"current": "1120.4", "capacity": "1000", "unit_hint": "millicores"},
                         "mem": {"current": "148951040"}});
        let usage = of_stat(&new, now).unwrap();
        assert_eq!(
            (usage.cpu, usage.mem),
            (Some(Cpu::from_millis(1120)), Bytes(148_951_040))
        );
        let old = json!({"cpu_util": {"current": "12.34", "unit_hint": "percent"}, "mem": {"current": "1"}});
        assert_eq!(of_stat(&old, now).unwrap().cpu, Some(Cpu::from_millis(123)));
        assert_eq!(of_stat(&Value::Null, now), None);
        assert_eq!(of_stat(&json!({"mem": {"current": "NaN"}}), now), None);
        let half = of_stat(&json!({"mem": {"current": "7"}, "cpu_util": {}}), now).unwrap();
        assert_eq!((half.cpu, half.mem), (None, Bytes(7)));
    }

    fn kernel(number: u128, status: &str, cpu: &str, mem: &str) -> Value {
        let id = KernelId::from_u128(number);
        let stat = json!({
            "cpu_util": {"current": cpu, "capacity": "2000", "unit_hint": "millicores"},
            "mem": {"current": mem, "capacity": "268435456", "unit_hint": "bytes"},
            "net_rx": {"current": "100", "unit_hint": "bps"},
            "io_read": {"current": mem, "unit_hint": "bytes"},
            "cuda_util": {"current": cpu, "capacity": "2000", "unit_hint": "percent"},
            "cuda_mem": {"current": "10", "capacity": "40", "unit_hint": "bytes"},
        });
        json!({"node": {"row_id": id, "status": status, "live_stat": stat.to_string()}})
    }

    fn session(kernels: &[Value]) -> Option<Usage> {
        let id = SessionId::from_u128(1);
        let node = json!({"row_id": id, "kernel_nodes": {"edges": kernels}});
        let (found, usage) = of_session(Node::new(&node), Timestamp::UNIX_EPOCH)?;
        assert_eq!(found, id);
        Some(usage)
    }

    #[test]
    fn a_cluster_session_is_the_sum_of_its_kernels() {
        let busy = kernel(1, "RUNNING", "1000", "300");
        let idle = kernel(2, "RUNNING", "10", "20");
        // The last usage of an ended kernel doesn't count.
        let ended = kernel(3, "TERMINATED", "9000", "900");
        let usage = session(&[busy.clone(), idle, ended.clone()]).unwrap();
        assert_eq!(
            (usage.cpu, usage.mem),
            (Some(Cpu::from_millis(1_010)), Bytes(320))
        );
        assert_eq!(usage.traffic.network_in_rate, Some(200));
        assert_eq!(usage.traffic.block_read, Some(320));
        let cuda = &usage.accelerators[0];
        assert_eq!(usage.accelerators.len(), 1);
        assert_eq!(cuda.utilization, Some(2_525), "on average");
        assert_eq!(
            (cuda.mem, cuda.mem_total),
            (Some(Bytes(20)), Some(Bytes(80)))
        );
        let each = usage.kernels.iter();
        let each: Vec<_> = each.map(|(id, it)| (*id, it.cpu, it.mem)).collect();
        let wanted = |number, cpu, mem| {
            let cpu = Some(Cpu::from_millis(cpu));
            (KernelId::from_u128(number), cpu, Bytes(mem))
        };
        assert_eq!(each, [wanted(1, 1_000, 300), wanted(2, 10, 20)]);
        let left = session(&[busy.clone(), ended]).unwrap();
        assert_eq!((left.mem, left.kernels.len()), (Bytes(300), 1));
        // A sum without one of them would be too small.
        let mut silent = kernel(2, "RUNNING", "1", "1");
        silent["node"]["live_stat"] = Value::Null;
        assert_eq!(session(&[busy.clone(), silent]), None);
        let single = session(&[busy]).unwrap();
        assert_eq!((single.mem, single.kernels), (Bytes(300), vec![]));
        assert_eq!(session(&[]), None);
    }

    #[test]
    fn fuzz_manager_usage() {
        crate::fuzz::parser("manager-usage", &[], |bytes, _| {
            if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
                crate::fuzz::bounded(bytes, &of_stat(&value, Timestamp::UNIX_EPOCH));
            }
        });
    }
}
