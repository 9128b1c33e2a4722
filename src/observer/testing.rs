//! Shared helpers of this module's tests.

use jiff::Timestamp;

use crate::model::{id::SessionId, session::Session};

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

/// A row as in a list, created `number` seconds after the first one.
pub fn session(number: u32, status: &str) -> Session {
    let json = serde_json::json!({
        "id": SessionId::from_u128(u128::from(number)), "context": "prod",
        "name": format!("session-{number}"), "type": "interactive", "status": status,
        "status_info": null, "status_message": null,
        "environment": {
            "name": "python", "version": "3.11", "source": "image", "reference": "python:3.11",
        },
        "requested_slots": {"cpu": 1.0, "mem": 1}, "shmem": 0, "owner": "me@example.com",
        "created_at": at(i64::from(number)), "started_at": null, "terminated_at": null,
        "kernels": [], "home": null, "pending_request": null,
    });
    serde_json::from_value(json).unwrap()
}
