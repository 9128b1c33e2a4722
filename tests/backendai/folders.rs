//! Folders of a cluster: lists with sizes, changes, the trash, access of other users.

use serde_json::json;
use workbay::{
    engine::{api::Folders as _, backendai::BackendAiEngine},
    model::{
        failure::{Failure, FailureKind},
        folder::{Folder, FolderAnswer, FolderPermission, FolderRequest, FolderUsage, NewFolder},
        resources::Bytes,
    },
};

use super::{
    manager::{Manager, PROJECT_ID, Reply, invitation, share},
    open,
};

async fn ask(engine: &BackendAiEngine, request: FolderRequest) -> Result<FolderAnswer, Failure> {
    engine.folder(&request).await
}

async fn one(engine: &BackendAiEngine, request: FolderRequest) -> Folder {
    match ask(engine, request).await {
        Ok(FolderAnswer::Folder(folder)) => *folder,
        other => panic!("{other:?}"),
    }
}

async fn list(engine: &BackendAiEngine, trash: bool, measure: bool) -> Vec<Folder> {
    match ask(engine, FolderRequest::List { trash, measure }).await {
        Ok(FolderAnswer::Folders(folders)) => folders,
        other => panic!("{other:?}"),
    }
}

fn names(folders: &[Folder]) -> Vec<&str> {
    folders.iter().map(|it| it.name.as_str()).collect()
}

fn word(text: &str) -> String {
    text.to_owned()
}

#[tokio::test]
async fn a_list_comes_at_once_and_sizes_follow() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let first = list(&engine, false, false).await;
    assert_eq!(
        names(&first),
        ["mydata"],
        "deleted folders are in the trash"
    );
    assert_eq!((first[0].size, first[0].measuring), (None, true));
    assert_eq!(manager.count("GET /folders/01a1"), 0);
    let measured = list(&engine, false, true).await;
    assert_eq!(measured[0].size, Some(Bytes::mib(3)));
    assert_eq!(
        (measured[0].files, measured[0].measuring),
        (Some(12), false)
    );
    // It is kept for a while.
    assert_eq!(list(&engine, false, false).await, measured);
    assert_eq!(manager.count("GET /folders/01a1"), 1);
    assert_eq!(names(&list(&engine, true, false).await), ["rec-folder"]);
}

#[tokio::test]
async fn a_storage_that_does_not_answer_leaves_a_size_unknown() {
    let manager = Manager::start().await;
    manager.on(
        "GET /folders/01a1",
        Reply::problem(502, "storage-proxy-error", "x", ""),
    );
    let engine = open(&manager).await;
    let folders = list(&engine, false, true).await;
    assert_eq!((folders[0].size, folders[0].measuring), (None, false));
}

#[tokio::test]
async fn what_old_managers_list_is_read() {
    let manager = Manager::start().await;
    manager.set(|state| {
        state.folders[0]["cur_size"] = json!(1 << 20);
        state.folders[0]["max_size"] = json!(4 << 20);
        state.folders[0]["created_at"] = json!("2026-11-01 08:00:00+00:00");
        state.folders[0]["group_name"] = json!("vision");
        state.folders[0]["cloneable"] = json!(true);
    });
    let engine = open(&manager).await;
    let folder = list(&engine, false, false).await.remove(0);
    assert_eq!(
        (folder.size, folder.percent()),
        (Some(Bytes::mib(1)), Some(25))
    );
    assert_eq!(
        folder.created_at.unwrap().to_string(),
        "2026-11-01T08:00:00Z"
    );
    assert_eq!(
        (folder.whose().as_str(), folder.cloneable),
        ("project vision", true)
    );
}

#[tokio::test]
async fn a_folder_is_created_with_every_option() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let new = NewFolder {
        host: Some(word("local:volume0")),
        group: Some(word("default")),
        usage: FolderUsage::Data,
        permission: FolderPermission::ReadOnly,
        cloneable: true,
        ..NewFolder::named("shared")
    };
    one(&engine, FolderRequest::Create { new: new.clone() }).await;
    assert_eq!(
        manager.asked().pop().unwrap().json(),
        json!({"name": "shared", "host": "local:volume0", "group": PROJECT_ID,
            "usage_mode": "data", "permission": "ro", "cloneable": true})
    );
    assert_eq!(
        manager.count(&format!("GET /folders/_/hosts?group_id={PROJECT_ID}")),
        1
    );
    for (wrong, why) in [
        (
            NewFolder {
                host: Some(word("elsewhere")),
                ..NewFolder::named("x")
            },
            "'elsewhere' isn't available",
        ),
        (
            NewFolder {
                group: Some(word("nowhere")),
                ..NewFolder::named("x")
            },
            "project 'nowhere' not found",
        ),
        (NewFolder::named(".ssh"), "is reserved"),
    ] {
        let error = ask(&engine, FolderRequest::Create { new: wrong })
            .await
            .unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    }
    let Ok(FolderAnswer::Hosts(hosts)) = ask(&engine, FolderRequest::Hosts).await else {
        panic!("no hosts");
    };
    assert_eq!(
        (hosts.allowed.len(), hosts.default.unwrap().as_str()),
        (2, "local:volume1")
    );
}

#[tokio::test]
async fn a_folder_is_renamed_and_its_permission_changed() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let rename = |folder: &str, name: &str| FolderRequest::Rename {
        folder: word(folder),
        name: word(name),
    };
    assert_eq!(
        one(&engine, rename("mydata", "data")).await.name.as_str(),
        "data"
    );
    assert_eq!(names(&list(&engine, false, false).await), ["data"]);
    let taken = ask(&engine, rename("data", "rec-folder"))
        .await
        .unwrap_err();
    assert!(
        taken
            .to_string()
            .contains("folder 'rec-folder' already exists"),
        "{taken}"
    );
    let missing = ask(&engine, rename("none", "x")).await.unwrap_err();
    assert_eq!(missing.kind, FailureKind::NotFound);
    let permission = FolderPermission::ReadOnly;
    let folder = word("data");
    let changed = one(&engine, FolderRequest::SetPermission { folder, permission }).await;
    assert_eq!(changed.permission.as_str(), "ro");
}

#[tokio::test]
async fn a_folder_goes_to_the_trash_and_back_and_is_deleted() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let folder = || word("mydata");
    ask(&engine, FolderRequest::Trash { folder: folder() })
        .await
        .unwrap();
    assert!(list(&engine, false, false).await.is_empty());
    assert_eq!(list(&engine, true, false).await.len(), 2);
    let again = ask(&engine, FolderRequest::Trash { folder: folder() })
        .await
        .unwrap_err();
    assert_eq!(again.kind, FailureKind::NotFound);
    let restored = one(&engine, FolderRequest::Restore { folder: folder() }).await;
    assert_eq!(restored.status.as_str(), "ready");
    let folder = word("rec-folder");
    ask(&engine, FolderRequest::Purge { folder }).await.unwrap();
    assert!(list(&engine, true, false).await.is_empty());
    // What isn't in the trash isn't deleted for good.
    let folder = word("mydata");
    let error = ask(&engine, FolderRequest::Purge { folder })
        .await
        .unwrap_err();
    assert_eq!(error.kind, FailureKind::NotFound);
    assert_eq!(names(&list(&engine, false, false).await), ["mydata"]);
}

#[tokio::test]
async fn a_restored_folder_takes_no_name_of_another() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.set(|state| state.folders[1]["name"] = json!("mydata"));
    let folder = word("mydata");
    let error = ask(&engine, FolderRequest::Restore { folder })
        .await
        .unwrap_err();
    assert!(
        error
            .hint
            .unwrap()
            .as_str()
            .contains("folder rename mydata")
    );
}

#[tokio::test]
async fn only_a_cloneable_folder_is_cloned() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let clone = || FolderRequest::Clone {
        folder: word("mydata"),
        name: word("copy"),
    };
    let error = ask(&engine, clone()).await.unwrap_err();
    assert!(error.to_string().contains("can't be cloned"), "{error}");
    manager.set(|state| state.folders[0]["cloneable"] = json!(true));
    assert_eq!(one(&engine, clone()).await.name.as_str(), "copy");
    assert_eq!(
        names(&list(&engine, false, false).await),
        ["mydata", "copy"]
    );
}

#[tokio::test]
async fn users_are_invited_and_lose_access() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let folder = || word("mydata");
    let users = || vec![word("user2@lablup.com")];
    let invite = |users: Vec<String>| FolderRequest::Share {
        folder: folder(),
        users,
        permission: FolderPermission::ReadOnly,
    };
    ask(&engine, invite(users())).await.unwrap();
    let shares = || async {
        match ask(&engine, FolderRequest::Shares { folder: folder() }).await {
            Ok(FolderAnswer::Shares(shares)) => shares,
            other => panic!("{other:?}"),
        }
    };
    let sent = shares().await;
    assert_eq!((sent[0].permission.as_str(), sent[0].pending), ("ro", true));
    let nobody = ask(&engine, invite(vec![word("nobody@x.com")]))
        .await
        .unwrap_err();
    assert!(
        nobody.to_string().contains("nobody was invited"),
        "{nobody}"
    );
    let unshare = || FolderRequest::Unshare {
        folder: folder(),
        users: users(),
    };
    ask(&engine, unshare()).await.unwrap();
    assert!(shares().await.is_empty(), "the invitation is cancelled");
    // The same after the user accepted.
    let id = list(&engine, false, false).await[0].id.to_string();
    manager.set(|state| state.shared.push(share(&id)));
    assert!(!shares().await[0].pending);
    ask(&engine, unshare()).await.unwrap();
    assert!(shares().await.is_empty());
    let error = ask(&engine, unshare()).await.unwrap_err();
    assert!(error.to_string().contains("has no access"), "{error}");
}

#[tokio::test]
async fn a_project_folder_is_shared_by_administrators_only() {
    let manager = Manager::start().await;
    manager.set(|state| state.folders[0]["ownership_type"] = json!("group"));
    let share = || FolderRequest::Share {
        folder: word("mydata"),
        users: vec![word("user2@lablup.com")],
        permission: FolderPermission::ReadWrite,
    };
    let engine = open(&manager).await;
    let error = ask(&engine, share()).await.unwrap_err();
    assert!(error.to_string().contains("only administrators"), "{error}");
    assert_eq!(
        manager.count("POST /folders/01a1fdfe25b476b49680e6e64a2dcc4b/share"),
        0
    );
    manager.set(|state| state.role = "admin");
    let engine = open(&manager).await;
    ask(&engine, share()).await.unwrap();
    assert_eq!(
        manager.count("POST /folders/01a1fdfe25b476b49680e6e64a2dcc4b/share"),
        1
    );
    let unshare = FolderRequest::Unshare {
        folder: word("mydata"),
        users: vec![word("user2@lablup.com")],
    };
    ask(&engine, unshare).await.unwrap();
    assert_eq!(
        manager.count("DELETE /folders/01a1fdfe25b476b49680e6e64a2dcc4b/unshare"),
        1
    );
}

#[tokio::test]
async fn invitations_are_listed_accepted_and_declined() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.set(|state| state.received = vec![invitation()]);
    let received = || async {
        match ask(&engine, FolderRequest::Invitations).await {
            Ok(FolderAnswer::Invitations(list)) => list,
            other => panic!("{other:?}"),
        }
    };
    let first = received().await.remove(0);
    assert_eq!(
        (
            first.folder.as_str(),
            first.inviter.as_str(),
            first.permission.as_str()
        ),
        ("theirs", "user2@lablup.com", "ro")
    );
    assert!(first.created_at.is_some());
    let invitation_id = || first.id.to_string();
    ask(
        &engine,
        FolderRequest::Accept {
            invitation: invitation_id(),
        },
    )
    .await
    .unwrap();
    assert_eq!(
        names(&list(&engine, false, false).await),
        ["mydata", "theirs"]
    );
    assert!(received().await.is_empty());
    let again = ask(
        &engine,
        FolderRequest::Accept {
            invitation: invitation_id(),
        },
    )
    .await;
    assert!(again.is_err());
    ask(
        &engine,
        FolderRequest::Leave {
            folder: word("theirs"),
        },
    )
    .await
    .unwrap();
    assert_eq!(names(&list(&engine, false, false).await), ["mydata"]);
    manager.set(|state| state.received = vec![invitation()]);
    ask(
        &engine,
        FolderRequest::Decline {
            invitation: invitation_id(),
        },
    )
    .await
    .unwrap();
    assert!(received().await.is_empty());
}

#[tokio::test]
async fn a_name_of_several_folders_needs_the_id() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.set(|state| {
        let mut twin = state.folders[0].clone();
        twin["id"] = json!("ffff");
        state.folders.push(twin);
    });
    let trash = |folder: &str| FolderRequest::Trash {
        folder: word(folder),
    };
    let error = ask(&engine, trash("mydata")).await.unwrap_err();
    assert_eq!(error.kind, FailureKind::Usage);
    ask(&engine, trash("ffff")).await.unwrap();
    ask(&engine, trash("mydata")).await.unwrap();
}
