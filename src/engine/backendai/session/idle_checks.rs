//! Reads idle checks. Pure: the current time is a parameter.

use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

use crate::engine::backendai::request::lenient_json::{Node, number};
use crate::model::{
    idle::{IdleBasis, IdleCheck, IdleChecker, IdleResource, IdleState, Join},
    text::Clean,
};

/// Reads `idle_checks`, in the order network, lifetime, utilization, others.
pub(in crate::engine::backendai) fn read(blob: &Value, now: Timestamp) -> Vec<IdleCheck> {
    let mut checks: Vec<(usize, IdleCheck)> = blob
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(_, check)| check.is_object())
        .map(|(name, check)| (rank(name), one(name, Node::new(check), now)))
        .collect();
    checks.sort_by_key(|(rank, _)| *rank);
    checks.into_iter().map(|(_, check)| check).collect()
}

fn one(name: &str, check: Node<'_>, now: Timestamp) -> IdleCheck {
    let extra = check.node("extra");
    let basis = match check.str("remaining_time_type") {
        Some("grace_period") => IdleBasis::GracePeriod,
        _ => IdleBasis::ExpireAfter,
    };
    IdleCheck {
        checker: checker(name),
        basis,
        state: state(check.number("remaining"), now),
        limit: None,
        join: match extra.str("thresholds_check_operator") {
            Some("and") => Some(Join::And),
            Some("or") => Some(Join::Or),
            _ => None,
        },
        resources: resources(extra.raw("resources")),
    }
}

fn checker(name: &str) -> IdleChecker {
    match name {
        "network_timeout" => IdleChecker::NetworkTimeout,
        "session_lifetime" => IdleChecker::SessionLifetime,
        "utilization" => IdleChecker::Utilization,
        other => IdleChecker::Other(Clean::new(other)),
    }
}

fn rank(name: &str) -> usize {
    match name {
        "network_timeout" => 0,
        "session_lifetime" => 1,
        "utilization" => 2,
        _ => 3,
    }
}

fn state(remaining: Option<f64>, now: Timestamp) -> IdleState {
    let Some(seconds) = remaining else {
        return IdleState::NotCounting;
    };
    if seconds < 0.0 {
        return IdleState::Over;
    }
    // Fractions of a second would differ with every reading.
    let until = now
        .checked_add(SignedDuration::from_secs(seconds.round() as i64))
        .and_then(|until| Timestamp::from_second(until.as_second()));
    until.map_or(IdleState::NotCounting, |until| IdleState::Counting {
        until,
    })
}

/// `{"cpu_util": [12.3, 30.0]}`: average and threshold in percent.
fn resources(blob: &Value) -> Vec<IdleResource> {
    blob.as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, pair)| {
            let hundredths = |n: usize| Some((number(pair.get(n)?)? * 100.0).round() as i64);
            Some(IdleResource {
                resource: Clean::new(name),
                average: hundredths(0)?,
                threshold: hundredths(1)?,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn each_state_of_a_checker() {
        let now: Timestamp = "2026-05-01T00:00:00Z".parse().unwrap();
        let checks = read(
            &json!({
                "utilization": {"remaining": 86400.0, "remaining_time_type": "grace_period",
                    "extra": {"thresholds_check_operator": "and",
                              "resources": {"cpu_util": [12.3, 30.0], "mem": ["40.1", 20]}}},
                "network_timeout": {"remaining": 3597.34, "remaining_time_type": "expire_after", "extra": null},
                "session_lifetime": {"remaining": null, "remaining_time_type": "expire_after"},
                "house_rule": {"remaining": -1},
                "broken": 7
            }),
            now,
        );
        let of = |n: usize| &checks[n];
        assert_eq!(checks.len(), 4);
        assert_eq!(of(0).checker, IdleChecker::NetworkTimeout);
        assert_eq!(
            of(0).state,
            IdleState::Counting {
                until: "2026-05-01T00:59:57Z".parse().unwrap()
            }
        );
        assert_eq!(of(1).state, IdleState::NotCounting);
        assert_eq!(
            (of(2).basis, of(2).join),
            (IdleBasis::GracePeriod, Some(Join::And))
        );
        assert_eq!(
            (of(2).resources[0].average, of(2).resources[0].threshold),
            (1230, 3000)
        );
        assert_eq!(of(2).resources[1].average, 4010);
        assert_eq!(of(3).checker, IdleChecker::Other("house_rule".into()));
        assert_eq!(of(3).state, IdleState::Over);
        assert!(read(&Value::Null, now).is_empty());
        assert!(read(&json!({}), now).is_empty());
        assert_eq!(
            read(&json!({"utilization": {"remaining": 1e300}}), now).len(),
            1
        );
    }
}
