//! Folders that survive sessions.

use std::os::unix::fs::MetadataExt as _;

use workbay::{
    engine::api::{Containers as _, Folders as _},
    model::{
        folder::{Folder, FolderAnswer, FolderRequest},
        resources::Bytes,
    },
};

use crate::support::{Bench, busybox_image, containers, host_spec, image_spec, mounted, plan};

#[tokio::test]
async fn folders_are_made_listed_and_mounted_for_reading_and_writing() {
    let bench = Bench::new();
    assert!(bench.engine.folders().await.unwrap().is_empty());
    for name in ["data", "models"] {
        let made = bench.engine.create_folder(name).await.unwrap();
        assert_eq!((made.name.as_str(), made.host.as_str()), (name, "local"));
    }
    let all = bench.engine.folders().await.unwrap();
    let names: Vec<&str> = all.iter().map(|folder| folder.name.as_str()).collect();
    assert_eq!(names, ["data", "models"]);
    assert!(all.iter().all(|folder| folder.permission.as_str() == "rw"));
    let taken = bench.engine.create_folder("data").await.unwrap_err();
    assert!(taken.to_string().contains("'data' already"), "{taken}");
    for bad in ["", "..", "a/b", "-x"] {
        assert!(
            bench.engine.create_folder(bad).await.is_err(),
            "{bad} was taken"
        );
    }

    let place = bench.dir.path().join("folders");
    let seed = place.join("models/weights");
    std::fs::write(&seed, "42\n").unwrap();
    for spec in [host_spec(), image_spec(busybox_image())] {
        let mut plan = plan("mounts", spec);
        plan.spec.mounts = vec![
            mounted("data", "/home/work/deep/in/data", false),
            mounted("models", "/srv/models", true),
        ];
        bench.launch(&plan).await;
        let session = plan.session;
        let seen = bench.sh(
            session,
            "cat /srv/models/weights; echo $BACKENDAI_PERSISTENT_PATHS",
        );
        assert_eq!(seen.await, "42\n/home/work/deep/in/data,/srv/models");
        let (said, code) = bench.run(session, &["touch", "/srv/models/mine"]).await;
        assert_ne!(code, Some(0));
        assert!(said.contains("Read-only file system"), "{said}");
        // The path to a folder in the home belongs to the session.
        bench
            .sh(session, "echo x > deep/in/data/kept; echo y > deep/mine")
            .await;
        bench.engine.stop(session, 0).await.unwrap();
        bench.engine.remove(session).await.unwrap();
        bench.engine.forget(session).await.unwrap();
        assert_eq!(
            std::fs::read_to_string(place.join("data/kept")).unwrap(),
            "x\n"
        );
        assert_eq!(
            std::fs::metadata(place.join("data/kept")).unwrap().uid(),
            1000
        );
    }
    assert!(seed.exists());
}

#[tokio::test]
async fn a_folder_in_a_folder_and_one_that_comes_automatically() {
    let bench = Bench::new();
    for name in ["outer", "inner", ".cache"] {
        bench.engine.create_folder(name).await.unwrap();
    }
    let mut plan = plan("nested", image_spec(busybox_image()));
    plan.spec.mounts = vec![
        mounted("inner", "/home/work/outer/in", false),
        mounted("outer", "/home/work/outer", true),
        mounted(".cache", "/home/work/.cache", false),
        mounted(".gone", "/home/work/.gone", false),
    ];
    bench.launch(&plan).await;
    bench
        .sh(plan.session, "echo x > outer/in/kept; echo y > .cache/kept")
        .await;
    let log = bench.said(plan.session, "workbay: ready").await;
    assert!(
        log.contains("workbay: warning: folder '.gone' not found"),
        "{log}"
    );
    let (_, code) = bench.run(plan.session, &["touch", "outer/mine"]).await;
    assert_ne!(code, Some(0));
    let place = bench.dir.path().join("folders");
    assert!(place.join("inner/kept").exists() && place.join(".cache/kept").exists());
}

#[tokio::test]
async fn a_folder_that_cannot_be_mounted_is_reported_and_leaves_nothing() {
    let bench = Bench::new();
    bench.engine.create_folder("data").await.unwrap();
    // A session may have left anything in its folder.
    let elsewhere = tempfile::tempdir().unwrap();
    let link = bench.dir.path().join("folders/data/link");
    std::os::unix::fs::symlink(elsewhere.path(), link).unwrap();
    bench.engine.create_folder("other").await.unwrap();
    let data = mounted("data", "/home/work/data", false);
    for (mounts, words) in [
        (
            vec![mounted("none", "/home/work/none", false)],
            "folder 'none' not found",
        ),
        (
            vec![mounted("data", "/usr/share/data", false)],
            "read-only in this environment",
        ),
        (
            vec![mounted("data", "/home/work/.bashrc", false)],
            "the directory can't be created",
        ),
        (
            vec![data, mounted("other", "/home/work/data/link/x", false)],
            "the directory can't be created",
        ),
    ] {
        let mut plan = plan("bad", host_spec());
        plan.spec.mounts = mounts;
        let error = bench.engine.create(&plan).await.unwrap_err();
        assert!(error.field.is_some(), "{error}");
        assert!(error.to_string().contains(words), "{error}");
        assert!(containers(plan.session).is_empty());
        assert!(!bench.home(plan.session).exists());
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

/// Asks for something about folders that ends with a folder.
async fn one(bench: &Bench, request: FolderRequest) -> Folder {
    match bench.engine.folder(&request).await {
        Ok(FolderAnswer::Folder(folder)) => *folder,
        other => panic!("{other:?}"),
    }
}

async fn list(bench: &Bench, trash: bool) -> Vec<Folder> {
    let measure = true;
    match bench
        .engine
        .folder(&FolderRequest::List { trash, measure })
        .await
    {
        Ok(FolderAnswer::Folders(folders)) => folders,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_folder_is_measured_renamed_cloned_deleted_and_restored() {
    let bench = Bench::new();
    let place = bench.dir.path().join("folders");
    bench.engine.create_folder("data").await.unwrap();
    std::fs::write(place.join("data/file"), vec![1; 2 << 20]).unwrap();
    let first = list(&bench, false).await.remove(0);
    assert!(first.size.unwrap() >= Bytes::mib(2), "{first:?}");
    assert!(first.free.unwrap().0 > 0, "{first:?}");
    assert_eq!(first.path.as_deref(), place.join("data").to_str());
    assert!(first.created_at.is_some());
    let word = |text: &str| text.to_owned();
    let (folder, name) = (word("data"), word("inputs"));
    one(&bench, FolderRequest::Rename { folder, name }).await;
    let (folder, name) = (word("inputs"), word("copy"));
    one(&bench, FolderRequest::Clone { folder, name }).await;
    let folder = word("inputs");
    bench
        .engine
        .folder(&FolderRequest::Trash { folder })
        .await
        .unwrap();
    let names = |folders: &[Folder]| {
        folders
            .iter()
            .map(|it| it.name.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&list(&bench, false).await), ["copy"]);
    let trashed = list(&bench, true).await;
    assert_eq!(names(&trashed), ["inputs"]);
    assert!(trashed[0].trashed_at.is_some() && trashed[0].size.unwrap() >= Bytes::mib(2));
    let folder = word("inputs");
    one(
        &bench,
        FolderRequest::Restore {
            folder: folder.clone(),
        },
    )
    .await;
    for name in ["inputs", "copy"] {
        assert_eq!(
            std::fs::read(place.join(name).join("file")).unwrap(),
            vec![1; 2 << 20]
        );
    }
    bench
        .engine
        .folder(&FolderRequest::Trash {
            folder: folder.clone(),
        })
        .await
        .unwrap();
    bench
        .engine
        .folder(&FolderRequest::Purge { folder })
        .await
        .unwrap();
    assert!(list(&bench, true).await.is_empty());
    // It is deleted in the background.
    while std::fs::read_dir(place.join(".trash")).unwrap().count() > 0 {
        tokio::task::yield_now().await;
    }
    let share = FolderRequest::Invitations;
    assert!(bench.engine.folder(&share).await.is_err());
}

#[tokio::test]
async fn what_a_killed_daemon_left_is_deleted_by_the_next_one() {
    let bench = Bench::new();
    let trash = bench.dir.path().join("folders/.trash");
    for left in ["purge.1700000000000.data/deep", "clone.0123/copy/deep"] {
        std::fs::create_dir_all(trash.join(left)).unwrap();
    }
    std::fs::create_dir_all(trash.join("1700000000001.kept")).unwrap();
    assert_eq!(list(&bench, true).await.len(), 1);
    while std::fs::read_dir(&trash).unwrap().count() > 1 {
        tokio::task::yield_now().await;
    }
    let folder = "kept".to_owned();
    one(&bench, FolderRequest::Restore { folder }).await;
}

#[tokio::test]
async fn host_paths_are_mounted_and_a_read_only_one_is_never_writable() {
    let dir = tempfile::tempdir().unwrap();
    for path in ["data/one", "scratch", "outside"] {
        std::fs::create_dir_all(dir.path().join(path)).unwrap();
    }
    std::fs::write(dir.path().join("data/one/file"), "42\n").unwrap();
    std::os::unix::fs::chown(dir.path().join("scratch"), Some(1000), Some(1000)).unwrap();
    std::os::unix::fs::symlink(dir.path().join("outside"), dir.path().join("data/link")).unwrap();
    let bench = Bench::with_host_paths(vec![
        format!("{}/data/*:ro", dir.path().display())
            .parse()
            .unwrap(),
        format!("{}/scratch", dir.path().display()).parse().unwrap(),
    ]);
    let folders = list(&bench, false).await;
    let shown: Vec<(&str, &str)> = folders
        .iter()
        .map(|it| (it.name.as_str(), it.permission.as_str()))
        .collect();
    assert_eq!(shown, [("one", "ro"), ("scratch", "rw")]);
    let mut plan = plan("hostpaths", image_spec(busybox_image()));
    plan.spec.mounts = vec![
        // The launch asks for more than the configuration allows.
        mounted("one", "/home/work/one", false),
        mounted("scratch", "/home/work/scratch", false),
    ];
    bench.launch(&plan).await;
    let seen = bench
        .sh(plan.session, "cat one/file; echo x > scratch/mine")
        .await;
    assert_eq!(seen, "42");
    let (said, code) = bench.run(plan.session, &["touch", "one/mine"]).await;
    assert!(code != Some(0) && said.contains("Read-only"), "{said}");
    assert_eq!(
        std::fs::read_to_string(dir.path().join("scratch/mine")).unwrap(),
        "x\n"
    );
    let mut bad = crate::support::plan("hostlink", image_spec(busybox_image()));
    bad.spec.mounts = vec![mounted("link", "/home/work/link", false)];
    let error = bench.engine.create(&bad).await.unwrap_err().to_string();
    assert!(error.contains("is a link"), "{error}");
    for request in [
        FolderRequest::Trash {
            folder: "one".to_owned(),
        },
        FolderRequest::Rename {
            folder: "scratch".to_owned(),
            name: "mine".to_owned(),
        },
    ] {
        let error = bench.engine.folder(&request).await.unwrap_err().to_string();
        assert!(error.contains("directory of this machine"), "{error}");
    }
    assert!(
        bench.engine.create_folder("one").await.is_err(),
        "the name is taken"
    );
}
