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

use super::managers::{house_with, prod};
use crate::support::{Face, MemoryScheduler, scheduler::Question};

async fn create(face: &Face, name: &str) -> Result<Reply, Failure> {
    face.client
        .ask(Request::context(
            prod(),
            ContextRequest::create_folder(name),
        ))
        .await
}

async fn catalogue(face: &Face) -> Catalogue {
    let request = Request::context(
        prod(),
        ContextRequest::Catalogue {
            project: None,
            refresh: false,
        },
    );
    match face.client.ask(request).await.unwrap() {
        Reply::Catalogue { catalogue } => *catalogue,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_folder_is_made_and_stands_in_the_catalogue() {
    let manager = MemoryScheduler::new();
    let house = house_with(&manager).await;
    let face = house.face().await;
    assert!(catalogue(&face).await.folders.is_empty());
    let Reply::Folder { folder } = create(&face, "results").await.unwrap() else {
        panic!("no folder");
    };
    assert_eq!(folder.name, "results");
    assert_eq!(catalogue(&face).await.folders, [*folder]);
    assert_eq!(manager.count(Question::Catalogue), 1, "it is known already");

    let failure = create(&face, "results").await.unwrap_err();
    assert_eq!(failure.message(), "a folder results already exists");
    assert_eq!(failure.field, Some(LaunchField::Folders));
    let failure = create(&face, "../out").await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.field),
        (FailureKind::Usage, Some(LaunchField::Folders))
    );
    assert_eq!(manager.count(Question::CreateFolder), 2);
}

#[tokio::test]
async fn keys_and_projects_of_somebody_else() {
    let manager = MemoryScheduler::new();
    let house = house_with(&manager).await;
    let face = house.face().await;
    let found = face
        .client
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
    let house = house_with(&manager).await;
    let face = house.face().await;
    let find = || {
        face.client.ask(Request::context(
            prod(),
            ContextRequest::FindOwner {
                email: "x@example.com".to_owned(),
            },
        ))
    };
    manager.hold(Question::FindOwner);
    let release = async {
        // Requests of a client are handled in their order.
        face.client.ask(Request::Status).await.unwrap();
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
        }],
        ..Catalogue::default()
    });
    let house = house_with(&manager).await;
    let face = house.face().await;
    catalogue(&face).await;
    let asked = |cores: u64, count: u32| LaunchRequest {
        name: Some("many".to_owned()),
        cpu: Some(Cpu::from_millis(cores * 1000)),
        count: Some(count),
        ..LaunchRequest::default()
    };
    let failure = face.launch_in(prod(), asked(8, 1)).await.unwrap_err();
    assert_eq!(
        (failure.kind, failure.field),
        (FailureKind::Usage, Some(LaunchField::Cpu))
    );
    assert!(manager.launches().is_empty());
    face.launch_in(prod(), asked(4, 3)).await.unwrap();
    let names: Vec<String> = manager
        .launches()
        .into_iter()
        .filter_map(|launch| launch.name)
        .collect();
    assert_eq!(names, ["many-1", "many-2", "many-3"]);
}
