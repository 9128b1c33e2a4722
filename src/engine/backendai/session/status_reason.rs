//! Why a session waits, failed or ended, in words for the user. Pure.

use indexmap::IndexMap;
use jiff::Timestamp;
use serde_json::Value;

use crate::engine::backendai::request::lenient_json::{Node, number, time};
use crate::engine::backendai::request::quote::quote;
use crate::model::{
    history::{HistoryEntry, Outcome},
    resources::Bytes,
    status::Status,
    text::Clean,
};

/// The reason from the fields of the session itself.
pub(in crate::engine::backendai) fn of_session(
    status: &Status,
    info: Option<&Clean>,
    data: &Value,
    exit_code: Option<i64>,
) -> Option<Clean> {
    let data = Node::new(data);
    if status.is_starting() {
        return scheduler(data.node("scheduler")).or_else(|| failure(data.node("error")));
    }
    if let Some(error) = failure(data.node("error")) {
        return Some(error);
    }
    if matches!(status, Status::Running | Status::RunningDegraded) {
        return None;
    }
    let known = known(info?.as_str())?;
    Some(match exit_code {
        Some(code) if code != 0 => Clean::new(&tr_sent!("{known} (exit code {code})", known, code)),
        _ => Clean::new(known),
    })
}

/// The reason from the newest entry of the scheduling history, while the session waits.
pub(in crate::engine::backendai) fn of_history(newest: &HistoryEntry) -> Option<Clean> {
    if newest.result == Outcome::Success {
        return None;
    }
    let failed = newest
        .steps
        .iter()
        .rev()
        .find(|step| step.result != Outcome::Success);
    let words = failed
        .and_then(|step| step.message.as_ref())
        .or(newest.message.as_ref())?;
    if not_before(newest).is_some() {
        return Some(tr_sent!("waiting for its start time").into());
    }
    Some(Clean::new(&tr_sent!(
        "waiting: {why}",
        why = shortage(words.as_str())
    )))
}

/// The start time of a batch session: managers from 26.x on report it for a waiting session only in
/// this text.
pub(in crate::engine::backendai) fn not_before(newest: &HistoryEntry) -> Option<Timestamp> {
    let steps = newest.steps.iter().filter_map(|it| it.message.as_ref());
    steps.chain(&newest.message).find_map(|words| {
        let (_, rest) = words.as_str().split_once("scheduled to start at ")?;
        time(rest.split([';', ')', ' ']).next()?)
    })
}

/// The text of an agent selector is very long. Only what is missing matters to the user: of each slot the least, which is
/// what the agent with the most of it lacks.
fn shortage(words: &str) -> String {
    let mut missing: IndexMap<&str, f64> = IndexMap::new();
    for (slot, amount) in words
        .split("- ")
        .filter_map(missing_slot)
        .chain(exceeding(words))
    {
        let least = missing.entry(slot).or_insert(amount);
        *least = least.min(amount);
    }
    if missing.is_empty() {
        let first = words.lines().next().unwrap_or_default();
        let first = first.strip_prefix("Not attempted: ").unwrap_or(first);
        return quote(first.trim_end_matches('.'));
    }
    let missing: Vec<String> = missing
        .into_iter()
        .map(|(slot, amount)| {
            let amount = match slot {
                "mem" => Bytes(amount as u64).to_string(),
                _ => trimmed(amount),
            };
            format!("{} {amount}", quote(slot))
        })
        .collect();
    tr_sent!(
        "not enough resources: missing {missing}",
        missing = missing.join(", ")
    )
}

/// The slot and amount of `cpu: missing=64.000000`.
fn missing_slot(part: &str) -> Option<(&str, f64)> {
    let (slot, rest) = part.split_once(": missing=")?;
    let word = rest.split([' ', ')', ',', '\n']).next()?;
    Some((slot.trim(), amount(word)?))
}

/// What is requested beyond what is available, in the words of managers before 26.8: `Agent a has insufficient
/// resources: cpu: requested=2, available=1; mem: …)` (25.15), or with each slot on a line after `- ` (26.4).
fn exceeding(words: &str) -> impl Iterator<Item = (&str, f64)> {
    let agents = words.split("insufficient resources:").skip(1);
    let slots = agents
        .flat_map(|agent| agent.split(')').next().unwrap_or(agent).split([';', '\n']))
        .flat_map(|part| part.split("- "));
    slots.filter_map(|part| {
        let (slot, rest) = part.split_once(": requested=")?;
        let (requested, available) = rest.split_once(", available=")?;
        let over = amount(requested)? - amount(available)?;
        // A slot of which there is enough is listed, too, beside one that is short.
        (over > 0.0).then_some((slot.trim(), over))
    })
}

fn amount(word: &str) -> Option<f64> {
    number(&Value::String(word.trim().to_owned()))
}

/// Up to three decimals, without trailing zeros.
fn trimmed(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The predicates that failed in the last round (managers before 26).
fn scheduler(scheduler: Node<'_>) -> Option<Clean> {
    let failed: Vec<String> = scheduler
        .list("failed_predicates")
        .iter()
        .filter_map(|predicate| {
            let predicate = Node::new(predicate);
            predicate.text("msg").or_else(|| predicate.text("name"))
        })
        .map(|words| shortage(words.as_str()))
        .collect();
    if failed
        .iter()
        .any(|words| words.contains("Before start time"))
    {
        return Some(tr_sent!("waiting for its start time").into());
    }
    if !failed.is_empty() {
        return Some(Clean::new(&tr_sent!(
            "waiting: {why}",
            why = failed.join("; ")
        )));
    }
    let words = scheduler.text("msg")?;
    Some(Clean::new(&tr_sent!(
        "waiting: {why}",
        why = quote(words.as_str())
    )))
}

/// `{"src","name","repr","collection":[…]}`: the first of a collection, else the error itself.
fn failure(error: Node<'_>) -> Option<Clean> {
    let first = error.list("collection").first().map(Node::new);
    let error = first.filter(|error| !error.is_null()).unwrap_or(error);
    let name = error.text("name");
    let words = error.text("repr").or_else(|| error.text("message"));
    let text = match (name, words) {
        (None, None) => return None,
        (Some(name), Some(words)) if !words.as_str().contains(name.as_str()) => {
            format!("{name}: {words}")
        }
        (_, Some(words)) => words.into_string(),
        (Some(name), None) => name.into_string(),
    };
    Some(Clean::new(&tr_sent!("failed: {why}", why = quote(&text))))
}

/// The manager's reason codes, in both spellings, as sentences.
pub(in crate::engine::backendai) fn known(info: &str) -> Option<&'static str> {
    let word = info.to_ascii_lowercase().replace('_', "-");
    Some(match word.as_str() {
        "idle-timeout" => tr_sent!("reclaimed by the manager: not used for longer than allowed"),
        "idle-session-lifetime" => {
            tr_sent!("reclaimed by the manager: it reached the maximum lifetime")
        }
        "idle-utilization" => {
            tr_sent!("reclaimed by the manager: it used too little of its resources")
        }
        "force-terminated" | "killed-by-event" => "killed",
        "self-terminated" | "task-finished" => tr_sent!("its main program ended"),
        "task-failed" => tr_sent!("its command failed"),
        "task-timeout" | "exec-timeout" => tr_sent!("its command took longer than its time limit"),
        "task-cancelled" => tr_sent!("its command was cancelled"),
        "pending-timeout" | "pending-timeout-exceeded" => {
            tr_sent!("waited in the queue for longer than allowed")
        }
        "exceeded-max-retries" => tr_sent!("it didn't start: all attempts failed"),
        "already-terminated" => tr_sent!("its container ended before it was ready"),
        "failed-to-create" | "creation-failed" => tr_sent!("its container couldn't be created"),
        "failed-to-start" | "bootstrap-timeout" => tr_sent!("it didn't start"),
        "hang-timeout" => tr_sent!("it didn't respond for longer than allowed"),
        "agent-termination" => tr_sent!("its agent was stopped"),
        "container-not-found" | "not-found-in-manager" | "terminated-unknown-container" => {
            tr_sent!("its container disappeared from the agent")
        }
        "no-available-instances" => tr_sent!("no agent has enough resources"),
        "service-scaled-down" => tr_sent!("its service was scaled down"),
        "anomaly-detected" => tr_sent!("terminated by the manager: an anomaly was detected"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{history::SubStep, id::SessionId};
    use serde_json::json;

    fn waiting(message: &str) -> String {
        let entry = HistoryEntry {
            result: Outcome::NeedRetry,
            message: Some("all of it failed".into()),
            attempts: 3,
            steps: vec![SubStep {
                step: "DispersedAgentSelector".into(),
                result: Outcome::Failure,
                error_code: None,
                message: Some(Clean::new(message)),
                started_at: None,
                ended_at: None,
            }],
            ..HistoryEntry::new(
                SessionId::from_u128(1),
                jiff::Timestamp::UNIX_EPOCH,
                "schedule-sessions",
                Some(Status::Pending),
                Status::Pending,
            )
        };
        of_history(&entry).unwrap().into_string()
    }

    #[test]
    fn a_shortage_says_what_is_missing() {
        assert_eq!(
            waiting(
                "Some kernels could not be placed on any agent. (1 requirement(s) could not be \
                 placed:\n- requirement #0 (containers=1, arch=x86_64, slots=cpu=64.000000 mem=512 \
                 MiB): no agents passed the 'resource' filter\n  - cpu: missing=64.000000\n  - mem: \
                 missing=1073741824)"
            ),
            "waiting: not enough resources: missing cpu 64, mem 1 GiB"
        );
        assert_eq!(
            waiting(
                "no available agents. Details: Agent i-gpus-1 has insufficient resources:\n    - cuda.device: \
                 requested=2, available=1) Agent i-gpus-2 has insufficient resources:\n    - cuda.device: \
                 requested=2, available=0)"
            ),
            "waiting: not enough resources: missing cuda.device 1",
            "the agent that lacks least"
        );
        assert_eq!(
            waiting("The quota is used up."),
            "waiting: The quota is used up"
        );
        assert_eq!(
            waiting(
                "Not attempted: the resource group ran out of resources at the earlier session 7"
            ),
            "waiting: the resource group ran out of resources at the earlier session 7"
        );
        assert_eq!(
            waiting(
                "Reserved batch session is not yet ready to start. (Batch session is scheduled to \
                 start at 2026-11-22T00:31:06.300296+00:00; current time is before that.)"
            ),
            "waiting for its start time"
        );
    }

    #[test]
    fn older_managers_report_it_in_the_session() {
        let data = json!({"scheduler": {"retries": 3, "failed_predicates": [
            {"name": "concurrency", "msg": "You cannot run more than 3 concurrent sessions"},
            {"name": "dependencies"}]}});
        let said = of_session(&Status::Pending, None, &data, None).unwrap();
        assert_eq!(
            said,
            "waiting: You cannot run more than 3 concurrent sessions; dependencies"
        );
        // In the words of 25.15.
        let data = json!({"scheduler": {"failed_predicates": [
            {"name": "ReservedBatchSessionValidator", "msg": "Before start time"}]}});
        let said = of_session(&Status::Pending, None, &data, None).unwrap();
        assert_eq!(said, "waiting for its start time");
        let words = "Unavailable : No agents can be allocated at this time. (no available agents. \
                     Details: 1x Agent i-local has insufficient resources: cpu: requested=2, \
                     available=1; mem: requested=3221225472, available=1073741824)";
        let of_26_4 = words
            .replace("; ", "\n    - ")
            .replace(": cpu", ":\n    - cpu");
        for words in [words, &of_26_4] {
            let data = json!({"scheduler": {"failed_predicates": [{"msg": words}]}});
            let said = of_session(&Status::Pending, None, &data, None).unwrap();
            assert_eq!(
                said,
                "waiting: not enough resources: missing cpu 1, mem 2 GiB"
            );
        }
    }

    #[test]
    fn failures_and_ends() {
        let data = json!({"error": {"src": "agent", "name": "DockerError", "repr": "DockerError(500, 'no space')"}});
        let said = of_session(&Status::Error, None, &data, None).unwrap();
        assert_eq!(said, "failed: DockerError(500, 'no space')");
        let data = json!({"error": {"collection": [{"name": "ValueError", "repr": "bad mount"}]}});
        let said = of_session(&Status::Cancelled, None, &data, None).unwrap();
        assert_eq!(said, "failed: ValueError: bad mount");
        let ended = |info: &str, code| {
            of_session(&Status::Terminated, Some(&info.into()), &Value::Null, code)
                .map(Clean::into_string)
        };
        assert_eq!(
            ended("task-failed", Some(2)).unwrap(),
            "its command failed (exit code 2)"
        );
        assert_eq!(
            ended("PENDING_TIMEOUT_EXCEEDED", None).unwrap(),
            "waited in the queue for longer than allowed"
        );
        assert_eq!(ended("user-requested", None), None);
        assert_eq!(ended("a new word", None), None);
    }
}
