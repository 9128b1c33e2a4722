//! Live usage of sessions, as far as the manager has it.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::{blob::Node, blob::number, filter, gql::Schema, line::Line, queries};
use crate::{
    engine::api::Result,
    model::{
        id::SessionId,
        resources::{Bytes, Cpu},
        usage::Usage,
    },
};

const FIELDS: &str = "row_id kernel_nodes { edges { node { cluster_role live_stat } } }";
/// Sessions asked for in one request; statistics are dear.
const SESSIONS: usize = 50;

impl Line {
    /// Usage of these sessions' main kernels; those without figures are left out.
    pub(super) async fn usage(
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

fn of_session(node: Node<'_>, now: Timestamp) -> Option<(SessionId, Usage)> {
    let id = node.str("row_id")?.parse().ok()?;
    let kernels: Vec<Node<'_>> = node.edges("kernel_nodes").map(Node::new).collect();
    let main = kernels
        .iter()
        .find(|kernel| kernel.str("cluster_role") == Some("main"));
    let stat = main.or(kernels.first())?.blob("live_stat");
    Some((id, of_stat(&stat, now)?))
}

/// `{"cpu_util": {"current": "12.3", "unit_hint": "percent"}, "mem": {"current": "…"}}`.
fn of_stat(stat: &Value, now: Timestamp) -> Option<Usage> {
    let mem = number(stat.get("mem")?.get("current")?)?;
    let cpu = stat.get("cpu_util").and_then(cpu);
    Some(Usage::new(now, cpu, Bytes(mem.max(0.0).round() as u64)))
}

/// Releases differ: percent of one core, or thousandths of a core.
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
}
