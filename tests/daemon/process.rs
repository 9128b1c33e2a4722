//! The daemon as a process of its own: started by a client, killed without warning, started again.
//!
//! See [`place`] for how.

use std::os::unix::fs::MetadataExt;

use workbay::{
    client::{Client, ClientError, StreamItem},
    daemon::fault::Moment,
    model::{
        id::{SessionId, SessionKey},
        request::SessionRequest,
        status::Status,
    },
    protocol::message::{Reply, Request, StreamOpen},
    scheduler::order::OrderKind,
};

use crate::support::{
    TestClient,
    place::{self, DaemonDirectories},
    test_daemon::named,
    world::State,
};

#[test]
#[ignore = "the other tests of this file start it as their daemon"]
fn be_the_daemon() {
    place::be_the_daemon();
}

fn new_place() -> DaemonDirectories {
    DaemonDirectories::new("process::be_the_daemon")
}

#[tokio::test]
async fn a_face_starts_it_and_many_at_once_start_one() {
    let place = new_place();
    let options = place.options("");
    let (one, two, three) = tokio::join!(
        Client::connect(&options),
        Client::connect(&options),
        Client::connect(&options),
    );
    let pids = [one, two, three].map(|connection| connection.unwrap().0.hello().pid);
    assert_eq!(pids, [pids[0]; 3]);
    assert_ne!(pids[0], std::process::id());
    let socket = place.paths().socket().metadata().unwrap();
    assert_eq!(socket.mode() & 0o777, 0o600);
}

#[tokio::test]
async fn killed_at_rest_it_comes_back_to_the_same_sessions() {
    let place = new_place();
    let mut client = place.client().await;
    let id = client.run("lasting").await;
    place.kill();
    place.until_dead().await;
    let mut again = place.client().await;
    again.until_status(id, Status::Running).await;
    let terminal = StreamOpen::Terminal {
        session: SessionKey::local(id),
        tag: "pane".into(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    };
    let mut shell = again.connection.open(terminal);
    assert_eq!(shell.recv().await, Some(StreamItem::Opened));
    assert_eq!(place.world().made[&id], 1);
}

#[tokio::test]
async fn a_socket_that_vanished_is_recreated_when_a_client_needs_it() {
    let place = new_place();
    let first = place.client().await;
    std::fs::remove_dir_all(place.paths().runtime_dir).unwrap();
    let second = place.client().await;
    assert_eq!(second.connection.hello().pid, first.connection.hello().pid);
}

#[tokio::test]
async fn why_it_cannot_start_is_reported() {
    let place = new_place();
    std::fs::create_dir_all(place.paths().socket()).unwrap();
    let error = Client::connect(&place.options("")).await.err();
    let Some(ClientError::Daemon(said)) = error else {
        panic!("{error:?}");
    };
    assert!(
        said.as_str().contains("exists, but isn't a socket"),
        "{said}"
    );
}

/// Does what leads to an order of this kind. Ends when the daemon is dead, or about to be.
async fn provoke(place: &DaemonDirectories, kind: OrderKind, fault: &str) -> Option<SessionId> {
    let options = place.options(fault);
    match kind {
        OrderKind::Connect => {
            // It dies at once, before or after it answers.
            let _ = Client::connect(&options).await;
            None
        }
        OrderKind::Survey | OrderKind::Create | OrderKind::Start => {
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let launched = client.launch(named("victim")).await.ok();
            launched.map(|session| session.id)
        }
        OrderKind::Pull | OrderKind::CancelPull => {
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let cancels = kind == OrderKind::CancelPull;
            let mut request = named("victim");
            let image = if cancels { "never/ends:1" } else { "pulled:1" };
            request.image = Some(image.to_owned());
            let id = client.launch(request).await.ok()?.id;
            if cancels {
                client.until_status(id, Status::Pulling).await;
                let _ = client.terminate(id, false).await;
            }
            Some(id)
        }
        OrderKind::Commit | OrderKind::CancelCommit => {
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let mut request = named("victim");
            request.image = Some("pulled:1".to_owned());
            let id = client.launch(request).await.ok()?.id;
            client.until_status(id, Status::Running).await;
            let commit = SessionRequest::Commit {
                image_name: "never-ends".to_owned(),
                pause: false,
            };
            let key = SessionKey::local(id);
            if kind == OrderKind::CancelCommit {
                let _ = client.connection.ask(Request::session(key, commit)).await;
                let cancel = Request::session(key, SessionRequest::CancelCommit);
                let _ = client.connection.ask(cancel).await;
            } else {
                let image_name = "complete".to_owned();
                let pause = false;
                let commit = SessionRequest::Commit { image_name, pause };
                let _ = client.connection.ask(Request::session(key, commit)).await;
            }
            Some(id)
        }
        OrderKind::DetachAll => {
            let id = run_and_kill(place).await;
            let _ = Client::connect(&options).await;
            Some(id)
        }
        OrderKind::Stop | OrderKind::Remove | OrderKind::Forget => {
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let id = client.run("victim").await;
            let _ = client.terminate(id, false).await;
            Some(id)
        }
        OrderKind::StopHook => {
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let mut request = named("victim");
            request.stop_hook.get_or_insert_default().command = Some("true".to_owned());
            let id = client.launch(request).await.ok()?.id;
            client.until_status(id, Status::Running).await;
            let _ = client.terminate(id, false).await;
            Some(id)
        }
        OrderKind::Rename => {
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let id = client.run("victim").await;
            let name = "renamed".to_owned();
            let _ = client
                .connection
                .ask(Request::session(
                    SessionKey::local(id),
                    SessionRequest::Rename { name },
                ))
                .await;
            Some(id)
        }
        OrderKind::Inspect => {
            // The start of the session can be inspected, too: this daemon has seen none.
            let id = run_and_kill(place).await;
            let mut client = TestClient::connect(&options).await;
            client.until_connected().await;
            let argv = vec!["die".to_owned(), "3".to_owned()];
            let die = StreamOpen::Exec {
                session: SessionKey::local(id),
                argv,
                tty: None,
                kernel: None,
            };
            let _stream = client.connection.open(die);
            place.until_dead().await;
            Some(id)
        }
    }
}

/// A session that a daemon without faults has launched before it was killed.
async fn run_and_kill(place: &DaemonDirectories) -> SessionId {
    let id = place.client().await.run("victim").await;
    place.kill();
    place.until_dead().await;
    id
}

/// What must be true some time after the next start.
fn is_settled(
    kind: OrderKind,
    place: &DaemonDirectories,
    client: &TestClient,
    id: Option<SessionId>,
) -> bool {
    let Some(id) = id else {
        return client.sessions().is_empty();
    };
    let status = client.session(id).map(|session| session.status);
    let over = status == Some(Status::Terminated);
    match kind {
        OrderKind::Connect | OrderKind::Survey => false,
        OrderKind::CancelPull => status == Some(Status::Cancelled),
        OrderKind::Pull | OrderKind::Create | OrderKind::Start | OrderKind::DetachAll => {
            status == Some(Status::Running)
        }
        OrderKind::Commit | OrderKind::CancelCommit => client
            .session(id)
            .is_some_and(|session| session.status == Status::Running && !session.is_committed()),
        OrderKind::Rename => client
            .session(id)
            .is_some_and(|session| session.name == "renamed" && session.pending_request.is_none()),
        OrderKind::StopHook | OrderKind::Stop | OrderKind::Remove | OrderKind::Inspect => over,
        OrderKind::Forget => over && place.world().forgotten.contains(&id),
    }
}

#[tokio::test]
async fn killed_before_or_after_any_order_nothing_is_lost_doubled_or_left() {
    for kind in OrderKind::ALL {
        for moment in Moment::ALL {
            let point = format!("{}:{}", moment.name(), kind.name());
            println!("{point}");
            let place = new_place();
            let id = provoke(&place, kind, &point).await;
            place.until_dead().await;
            let mut client = place.client().await;
            client.until_connected().await;
            // A daemon may die between recording a launch and answering it.
            let id = id.or_else(|| client.sessions().first().map(|session| session.id));
            while !is_settled(kind, &place, &client, id) {
                client.receive().await;
            }
            check_no_stray(&point, &place, &client);
            let stopped = client.connection.ask(Request::Stop).await;
            assert_eq!(stopped, Ok(Reply::Done), "{point}");
            place.until_dead().await;
        }
    }
}

/// Containers are exactly those of live sessions, each made and started once.
fn check_no_stray(point: &str, place: &DaemonDirectories, client: &TestClient) {
    let world = place.world();
    let live: Vec<SessionId> = client
        .sessions()
        .iter()
        .filter(|session| session.status == Status::Running)
        .map(|session| session.id)
        .collect();
    let there: Vec<SessionId> = world.containers.keys().copied().collect();
    assert_eq!(there, live, "{point}");
    for container in world.containers.values() {
        assert_eq!(container.state, State::Running, "{point}");
        let session = client.session(container.session).unwrap();
        assert_eq!(session.name, container.name.as_str(), "{point}");
    }
    for (id, count) in world.made.iter().chain(&world.started) {
        assert_eq!(*count, 1, "{point}: {id} was doubled");
    }
}
