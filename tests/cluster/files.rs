//! Files in folders of a real cluster: upload, download with a range, lists and changes.

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use workbay::{
    engine::files::{FileRoot, LocalWork},
    model::{
        digest,
        files::{FileAnswer, FilePath, FileRequest, ListOptions, WriteOptions},
    },
};

use crate::{
    folder::Made,
    support::{Bench, within},
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
