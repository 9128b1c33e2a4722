//! Files of sessions that aren't in a folder: which ones are listed, and what a rescue leaves in a folder.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::Path,
};

use tokio::sync::watch;
use workbay::{
    engine::api::{Containers as _, Folders as _, Losses as _},
    model::{
        failure::Failure,
        files::{FilePath, FileProgress},
        id::SessionId,
        loss::{Rescue, Rescued, Unsaved, UnsavedFile},
        resources::Bytes,
    },
};

use crate::support::{
    Bench, busybox, containers, docker, file, host_spec, image_spec, import, mounted, plan, within,
};

fn path(path: &str) -> FilePath {
    FilePath::parse(OsStr::new(path)).unwrap()
}

fn rescue(paths: &[&str], directory: &str) -> Rescue {
    Rescue {
        paths: paths.iter().map(|it| path(it)).collect(),
        folder: "data".to_owned(),
        directory: path(directory),
    }
}

async fn copy(bench: &Bench, session: SessionId, rescue: Rescue) -> Result<Rescued, Failure> {
    let (progress, _) = watch::channel(FileProgress::default());
    bench.engine.rescue(session, &rescue, progress).await
}

fn names(files: &[UnsavedFile]) -> BTreeSet<String> {
    files.iter().map(|file| file.path.to_string()).collect()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// An image with a file, and with directories that every user may write to.
fn open_image() -> &'static str {
    let name = "workbay-test/losses:1";
    let mut tar = tar::Builder::new(Vec::new());
    busybox(&mut tar);
    for directory in ["tmp/", "opt/"] {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Directory);
        header.set_mode(0o1777);
        header.set_size(0);
        tar.append_data(&mut header, directory, &b""[..]).unwrap();
    }
    for name in ["opt/model", "opt/unchanged", "opt/gone"] {
        file(&mut tar, name, 0o666, b"old");
    }
    import(name, tar);
    name
}

/// A session with the folder `data`.
async fn session(bench: &Bench, spec: workbay::model::spec::LaunchSpec) -> SessionId {
    if bench.engine.folders().await.unwrap().is_empty() {
        bench.engine.create_folder("data").await.unwrap();
    }
    let mut plan = plan("losses", spec);
    plan.spec.mounts = vec![mounted("data", "/home/work/data", false)];
    bench.launch(&plan).await;
    plan.session
}

async fn unsaved(bench: &Bench, session: SessionId) -> Unsaved {
    within(bench.engine.unsaved(session)).await.unwrap()
}

/// The directories in the folder, also hidden ones.
fn in_folder(bench: &Bench) -> BTreeSet<String> {
    let entries = fs::read_dir(bench.dir.path().join("folders/data")).unwrap();
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    entries.map(|entry| name(entry.unwrap())).collect()
}

/// What `sha256sum` prints for this file.
async fn checksum(bench: &Bench, session: SessionId, file: &str) -> String {
    let line = bench.sh(session, &format!("sha256sum '{file}'")).await;
    line.split(' ').next().unwrap().to_owned()
}

fn checksum_here(file: &Path) -> String {
    let out = std::process::Command::new("sha256sum").arg(file).output();
    let text = String::from_utf8(out.unwrap().stdout).unwrap();
    let sum = text.split(' ').next().unwrap();
    sum.trim_start_matches('\\').to_owned()
}

#[tokio::test]
async fn exactly_the_files_outside_of_folders_are_listed() {
    let bench = Bench::new();
    for spec in [host_spec(), image_spec(open_image())] {
        let session = session(&bench, spec).await;
        let first = unsaved(&bench, session).await;
        assert!(first.is_empty(), "{first:?}");
        assert!(first.home_is_kept);
        bench
            .sh(
                session,
                "mkdir -p /tmp/deep/er deep
                 echo 12345 > /tmp/deep/er/small
                 dd if=/dev/zero of=/tmp/large bs=1024 count=64 2>/dev/null
                 mkfifo /tmp/pipe
                 ln -s /etc/passwd /tmp/link
                 echo kept > data/in-the-folder
                 echo mine > deep/mine
                 echo more >> .bashrc
                 touch -d '2001-02-03 04:05:06' /tmp/deep/er/small",
            )
            .await;
        let found = unsaved(&bench, session).await;
        let outside = set(&["tmp/deep/er/small", "tmp/large", "tmp/link"]);
        assert_eq!(names(&found.outside.newest), outside);
        assert_eq!(found.outside.total.files, 3);
        assert_eq!(
            found.outside.total.size,
            Bytes(6 + 65_536 + "/etc/passwd".len() as u64)
        );
        assert_eq!(found.outside.largest[0].path, path("tmp/large"));
        // The newest first.
        let last = found.outside.newest.last().unwrap();
        assert_eq!(last.path, path("tmp/deep/er/small"));
        assert_eq!(last.modified.unwrap().to_string()[..10], *"2001-02-03");
        let home = set(&["home/work/.bashrc", "home/work/deep/mine"]);
        assert_eq!(names(&found.home.newest), home);
        assert_eq!(found.incomplete(), None);
        bench.engine.stop(session, 0).await.unwrap();
        bench.engine.remove(session).await.unwrap();
        bench.engine.forget(session).await.unwrap();
    }
}

#[tokio::test]
async fn a_name_that_is_not_utf_8_is_listed_and_rescued_exactly() {
    let bench = Bench::new();
    let session = session(&bench, host_spec()).await;
    bench
        .sh(
            session,
            r"d=$(printf '/tmp/d\377'); mkdir $d; printf x > $(printf '%s/f\376\033[31m' $d)",
        )
        .await;
    let found = unsaved(&bench, session).await;
    let odd = FilePath::parse(OsStr::from_bytes(b"tmp/d\xff/f\xfe\x1b[31m")).unwrap();
    assert_eq!(found.outside.newest[0].path, odd);
    let asked = Rescue {
        paths: vec![odd.clone()],
        ..rescue(&[], "odd")
    };
    let done = within(copy(&bench, session, asked.clone())).await.unwrap();
    assert_eq!(done.files, 1);
    let copied = bench
        .dir
        .path()
        .join("folders/data/odd")
        .join(odd.as_path());
    assert_eq!(fs::read(copied).unwrap(), b"x");
}

#[tokio::test]
async fn a_rescue_copies_all_files_with_their_contents_and_owner() {
    let bench = Bench::new();
    let session = session(&bench, host_spec()).await;
    bench
        .sh(
            session,
            "mkdir -p /tmp/deep deep
             dd if=/dev/urandom of=/tmp/deep/large bs=65536 count=48 2>/dev/null
             dd if=/dev/urandom of=deep/mine bs=1000 count=7 2>/dev/null
             chmod 750 deep/mine
             ln -s /etc/passwd /tmp/link
             echo kept > data/in-the-folder",
        )
        .await;
    let done: Rescued = within(copy(&bench, session, rescue(&[], "all/of-it")))
        .await
        .unwrap();
    assert!(done.skipped.is_empty(), "{:?}", done.skipped);
    let there = bench.dir.path().join("folders/data/all/of-it");
    for (inside, here) in [
        ("/tmp/deep/large", "tmp/deep/large"),
        ("/home/work/deep/mine", "home/work/deep/mine"),
    ] {
        let sum = checksum(&bench, session, inside).await;
        assert_eq!(sum, checksum_here(&there.join(here)), "{inside}");
    }
    let link = fs::read_link(there.join("tmp/link")).unwrap();
    assert_eq!(link, Path::new("/etc/passwd"));
    // What is in a folder isn't copied into it again.
    assert!(!there.join("home/work/data/in-the-folder").exists());
    let copied = fs::metadata(there.join("home/work/deep/mine")).unwrap();
    let folder = fs::metadata(bench.dir.path().join("folders/data")).unwrap();
    assert_eq!(copied.mode() & 0o777, 0o750);
    assert_eq!((copied.uid(), copied.gid()), (folder.uid(), folder.gid()));
    // The session can use the copy.
    let seen = bench.sh(session, "cat data/all/of-it/home/work/deep/mine | wc -c");
    assert_eq!(seen.await, "7000");

    let one = rescue(&["tmp/deep"], "one");
    let done = within(copy(&bench, session, one.clone())).await.unwrap();
    assert_eq!((done.files, done.size), (1, Bytes(48 * 65_536)));
    let taken = within(copy(&bench, session, one.clone()))
        .await
        .unwrap_err();
    assert!(taken.to_string().contains("already exists"), "{taken}");
    assert_eq!(in_folder(&bench), set(&["all", "in-the-folder", "one"]));
}

#[tokio::test]
async fn a_rescue_reports_its_progress_and_can_be_cancelled() {
    let bench = Bench::new();
    let session = session(&bench, host_spec()).await;
    let line = "truncate -s 2G /tmp/large; mkdir /tmp/a; echo 1 > /tmp/a/1; echo 22 > /tmp/a/2";
    bench.sh(session, line).await;
    let (progress, seen) = watch::channel(FileProgress::default());
    let small = rescue(&["tmp/a"], "small");
    within(bench.engine.rescue(session, &small, progress))
        .await
        .unwrap();
    let last = *seen.borrow();
    assert_eq!((last.files, last.bytes, last.of), (2, 5, Some((2, 5))));

    let (progress, mut seen) = watch::channel(FileProgress::default());
    let large = rescue(&["tmp/large"], "large");
    {
        let running = bench.engine.rescue(session, &large, progress);
        let is_under_way = seen.wait_for(|it| it.bytes > 1 << 20);
        tokio::select! {
            done = running => panic!("it was too fast: {done:?}"),
            seen = within(is_under_way) => {
                let seen = *seen.unwrap();
                assert_eq!(seen.of, Some((1, 2 << 30)));
                assert!(seen.bytes < 2 << 30);
            }
        }
    }
    // It was dropped while it ran.
    within(async {
        while in_folder(&bench) != set(&["small"]) {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(
        bench.sh(session, "stat -c %s /tmp/large").await,
        "2147483648"
    );
    let again = within(copy(&bench, session, rescue(&["tmp/a"], "large")));
    assert_eq!(again.await.unwrap().files, 2);
}

#[tokio::test]
async fn a_rescue_that_fails_leaves_nothing() {
    let bench = Bench::new();
    let session = session(&bench, host_spec()).await;
    bench.sh(session, "echo x > /tmp/file").await;
    for (asked, words) in [
        (rescue(&["tmp/file", "tmp/missing"], "new"), "not found"),
        (
            Rescue {
                folder: "none".to_owned(),
                ..rescue(&[], "new")
            },
            "'none' not found",
        ),
        (rescue(&[], ""), "name a new directory"),
    ] {
        let failure = within(copy(&bench, session, asked.clone()))
            .await
            .unwrap_err();
        assert!(failure.to_string().contains(words), "{failure}");
        assert!(
            failure.hint.is_some() || words == "not found",
            "{failure:?}"
        );
    }
    assert!(in_folder(&bench).is_empty(), "{:?}", in_folder(&bench));
    // A link in the folder leads nowhere else.
    let outside = bench.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    bench
        .sh(session, &format!("ln -s {} data/link", outside.display()))
        .await;
    let through = rescue(&[], "link/new");
    within(copy(&bench, session, through.clone()))
        .await
        .unwrap_err();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    assert_eq!(in_folder(&bench), set(&["link"]));
}

#[tokio::test]
async fn a_container_that_vanishes_leaves_no_partial_rescue() {
    let bench = Bench::new();
    let session = session(&bench, host_spec()).await;
    // More than fits into the buffers between the container and the folder.
    let line = "dd if=/dev/zero of=/tmp/large bs=1048576 count=400 2>/dev/null";
    bench.sh(session, line).await;
    let container = containers(session).remove(0);
    let asked = rescue(&[], "late");
    let killed = tokio::task::spawn_blocking({
        let folder = bench.dir.path().join("folders/data");
        move || {
            // As soon as the copy has begun.
            while fs::read_dir(&folder).unwrap().count() == 0 {
                std::thread::yield_now();
            }
            docker(&["rm", "-f", &container]);
        }
    });
    let failure = within(copy(&bench, session, asked.clone())).await;
    killed.await.unwrap();
    let failure = failure.unwrap_err();
    assert!(!failure.to_string().is_empty());
    assert!(in_folder(&bench).is_empty(), "{:?}", in_folder(&bench));
}

#[tokio::test]
async fn changed_files_of_the_image_are_listed_and_deleted_ones_are_not() {
    let bench = Bench::new();
    let session = session(&bench, image_spec(open_image())).await;
    bench
        .sh(
            session,
            "echo longer > /opt/model; echo new > /opt/new; cat /opt/unchanged",
        )
        .await;
    let found = unsaved(&bench, session).await;
    assert_eq!(names(&found.outside.newest), set(&["opt/model", "opt/new"]));
    assert_eq!(found.outside.total.size, Bytes(7 + 4));
}
