//! Files in folders of a cluster: lists, changes, uploads and downloads, and connections that break.

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use workbay::{
    engine::{
        api::Result,
        backendai::BackendAiEngine,
        files::{FileRoot, Files as _, LocalWork},
    },
    model::{
        failure::{Failure, FailureKind},
        files::{
            FileAnswer, FileKind, FileName, FilePath, FileRequest, ListOptions, WriteOptions,
            part_name,
        },
        id::SessionId,
    },
};

use super::{
    manager::{Manager, Reply},
    open,
};

fn path(text: &str) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

fn folder() -> FileRoot {
    FileRoot::Folder("mydata".to_owned())
}

async fn ask(engine: &BackendAiEngine, request: FileRequest) -> Result<FileAnswer> {
    engine.file_request(&folder(), &request).await
}

fn sized(size: usize) -> WriteOptions {
    WriteOptions {
        size: Some(size as u64),
        ..WriteOptions::default()
    }
}

async fn write(
    engine: &BackendAiEngine,
    to: &str,
    pieces: Vec<Result<Bytes>>,
    options: WriteOptions,
) -> Result<()> {
    let content = stream::iter(pieces).boxed();
    engine
        .write_file(&folder(), &path(to), options, content)
        .await
}

async fn read(engine: &BackendAiEngine, from: &str, offset: u64) -> Result<Vec<u8>> {
    let mut pieces = engine.read_file(&folder(), &path(from), offset).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece?);
    }
    Ok(bytes)
}

#[tokio::test]
async fn files_are_listed_changed_uploaded_and_downloaded() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let create = FileRequest::CreateDirectory { path: path("d") };
    ask(&engine, create.clone()).await.unwrap();
    assert!(ask(&engine, create).await.is_err(), "the name is taken");
    // More than one request of the upload.
    let large = "0123456789abcdef".repeat(600_000);
    let pieces = large.as_bytes().chunks(1 << 20);
    let pieces = pieces.map(|it| Ok(Bytes::copy_from_slice(it))).collect();
    write(&engine, "d/large", pieces, sized(large.len()))
        .await
        .unwrap();
    assert_eq!(manager.count("PATCH /storage/upload"), 2);
    assert_eq!(read(&engine, "d/large", 0).await.unwrap(), large.as_bytes());
    let rest = read(&engine, "d/large", 9_000_000).await.unwrap();
    assert_eq!(rest, large.as_bytes()[9_000_000..]);
    assert!(
        read(&engine, "d/large", large.len() as u64)
            .await
            .unwrap()
            .is_empty()
    );
    assert!(read(&engine, "d/large", 1 << 40).await.is_err());
    let taken = write(&engine, "d/large", vec![], sized(0)).await;
    assert!(taken.unwrap_err().to_string().contains("already exists"));
    ask(
        &engine,
        FileRequest::CreateFile {
            path: path("empty"),
        },
    )
    .await
    .unwrap();

    let rename = |from: &str, to: &str| FileRequest::Rename {
        from: path(from),
        to: path(to),
    };
    ask(&engine, rename("d/large", "d/other")).await.unwrap();
    ask(&engine, rename("d/other", "moved")).await.unwrap();
    assert!(ask(&engine, rename("moved", "empty")).await.is_err());
    let options = ListOptions {
        count: 10,
        ..ListOptions::default()
    };
    let list = FileRequest::List {
        path: path(""),
        options,
    };
    let Ok(FileAnswer::Listing { listing }) = ask(&engine, list).await else {
        panic!("the folder isn't listed");
    };
    let names: Vec<_> = listing.entries.iter().map(|it| it.name.0.clone()).collect();
    assert_eq!(names, ["d", "empty", "moved"]);
    assert_eq!(listing.entries[0].kind, FileKind::Directory);
    let measure = LocalWork::Measure {
        paths: vec![FilePath::root()],
    };
    let progress = engine
        .file_work(&folder(), &folder(), measure)
        .await
        .unwrap();
    let last = progress.collect::<Vec<_>>().await.pop().unwrap().unwrap();
    assert_eq!((last.files, last.bytes), (2, large.len() as u64));
    let delete = LocalWork::Delete {
        paths: vec![path("moved"), path("d")],
    };
    let progress = engine
        .file_work(&folder(), &folder(), delete)
        .await
        .unwrap();
    assert!(progress.collect::<Vec<_>>().await.iter().all(Result::is_ok));
    assert!(read(&engine, "moved", 0).await.unwrap_err().is_not_found());
}

#[tokio::test]
async fn an_upload_continues_after_the_connection_broke() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    // The piece arrives, and its answer doesn't.
    manager.times(1, "PATCH /storage/upload", Reply::Close);
    let large = "x".repeat((8 << 20) + 5);
    let pieces = vec![Ok(Bytes::from(large.clone()))];
    write(&engine, "f", pieces, sized(large.len()))
        .await
        .unwrap();
    assert_eq!(read(&engine, "f", 0).await.unwrap(), large.as_bytes());

    // The client leaves, and continues later.
    let part = path("").join(&part_name("g".as_ref())).unwrap();
    let stat = FileRequest::Stat { path: part.clone() };
    assert!(ask(&engine, stat.clone()).await.unwrap_err().is_not_found());
    let broken = vec![
        Ok(Bytes::from(large.clone())),
        Err(Failure::lost("the client left")),
    ];
    let failed = write(&engine, "g", broken, sized(large.len())).await;
    assert!(failed.unwrap_err().is_lost());
    let Ok(FileAnswer::Entry { entry }) = ask(&engine, stat.clone()).await else {
        panic!("the interrupted upload isn't known");
    };
    assert_eq!(entry.size, 8 << 20);
    let rest = WriteOptions {
        offset: entry.size,
        ..sized(large.len())
    };
    let pieces = vec![Ok(Bytes::from_static(b"xxxxx"))];
    write(&engine, "g", pieces, rest).await.unwrap();
    assert_eq!(read(&engine, "g", 0).await.unwrap(), large.as_bytes());
    assert!(ask(&engine, stat).await.is_err());
    let again = write(&engine, "h", vec![], rest).await.unwrap_err();
    assert!(again.is_not_found(), "{again}");
}

#[tokio::test]
async fn a_storage_proxy_that_dies_is_reported() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    manager.set(|state| drop(state.storage.files.insert("f".into(), "content".into())));
    manager.on("GET /storage/download", Reply::Close);
    let error = read(&engine, "f", 0).await.unwrap_err();
    assert!(error.is_lost() && error.hint.is_some(), "{error}");
    assert!(!error.to_string().contains("token"), "{error}");
    manager.hint();
    let full = Reply::problem(507, "storage-full", "No space left", "");
    manager.on("POST /folders/mydata/request-upload", full);
    let pieces = vec![Ok(Bytes::from_static(b"x"))];
    assert!(write(&engine, "new", pieces, sized(1)).await.is_err());
    manager.hint();
    let short = write(&engine, "new", vec![], sized(1)).await.unwrap_err();
    assert!(short.to_string().contains("0 of 1 bytes"), "{short}");
}

#[tokio::test]
async fn what_a_cluster_cannot_do_is_explained() {
    let manager = Manager::start().await;
    let engine = open(&manager).await;
    let odd = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff");
    let unknown_size = WriteOptions::default();
    let failures = [
        ask(
            &engine,
            FileRequest::CreateDirectory {
                path: FilePath::parse(odd).unwrap(),
            },
        )
        .await
        .unwrap_err(),
        ask(
            &engine,
            FileRequest::CreateLink {
                path: path("l"),
                target: FileName("x".into()),
            },
        )
        .await
        .unwrap_err(),
        write(&engine, "x", vec![], unknown_size).await.unwrap_err(),
        engine
            .file_request(
                &FileRoot::Ended(SessionId::from_u128(1)),
                &FileRequest::Stat { path: path("") },
            )
            .await
            .unwrap_err(),
    ];
    for failure in failures {
        assert_eq!(failure.kind, FailureKind::Unsupported, "{failure}");
        assert!(failure.hint.is_some(), "{failure}");
    }
}
