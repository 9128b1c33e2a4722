//! What a launch on a manager can choose from and create with it, asked of the daemon.

use workbay::{
    model::{
        catalogue::{Catalogue, ResourceGroup},
        failure::{Failure, FailureKind},
        launch_field::LaunchField,
        request::ContextRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        spec::LaunchRequest,
    },
    protocol::message::{Reply, Request},
};

use super::managers::{daemon_with, prod};
use crate::support::{MemoryScheduler, TestClient, scheduler::Question};

async fn create(client: &TestClient, name: &str) -> Result<Reply, Failure> {
    client
        .connection
        .ask(Request::context(
            prod(),
            ContextRequest::create_folder(name),
        ))
        .await
}

async fn catalogue(client: &TestClient) -> Catalogue {
    let request = Request::context(
        prod(),
        ContextRequest::Catalogue {
            project: None,
            refresh: false,
        },
    );
    match client.connection.ask(request).await.unwrap() {
        Reply::Catalogue { catalogue } => *catalogue,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_folder_is_created_and_in_the_catalogue() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let client = daemon.client().await;
    assert!(catalogue(&client).await.folders.is_empty());
    let Reply::Folder { folder } = create(&client, "results").await.unwrap() else {
        panic!("no folder");
    };
    assert_eq!(folder.name, "results");
    assert_eq!(catalogue(&client).await.folders, [*folder]);
    assert_eq!(manager.count(Question::Catalogue), 1, "it is known already");

    let failure = create(&client, "results").await.unwrap_err();
    assert_eq!(failure.message(), "a folder results already exists");
    assert_eq!(failure.field, Some(LaunchField::Folders));
    let failure = create(&client, "../out").await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.field),
        (FailureKind::Usage, Some(LaunchField::Folders))
    );
    assert_eq!(manager.count(Question::CreateFolder), 2);
}

#[tokio::test]
async fn keys_and_projects_of_another_user() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let client = daemon.client().await;
    let found = client
        .connection
        .ask(Request::context(
            prod(),
            ContextRequest::FindOwner {
                email: "x@example.com".to_owned(),
            },
        ))
        .await;
    let Ok(Reply::Owner { owner }) = found else {
        panic!("{found:?}");
    };
    assert_eq!(owner.email, "x@example.com");
    assert_eq!(owner.access_keys, ["AKIAOTHER"]);
}

#[tokio::test]
async fn equal_queries_at_the_same_time_are_one_request() {
    let manager = MemoryScheduler::new();
    let daemon = daemon_with(&manager).await;
    let client = daemon.client().await;
    let find = || {
        client.connection.ask(Request::context(
            prod(),
            ContextRequest::FindOwner {
                email: "x@example.com".to_owned(),
            },
        ))
    };
    manager.hold(Question::FindOwner);
    let release = async {
        // Requests of a client are handled in their order.
        client.connection.ask(Request::Status).await.unwrap();
        manager.release(Question::FindOwner);
    };
    let (one, other, ()) = tokio::join!(find(), find(), release);
    assert_eq!(one, other);
    assert!(matches!(one, Ok(Reply::Owner { .. })), "{one:?}");
    assert_eq!(manager.count(Question::FindOwner), 1);

    manager.fail_next(Question::FindOwner, Failure::refused("no such user"));
    let failure = find().await.unwrap_err();
    assert_eq!(failure.field, Some(LaunchField::Owner));
    assert!(find().await.is_ok());
}

#[tokio::test]
async fn a_launch_that_cannot_be_is_refused_and_nothing_is_launched() {
    let manager = MemoryScheduler::new();
    manager.offer(Catalogue {
        resource_groups: vec![ResourceGroup {
            name: "default".into(),
            using: ResourceSlots::default(),
            remaining: ResourceSlots::default(),
            waiting: None,
            capacity: Some(ResourceSlots::new(Cpu::from_millis(4000), Bytes(1 << 40))),
            free: None,
            free_by_agent: None,
        }],
        ..Catalogue::default()
    });
    let daemon = daemon_with(&manager).await;
    let client = daemon.client().await;
    catalogue(&client).await;
    let asked = |cores: u64, count: u32| LaunchRequest {
        name: Some("many".to_owned()),
        cpu: Some(Cpu::from_millis(cores * 1000)),
        count: Some(count),
        ..LaunchRequest::default()
    };
    let failure = client.launch_in(prod(), asked(8, 1)).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.field),
        (FailureKind::Usage, Some(LaunchField::Cpu))
    );
    assert!(manager.launches().is_empty());
    client.launch_in(prod(), asked(4, 3)).await.unwrap();
    let names: Vec<String> = manager
        .launches()
        .into_iter()
        .filter_map(|launch| launch.name)
        .collect();
    assert_eq!(names, ["many-1", "many-2", "many-3"]);
}
