use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink},
    process::Command,
};

use super::{
    super::testing::{deep, in_a_small_stack},
    *,
};

#[test]
fn a_very_deep_tree_is_removed_with_a_small_stack_and_few_descriptors() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    for levels in [BOUNDS.levels, 3_000] {
        deep(&tree, 20_000);
        let tree = tree.clone();
        in_a_small_stack(move || {
            let bounds = Bounds {
                descriptors: 2,
                levels,
            };
            remove_with(&tree, bounds).unwrap();
            assert!(!tree.exists());
        });
    }
}

#[test]
fn links_are_removed_and_not_followed() {
    let dir = tempfile::tempdir().unwrap();
    let (outside, tree) = (dir.path().join("outside"), dir.path().join("tree"));
    fs::create_dir_all(outside.join("deep")).unwrap();
    fs::write(outside.join("deep/precious"), "x").unwrap();
    let mode = fs::metadata(outside.join("deep")).unwrap().mode();
    deep(&tree, 100);
    symlink(&outside, tree.join("link")).unwrap();
    symlink(outside.join("deep"), tree.join("d/link")).unwrap();
    symlink("/", tree.join("d/root")).unwrap();
    remove(&tree).unwrap();
    assert!(!tree.exists());
    assert!(outside.join("deep/precious").exists());
    assert_eq!(fs::metadata(outside.join("deep")).unwrap().mode(), mode);
    // The tree itself is a link.
    symlink(&outside, &tree).unwrap();
    remove(&tree).unwrap();
    assert!(fs::symlink_metadata(&tree).is_err() && outside.exists());
    remove(&tree).unwrap();
    remove(&dir.path().join("none/none")).unwrap();
}

#[test]
fn names_of_any_bytes_and_very_many_entries_go() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    fs::create_dir(&tree).unwrap();
    for number in 0..BATCH + 10 {
        fs::create_dir(tree.join(number.to_string())).unwrap();
    }
    let odd = tree.join(OsStr::from_bytes(b"\xff\xfe\n\x1b[2J"));
    fs::create_dir(&odd).unwrap();
    fs::write(odd.join(OsStr::from_bytes(b"\x80")), "x").unwrap();
    remove(&tree).unwrap();
    assert!(!tree.exists());
}

/// Modes lock out only ordinary users, so another user does the removal.
#[test]
fn modes_do_not_keep_their_owner_out() {
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    let deepest = deep(&tree, 60);
    fs::write(deepest.join("file"), "x").unwrap();
    for mode in [0o000, 0o444, 0o555, 0o300] {
        let place = tree.join(format!("mode-{mode:o}"));
        fs::create_dir_all(place.join("in/side")).unwrap();
        fs::write(place.join("in/file"), "x").unwrap();
        for locked in [place.join("in"), place] {
            fs::set_permissions(&locked, fs::Permissions::from_mode(mode)).unwrap();
        }
    }
    fs::set_permissions(&deepest, fs::Permissions::from_mode(0o000)).unwrap();
    as_ordinary_user(
        dir.path(),
        "tree::remove::tests::removed_by_an_ordinary_user",
    );
    assert!(!tree.exists());
}

#[test]
fn what_cannot_be_removed_is_named_and_the_rest_goes() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let tree = dir.path().join("tree");
    fs::create_dir_all(tree.join("a/theirs")).unwrap();
    fs::write(tree.join("a/theirs/file"), "x").unwrap();
    fs::write(tree.join("a/large"), "x").unwrap();
    fs::create_dir_all(tree.join("z/ours")).unwrap();
    let script = "chown -R 4242:4242 \"$0\"; chown -R 0:0 \"$0/tree/a/theirs\"";
    let mut given = Command::new("sh");
    given.args(["-c", script]).arg(dir.path());
    assert!(given.status().unwrap().success());
    let said = as_user(
        dir.path(),
        "tree::remove::tests::not_removed_by_an_ordinary_user",
    );
    assert!(said, "the failure was not as expected");
    let left: Vec<_> = fs::read_dir(&tree).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(tree.join("a/theirs/file").exists() && !tree.join("a/large").exists());
}

const TREE: &str = "WORKBAY_TEST_TREE";

/// Runs an ignored test of this file as the owner of the tree.
fn as_ordinary_user(dir: &Path, test: &str) {
    if rustix::process::geteuid().is_root() {
        let mut give = Command::new("chown");
        let given = give.args(["-R", "-h", "4242:4242"]).arg(dir).status();
        assert!(given.unwrap().success());
    }
    assert!(as_user(dir, test));
}

fn as_user(dir: &Path, test: &str) -> bool {
    let program = std::env::current_exe().unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$0\" \"$@\""]);
    if rustix::process::geteuid().is_root() {
        command = Command::new("setpriv");
        command.args(["--reuid=4242", "--regid=4242", "--clear-groups"]);
    }
    command
        .arg(reachable(&program, dir))
        .args([test, "--exact", "--ignored"])
        .env(TREE, dir.join("tree"));
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("1 passed") || said.contains("FAILED"),
        "{said}"
    );
    output.status.success()
}

/// Copies the test program, which may be in a directory that another user can't enter.
fn reachable(program: &Path, dir: &Path) -> PathBuf {
    let copy = dir.join("program");
    fs::copy(program, &copy).unwrap();
    fs::set_permissions(dir, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o755)).unwrap();
    copy
}

fn tree_of_the_test() -> PathBuf {
    std::env::var_os(TREE).expect("run by another test").into()
}

#[test]
#[ignore = "run as another user by a test above"]
fn removed_by_an_ordinary_user() {
    let bounds = Bounds {
        descriptors: 2,
        levels: 8,
    };
    remove_with(&tree_of_the_test(), bounds).unwrap();
}

#[test]
#[ignore = "run as another user by a test above"]
fn not_removed_by_an_ordinary_user() {
    let error = remove(&tree_of_the_test()).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::PermissionDenied);
    assert!(error.to_string().contains("tree/a/theirs/file"), "{error}");
}

#[test]
fn the_descriptor_limit_is_never_reached() {
    let dir = tempfile::tempdir().unwrap();
    deep(&dir.path().join("tree"), 3_000);
    let mut command = Command::new("sh");
    let output = command
        .args(["-c", "ulimit -n 48 && exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args([
            "tree::remove::tests::removed_by_default",
            "--exact",
            "--ignored",
        ])
        .env(TREE, dir.path().join("tree"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}"
    );
    assert!(!dir.path().join("tree").exists());
}

#[test]
#[ignore = "run with few descriptors by the test above"]
fn removed_by_default() {
    remove(&tree_of_the_test()).unwrap();
}

#[test]
fn a_tree_that_changes_meanwhile_costs_nothing_outside_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let (outside, tree) = (dir.path().join("outside"), dir.path().join("tree"));
    fs::create_dir_all(outside.join("kept")).unwrap();
    fs::create_dir(&tree).unwrap();
    let swapped = tree.join("swapped");
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // A directory and a link to an outside directory alternate under the same name.
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                let _ = fs::create_dir_all(swapped.join("in"));
                let _ = fs::rename(&swapped, tree.join("aside"));
                let _ = symlink(&outside, &swapped);
                let _ = fs::remove_file(&swapped);
            }
        });
        for _ in 0..300 {
            let _ = remove(&tree);
            let _ = fs::create_dir(&tree);
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(outside.join("kept").exists());
}
