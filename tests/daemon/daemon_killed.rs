//! Commands and clusters whose daemon is killed: what happened meanwhile is found out, nothing is
//! done twice.

use workbay::{
    daemon::fault::Moment,
    model::{
        id::{ContextName, SessionId},
        session::{BatchResult, Session},
        span::Span,
        spec::LaunchRequest,
        status::Status,
    },
    protocol::message::{Reply, Request},
    scheduler::order::OrderKind,
};

use crate::{
    batch::{batch, cluster, small},
    support::{TestClient, place::DaemonDirectories, world::State},
};

fn new_place() -> DaemonDirectories {
    DaemonDirectories::new("process::be_the_daemon")
}

/// Launches with a daemon that dies at this point; the next one's client and the session.
async fn killed_at(
    place: &DaemonDirectories,
    point: &str,
    request: LaunchRequest,
) -> (TestClient, SessionId) {
    let mut client = TestClient::connect(&place.options(point)).await;
    client.until_connected().await;
    // It may die before it has answered.
    let _ = client.launch(request).await;
    place.until_dead().await;
    let mut client = place.client().await;
    client.until_connected().await;
    let id = client.sessions()[0].id;
    (client, id)
}

/// A running session whose daemon was killed.
async fn left_running(place: &DaemonDirectories, request: LaunchRequest) -> Session {
    let mut client = place.client().await;
    let id = client.launch(request).await.unwrap().id;
    let session = client.until_status(id, Status::Running).await;
    place.kill();
    place.until_dead().await;
    session
}

fn check_made_once(place: &DaemonDirectories, point: &str) {
    let world = place.world();
    for (id, count) in world.made.iter().chain(&world.started) {
        assert_eq!(*count, 1, "{point}: {id} was doubled");
    }
}

#[tokio::test]
async fn killed_while_a_command_runs_its_result_is_known() {
    for kind in [
        OrderKind::Create,
        OrderKind::Start,
        OrderKind::Inspect,
        OrderKind::Remove,
    ] {
        for moment in Moment::ALL {
            let point = format!("{}:{}", moment.name(), kind.name());
            let place = new_place();
            let (mut client, id) = killed_at(&place, &point, batch("victim", "exit 3")).await;
            let ended = client.until_status(id, Status::Terminated).await;
            assert_eq!(ended.result, BatchResult::Failure, "{point}");
            assert_eq!(ended.status_info, Some("task-failed".into()), "{point}");
            assert_eq!(ended.kernels[0].exit_code, Some(3), "{point}");
            assert!(place.world().containers.is_empty(), "{point}");
            check_made_once(&place, &point);
        }
    }
}

#[tokio::test]
async fn killed_while_a_cluster_is_made_it_is_made_whole() {
    for kind in [OrderKind::Create, OrderKind::Start] {
        for moment in Moment::ALL {
            let point = format!("{}:{}", moment.name(), kind.name());
            let place = new_place();
            let (mut client, id) = killed_at(&place, &point, cluster("victim")).await;
            let running = client.until_status(id, Status::Running).await;
            let there = &place.world().containers[&id];
            assert_eq!(there.state, State::Running, "{point}");
            assert_eq!(there.subs.len(), 2, "{point}");
            for (kernel, sub) in running.kernels[1..].iter().zip(&there.subs) {
                assert_eq!(kernel.id, sub.kernel, "{point}");
                assert_eq!(sub.state, State::Running, "{point}");
                assert!(kernel.container_id.is_some(), "{point}");
            }
            check_made_once(&place, &point);
        }
    }
}

#[tokio::test]
async fn killed_while_a_cluster_ends_nothing_of_it_is_left() {
    for kind in [OrderKind::Stop, OrderKind::Remove] {
        for moment in Moment::ALL {
            let point = format!("{}:{}", moment.name(), kind.name());
            let place = new_place();
            let mut client = TestClient::connect(&place.options(&point)).await;
            let id = client.launch(cluster("victim")).await.unwrap().id;
            client.until_status(id, Status::Running).await;
            let _ = client.terminate(id, false).await;
            place.until_dead().await;
            let mut client = place.client().await;
            let ended = client.until_status(id, Status::Terminated).await;
            assert!(ended.kernels.iter().all(|k| k.status.is_final()), "{point}");
            assert!(place.world().containers.is_empty(), "{point}");
        }
    }
}

#[tokio::test]
async fn how_a_command_ended_while_nobody_was_there() {
    for (code, info, result) in [
        (0, "task-finished", BatchResult::Success),
        (3, "task-failed", BatchResult::Failure),
        (137, "engine-restarted", BatchResult::Failure),
    ] {
        let place = new_place();
        let id = left_running(&place, batch("victim", "make")).await.id;
        place.change_world(|world| {
            let oom = false;
            world.containers.get_mut(&id).unwrap().state = State::Exited { code, oom };
        });
        let mut client = place.client().await;
        let ended = client.until_status(id, Status::Terminated).await;
        assert_eq!(ended.status_info, Some(info.into()));
        assert_eq!(ended.result, result);
        assert_eq!(ended.kernels[0].exit_code, Some(code));
    }
}

#[tokio::test]
async fn a_timeout_counts_while_nobody_is_there() {
    let place = new_place();
    let request = LaunchRequest {
        timeout: Some(Span(1)),
        ..batch("victim", "make")
    };
    let running = left_running(&place, request).await;
    let mut client = place.client().await;
    let ended = client.until_status(running.id, Status::Terminated).await;
    assert_eq!(ended.status_info, Some("task-timeout".into()));
    assert_eq!(
        ended.started_at, running.started_at,
        "it counts from its start"
    );
    assert!(place.world().containers.is_empty());
}

#[tokio::test]
async fn a_start_time_is_kept_by_the_next_daemon() {
    let place = new_place();
    let starts_at = jiff::Timestamp::now()
        .checked_add(jiff::SignedDuration::from_secs(3))
        .unwrap();
    let request = LaunchRequest {
        starts_at: Some(starts_at.into()),
        ..batch("victim", "exit 0")
    };
    let client = place.client().await;
    let id = client.launch(request).await.unwrap().id;
    place.kill();
    place.until_dead().await;
    assert!(place.world().containers.is_empty());
    let mut client = place.client().await;
    let ended = client.until_status(id, Status::Terminated).await;
    assert!(ended.started_at.unwrap() >= starts_at);
    assert_eq!(ended.result, BatchResult::Success);
    check_made_once(&place, "start time");
}

#[tokio::test]
async fn a_cluster_that_lost_one_while_nobody_was_there_is_degraded() {
    let place = new_place();
    let before = left_running(&place, cluster("victim")).await;
    let id = before.id;
    place.change_world(|world| {
        let sub = &mut world.containers.get_mut(&id).unwrap().subs[0];
        let (code, oom) = (4, false);
        sub.state = State::Exited { code, oom };
    });
    let mut client = place.client().await;
    let degraded = client.until_status(id, Status::RunningDegraded).await;
    assert_eq!(
        degraded.status_message,
        Some("sub1 ended with exit code 4".into())
    );
    let ids = |session: &Session| session.kernels.iter().map(|k| k.id).collect::<Vec<_>>();
    assert_eq!(ids(&degraded), ids(&before));
    client.terminate(id, false).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    assert!(place.world().containers.is_empty());
}

#[tokio::test]
async fn copies_outlive_their_daemon_and_are_remembered() {
    let place = new_place();
    let request = LaunchRequest {
        count: Some(3),
        ..small("sweep")
    };
    let client = TestClient::connect(&place.options("after:start")).await;
    let launch = Request::Launch {
        context: ContextName::local(),
        launch: Box::new(request.clone()),
    };
    let _ = client.connection.ask(launch).await;
    place.until_dead().await;
    let mut client = place.client().await;
    let Ok(Reply::Recents { entries }) = client.connection.ask(Request::Recents).await else {
        panic!("no recents");
    };
    // The environment is named, so that another default changes nothing.
    let named = LaunchRequest {
        environment: Some("host".to_owned()),
        ..request
    };
    assert_eq!(entries[0].launch, named);
    let ids: Vec<SessionId> = client.sessions().iter().map(|session| session.id).collect();
    assert!(!ids.is_empty());
    for id in &ids {
        client.until_status(*id, Status::Running).await;
    }
    assert_eq!(place.world().containers.len(), ids.len());
    check_made_once(&place, "copies");
}

#[tokio::test]
async fn a_secret_that_died_with_the_daemon_is_missed_only_where_it_is_needed() {
    let secretive = || {
        let mut request = small("victim");
        request.env.insert("API_TOKEN".into(), "hush-hush".into());
        request
    };
    let place = new_place();
    let (mut client, id) = killed_at(&place, "before:create", secretive()).await;
    let failed = client.until_status(id, Status::Error).await;
    assert_eq!(failed.status_info, Some("secret-lost".into()));
    let why = failed.status_message.unwrap();
    assert!(why.as_str().contains("Relaunch the session"), "{why}");
    assert!(place.world().containers.is_empty());

    let place = new_place();
    let (mut client, id) = killed_at(&place, "after:create", secretive()).await;
    client.until_status(id, Status::Running).await;
    check_made_once(&place, "secret");
}
