//! Homes that sessions made hard to remove.

use std::{path::Path, process::Command};

use workbay::{
    engine::api::Containers as _,
    model::{failure::FailureKind, text::Clean},
};

use crate::support::Bench;

/// Makes directories in each other, one step at a time: no path is that long.
const DIG: &str = "python3 -c 'import os
for i in range(20000):
    os.mkdir(\"d\"); os.chdir(\"d\")
open(\"deepest\", \"w\").close()'";

#[tokio::test]
async fn a_home_of_twenty_thousand_levels_is_removed() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench.sh(session, DIG).await;
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    bench.engine.forget(session).await.unwrap();
    assert!(!bench.home(session).exists());
}

/// A file system that is mounted until this goes, at one of these places.
struct Mounted<'a>(&'a [&'a Path]);

impl<'a> Mounted<'a> {
    /// At the first one; later it may be moved to another.
    fn at(places: &'a [&'a Path]) -> Self {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=64k", "workbay-test"]);
        assert!(mount.arg(places[0]).status().unwrap().success());
        Self(places)
    }
}

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        for place in self.0 {
            let _ = Command::new("umount").args(["-l"]).arg(place).status();
        }
    }
}

#[tokio::test]
async fn a_home_that_cannot_be_removed_is_moved_aside_and_removed_later() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench
        .sh(session, "mkdir -p held/place; echo x > large; mkdir other")
        .await;
    bench.engine.stop(session, 0).await.unwrap();
    bench.engine.remove(session).await.unwrap();
    let home = bench.home(session);
    let aside = bench.dir.path().join("state/quarantine");
    let aside = aside.join(session.to_string());
    let place = home.join("held/place");
    let moved = aside.join("work/held/place");
    let places = [place.as_path(), moved.as_path()];
    let mounted = Mounted::at(&places);
    let error = bench.engine.forget(session).await.unwrap_err();
    let failure = error;
    assert_eq!(failure.kind, FailureKind::Refused, "{failure:?}");
    let why = failure.to_string();
    let hint = failure.hint.map(Clean::into_string);
    assert!(why.contains("work/held/place"), "{why}");
    assert!(hint.unwrap().contains(aside.to_str().unwrap()));
    assert!(!home.exists(), "it is out of the way");
    let left = std::fs::read_dir(aside.join("work")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left, ["held"], "the rest is gone");
    drop(mounted);
    bench.engine.forget(session).await.unwrap();
    assert!(!aside.exists() && !home.exists());
}

#[tokio::test]
async fn saved_files_stay_sparse_and_a_missing_path_does_not_stop_the_others() {
    use std::os::unix::fs::MetadataExt as _;
    let bench = Bench::new();
    let session = bench.host_session().await;
    bench
        .sh(session, "truncate -s 2G sparse; echo kept > small")
        .await;
    let paths = ["sparse", "nowhere", "small"].map(str::to_owned);
    let error = bench.engine.save(session, &paths, "it").await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains("'nowhere': not found"), "{text}");
    assert!(
        text.contains("it.tar") && text.contains("it-3.tar"),
        "{text}"
    );
    let saved = bench.dir.path().join("saved");
    let sparse = std::fs::metadata(saved.join("it.tar")).unwrap();
    assert!(sparse.len() > 2 << 30 && sparse.blocks() * 512 < 1 << 20);
    let small = std::fs::read(saved.join("it-3.tar")).unwrap();
    assert!(small.windows(4).any(|part| part == b"kept"));
    assert_eq!(std::fs::read_dir(&saved).unwrap().count(), 2);
}
