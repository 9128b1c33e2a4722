//! Files of folders, of running sessions and of the homes that ended sessions left.

use std::{fs, os::unix::fs::MetadataExt as _, sync::Arc};

use bytes::Bytes;
use futures_util::{StreamExt as _, stream};
use workbay::{
    engine::{
        api::{Containers as _, Folders as _, Result},
        files::{FileRoot, Files as _, LocalWork},
    },
    model::{
        environment::SessionUser,
        failure::{Failure, FailureKind},
        files::{
            FileAnswer, FileKind, FilePath, FileProgress, FileRequest, ListOptions, WriteOptions,
            part_name,
        },
    },
};

use crate::{
    own_user,
    support::{Bench, busybox_image, host_spec, image_spec, plan},
};

fn path(text: &str) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

/// Bytes that differ everywhere.
fn content(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at * 31 + at / 251) as u8).collect()
}

async fn write(
    bench: &Bench,
    at: &FileRoot,
    to: &str,
    bytes: &[u8],
    options: WriteOptions,
) -> Result<()> {
    let pieces: Vec<Result<Bytes>> = bytes
        .chunks(300_000)
        .map(|piece| Ok(Bytes::copy_from_slice(piece)))
        .collect();
    let content = stream::iter(pieces).boxed();
    bench
        .engine
        .write_file(at, &path(to), options, content)
        .await
}

async fn read(bench: &Bench, at: &FileRoot, from: &str, offset: u64) -> Result<Vec<u8>> {
    let mut pieces = bench.engine.read_file(at, &path(from), offset).await?;
    let mut bytes = Vec::new();
    while let Some(piece) = pieces.next().await {
        bytes.extend_from_slice(&piece?);
    }
    Ok(bytes)
}

async fn work(bench: &Bench, at: &FileRoot, work: LocalWork) -> Result<FileProgress> {
    let mut progress = bench.engine.file_work(at, at, work).await?;
    let mut last = FileProgress::default();
    while let Some(now) = progress.next().await {
        last = now?;
    }
    Ok(last)
}

async fn ask(bench: &Bench, at: &FileRoot, request: FileRequest) -> Result<FileAnswer> {
    bench.engine.file_request(at, &request).await
}

async fn names(bench: &Bench, at: &FileRoot, of: &str) -> Vec<String> {
    let options = ListOptions {
        count: 1000,
        without_hidden: true,
        ..ListOptions::default()
    };
    let path = path(of);
    match ask(bench, at, FileRequest::List { path, options }).await {
        Ok(FileAnswer::Listing { listing }) => {
            let names = listing.entries.iter();
            names
                .map(|entry| entry.name.shown().into_string())
                .collect()
        }
        other => panic!("{of} isn't listed: {other:?}"),
    }
}

/// Everything that can be done in a place where files belong to `uid`.
async fn works(bench: &Bench, at: &FileRoot) {
    let bytes = content(3 << 20);
    let create = |text: &str| FileRequest::CreateDirectory { path: path(text) };
    ask(bench, at, create("made")).await.unwrap();
    let sized = WriteOptions {
        size: Some(bytes.len() as u64),
        mode: Some(0o640),
        ..WriteOptions::default()
    };
    write(bench, at, "made/large", &bytes, sized).await.unwrap();
    assert_eq!(read(bench, at, "made/large", 0).await.unwrap(), bytes);
    let rest = read(bench, at, "made/large", 2_999_999).await.unwrap();
    assert_eq!(rest, bytes[2_999_999..]);
    let taken = write(bench, at, "made/large", &bytes, sized).await;
    assert!(taken.unwrap_err().to_string().contains("already exists"));

    // An interrupted transfer continues.
    let broken = vec![
        Ok(Bytes::copy_from_slice(&bytes[..1_000_000])),
        Err(Failure::lost("the client left")),
    ];
    let broken = stream::iter(broken).boxed();
    let target = path("made/resumed");
    let failed = bench.engine.write_file(at, &target, sized, broken).await;
    assert!(failed.unwrap_err().is_lost());
    let part = target
        .parent()
        .unwrap()
        .join(&part_name("resumed".as_ref()));
    let part = part.unwrap();
    let mut offset = 0;
    // Where a helper writes, the part is complete a moment later.
    for _ in 0..1000 {
        let path = part.clone();
        if let Ok(FileAnswer::Entry { entry }) = ask(bench, at, FileRequest::Stat { path }).await {
            offset = entry.size;
        }
        if offset == 1_000_000 {
            break;
        }
        tokio::task::yield_now().await;
    }
    assert_eq!(offset, 1_000_000);
    let resumed = WriteOptions { offset, ..sized };
    write(bench, at, "made/resumed", &bytes[1_000_000..], resumed)
        .await
        .unwrap();
    assert_eq!(read(bench, at, "made/resumed", 0).await.unwrap(), bytes);

    let copying = LocalWork::Copy {
        paths: vec![path("made")],
        directory: path("to"),
        replace: false,
        moving: false,
    };
    ask(bench, at, create("to")).await.unwrap();
    let copied = work(bench, at, copying.clone()).await.unwrap();
    assert_eq!((copied.files, copied.bytes), (2, 2 * bytes.len() as u64));
    assert!(work(bench, at, copying).await.is_err());
    let rename = FileRequest::Rename {
        from: path("to/made/large"),
        to: path("to/moved"),
    };
    ask(bench, at, rename).await.unwrap();
    assert_eq!(names(bench, at, "to").await, ["made", "moved"]);
    assert_eq!(read(bench, at, "to/moved", 0).await.unwrap(), bytes);
    let paths = vec![path("made"), path("to/made")];
    work(bench, at, LocalWork::Delete { paths }).await.unwrap();
    assert_eq!(names(bench, at, "").await, ["to"]);
    let missing = read(bench, at, "made/large", 0).await.unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
}

#[tokio::test]
async fn files_of_a_folder_belong_to_the_sessions_user() {
    let bench = Bench::new();
    let folder = FileRoot::Folder("data".to_owned());
    let missing = read(&bench, &folder, "x", 0).await.unwrap_err();
    assert!(missing.is_not_found(), "{missing}");
    bench.engine.create_folder("data").await.unwrap();
    works(&bench, &folder).await;
    let moved = bench.dir.path().join("folders/data/to/moved");
    let about = fs::metadata(&moved).unwrap();
    let owner = fs::metadata(bench.dir.path().join("folders/data")).unwrap();
    assert_eq!((about.uid(), about.mode() & 0o777), (owner.uid(), 0o640));
}

#[tokio::test]
async fn files_of_a_session_are_opened_while_it_runs_and_after_its_end() {
    for spec in [host_spec(), image_spec(busybox_image())] {
        let bench = Bench::new();
        let plan = plan("files", spec);
        bench.launch(&plan).await;
        let session = plan.session;
        let running = FileRoot::Running(session);
        works(&bench, &running).await;
        let sum = bench
            .sh(session, "sha256sum < to/moved; stat -c %u to/moved; id -u")
            .await;
        let known = workbay::model::digest::of(&content(3 << 20));
        let lines: Vec<&str> = sum.lines().collect();
        assert!(lines[0].starts_with(&known), "{sum}");
        assert_eq!(lines[1], lines[2]);
        // What the user can't read isn't read for them.
        bench
            .sh(session, "mkfifo pipe; ln -s /etc out; ln -s to in")
            .await;
        for (bad, why) in [
            ("pipe", "a pipe"),
            ("out/passwd", "link"),
            ("in/moved", "link"),
        ] {
            let error = read(&bench, &running, bad, 0)
                .await
                .unwrap_err()
                .to_string();
            assert!(error.contains(why), "{error}");
        }
        bench.engine.stop(session, 0).await.unwrap();
        bench.engine.remove(session).await.unwrap();
        let ended = FileRoot::Ended(session);
        assert_eq!(names(&bench, &ended, "to").await, ["moved"]);
        assert_eq!(
            read(&bench, &ended, "to/moved", 0).await.unwrap(),
            content(3 << 20)
        );
        // Between two places of this machine, the engine copies.
        bench.engine.create_folder("kept").await.unwrap();
        let rescue = LocalWork::Copy {
            paths: vec![path("to")],
            directory: FilePath::root(),
            replace: false,
            moving: true,
        };
        let folder = FileRoot::Folder("kept".to_owned());
        let mut rescued = bench
            .engine
            .file_work(&ended, &folder, rescue)
            .await
            .unwrap();
        while let Some(progress) = rescued.next().await {
            progress.unwrap();
        }
        assert_eq!(
            read(&bench, &folder, "to/moved", 0).await.unwrap(),
            content(3 << 20)
        );
        bench.engine.forget(session).await.unwrap();
        let gone = read(&bench, &ended, "to/moved", 0).await.unwrap_err();
        assert!(gone.is_not_found(), "{gone}");
    }
}

#[tokio::test]
async fn files_of_a_session_that_runs_as_its_images_user_are_that_users() {
    for (name, line, uid) in [
        ("workbay-test/files-app:1", "USER app", "1234"),
        ("workbay-test/files-root:1", "LABEL nothing=1", "0"),
    ] {
        own_user::image_of(name, line);
        let bench = Bench::new();
        let mut plan = plan("files-user", image_spec(name));
        plan.spec.user = SessionUser::Image;
        bench.launch(&plan).await;
        let session = plan.session;
        works(&bench, &FileRoot::Running(session)).await;
        assert_eq!(bench.sh(session, "stat -c %u to/moved").await, uid);
        bench
            .sh(session, "echo x > private; chmod 000 private")
            .await;
        let read_private = read(&bench, &FileRoot::Running(session), "private", 0).await;
        // Root of the container may lack the capability, too.
        assert_eq!(
            read_private.is_ok(),
            bench.run(session, &["cat", "private"]).await.1 == Some(0)
        );
        bench.engine.stop(session, 0).await.unwrap();
        bench.engine.remove(session).await.unwrap();
        let ended = FileRoot::Ended(session);
        assert_eq!(
            read(&bench, &ended, "to/moved", 0).await.unwrap(),
            content(3 << 20)
        );
        bench.engine.forget(session).await.unwrap();
    }
}

#[tokio::test]
async fn work_that_is_dropped_leaves_no_copy_in_the_session() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench
        .sh(
            session,
            "mkdir from to; i=0; while [ $i -lt 3000 ]; do echo x > from/$i; i=$((i+1)); done",
        )
        .await;
    let running = FileRoot::Running(session);
    let copying = LocalWork::Copy {
        paths: vec![path("from")],
        directory: path("to"),
        replace: false,
        moving: false,
    };
    let engine = Arc::new(&bench.engine);
    let mut progress = engine.file_work(&running, &running, copying).await.unwrap();
    let first = progress.next().await.unwrap().unwrap();
    drop(progress);
    if first.files < 3000 {
        // The copy is removed, or it was complete already.
        crate::support::until(async || {
            let paths = vec![path("to")];
            let left = work(&bench, &running, LocalWork::Measure { paths }).await;
            left.ok()
                .filter(|left| left.files == 0 || left.files == 3000)
                .map(drop)
        })
        .await;
    }
    let unsupported = bench
        .engine
        .file_work(
            &running,
            &FileRoot::Folder("x".into()),
            LocalWork::Delete { paths: vec![] },
        )
        .await
        .err()
        .unwrap();
    assert_eq!(unsupported.kind, FailureKind::Unsupported);
    let path = path("to");
    let entry = ask(&bench, &running, FileRequest::Stat { path }).await;
    assert!(matches!(entry, Ok(FileAnswer::Entry { entry }) if entry.kind == FileKind::Directory));
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    bench.engine.forget(session).await.unwrap();
}
