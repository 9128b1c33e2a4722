//! What a manager answers about the choices for a launch.

use serde_json::{Value, json};

use super::{Asked, PROJECT_ID, Reply, State};

impl State {
    /// The answer, or the message of a refusal.
    pub(super) fn choice(&self, query: &str, variables: &Value) -> Result<Value, &'static str> {
        if query.contains("keypair_resource_policy") {
            return Ok(policy());
        }
        if query.contains("accessible_scaling_groups") {
            return Ok(groups());
        }
        if query.contains("resource_presets") {
            return Ok(bound_presets());
        }
        if query.contains("keypairs(") {
            return match self.role {
                "user" => Err("Forbidden operation."),
                _ => Ok(owner(variables["email"].as_str().unwrap_or_default())),
            };
        }
        if query.contains("session_pending_queue") {
            return match self.role {
                "superadmin" => Ok(json!({"q0": {"count": 4}})),
                _ => Err("Forbidden operation. (superadmin privilege required)"),
            };
        }
        Ok(agents())
    }

    pub(super) fn folder_list(&self) -> Value {
        Value::Array(self.folders.clone())
    }

    /// Like a real manager, it accepts any name.
    pub(super) fn make_folder(&mut self, asked: &Asked) -> Reply {
        let body = asked.json();
        let name = body["name"].as_str().unwrap_or_default();
        if self.folders.iter().any(|folder| folder["name"] == name) {
            return Reply::problem(
                400,
                "invalid-api-params",
                "Missing or invalid API parameters.",
                &format!(
                    "The virtual folder already exists with the same name. (VFolder with the given \
                     name already exists. ({name}))"
                ),
            );
        }
        self.next += 1;
        let id = format!("{:032x}", self.next);
        let mut made = folder(&id, name, "ready");
        made["host"] = body["host"].clone();
        self.folders.push(made.clone());
        Reply::Json(201, made)
    }
}

pub(super) fn hosts() -> Value {
    json!({"default": "local:volume1", "allowed": ["local:volume0", "local:volume1"],
        "volume_info": {}})
}

pub(super) fn folder(id: &str, name: &str, status: &str) -> Value {
    json!({"id": id, "name": name, "host": "local:volume1", "usage_mode": "general",
        "permission": "rw", "ownership_type": "user", "status": status, "is_owner": true})
}

pub(super) fn folders() -> Vec<Value> {
    vec![
        folder("01a1fdfe25b476b49680e6e64a2dcc4b", "mydata", "ready"),
        folder(
            "01a1fe0664307b47938cfe5164b4adee",
            "rec-folder",
            "delete-pending",
        ),
    ]
}

/// Of one user, and of one whose keys are all disabled.
fn owner(email: &str) -> Value {
    let user = json!({"email": email, "is_active": true, "domain_name": "lab",
        "groups": [{"id": PROJECT_ID, "name": "default"}, {"id": "x", "name": "vision"}]});
    match email {
        "user2@lablup.com" => {
            json!({"user": user, "keypairs": [{"access_key": "AKIANATWOUSEREXAMPLE"}]})
        }
        "retired@lablup.com" => json!({"user": user, "keypairs": []}),
        _ => json!({"user": null, "keypairs": []}),
    }
}

fn groups() -> Value {
    json!({"accessible_scaling_groups": [{"name": "default", "accelerator_quantum_size": 0.25,
        "resource_allocation_limit_for_sessions":
            "{\"cpu\": \"2\", \"mem\": \"24209522688\", \"cuda.shares\": \"4\"}"}]})
}

fn bound_presets() -> Value {
    let preset = |name: &str, group: Option<&str>| {
        json!({"name": name, "resource_slots": "{\"cpu\": \"2\", \"mem\": \"2147483648\", \"cuda.shares\": \"1\"}",
            "shared_memory": 1_073_741_824, "scaling_group_name": group})
    };
    json!({"resource_presets": [preset("small", None), preset("shared-gpu", Some("default")),
        preset("of-others", Some("elsewhere"))]})
}

pub(super) fn presets() -> Value {
    json!({"presets": [{"id": "01a1fdfa-ce12-7676-9617-1bf874d8320d", "name": "small",
            "resource_slots": {"cpu": "1", "mem": "1073741824", "tpu.device": "0"},
            "shared_memory": "67108864", "allocatable": false}],
        "keypair_limits": {"cpu": "Infinity", "mem": "Infinity"},
        "keypair_using": {"cpu": "2.000000", "mem": "536870912.000000"},
        "keypair_remaining": {"cpu": "Infinity", "mem": "Infinity"},
        "group_limits": {"cpu": "NaN", "mem": "NaN"}, "group_remaining": {"cpu": "NaN"},
        "scaling_groups": {"default": {"using": {"cpu": "2", "mem": "536870912"},
            "remaining": {"cpu": "0", "mem": "23404216320"}}}})
}

fn policy() -> Value {
    json!({"keypair": {"concurrency_used": 2}, "keypair_resource_policy": {"name": "default",
        "max_session_lifetime": 0, "max_concurrent_sessions": 30,
        "max_containers_per_session": 3, "idle_timeout": 3600,
        "max_pending_session_count": null}})
}

fn agents() -> Value {
    json!({"agent_summary_list": {"total_count": 1, "items": [{"id": "i-local", "status": "ALIVE",
        "scaling_group": "default", "schedulable": true,
        "available_slots": "{\"cpu\": \"2\", \"mem\": \"24209522688\"}",
        "occupied_slots": "{\"cpu\": \"2\", \"mem\": \"805306368\"}",
        "architecture": "x86_64"}]}})
}
