//! The store of every release is opened by every later one: nothing in it is lost.

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

use crate::support::{Face, House, house::settings};

fn releases() -> Vec<PathBuf> {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kept");
    let entries = fs::read_dir(kept).unwrap();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// A daemon on a copy of what the release left.
async fn house_of(release: &Path) -> House {
    let mut settings = settings();
    // However long ago that was.
    settings.history.keep_days = 36_500;
    let mut house = House::closed(settings);
    let state = house.paths().state_dir;
    fs::create_dir(&state).unwrap();
    for file in fs::read_dir(release.join("state")).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), state.join(file.file_name())).unwrap();
    }
    house.start().await;
    house
}

fn called(face: &Face, name: &str) -> Session {
    let found = face.sessions().into_iter().find(|it| it.name == name);
    found.unwrap_or_else(|| panic!("{name} is lost"))
}

#[tokio::test]
async fn a_store_of_every_release_is_opened_whole() {
    let releases = releases();
    assert!(!releases.is_empty());
    for release in releases {
        let house = house_of(&release).await;
        let mut face = house.face().await;
        face.until_connected().await;
        assert_eq!(face.count(), 6, "{}", release.display());
        let instance = fs::read_to_string(release.join("state/instance")).unwrap();
        let hello = face.client.hello().instance.to_string();
        assert_eq!(hello, instance.trim(), "its containers are recognised");
        check_ended(&face).await;
        check_waiting(&face);
        check_running(&mut face).await;
        check_recents(&face).await;
    }
}

/// What had ended is as it was.
async fn check_ended(face: &Face) {
    let ended = called(face, "ended-one");
    assert_eq!(ended.status, Status::Terminated);
    assert_eq!(ended.status_info, Some("user-requested".into()));
    assert!(ended.terminated_at.is_some());
    assert_eq!(face.history(ended.id).await.len(), 7);
    let failed = called(face, "failed-batch");
    assert_eq!(failed.result, BatchResult::Failure);
    assert_eq!(failed.kernels[0].exit_code, Some(3));
    assert_eq!(called(face, "done-batch").result, BatchResult::Success);
}

/// When it may begin depends on when this is read; what it is does not.
fn check_waiting(face: &Face) {
    let waiting = called(face, "train");
    assert_eq!(waiting.startup_command, Some("echo trained".into()));
    assert!(waiting.starts_at.is_some());
}

/// What ran is known, so that its end is reported: there is no such container.
async fn check_running(face: &mut Face) {
    let one = called(face, "running-one");
    let request = Request::session(SessionKey::local(one.id), SessionRequest::Figures);
    let Ok(Reply::Figures { figures }) = face.client.ask(request).await else {
        panic!("its figures are lost");
    };
    assert!(!figures.series.is_empty());
    let cluster = called(face, "renamed-two");
    assert_eq!(cluster.kernels.len(), 2);
    for session in [one, cluster] {
        let ended = face.until_status(session.id, Status::Terminated).await;
        assert_eq!(ended.status_info, Some("container-removed".into()));
    }
}

async fn check_recents(face: &Face) {
    let Ok(Reply::Recents { entries }) = face.client.ask(Request::Recents).await else {
        panic!("launches of before are lost");
    };
    assert_eq!(entries.len(), 5);
    assert!(entries[0].pinned);
    let mut titles = entries.iter().map(|entry| entry.title.as_str());
    assert!(titles.any(|title| title == "한글-제목"), "{entries:?}");
}
