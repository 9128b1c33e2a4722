//! What a manager answers without a fault.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::{Asked, PROJECT_ID, Reply, State, USER, USER_ID, choosing};

impl State {
    /// The usual answer.
    pub(super) fn answer(&mut self, asked: &Asked) -> Reply {
        let target = if self.web {
            if let Some(reply) = self.web_server(asked) {
                return reply;
            }
            match asked.target.strip_prefix("/func") {
                Some(target) => target.to_owned(),
                None => return Reply::html(200),
            }
        } else {
            asked.target.clone()
        };
        if target == "/" {
            let version = if self.version.starts_with("24.") {
                "v8.20240915"
            } else {
                "v9.20250722"
            };
            return ok(json!({"version": version, "manager": self.version}));
        }
        if let Some(reply) = self.proxy(asked) {
            return reply;
        }
        if let Some(refusal) = self.refusal(asked) {
            return refusal;
        }
        if let Some(reply) = self.files(asked) {
            return reply;
        }
        let path = target.split('?').next().unwrap_or_default().to_owned();
        let is_list = matches!(path.as_str(), "/folders" | "/folders/_/hosts");
        if !is_list || asked.method == "DELETE" {
            let folders = self.folder_request(&asked.method, &path, asked);
            if let Some(reply) = folders {
                return reply;
            }
        }
        match (asked.method.as_str(), path.as_str()) {
            ("POST", "/admin/gql") => self.graphql(asked),
            ("POST", "/admin/gql/strawberry") => self.histories(asked),
            ("POST", "/session") => self.launch(asked),
            ("DELETE", path) => self.terminate(path),
            ("POST", path) if path.ends_with("/rename") => self.rename(path, asked),
            ("GET", "/scaling-groups") => ok(json!({"scaling_groups": [{"name": "default"}]})),
            ("POST", "/resource/check-presets") => ok(choosing::presets()),
            ("GET", "/folders") => ok(self.folder_list()),
            ("GET", "/folders/_/hosts") => ok(choosing::hosts()),
            ("POST", "/folders") => self.make_folder(asked),
            _ => Reply::problem(404, "url-not-found", "Unknown URL path.", ""),
        }
    }

    /// The web server's own paths.
    fn web_server(&mut self, asked: &Asked) -> Option<Reply> {
        if asked.target != "/server/login" {
            return None;
        }
        self.login_count += 1;
        let body = asked.json();
        if body["username"] != USER || body["password"] != self.password.as_str() {
            return Some(Reply::Json(
                401,
                json!({"authenticated": false, "data": {
                    "type": "https://api.backend.ai/probs/auth-failed",
                    "title": "Credential/signature mismatch.",
                    "details": "User credential mismatch"}}),
            ));
        }
        if let Some(code) = self.one_time_code {
            match body["otp"].as_str() {
                None => return Some(login_without_code()),
                Some(given) if given != code => return Some(login_with_wrong_code()),
                Some(_) => {}
            }
        }
        let id = format!("login-{}", self.login_count);
        self.logins.push(id.clone());
        let body = json!({"authenticated": true, "data": {
            "access_key": "AKIANABBDUSEREXAMPLE", "role": "user", "status": "active"}});
        let headers = vec![("X-BackendAI-SessionID", id)];
        Some(Reply::Raw(200, headers, body.to_string().into_bytes()))
    }

    fn graphql(&mut self, asked: &Asked) -> Reply {
        let body = asked.json();
        let query = body["query"].as_str().unwrap_or_default();
        if let Some(field) = self.unknown_field(query) {
            let message = format!("Cannot query field '{field}' on type 'ComputeSessionNode'.");
            return ok(json!({"data": null, "errors": [{"message": message}]}));
        }
        if query.contains("modify_compute_session(") {
            return self.modify(&body["variables"]["input"]);
        }
        let data = if query.contains("user {") && !query.contains("keypairs(") {
            self.user()
        } else if query.contains("t0:") {
            self.totals(&body["variables"])
        } else if query.contains("compute_session_nodes") {
            self.page(&body["variables"])
        } else if query.contains("images(") {
            json!({"images": self.images})
        } else {
            match self.choice(query, &body["variables"]) {
                Ok(data) => data,
                Err(message) => {
                    return ok(json!({"data": null, "errors": [{"message": message}]}));
                }
            }
        };
        ok(json!({"data": data, "errors": null}))
    }

    /// The parts of a query that this version doesn't know.
    fn unknown_field(&self, query: &str) -> Option<&'static str> {
        let since = [
            ("scope_id", "24.12"),
            ("idle_checks", "24.12"),
            ("vfolder_nodes", "25.04"),
            ("image_references", "25.04"),
            ("owner {", "25.13"),
            ("queue_position", "25.13"),
            ("scaling_group_name", "25.04"),
            ("resource_allocation_limit", "25.06"),
            ("session_pending_queue", "25.13"),
        ];
        let version = padded(&self.version);
        let unknown = since
            .iter()
            .find(|(field, first)| query.contains(field) && version < padded(first));
        if let Some((field, _)) = unknown {
            return Some(field.trim_end_matches(" {"));
        }
        let wants_project = version < padded("24.12") && query.contains("compute_session_nodes");
        (wants_project && !query.contains("project_id: $project")).then_some("project_id")
    }

    fn user(&self) -> Value {
        json!({"user": {"uuid": USER_ID, "email": USER, "full_name": "User Lablup",
            "role": self.role, "domain_name": "default", "groups": [
                {"id": PROJECT_ID, "name": "default"},
                {"id": "8e32dd28-d319-4e3b-8851-ea37837699a5", "name": "model-store"}]}})
    }

    /// Another priority, for administrators.
    fn modify(&mut self, input: &Value) -> Reply {
        let refused = |message: &str| {
            ok(json!({"data": {"modify_compute_session": null}, "errors": [{"message": message}]}))
        };
        if self.role == "user" {
            return refused("Permission Denied.");
        }
        let id = STANDARD.decode(input["id"].as_str().unwrap()).unwrap();
        let id = String::from_utf8(id).unwrap();
        let id = id.strip_prefix("ComputeSessionNode:").unwrap();
        let Some(session) = self.sessions.iter_mut().find(|it| it["row_id"] == id) else {
            return refused("Session not found");
        };
        session["priority"] = input["priority"].clone();
        ok(json!({"data": {"modify_compute_session": {"item": {
            "row_id": id, "priority": input["priority"]}}}, "errors": null}))
    }

    fn totals(&self, variables: &Value) -> Value {
        let mut counts = serde_json::Map::new();
        for (name, filter) in variables.as_object().into_iter().flatten() {
            if let Some(n) = name.strip_prefix('f') {
                let found = self.matching(filter.as_str().unwrap_or_default());
                counts.insert(format!("t{n}"), json!({"count": found.len()}));
            }
        }
        Value::Object(counts)
    }

    fn page(&self, variables: &Value) -> Value {
        let found = self.matching(variables["filter"].as_str().unwrap_or_default());
        let number = |name: &str, otherwise: u64| {
            usize::try_from(variables[name].as_u64().unwrap_or(otherwise)).unwrap()
        };
        let edges: Vec<Value> = found
            .iter()
            .skip(number("offset", 0))
            .take(number("first", 10))
            .map(|node| json!({"node": node}))
            .collect();
        json!({"compute_session_nodes": {"count": found.len(), "edges": edges}})
    }

    /// The filters that are sent, played by their shape.
    fn matching(&self, filter: &str) -> Vec<&Value> {
        let quoted = |text: &Value| format!("\"{}\"", text.as_str().unwrap_or_default());
        self.sessions
            .iter()
            .filter(|node| {
                let by_id =
                    !filter.contains("(id in ") || filter.contains(&quoted(&node["row_id"]));
                let listed = filter.contains(&quoted(&node["status"]));
                let by_status = match filter {
                    filter if filter.contains("(!(status in ") => !listed,
                    filter if filter.contains("(status in ") => listed,
                    _ => true,
                };
                let by_name = filter.split("ilike \"%").nth(1).is_none_or(|rest| {
                    let text = rest
                        .split("%\"")
                        .next()
                        .unwrap_or_default()
                        .replace('\\', "");
                    node["name"].as_str().unwrap_or_default().contains(&text)
                });
                let by_user =
                    !filter.contains("user_id") || filter.contains(&quoted(&node["user_id"]));
                by_id && by_status && by_name && by_user
            })
            .collect()
    }

    fn histories(&self, asked: &Asked) -> Reply {
        let body = asked.json();
        let id = body["variables"]["id"].as_str().unwrap_or_default();
        if body["query"]
            .as_str()
            .unwrap_or_default()
            .contains("sessionV2")
        {
            let timeout = self.timeouts.get(id);
            return ok(json!({"data": {"sessionV2": {"lifecycle": {"batchTimeout": timeout}}}}));
        }
        let limit = usize::try_from(body["variables"]["limit"].as_u64().unwrap_or(10)).unwrap();
        let Some(entries) = self.histories.get(id) else {
            let message = "Insufficient permission to perform this operation.";
            return ok(json!({"data": {"sessionScopedSchedulingHistories": null},
                "errors": [{"message": message}]}));
        };
        let edges: Vec<Value> = entries
            .iter()
            .take(limit)
            .map(|node| json!({"node": node}))
            .collect();
        ok(json!({"data": {"sessionScopedSchedulingHistories": {"edges": edges}}}))
    }

    fn launch(&mut self, asked: &Asked) -> Reply {
        let body = asked.json();
        let name = body["name"].as_str().unwrap_or_default().to_owned();
        if self
            .sessions
            .iter()
            .any(|node| node["name"] == name.as_str())
        {
            return Reply::Json(
                400,
                json!({"type": "https://api.backend.ai/probs/session-already-exists",
                    "title": "The session already exists but you requested not to reuse existing one."}),
            );
        }
        self.next += 1;
        let id = uuid::Uuid::from_u128(self.next).to_string();
        let mut session = node(&id, &name, "PENDING");
        session["type"] = body["type"].clone();
        if let Some(seconds) = body["batch_timeout"].as_u64() {
            self.timeouts.insert(id.clone(), seconds);
        }
        session["kernel_nodes"]["edges"][0]["node"]["preopen_ports"] =
            body["config"]["preopen_ports"].clone();
        self.sessions.insert(0, session);
        Reply::Json(
            201,
            json!({"sessionId": id, "sessionName": name, "status": "PENDING",
                "servicePorts": [], "created": true}),
        )
    }

    fn find(&mut self, path: &str) -> Option<&mut Value> {
        let id = path.split('/').nth(2)?;
        self.sessions.iter_mut().find(|node| node["row_id"] == id)
    }

    fn terminate(&mut self, path: &str) -> Reply {
        let Some(session) = self.find(path) else {
            return no_permission();
        };
        if session["status"] != "TERMINATED" && session["status"] != "CANCELLED" {
            session["status"] = json!("TERMINATING");
        }
        ok(json!({"stats": {"status": "terminated"}}))
    }

    fn rename(&mut self, path: &str, asked: &Asked) -> Reply {
        let name = asked.json()["name"].clone();
        let taken = self.sessions.iter().any(|node| node["name"] == name);
        let Some(session) = self.find(path) else {
            return no_permission();
        };
        if taken {
            return Reply::problem(
                400,
                "session-already-exists",
                "The session already exists but you requested not to reuse existing one.",
                "Session with that name already exists",
            );
        }
        if session["status"] != "RUNNING" {
            return Reply::problem(404, "object-not-found", "No such session.", "");
        }
        session["name"] = name;
        Reply::Json(204, Value::Null)
    }
}

fn ok(body: Value) -> Reply {
    Reply::Json(200, body)
}

/// How a manager reports that a session doesn't exist.
fn no_permission() -> Reply {
    Reply::problem(
        403,
        "not-enough-permission",
        "Insufficient permission to perform this operation.",
        "User lacks permission <Permission.READ: 1> on session",
    )
}

/// `24.9` and `24.09` in one order.
fn padded(version: &str) -> String {
    let parts = version.split('.').take(2).map(|part| format!("{part:0>3}"));
    parts.collect::<Vec<_>>().join(".")
}

/// A session as a list has it.
pub fn node(id: &str, name: &str, status: &str) -> Value {
    let mut node = json!({
        "id": null, "row_id": id, "name": name, "type": "interactive", "status": status,
        "status_info": null, "status_data": null, "project_id": PROJECT_ID, "user_id": USER_ID,
        "scaling_group": "default", "cluster_mode": "single-node", "cluster_size": 1,
        "priority": 10, "tag": "", "created_at": "2026-11-21T12:20:00.423930+00:00",
        "terminated_at": null, "starts_at": "2026-11-21T12:20:10.798421+00:00",
        "requested_slots": "{\"cpu\": \"1\", \"mem\": \"268435456\"}",
        "occupied_slots": "{\"cpu\": \"1\", \"mem\": \"268435456\"}",
        "resource_opts": "{\"main1\": {\"shmem\": 67108864}}", "agent_ids": ["i-local"],
        "result": "UNDEFINED", "startup_command": null, "owner": {"email": USER},
        "queue_position": null,
        "image_references": ["local/stable/python:3.11-debian12"],
    });
    let dear = json!({
        "idle_checks": "{\"session_lifetime\": {\"remaining\": null, \"remaining_time_type\": \"expire_after\", \"extra\": null}, \"network_timeout\": {\"remaining\": 3597.343231, \"remaining_time_type\": \"expire_after\", \"extra\": null}}",
        "service_ports": "[{\"name\": \"sshd\", \"protocol\": \"tcp\", \"host_ports\": [30067], \"is_inference\": false, \"container_ports\": [2200]}, {\"name\": \"ttyd\", \"protocol\": \"http\", \"host_ports\": [30068], \"is_inference\": false, \"container_ports\": [7681]}]",
        "commit_status": null,
        "status_history": "{\"PENDING\": \"2026-11-21T12:20:00.419781+00:00\", \"RUNNING\": \"2026-11-21T12:20:10.798421+00:00\"}",
        "vfolder_nodes": {"edges": [{"node": {"name": "mydata"}}]},
        "vfolder_mounts": ["mydata"],
        "kernel_nodes": {"edges": [{"node": {"row_id": "01a1fe12-157a-7799-b7dd-20926cbbc894",
            "cluster_role": "main", "cluster_idx": 1, "cluster_hostname": "main1",
            "status": status, "status_info": "", "status_data": "{}", "agent_id": "i-local",
            "container_id": "2aee6a76c7cd0c7c02816ffda9f65cfaaf3c5af952c521249b4d07fc091f5255",
            "starts_at": "2026-11-21T12:20:10.798421+00:00", "terminated_at": null,
            "image": {"name": "stable/python", "registry": "local", "tag": "3.11-debian12",
                "architecture": "x86_64"},
            "live_stat": "{\"cpu_util\": {\"current\": \"1120.4490580521063\", \"capacity\": \"1000\", \"pct\": \"0.11\", \"unit_hint\": \"millicores\"}, \"mem\": {\"current\": \"148951040\", \"capacity\": \"268435456\", \"pct\": \"55.49\", \"unit_hint\": \"bytes\"}}"}}]}
    });
    if let (Some(node), Value::Object(dear)) = (node.as_object_mut(), dear) {
        node.extend(dear);
    }
    node
}

/// The history of a session that no agent has room for, newest first.
pub fn pending_history() -> Vec<Value> {
    let at = "2026-11-21T12:26:12.918888+00:00";
    let why = "Some kernels could not be placed on any agent. (1 requirement(s) could not be placed:\n- requirement #0 (containers=1, arch=x86_64, slots=cpu=64.000000 mem=512 MiB): no agents passed the 'resource' filter\n  - cpu: missing=64.000000)";
    vec![
        json!({"phase": "schedule-sessions", "fromStatus": "PENDING", "toStatus": "PENDING",
            "result": "NEED_RETRY", "errorCode": null, "message": why, "attempts": 4,
            "createdAt": at, "updatedAt": "2026-11-21T12:26:32.918888+00:00", "subSteps": [
                {"step": "FIFOSequencer", "result": "SUCCESS", "errorCode": null,
                    "message": "Sessions sequenced in first-in-first-out order",
                    "startedAt": at, "endedAt": at},
                {"step": "DispersedAgentSelector", "result": "FAILURE",
                    "errorCode": "agent_schedule_unavailable", "message": why,
                    "startedAt": at, "endedAt": at}]}),
        json!({"phase": "enqueue", "fromStatus": null, "toStatus": "PENDING", "result": "SUCCESS",
            "errorCode": null, "message": "enqueue success", "attempts": 1, "createdAt": at,
            "updatedAt": at, "subSteps": []}),
    ]
}

pub(super) fn image() -> Value {
    json!({"name": "stable/python", "tag": "3.11-debian12", "registry": "local",
        "architecture": "x86_64", "size_bytes": 308_705_259, "is_local": true, "installed": true,
        "labels": [{"key": "ai.backend.role", "value": "COMPUTE"},
            {"key": "ai.backend.service-ports", "value": "webdemo:preopen:8000"}],
        "resource_limits": [{"key": "mem", "min": "128m"}, {"key": "cpu", "min": "1"}],
        "supported_accelerators": ["*"]})
}

/// The web server's form of the TOTP plugin's answer to a login without a code.
fn login_without_code() -> Reply {
    ok(json!({"authenticated": false, "data": {
        "type": "https://api.backend.ai/probs/require-totp-authentication",
        "title": "Two-Factor Authentication needed.",
        "details": "You must authenticate using Two-Factor Authentication."}}))
}

fn login_with_wrong_code() -> Reply {
    ok(json!({"authenticated": false, "data": {
        "type": "https://api.backend.ai/probs/rejected-by-hook",
        "title": "Operation rejected by a hook plugin.",
        "details": "Invalid TOTP code provided"}}))
}
