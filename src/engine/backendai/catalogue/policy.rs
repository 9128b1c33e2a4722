//! What the policy of the caller's key pair allows.

use super::super::request::lenient_json::Node;
use crate::model::catalogue::Policy;

pub(super) const QUERY: &str = "query { keypair { concurrency_used } keypair_resource_policy { name \
                      max_session_lifetime max_concurrent_sessions max_containers_per_session \
                      idle_timeout max_pending_session_count } }";

/// 0 and unreachably large numbers mean no limit.
pub(super) fn read(data: Node<'_>) -> Policy {
    let policy = data.node("keypair_resource_policy");
    let limit = |field: &str| {
        let limit = policy.int(field)?;
        u32::try_from(limit)
            .ok()
            .filter(|limit| (1..1_000_000).contains(limit))
    };
    let seconds = |field: &str| {
        let seconds = u64::try_from(policy.int(field)?).ok()?;
        (seconds > 0).then_some(seconds)
    };
    Policy {
        name: policy.text("name"),
        max_concurrent_sessions: limit("max_concurrent_sessions"),
        concurrent_sessions: data
            .node("keypair")
            .int("concurrency_used")
            .and_then(|n| n.try_into().ok()),
        max_containers_per_session: limit("max_containers_per_session"),
        max_pending_sessions: limit("max_pending_session_count"),
        max_session_lifetime: seconds("max_session_lifetime"),
        idle_timeout: seconds("idle_timeout"),
        ..Policy::default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn zero_is_no_limit() {
        let data = json!({"keypair": {"concurrency_used": 1}, "keypair_resource_policy": {
            "name": "default", "max_session_lifetime": 0, "max_concurrent_sessions": 30,
            "max_pending_session_count": null, "idle_timeout": 3600,
            "max_containers_per_session": 2_147_483_647}});
        let policy = read(Node::new(&data));
        assert_eq!(policy.max_session_lifetime, None);
        assert_eq!(policy.idle_timeout, Some(3600));
        assert_eq!(policy.max_concurrent_sessions, Some(30));
        assert_eq!(policy.max_containers_per_session, None);
        assert_eq!(policy.concurrent_sessions, Some(1));
    }
}
