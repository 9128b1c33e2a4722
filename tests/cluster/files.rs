//! Files in folders of a real cluster: upload, download with a range, lists and changes.

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use workbay::{
    engine::files::{FileRoot, LocalWork},
    model::{
        digest,
        files::{FileAnswer, FilePath, FileRequest, ListOptions, WriteOptions},
        folder::{FolderAnswer, FolderPermission, FolderRequest},
    },
};

use crate::{
    folder::Made,
    support::{Bench, by_other_user, engine, within},
};

fn path(text: &str) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

#[tokio::test]
async fn files_are_uploaded_listed_renamed_downloaded_and_deleted() {
    let bench = Bench::new().await;
    let made = Made::new(&bench).await;
    let folder = FileRoot::Folder(made.name().to_owned());
    let engine = &bench.engine;
    let ask = async |request| within(engine.file_request(&folder, &request)).await;
    ask(FileRequest::CreateDirectory { path: path("deep") })
        .await
        .unwrap();
    let content: Vec<u8> = (0..20_000_003_u32).map(|at| (at % 253) as u8).collect();
    let pieces: Vec<_> = content
        .chunks(1 << 20)
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    let options = WriteOptions {
        size: Some(content.len() as u64),
        ..WriteOptions::default()
    };
    let target = path("deep/한글 file");
    let pieces = stream::iter(pieces).boxed();
    within(engine.write_file(&folder, &target, options, pieces))
        .await
        .unwrap();
    let renamed = path("deep/renamed");
    ask(FileRequest::Rename {
        from: target,
        to: renamed.clone(),
    })
    .await
    .unwrap();
    let list = FileRequest::List {
        path: path("deep"),
        options: ListOptions {
            count: 10,
            ..ListOptions::default()
        },
    };
    let Ok(FileAnswer::Listing { listing }) = ask(list).await else {
        panic!("the folder isn't listed");
    };
    assert_eq!(listing.total, 1);
    assert_eq!(listing.entries[0].size, content.len() as u64);
    for offset in [0, 12_345_678] {
        let mut pieces = within(engine.read_file(&folder, &renamed, offset))
            .await
            .unwrap();
        let mut bytes = Vec::new();
        while let Some(piece) = within(pieces.next()).await {
            bytes.extend_from_slice(&piece.unwrap());
        }
        let expected = &content[usize::try_from(offset).unwrap()..];
        assert_eq!(digest::of(&bytes), digest::of(expected), "from {offset}");
    }
    let delete = LocalWork::Delete {
        paths: vec![path("deep")],
    };
    let progress = within(engine.file_work(&folder, &folder, delete))
        .await
        .unwrap();
    for step in progress.collect::<Vec<_>>().await {
        step.unwrap();
    }
}

#[tokio::test]
async fn the_other_user_reads_what_is_shared_and_no_more() {
    let bench = Bench::new().await;
    let made = Made::new(&bench).await;
    let mine = FileRoot::Folder(made.name().to_owned());
    let other = engine(by_other_user());
    let email = other.probe().await.unwrap().user.unwrap().email.to_string();
    let options = WriteOptions {
        size: Some(6),
        ..WriteOptions::default()
    };
    let content = || stream::iter([Ok(Bytes::from_static(b"shared"))]).boxed();
    let (file, theirs) = (path("file"), path("theirs"));
    within(bench.engine.write_file(&mine, &file, options, content()))
        .await
        .unwrap();
    let id = made.0.id.to_string();
    let shared = FileRoot::Folder(id.clone());
    let unseen = within(other.read_file(&shared, &file, 0)).await;
    assert!(unseen.is_err(), "it isn't shared yet");
    let share = FolderRequest::Share {
        folder: id.clone(),
        users: vec![email.clone()],
        permission: FolderPermission::ReadOnly,
    };
    bench.engine.folder(&share).await.unwrap();
    let Ok(FolderAnswer::Invitations(invitations)) =
        other.folder(&FolderRequest::Invitations).await
    else {
        panic!("no invitations");
    };
    let invitation = invitations.iter().find(|it| it.folder == *made.name());
    let accept = FolderRequest::Accept {
        invitation: invitation.unwrap().id.to_string(),
    };
    other.folder(&accept).await.unwrap();
    let mut pieces = within(other.read_file(&shared, &file, 0)).await.unwrap();
    assert_eq!(within(pieces.next()).await.unwrap().unwrap(), "shared");
    let refused = within(other.write_file(&shared, &theirs, options, content())).await;
    assert!(refused.is_err(), "it is shared read-only");
    let unshare = FolderRequest::Unshare {
        folder: id,
        users: vec![email],
    };
    bench.engine.folder(&unshare).await.unwrap();
    let gone = within(other.read_file(&shared, &file, 0)).await;
    assert!(gone.is_err(), "the access was taken away");
}
