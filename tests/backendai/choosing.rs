//! Environments and the catalogue.

use serde_json::json;
use workbay::{
    engine::{
        api::{Engine, Folders, Images},
        manager::Manager as _,
    },
    model::{
        capability::Capability,
        resources::{Bytes, Cpu},
    },
};

use super::{
    manager::{Manager, Reply},
    open, reason_and_fix,
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
    assert_eq!(catalogue.limits.limits.cpu, None, "Infinity means no limit");
    assert_eq!(catalogue.limits.using.mem, Bytes::mib(512));
    assert_eq!(catalogue.agents[0].id, "i-local");
    let group = &catalogue.resource_groups[0];
    assert_eq!(group.capacity, Some(catalogue.agents[0].available.clone()));
    assert_eq!(group.waiting, None, "a user is not reported");
    let bound = &catalogue.presets[1];
    assert_eq!(
        (
            bound.name.as_str(),
            bound.resource_group.as_ref().unwrap().as_str()
        ),
        ("shared-gpu", "default")
    );
    assert_eq!(catalogue.presets.len(), 2, "no preset of others' groups");
    assert_eq!(catalogue.accelerators[0].slot, "cuda.shares");
    assert_eq!(catalogue.quanta["cuda.shares"], 250);
    assert_eq!(catalogue.quanta["cpu"], 1000);
    let most = &catalogue.policy.per_container;
    assert_eq!(most.cpu, Some(Cpu::from_millis(2000)));
    assert_eq!(catalogue.policy.max_containers_per_session, Some(3));
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
    assert_eq!(catalogue.presets.len(), 2);
    let gaps: Vec<(&str, &str)> = catalogue
        .gaps
        .iter()
        .map(|(what, why)| (what.as_str(), why.as_str()))
        .collect();
    assert_eq!(
        gaps,
        [
            ("agents", "the manager can't answer: hidden by the operator"),
            ("folders", "Forbidden operation"),
        ]
    );
    // A lost connection is not a gap.
    manager.on("GET /scaling-groups", Reply::Close);
    assert!(engine.catalogue(None).await.unwrap_err().is_lost());
}

#[tokio::test]
async fn a_project_that_is_not_ours() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let (why, hint) = reason_and_fix(&engine.catalogue(Some("lab")).await.unwrap_err());
    assert_eq!(why, "user@lablup.com isn't in project 'lab'");
    assert_eq!(hint.unwrap(), "available projects: default, model-store");
}

#[tokio::test]
async fn an_administrator_sees_queues_and_keys_of_others() {
    let manager = Manager::start().await;
    manager.set(|state| state.role = "superadmin");
    let engine = open(&manager).await;
    let info = engine.probe().await.unwrap();
    assert!(info.capabilities.has(Capability::Owners));
    let catalogue = engine.catalogue(None).await.unwrap();
    assert_eq!(catalogue.resource_groups[0].waiting, Some(4));
    let owner = engine.find_owner(" user2@lablup.com ").await.unwrap();
    assert_eq!(owner.access_keys, ["AKIANATWOUSEREXAMPLE"]);
    assert_eq!(owner.projects, ["default", "vision"]);
    for (email, why) in [
        ("nobody@lablup.com", "user nobody@lablup.com not found"),
        ("retired@lablup.com", "retired@lablup.com has no active key"),
    ] {
        assert_eq!(engine.find_owner(email).await.unwrap_err().to_string(), why);
    }
}

#[tokio::test]
async fn a_user_learns_what_only_administrators_can() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let capabilities = engine.probe().await.unwrap().capabilities;
    let why = "only administrators can launch sessions for other users";
    assert_eq!(capabilities.why_not(Capability::Owners).unwrap(), &why);
    for there in [
        Capability::AgentChoice,
        Capability::MultiNode,
        Capability::Folders,
    ] {
        assert!(capabilities.has(there), "{there:?}");
    }
    let error = engine.find_owner("user2@lablup.com").await.unwrap_err();
    assert_eq!(error.to_string(), why);
}

#[tokio::test]
async fn hidden_machines_are_no_gap() {
    let manager = Manager::start().await;
    let hidden = json!({"data": null, "errors": [{"message": "No such agent."}]});
    manager.on("agent_summary_list", Reply::Json(200, hidden));
    let engine = open(&manager).await;
    let capabilities = engine.probe().await.unwrap().capabilities;
    assert_eq!(
        capabilities.why_not(Capability::AgentChoice).unwrap(),
        &"this cluster doesn't show its agents to users"
    );
    let catalogue = engine.catalogue(None).await.unwrap();
    assert!(catalogue.gaps.is_empty(), "{:?}", catalogue.gaps);
    assert!(catalogue.agents.is_empty());
    assert_eq!(catalogue.resource_groups[0].capacity, None);
}

#[tokio::test]
async fn folders_are_made_where_the_site_keeps_them() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let made = engine.create_folder("results").await.unwrap();
    assert_eq!(
        manager.asked().pop().unwrap().json(),
        json!({"name": "results", "host": "local:volume1", "usage_mode": "general",
            "permission": "rw"})
    );
    assert_eq!(
        (made.name.as_str(), made.host.as_str(), made.is_owner),
        ("results", "local:volume1", true)
    );
    let all = engine.folders().await.unwrap();
    assert!(all.contains(&made), "{all:?}");
    let asked = manager.asked().len();
    for (name, why) in [
        ("a b", "' ' isn't allowed in a folder name"),
        ("", "a folder needs a name"),
    ] {
        let error = engine.create_folder(name).await.unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
    assert_eq!(
        manager.asked().len(),
        asked,
        "the rule is ours: the manager takes any name"
    );
    let error = engine.create_folder("results").await.unwrap_err();
    assert_eq!(error.to_string(), "folder 'results' already exists");
    let nowhere = json!({"default": null, "allowed": []});
    manager.on("GET /folders/_/hosts", Reply::Json(200, nowhere));
    let error = engine.create_folder("other").await.unwrap_err();
    assert!(
        error.to_string().contains("have no storage for folders"),
        "{error}"
    );
}
