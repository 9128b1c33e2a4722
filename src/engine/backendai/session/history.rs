//! The scheduling history of a session.

use jiff::Timestamp;
use serde_json::{Value, json};

use crate::{
    engine::{
        api::Result,
        backendai::{
            connect::connection::ManagerConnection,
            request::{gql::Schema, lenient_json::Node, manager_error::declined},
        },
    },
    model::{
        failure::Failure,
        history::{HistoryEntry, Outcome, SubStep},
        id::SessionId,
        status::Status,
        text::Clean,
    },
};

/// The most entries that are read. A session has about ten.
const MANY: u32 = 200;

const QUERY: &str = "query($id: UUID!, $limit: Int!) { sessionScopedSchedulingHistories(scope: \
                     {sessionId: $id}, orderBy: [{field: UPDATED_AT, direction: DESC}], limit: \
                     $limit, offset: 0) { edges { node { id phase fromStatus toStatus result errorCode \
                     message attempts createdAt updatedAt subSteps { step result errorCode message \
                     startedAt endedAt } } } } }";

impl ManagerConnection {
    /// Returns the newest entry first.
    pub(in crate::engine::backendai) async fn history(
        &self,
        session: SessionId,
    ) -> Result<Vec<HistoryEntry>> {
        if self.features.scheduling_history {
            return self.entries(session, MANY).await;
        }
        // Managers before 26.2 report when each status was reached.
        let data = self.fields_of(session, "status_history").await?;
        let node = Node::new(&data).edges("compute_session_nodes").next();
        let node = node.ok_or_else(|| Failure::session_not_found(session))?;
        Ok(coarse(session, &Node::new(node).blob("status_history")))
    }

    /// The newest entry, if the manager keeps a history.
    pub(in crate::engine::backendai) async fn newest_entry(
        &self,
        session: SessionId,
    ) -> Option<HistoryEntry> {
        if !self.features.scheduling_history {
            return None;
        }
        match self.entries(session, 1).await {
            Ok(entries) => entries.into_iter().next(),
            Err(error) => {
                tracing::debug!(%error, %session, "no scheduling history");
                None
            }
        }
    }

    async fn entries(&self, session: SessionId, limit: u32) -> Result<Vec<HistoryEntry>> {
        let variables = json!({"id": session.to_string(), "limit": limit});
        let data = self.http.ask(Schema::Two, QUERY, variables).await?;
        let found = &data["sessionScopedSchedulingHistories"];
        if found.is_null() {
            return Err(declined(tr_sent!(
                "the manager reports no scheduling history of this session"
            )));
        }
        let nodes = Node::new(&data).edges("sessionScopedSchedulingHistories");
        Ok(nodes.map(|node| entry(session, Node::new(node))).collect())
    }
}

fn entry(session: SessionId, node: Node<'_>) -> HistoryEntry {
    let at = node.time("createdAt").unwrap_or(Timestamp::UNIX_EPOCH);
    let from = node.str("fromStatus").map(Status::from);
    let to = match node.str("toStatus") {
        Some(word) => Status::from(word),
        // A failed attempt doesn't change the status.
        None => from.clone().unwrap_or_else(|| node.status("toStatus")),
    };
    HistoryEntry {
        id: node.text("id"),
        result: outcome(node),
        message: node.text("message"),
        error_code: node.text("errorCode"),
        attempts: node
            .int("attempts")
            .and_then(|n| n.try_into().ok())
            .unwrap_or(1),
        until: node.time("updatedAt").filter(|until| *until != at),
        steps: node
            .list("subSteps")
            .iter()
            .map(|step| sub_step(Node::new(step)))
            .collect(),
        ..HistoryEntry::new(
            session,
            at,
            node.text("phase").unwrap_or_else(|| "?".into()),
            from,
            to,
        )
    }
}

fn sub_step(node: Node<'_>) -> SubStep {
    SubStep {
        step: node.text("step").unwrap_or_else(|| "?".into()),
        result: outcome(node),
        error_code: node.text("errorCode"),
        message: node.text("message"),
        started_at: node.time("startedAt"),
        ended_at: node.time("endedAt"),
    }
}

fn outcome(node: Node<'_>) -> Outcome {
    match node.str("result").unwrap_or_default() {
        "SUCCESS" => Outcome::Success,
        "FAILURE" => Outcome::Failure,
        "NEED_RETRY" => Outcome::NeedRetry,
        "GIVE_UP" => Outcome::GiveUp,
        "EXPIRED" => Outcome::Expired,
        "STALE" => Outcome::Stale,
        "SKIPPED" => Outcome::Skipped,
        other => Outcome::Other(Clean::new(other)),
    }
}

/// `{"PENDING": "2026-…", …}`, or a list of `{status, timestamp}`, newest first.
fn coarse(session: SessionId, blob: &Value) -> Vec<HistoryEntry> {
    let mut reached: Vec<(Timestamp, Status)> = match blob {
        Value::Object(map) => map
            .iter()
            .filter_map(|(word, at)| {
                Some((
                    crate::engine::backendai::request::lenient_json::time(at.as_str()?)?,
                    word.as_str().into(),
                ))
            })
            .collect(),
        Value::Array(list) => list
            .iter()
            .map(Node::new)
            .filter_map(|node| Some((node.time("timestamp")?, node.str("status")?.into())))
            .collect(),
        _ => Vec::new(),
    };
    reached.sort_by_key(|(at, _)| *at);
    let mut entries = Vec::with_capacity(reached.len());
    let mut from: Option<Status> = None;
    for (at, to) in reached {
        entries.push(HistoryEntry::new(
            session,
            at,
            "status",
            from.replace(to.clone()),
            to,
        ));
    }
    entries.reverse();
    entries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_manager_s_map_becomes_a_history() {
        let id = SessionId::from_u128(1);
        let map = json!({
            "RUNNING": "2026-11-21T12:26:10.798421+00:00",
            "PENDING": "2026-11-21T12:26:00.419781+00:00",
            "ODD": null
        });
        let entries = coarse(id, &map);
        assert_eq!(entries.len(), 2);
        assert_eq!(
            (&entries[0].from, &entries[0].to),
            (&Some(Status::Pending), &Status::Running)
        );
        assert_eq!(
            (&entries[1].from, &entries[1].to),
            (&None, &Status::Pending)
        );
        let list = json!([{"status": "PENDING", "timestamp": "2026-11-21T12:26:00Z"}]);
        assert_eq!(coarse(id, &list).len(), 1);
        assert!(coarse(id, &Value::Null).is_empty());
    }

    #[test]
    fn words_that_are_not_known_are_kept() {
        let node = json!({"phase": "preempt-sessions", "result": "POSTPONED", "fromStatus":
            "RESERVED", "toStatus": null, "attempts": "x", "subSteps": [{"result": null}]});
        let entry = entry(SessionId::from_u128(1), Node::new(&node));
        assert_eq!(entry.result, Outcome::Other("POSTPONED".into()));
        assert_eq!(entry.to, Status::from("RESERVED"));
        assert_eq!((entry.attempts, entry.steps.len()), (1, 1));
    }

    #[test]
    fn fuzz_manager_history() {
        crate::fuzz::parser("manager-history", &[], |bytes, _| {
            if let Ok(value) = serde_json::from_slice::<Value>(bytes) {
                let session = SessionId::from_u128(1);
                crate::fuzz::bounded(bytes, &coarse(session, &value));
                crate::fuzz::bounded(bytes, &entry(session, Node::new(&value)));
            }
        });
    }
}
