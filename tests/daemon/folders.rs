//! Requests about folders: what the daemon refuses, and what it adds to the answers of engines.

use workbay::{
    model::{
        failure::{Failure, FailureKind},
        folder::{Folder, FolderRequest},
        id::ContextName,
        request::ContextRequest,
        spec::FolderMount,
        status::Status,
    },
    protocol::message::{Reply, Request},
};

use super::managers::{daemon_with, prod};
use crate::support::{MemoryScheduler, TestClient, TestDaemon, test_daemon::named};

async fn ask(
    client: &TestClient,
    context: ContextName,
    request: FolderRequest,
) -> Result<Reply, Failure> {
    let request = ContextRequest::Folder { request };
    client
        .connection
        .ask(Request::context(context, request))
        .await
}

async fn list(client: &TestClient) -> Vec<Folder> {
    let request = FolderRequest::List {
        trash: false,
        measure: false,
    };
    match ask(client, ContextName::local(), request).await.unwrap() {
        Reply::Folders { folders } => folders,
        other => panic!("{other:?}"),
    }
}

fn trash(folder: &str) -> FolderRequest {
    FolderRequest::Trash {
        folder: folder.to_owned(),
    }
}

#[tokio::test]
async fn a_folder_that_a_session_mounts_stays() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    client.until_connected().await;
    let local = ContextName::local();
    for name in ["data", "spare"] {
        let create = ContextRequest::create_folder(name);
        client
            .connection
            .ask(Request::context(local, create))
            .await
            .unwrap();
    }
    let mut request = named("train");
    request.mounts = vec![FolderMount {
        folder: "data".to_owned(),
        path: None,
        read_only: false,
    }];
    let id = client.launch(request).await.unwrap().id;
    client.until_status(id, Status::Running).await;
    let folders = list(&client).await;
    let users = |folder: &Folder| {
        folder
            .mounted_by
            .iter()
            .map(|it| it.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (folders[0].name.as_str(), users(&folders[0])),
        ("data", vec!["train".to_owned()])
    );
    assert!(users(&folders[1]).is_empty());
    let rename = FolderRequest::Rename {
        folder: "data".to_owned(),
        name: "other".to_owned(),
    };
    for request in [trash("data"), rename] {
        let failure = ask(&client, local, request).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Refused);
        assert_eq!(
            failure.what.as_str(),
            "folder data is mounted by the session train"
        );
        assert!(
            failure
                .hint
                .unwrap()
                .as_str()
                .contains("workbay terminate train")
        );
    }
    ask(&client, local, trash("spare")).await.unwrap();
    assert_eq!(list(&client).await.len(), 1);
    client.terminate(id, true).await.unwrap();
    client.until_status(id, Status::Terminated).await;
    ask(&client, local, trash("data")).await.unwrap();
    assert!(list(&client).await.is_empty());
    // The next launch knows it, too.
    let mut request = named("late");
    request.mounts = vec![FolderMount {
        folder: "data".to_owned(),
        path: None,
        read_only: false,
    }];
    assert!(client.launch(request).await.is_err());
}

#[tokio::test]
async fn what_an_engine_lacks_and_wrong_names_are_refused() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    client.until_connected().await;
    let local = ContextName::local();
    let bad = |name: &str| FolderRequest::Rename {
        folder: "data".to_owned(),
        name: name.to_owned(),
    };
    for name in ["..", "a/b", ".ssh", ""] {
        let failure = ask(&client, local, bad(name)).await.unwrap_err();
        assert_eq!(failure.kind, FailureKind::Usage, "{name}");
    }
    let purge = FolderRequest::Purge {
        folder: "none".to_owned(),
    };
    assert!(ask(&client, local, purge).await.is_err());
}

#[tokio::test]
async fn requests_go_to_the_manager_of_their_context() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let client = daemon.client().await;
    let create = ContextRequest::create_folder("results");
    client
        .connection
        .ask(Request::context(prod(), create))
        .await
        .unwrap();
    let request = FolderRequest::List {
        trash: false,
        measure: true,
    };
    let Ok(Reply::Folders { folders }) = ask(&client, prod(), request).await else {
        panic!("no list");
    };
    assert_eq!(folders.len(), 1);
}
