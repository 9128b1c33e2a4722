//! The state database of every release is opened by every later one: nothing in it is lost.

use std::{
    fs,
    path::{Path, PathBuf},
};

use workbay::{
    model::{
        id::SessionKey,
        request::SessionRequest,
        session::{BatchResult, Session},
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use crate::support::{TestClient, TestDaemon, test_daemon::settings};

fn releases() -> Vec<PathBuf> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
    let entries = fs::read_dir(kept).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// A daemon on a copy of what the release left.
async fn daemon_of(release: &Path) -> TestDaemon {
    let mut settings = settings();
    // The release may be old.
    settings.history.keep_days = 36_500;
    let mut daemon = TestDaemon::closed(settings);
    let state = daemon.paths().state_dir;
    fs::create_dir(&state).unwrap();
    for file in fs::read_dir(release.join("state")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), state.join(file.file_name())).unwrap();
    }
    daemon.start().await;
    daemon
}

fn called(client: &TestClient, name: &str) -> Session {
    let found = client.sessions().into_iter().find(|it| it.name == name);
    found.unwrap_or_else(|| panic!("{name} is lost"))
}

#[tokio::test]
async fn a_store_of_every_release_is_opened_whole() {
    let releases = releases();
    assert!(!releases.is_empty());
    for release in releases {
        let daemon = daemon_of(&release).await;
        let mut client = daemon.client().await;
        client.until_connected().await;
        assert_eq!(client.count(), 6, "{}", release.display());
        let instance = fs::read_to_string(release.join("state/instance")).unwrap();
        let hello = client.connection.hello().instance.to_string();
        assert_eq!(hello, instance.trim(), "its containers are recognised");
        check_ended(&client).await;
        check_waiting(&client);
        check_running(&mut client).await;
        check_recents(&client).await;
    }
}

/// What had ended is as it was.
async fn check_ended(client: &TestClient) {
    let ended = called(client, "ended-one");
    assert_eq!(ended.status, Status::Terminated);
    assert_eq!(ended.status_info, Some("user-requested".into()));
    assert!(ended.terminated_at.is_some());
    assert_eq!(client.history(ended.id).await.len(), 7);
    let failed = called(client, "failed-batch");
    assert_eq!(failed.result, BatchResult::Failure);
    assert_eq!(failed.kernels[0].exit_code, Some(3));
    assert_eq!(called(client, "done-batch").result, BatchResult::Success);
}

/// The start time depends on the time of reading, its kind doesn't.
fn check_waiting(client: &TestClient) {
    let waiting = called(client, "train");
    assert_eq!(waiting.startup_command, Some("echo trained".into()));
    assert!(waiting.starts_at.is_some());
}

/// The running session is known, so its end is reported: its container doesn't exist.
async fn check_running(client: &mut TestClient) {
    let one = called(client, "running-one");
    let request = Request::session(SessionKey::local(one.id), SessionRequest::Figures);
    let Ok(Reply::Figures { figures }) = client.connection.ask(request).await else {
        panic!("its figures are lost");
    };
    assert!(!figures.series.is_empty());
    let cluster = called(client, "renamed-two");
    assert_eq!(cluster.kernels.len(), 2);
    for session in [one, cluster] {
        let ended = client.until_status(session.id, Status::Terminated).await;
        assert_eq!(ended.status_info, Some("container-removed".into()));
    }
}

async fn check_recents(client: &TestClient) {
    let Ok(Reply::Recents { entries }) = client.connection.ask(Request::Recents).await else {
        panic!("launches of before are lost");
    };
    assert_eq!(entries.len(), 5);
    assert!(entries[0].pinned);
    let mut titles = entries.iter().map(|entry| entry.title.as_str());
    assert!(titles.any(|title| title == "한글-제목"), "{entries:?}");
}
