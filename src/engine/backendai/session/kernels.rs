//! The kernels (containers) of a session.

use serde_json::Value;

use crate::engine::backendai::{image::reference::Reference, request::lenient_json::Node};
use crate::model::{id::KernelId, kernel::Kernel, text::Clean};

/// All kernels of a session that have an id: the main one first, then by index.
pub(in crate::engine::backendai) fn kernels(session: Node<'_>) -> Vec<Kernel> {
    let mut kernels: Vec<(bool, i64, Kernel)> = session
        .edges("kernel_nodes")
        .filter_map(|node| kernel(Node::new(node)))
        .collect();
    kernels.sort_by_key(|(sub, index, _)| (*sub, *index));
    kernels.into_iter().map(|(_, _, kernel)| kernel).collect()
}

/// Whether it is a sub kernel, its index, and the kernel.
fn kernel(node: Node<'_>) -> Option<(bool, i64, Kernel)> {
    let id: KernelId = node.str("row_id")?.parse().ok()?;
    let role = node.text("cluster_role").unwrap_or_else(|| "main".into());
    let index = node.int("cluster_idx").unwrap_or(1);
    let data = node.blob("status_data");
    let kernel = Kernel {
        id,
        hostname: node
            .text("cluster_hostname")
            .unwrap_or_else(|| Clean::new(&format!("{role}{index}"))),
        status: node.status("status"),
        container_id: node.text("container_id"),
        exit_code: exit_code_of(&data),
        oom_killed: false,
        started_at: node.time("starts_at"),
        terminated_at: node.time("terminated_at"),
        agent: node.text("agent_id"),
        status_info: node.text("status_info"),
        address: None,
    };
    Some((role != "main", index, kernel))
}

/// `{"kernel": {"exit_code": 0}}`; a negative code means that it isn't known.
pub(in crate::engine::backendai) fn exit_code_of(data: &Value) -> Option<i64> {
    let code = Node::new(data).node("kernel").int("exit_code")?;
    (code >= 0).then_some(code)
}

/// The image of the main kernel, for managers that don't report an image of the session.
pub(in crate::engine::backendai) fn main_image(session: Node<'_>) -> Option<Reference> {
    let nodes: Vec<&Value> = session.edges("kernel_nodes").collect();
    let is_main = |node: &&&Value| Node::new(node).str("cluster_role") == Some("main");
    let main = nodes.iter().find(is_main).or(nodes.first())?;
    Reference::of_image(Node::new(main).node("image"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_negative_exit_code_is_not_reported() {
        assert_eq!(
            exit_code_of(&json!({"kernel": {"exit_code": 137}})),
            Some(137)
        );
        assert_eq!(exit_code_of(&json!({"kernel": {"exit_code": -1}})), None);
        assert_eq!(exit_code_of(&Value::Null), None);
    }
}
