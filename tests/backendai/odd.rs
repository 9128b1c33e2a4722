//! Sessions that are odd, incomplete or missing.

use serde_json::json;
use workbay::{engine::manager::Manager as _, model::failure::FailureKind};

use super::{
    ONE, TWO,
    changes::Changes as _,
    id,
    manager::{Manager, Reply, node},
    open, running,
};

#[tokio::test]
async fn odd_sessions_stay_rows() {
    let manager = Manager::start().await;
    let mut unknown = node(ONE, "odd-status", "HIBERNATING");
    unknown["something_new"] = json!({"deep": [1, 2]});
    unknown["type"] = json!("quantum");
    let bare = json!({"row_id": TWO, "name": "bare", "status": "RUNNING"});
    // Only the global id: base64 of `ComputeSessionNode:00000000-0000-0000-0000-000000000007`.
    let global = "Q29tcHV0ZVNlc3Npb25Ob2RlOjAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAwMDAwNw==";
    let mut wrong = node("00000000-0000-0000-0000-000000000008", "wrong", "RUNNING");
    for field in [
        "requested_slots",
        "occupied_slots",
        "resource_opts",
        "idle_checks",
        "service_ports",
        "kernel_nodes",
        "created_at",
        "cluster_size",
        "agent_ids",
        "image_references",
        "priority",
        "owner",
    ] {
        wrong[field] = json!("{half");
    }
    let nodes = [
        unknown,
        bare,
        json!({"id": global}),
        wrong,
        json!({"name": "no id at all"}),
        json!(null),
        json!(7),
    ];
    let edges: Vec<_> = nodes.iter().map(|node| json!({"node": node})).collect();
    let body = json!({"data": {"compute_session_nodes": {"count": 7, "edges": edges}}});
    let engine = open(&manager).await;
    manager.on("compute_session_nodes", Reply::Json(200, body));
    let page = engine.page(&running()).await.unwrap();
    let rows: Vec<(String, &str)> = page
        .sessions
        .iter()
        .map(|row| (row.name.to_string(), row.status.word()))
        .collect();
    let rows: Vec<(&str, &str)> = rows
        .iter()
        .map(|(name, word)| (name.as_str(), *word))
        .collect();
    assert_eq!(
        rows,
        [
            ("odd-status", "HIBERNATING"),
            ("bare", "RUNNING"),
            ("00000000", "UNKNOWN"),
            ("wrong", "RUNNING"),
        ]
    );
    assert_eq!(page.total, 7);
    assert_eq!(page.sessions[0].tab(), workbay::model::status::Tab::Others);
}

#[tokio::test]
async fn a_session_that_vanished_between_list_and_click() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let gone = id(ONE);
    assert!(engine.session(gone).await.unwrap().is_none());
    assert!(engine.rows(&[gone]).await.unwrap().is_empty());
    let expected = format!("session {ONE} doesn't exist on the engine any more");
    for error in [
        engine.terminate(gone, false).await.unwrap_err(),
        engine.rename(gone, "other-name").await.unwrap_err(),
        engine.commit(gone, "image-name").await.err().unwrap(),
    ] {
        assert!(error.kind == FailureKind::NotFound, "{error:?}");
        assert_eq!(error.to_string(), expected);
    }
}
