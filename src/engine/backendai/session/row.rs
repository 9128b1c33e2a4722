//! Reads a session as the manager reports it. Missing or odd fields don't remove a session from the
//! list.

use std::sync::atomic::{AtomicBool, Ordering};

use jiff::Timestamp;
use serde_json::Value;

use super::{
    idle_checks,
    kernels::{exit_code_of, kernels, main_image},
    status_reason,
};
use crate::engine::backendai::{
    connect::connection::ManagerConnection,
    image::reference::Reference,
    request::lenient_json::{self, Node, bytes, slots},
};
use crate::model::{
    environment::EnvironmentRef,
    id::{ContextName, SessionId},
    idle::Reprieve,
    resources::Bytes,
    service::Service,
    session::{
        BatchResult, ClusterMode, CommitStatus, FAILED_TO_START, Linked, Placement, Session,
        SessionType,
    },
    status::Status,
    text::Clean,
};

/// What is needed to read rows.
pub(in crate::engine::backendai) struct RowReader<'a> {
    pub(in crate::engine::backendai) connection: &'a ManagerConnection,
    pub(in crate::engine::backendai) context: ContextName,
    pub(in crate::engine::backendai) now: Timestamp,
}

impl RowReader<'_> {
    /// Reads a session; `None` only if it has no id.
    pub(in crate::engine::backendai) fn session(&self, node: &Value) -> Option<Session> {
        let node = Node::new(node);
        let Some(id) = id(node) else {
            warn_once(&NO_ID, "a session without an id was left out");
            return None;
        };
        let status = node.status("status");
        if let Status::Unknown(word) = &status {
            warn_once(&ODD_STATUS, &format!("unknown status '{word}'"));
        }
        let kernels = kernels(node);
        let info = node.text("status_info").filter(|info| *info != "None");
        let info = info.or_else(|| unstarted(node, &status));
        let exit_code = kernels.iter().find_map(|kernel| kernel.exit_code);
        let data = node.blob("status_data");
        let exit_code = exit_code.or_else(|| exit_code_of(&data));
        let started_at = started_at(node, &status);
        let starts_at = not_before(node, &status);
        Some(Session {
            id,
            context: self.context,
            name: node.text("name").unwrap_or_else(|| Clean::new(&id.short())),
            session_type: session_type(node),
            status_message: status_reason::of_session(&status, info.as_ref(), &data, exit_code),
            status_info: info,
            environment: environment(node),
            requested_slots: slots(&node.blob("requested_slots")),
            shmem: shmem(&node.blob("resource_opts")),
            disk_limit: None,
            owner: self.owner(node),
            created_at: created_at(node),
            started_at,
            // ERROR isn't an end here: such a session can still be terminated.
            terminated_at: node
                .time("terminated_at")
                .filter(|_| status != Status::Error),
            kernels,
            home: None,
            placement: self.placement(node),
            occupied_slots: slots(&node.blob("occupied_slots")),
            folders: folders(node),
            mounts: Vec::new(),
            depends_on: linked(node, "dependees"),
            depended_by: linked(node, "dependents"),
            services: services(&node.blob("service_ports")),
            idle_checks: if status.is_final() {
                Vec::new()
            } else {
                idle_checks::read(&node.blob("idle_checks"), self.now)
            },
            status,
            startup_command: node.text("startup_command"),
            starts_at,
            timeout: None,
            preopen_ports: preopen_ports(node),
            result: result(node),
            commit: match node.str("commit_status") {
                Some(word) if word.eq_ignore_ascii_case("ongoing") => CommitStatus::Ongoing,
                _ => CommitStatus::Ready,
            },
            activity: None,
            stop_hook: None,
            stop_hook_end: None,
            reprieve: Reprieve::default(),
            pull: None,
            pending_request: None,
        })
    }

    /// The owner's email address. For our own sessions it is known without a request.
    fn owner(&self, node: Node<'_>) -> Clean {
        let reported = node.node("owner").text("email");
        reported.unwrap_or_else(|| match node.text("user_id") {
            Some(id) if id != self.connection.me.id.as_str() => id,
            _ => self.connection.me.user.email.clone(),
        })
    }

    fn placement(&self, node: Node<'_>) -> Placement {
        Placement {
            project: node
                .text("project_id")
                .map(|id| self.connection.project_name(&id)),
            resource_group: node.text("scaling_group"),
            agents: node.texts("agent_ids"),
            cluster_mode: match node.str("cluster_mode") {
                Some(mode) if mode.to_ascii_lowercase().starts_with("multi") => {
                    ClusterMode::MultiNode
                }
                _ => ClusterMode::SingleNode,
            },
            cluster_size: node
                .int("cluster_size")
                .and_then(|n| n.try_into().ok())
                .unwrap_or(0),
            priority: node.int("priority").and_then(|n| n.try_into().ok()),
            queue_position: node.int("queue_position").and_then(|n| n.try_into().ok()),
            starts_by: None,
            tag: node.text("tag"),
        }
    }
}

/// The image of the session, else that of its main kernel.
fn environment(node: Node<'_>) -> EnvironmentRef {
    let named = node
        .list("image_references")
        .first()
        .and_then(Value::as_str);
    let reference = named.map(Reference::read).or_else(|| main_image(node));
    reference.unwrap_or_default().environment()
}

/// The UUID, or the one inside the global id.
fn id(node: Node<'_>) -> Option<SessionId> {
    if let Some(id) = node.str("row_id").and_then(|id| id.parse().ok()) {
        return Some(id);
    }
    let global = node.str("id")?;
    if let Ok(id) = global.parse() {
        return Some(id);
    }
    let text = base64::Engine::decode(&base64::prelude::BASE64_STANDARD, global).ok()?;
    let text = String::from_utf8(text).ok()?;
    text.rsplit(':').next()?.parse().ok()
}

fn session_type(node: Node<'_>) -> SessionType {
    let word = node.str("type").unwrap_or_default().to_ascii_lowercase();
    match word.as_str() {
        "batch" => SessionType::Batch,
        "inference" => SessionType::Inference,
        "system" => SessionType::System,
        "" | "interactive" => SessionType::Interactive,
        other => {
            let other = Clean::new(other);
            warn_once(&ODD_TYPE, &format!("unknown session type '{other}'"));
            SessionType::Interactive
        }
    }
}

/// When the session reached RUNNING. For a waiting batch session, `starts_at` is its start time
/// instead.
fn started_at(node: Node<'_>, status: &Status) -> Option<Timestamp> {
    if status.is_starting() || *status == Status::Cancelled {
        return None;
    }
    let history = node.blob("status_history");
    let reported = Node::new(&history).time("RUNNING");
    reported.or_else(|| node.time("starts_at"))
}

/// The reason for a session that ended before it ran: managers from 26.x on give none.
fn unstarted(node: Node<'_>, status: &Status) -> Option<Clean> {
    let never = *status == Status::Terminated && started_at(node, status).is_none();
    never.then(|| FAILED_TO_START.into())
}

/// The start time of a waiting batch session. Some managers don't report it.
fn not_before(node: Node<'_>, status: &Status) -> Option<Timestamp> {
    let waits = status.is_starting() && session_type(node) == SessionType::Batch;
    node.time("starts_at").filter(|_| waits)
}

/// All kernels have the same ports.
fn preopen_ports(node: Node<'_>) -> Vec<u16> {
    let mut kernels = node.edges("kernel_nodes").map(Node::new);
    let ports =
        kernels.find_map(|kernel| Some(kernel.list("preopen_ports")).filter(|it| !it.is_empty()));
    let ports = ports.unwrap_or_default().iter();
    ports
        .filter_map(|port| u16::try_from(port.as_u64()?).ok())
        .collect()
}

/// Every session needs a creation time. If it is missing, another of its times is used.
fn created_at(node: Node<'_>) -> Timestamp {
    ["created_at", "starts_at", "terminated_at"]
        .iter()
        .find_map(|field| node.time(field))
        .unwrap_or(Timestamp::UNIX_EPOCH)
}

fn result(node: Node<'_>) -> BatchResult {
    match node
        .str("result")
        .unwrap_or_default()
        .to_ascii_lowercase()
        .as_str()
    {
        "success" => BatchResult::Success,
        "failure" => BatchResult::Failure,
        _ => BatchResult::Undefined,
    }
}

/// `{"shmem": "1g"}`, or the same below a kernel's name.
fn shmem(opts: &Value) -> Bytes {
    let own = opts.get("shmem").and_then(bytes);
    let of_kernel = || {
        let kernels = opts.as_object()?;
        kernels
            .values()
            .find_map(|kernel| bytes(kernel.get("shmem")?))
    };
    own.or_else(of_kernel).unwrap_or_default()
}

/// Sessions that this one waits for, or that wait for it.
fn linked(node: Node<'_>, field: &str) -> Vec<Linked> {
    let edges = node.edges(field).map(Node::new);
    let linked = edges.filter_map(|node| {
        let id = id(node)?;
        Some(Linked {
            id,
            name: node.text("name").unwrap_or_else(|| Clean::new(&id.short())),
            status: node.status("status"),
        })
    });
    linked.collect()
}

/// Names of folders: from nodes if the manager has them, else from a list of names.
fn folders(node: Node<'_>) -> Vec<Clean> {
    let named: Vec<Clean> = node
        .edges("vfolder_nodes")
        .filter_map(|folder| Node::new(folder).text("name"))
        .collect();
    if named.is_empty() {
        node.texts("vfolder_mounts")
    } else {
        named
    }
}

/// `[{"name", "protocol", "container_ports": [8080]}]`; other answers have `ports`.
pub(in crate::engine::backendai) fn services(blob: &Value) -> Vec<Service> {
    let services = blob.as_array().map_or(&[] as &[Value], Vec::as_slice);
    services
        .iter()
        .filter_map(|service| self::service(Node::new(service)))
        .collect()
}

fn service(node: Node<'_>) -> Option<Service> {
    let ports = match node.list("container_ports") {
        [] => node.list("ports"),
        ports => ports,
    };
    Some(Service {
        name: node.text("name")?,
        protocol: node.text("protocol").unwrap_or_else(|| "tcp".into()),
        ports: ports
            .iter()
            .filter_map(|port| u16::try_from(lenient_json::number(port)? as i64).ok())
            .collect(),
    })
}

static NO_ID: AtomicBool = AtomicBool::new(false);
static ODD_STATUS: AtomicBool = AtomicBool::new(false);
static ODD_TYPE: AtomicBool = AtomicBool::new(false);

/// Logs a fault in a row only once, because lists are read repeatedly.
fn warn_once(reported: &AtomicBool, what: &str) {
    if !reported.swap(true, Ordering::Relaxed) {
        tracing::warn!("the manager sent {what}");
    }
}
