//! Folders that survive sessions.

use std::os::unix::fs::MetadataExt as _;

use workbay::engine::api::{Containers as _, Folders as _};

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
async fn a_folder_in_a_folder_and_one_that_comes_by_itself() {
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
