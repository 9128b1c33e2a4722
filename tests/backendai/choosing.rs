//! Environments and the catalogue.

use serde_json::json;
use workbay::{
    engine::{api::Images, scheduler::Scheduler},
    model::resources::{Bytes, Cpu},
};

use super::{
    manager::{Manager, Reply},
    open, told,
};

#[tokio::test]
async fn images_of_agents_count_though_none_is_installed() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let environments = engine.environments().await.unwrap();
    assert_eq!(environments[0].label(), "local/stable/python:3.11-debian12");
    assert_eq!(environments[0].facts.minimum.mem, Bytes::mib(128));
    // A manager that calls nothing installed is asked for all.
    let none = Reply::Json(200, json!({"data": {"images": []}}));
    manager.times(1, "images(", none);
    let environments = engine.environments().await.unwrap();
    assert_eq!(environments.len(), 1);
    let asked = manager.asked().pop().unwrap().json();
    assert_eq!(asked["variables"], json!({"installed": null}));
}

#[tokio::test]
async fn the_whole_catalogue() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let catalogue = engine.catalogue(None).await.unwrap();
    assert_eq!(catalogue.project.as_ref().unwrap(), &"default");
    assert_eq!(catalogue.projects.len(), 2);
    assert_eq!(catalogue.resource_groups[0].name, "default");
    assert_eq!(
        catalogue.resource_groups[0].using.cpu,
        Cpu::from_millis(2000)
    );
    let preset = &catalogue.presets[0];
    assert_eq!(
        (preset.name.as_str(), preset.allocatable),
        ("small", Some(false))
    );
    assert!(
        preset.slots.accelerators.is_empty(),
        "kinds that are not there are not listed"
    );
    assert_eq!(catalogue.limits.limits.cpu, None, "Infinity is no limit");
    assert_eq!(catalogue.limits.using.mem, Bytes::mib(512));
    assert_eq!(catalogue.agents[0].id, "i-local");
    let folders: Vec<&str> = catalogue.folders.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(
        folders,
        ["mydata"],
        "one on its way out is not for mounting"
    );
    assert_eq!(catalogue.policy.max_concurrent_sessions, Some(30));
    assert_eq!(catalogue.policy.max_session_lifetime, None);
    assert!(catalogue.gaps.is_empty());
}

#[tokio::test]
async fn a_part_that_fails_hides_no_other() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let refused = Reply::problem(403, "generic-forbidden", "Forbidden operation.", "");
    manager.on("GET /folders", refused);
    let hidden = json!({"data": null, "errors": [{"message": "hidden by the operator"}]});
    manager.on("agent_summary_list", Reply::Json(200, hidden));
    let catalogue = engine.catalogue(Some("model-store")).await.unwrap();
    assert_eq!(catalogue.project.as_ref().unwrap(), &"model-store");
    assert_eq!(catalogue.presets.len(), 1);
    let gaps: Vec<(&str, &str)> = catalogue
        .gaps
        .iter()
        .map(|(what, why)| (what.as_str(), why.as_str()))
        .collect();
    assert_eq!(
        gaps,
        [
            (
                "agents",
                "the manager cannot answer: hidden by the operator"
            ),
            ("folders", "Forbidden operation"),
        ]
    );
    // A line that is lost is no gap.
    manager.on("GET /scaling-groups", Reply::Close);
    assert!(engine.catalogue(None).await.unwrap_err().is_lost());
}

#[tokio::test]
async fn a_project_that_is_not_ours() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let (why, mend) = told(&engine.catalogue(Some("lab")).await.unwrap_err());
    assert_eq!(why, "user@lablup.com is in no project 'lab'");
    assert_eq!(mend.unwrap(), "the projects are: default, model-store");
}
