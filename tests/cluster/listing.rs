//! What a launcher chooses from, and lists by page.

use workbay::{
    engine::manager::PageQuery,
    model::{capability::Capability, environment::EnvironmentSource, id::SessionId, status::Tab},
};

use crate::changes::Changes as _;
use crate::support::{Bench, release, too_large};

#[tokio::test]
async fn the_manager_reports_what_it_is_and_whom_it_knows() {
    let bench = Bench::new().await;
    let info = bench.engine.probe().await.unwrap();
    assert_eq!(info.kind, *"Backend.AI");
    if let Some(release) = release() {
        assert_eq!(info.version, *release.as_str());
    }
    assert_eq!(info.api_version, *"v9.20250722");
    let user = info.user.unwrap();
    assert_eq!(
        (user.email.as_str(), user.role.as_str()),
        ("user@lablup.com", "user")
    );
    let capabilities = info.capabilities;
    assert!(capabilities.open_streams_keep_alive);
    assert!(capabilities.has(Capability::Schedules));
    assert!(capabilities.why_not(Capability::HostEnvironment).is_some());
}

#[tokio::test]
async fn the_launcher_finds_projects_groups_presets_limits_and_nodes() {
    let bench = Bench::new().await;
    let catalogue = bench.engine.catalogue(None).await.unwrap();
    assert!(catalogue.gaps.is_empty(), "{:?}", catalogue.gaps);
    assert_eq!(catalogue.project, Some("default".into()));
    assert!(
        catalogue
            .projects
            .iter()
            .any(|project| project.name == *"default")
    );
    let group = catalogue
        .resource_groups
        .iter()
        .find(|group| group.name == *"default")
        .unwrap();
    let there = group.using.plus(&group.remaining);
    assert!(there.cpu.cores() >= 1.0 && there.mem.0 > 0, "{group:?}");
    let preset = |name: &str| {
        let found = catalogue.presets.iter().find(|preset| preset.name == *name);
        found.unwrap_or_else(|| panic!("no preset {name}: {:?}", catalogue.presets))
    };
    assert_eq!(preset("tiny").slots.mem.0, 256 << 20);
    assert_eq!(preset("small").shmem.map(|bytes| bytes.0), Some(64 << 20));
    assert_eq!(preset("huge").allocatable, Some(false));
    assert_eq!(catalogue.policy.max_concurrent_sessions, Some(30));
    assert_eq!(catalogue.policy.max_containers_per_session, Some(3));
    let one = &catalogue.agents[0].available;
    assert_eq!(group.capacity.as_ref(), Some(one), "there is one machine");
    assert_eq!(catalogue.policy.per_container, one.as_limits());
    assert_eq!(catalogue.quanta["cpu"], 1000);
    assert!(
        catalogue.accelerators.is_empty(),
        "{:?}",
        catalogue.accelerators
    );
    assert!(
        catalogue
            .agents
            .iter()
            .all(|agent| agent.status == *"ALIVE")
    );
}

#[tokio::test]
async fn images_are_environments_with_versions() {
    let bench = Bench::new().await;
    let environments = bench.engine.environments().await.unwrap();
    let python = environments.iter().find(|environment| {
        matches!(&environment.source, EnvironmentSource::Image { reference }
            if reference.starts_with("local/stable/python:3.11-debian12"))
    });
    let python = python.unwrap_or_else(|| panic!("{environments:?}"));
    assert!(python.unavailable.is_none(), "{python:?}");
    assert_eq!(python.facts.minimum.cpu.to_string(), "1");
    assert_eq!(python.facts.architecture, Some("x86_64".into()));
}

#[tokio::test]
async fn pages_and_totals_agree() {
    let bench = Bench::new().await;
    let mut names = Vec::new();
    for _ in 0..3 {
        let request = too_large();
        names.push(request.name.clone().unwrap());
        let ours = bench.enqueue(request).await;
        bench.engine.terminate(ours.id(), true).await.unwrap();
        bench
            .until_session(ours.id(), |session| session.status.is_final())
            .await;
    }
    let page = async |offset, limit| {
        let query = PageQuery {
            tab: Tab::Finished,
            text: None,
            offset,
            limit,
        };
        bench.engine.page(&query).await.unwrap()
    };
    let whole = page(0, 3).await;
    let newest: Vec<String> = whole.sessions.iter().map(|s| s.name.to_string()).collect();
    names.reverse();
    assert_eq!(newest, names, "newest first");
    let parts: Vec<SessionId> = [page(0, 2).await, page(2, 1).await]
        .into_iter()
        .flat_map(|page| page.sessions)
        .map(|session| session.id)
        .collect();
    assert_eq!(
        parts,
        whole.sessions.iter().map(|s| s.id).collect::<Vec<_>>()
    );
    assert_eq!(bench.engine.totals().await.unwrap()[1], whole.total);
    assert!(whole.total >= 3);
}

#[tokio::test]
async fn a_session_that_is_not_there_is_nothing_and_not_an_error() {
    let bench = Bench::new().await;
    assert!(
        bench
            .engine
            .session(SessionId::random())
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        bench
            .engine
            .rows(&[SessionId::random()])
            .await
            .unwrap()
            .is_empty()
    );
}
