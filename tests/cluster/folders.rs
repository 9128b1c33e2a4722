//! Folders of a real cluster: changes, the trash, and access of the cluster's other user.

use std::sync::Arc;

use workbay::{
    engine::manager::Manager,
    model::{
        failure::{Failure, FailureKind},
        folder::{Folder, FolderAnswer, FolderPermission, FolderRequest, Invitation},
    },
};

use crate::{
    folder::Made,
    support::{Bench, by_admin, engine, name},
};

async fn ask(engine: &Arc<dyn Manager>, request: FolderRequest) -> Result<FolderAnswer, Failure> {
    engine.folder(&request).await
}

async fn list(engine: &Arc<dyn Manager>, trash: bool, measure: bool) -> Vec<Folder> {
    match ask(engine, FolderRequest::List { trash, measure }).await {
        Ok(FolderAnswer::Folders(folders)) => folders,
        other => panic!("{other:?}"),
    }
}

async fn invitations(engine: &Arc<dyn Manager>) -> Vec<Invitation> {
    match ask(engine, FolderRequest::Invitations).await {
        Ok(FolderAnswer::Invitations(invitations)) => invitations,
        other => panic!("{other:?}"),
    }
}

fn find(folders: &[Folder], id: &str) -> Option<Folder> {
    folders.iter().find(|it| it.id == id).cloned()
}

#[tokio::test]
async fn a_folder_is_measured_renamed_deleted_and_restored() {
    let bench = Bench::new().await;
    let made = Made::new(&bench).await;
    let id = made.0.id.to_string();
    let folder = || id.clone();
    let measured = find(&list(&bench.engine, false, true).await, &id).unwrap();
    assert!(
        measured.size.is_some() && measured.created_at.is_some(),
        "{measured:?}"
    );
    let new = name();
    let rename = FolderRequest::Rename {
        folder: folder(),
        name: new.clone(),
    };
    ask(&bench.engine, rename).await.unwrap();
    let renamed = find(&list(&bench.engine, false, false).await, &id).unwrap();
    assert_eq!(renamed.name.as_str(), new);
    ask(&bench.engine, FolderRequest::Trash { folder: folder() })
        .await
        .unwrap();
    assert_eq!(find(&list(&bench.engine, false, false).await, &id), None);
    assert!(find(&list(&bench.engine, true, false).await, &id).is_some());
    ask(&bench.engine, FolderRequest::Restore { folder: folder() })
        .await
        .unwrap();
    assert!(find(&list(&bench.engine, false, false).await, &id).is_some());
    let purge = FolderRequest::Purge { folder: folder() };
    let error = ask(&bench.engine, purge).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::NotFound, "it isn't in the trash");
}

#[tokio::test]
async fn the_other_user_is_invited_accepts_and_loses_access() {
    let bench = Bench::new().await;
    let made = Made::new(&bench).await;
    let id = made.0.id.to_string();
    let other = engine(by_admin());
    let email = other.probe().await.unwrap().user.unwrap().email.to_string();
    let share = FolderRequest::Share {
        folder: id.clone(),
        users: vec![email.clone()],
        permission: FolderPermission::ReadOnly,
    };
    ask(&bench.engine, share).await.unwrap();
    let received = invitations(&other).await;
    let invitation = received
        .iter()
        .find(|it| it.folder == *made.name())
        .unwrap();
    assert_eq!(invitation.permission.as_str(), "ro");
    let accept = FolderRequest::Accept {
        invitation: invitation.id.to_string(),
    };
    ask(&other, accept).await.unwrap();
    let shared = find(&list(&other, false, false).await, &id).unwrap();
    // For a superadmin, the manager calls every folder their own.
    assert!(shared.is_read_only(), "{shared:?}");
    let shares = ask(&bench.engine, FolderRequest::Shares { folder: id.clone() }).await;
    let Ok(FolderAnswer::Shares(shares)) = shares else {
        panic!("{shares:?}");
    };
    assert!(
        shares
            .iter()
            .any(|it| it.user == *email.as_str() && !it.pending)
    );
    let unshare = FolderRequest::Unshare {
        folder: id.clone(),
        users: vec![email],
    };
    ask(&bench.engine, unshare).await.unwrap();
    assert_eq!(find(&list(&other, false, false).await, &id), None);
}
