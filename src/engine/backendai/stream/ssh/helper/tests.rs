use std::{
    fs,
    io::Write as _,
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
};

use super::*;
use crate::archive::{self, Destination};

/// Runs a script in a directory with this input.
fn run(body: &str, path: &str, within: &Path, input: &[u8]) -> Output {
    let argv = argv(body, path);
    let mut child = Command::new(&argv[0])
        .args(&argv[1..])
        .current_dir(within)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A script that fails reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn packed(path: &str, within: &Path) -> Vec<u8> {
    let output = run(PACK, path, within, b"");
    assert!(output.status.success(), "{}", stderr(&output));
    output.stdout
}

/// What arrives when `path` is packed in the session and unpacked here as `to`.
fn down(path: &str, within: &Path, to: &Path) -> archive::Copied {
    let destination = Destination::find(to).unwrap();
    archive::unpack(packed(path, within).as_slice(), &destination).unwrap()
}

/// Packs `from` here and unpacks it in the session as `path`.
fn up(from: &Path, path: &str, within: &Path) -> Output {
    let mut stream = Vec::new();
    archive::pack(from, &mut stream).unwrap();
    run(UNPACK, path, within, &stream)
}

#[test]
fn trees_go_both_ways_with_every_name() {
    let root = tempfile::tempdir().unwrap();
    let (here, there) = (root.path().join("here"), root.path().join("there"));
    fs::create_dir_all(there.join("tree/deep")).unwrap();
    fs::create_dir(&here).unwrap();
    let names = ["--version", "a b", "'\"$(id)`\\", "한글\n", "*", ".hidden"];
    for name in names {
        fs::write(there.join("tree/deep").join(name), name).unwrap();
    }
    symlink("deep", there.join("tree/link")).unwrap();
    fs::hard_link(there.join("tree/deep/a b"), there.join("tree/other")).unwrap();
    let copied = down("tree", &there, &here);
    assert_eq!((copied.files, copied.skipped.len()), (7, 0), "{copied:?}");
    assert_eq!(fs::read_to_string(here.join("tree/other")).unwrap(), "a b");
    assert_eq!(
        fs::read_link(here.join("tree/link")).unwrap(),
        Path::new("deep")
    );
    let output = up(&here.join("tree"), "back", &there);
    assert!(output.status.success(), "{}", stderr(&output));
    for name in names {
        let text = fs::read_to_string(there.join("back/deep").join(name)).unwrap();
        assert_eq!(text, name);
    }
    // Nothing temporary is left.
    assert_eq!(fs::read_dir(&there).unwrap().count(), 2);
}

#[test]
fn names_that_look_like_options_are_names() {
    let root = tempfile::tempdir().unwrap();
    let (here, there) = (root.path().join("here"), root.path().join("there"));
    fs::create_dir(&here).unwrap();
    fs::create_dir(&there).unwrap();
    for name in [
        "-x",
        "--checkpoint-action=exec=touch bad",
        "--",
        "-",
        "a\nb",
    ] {
        fs::write(there.join(name), "content").unwrap();
        assert_eq!(down(name, &there, &here).files, 1, "{name}");
        assert_eq!(fs::read_to_string(here.join(name)).unwrap(), "content");
        let new = format!("{name}-new");
        let output = up(&here.join(name), &new, &there);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        assert_eq!(fs::read_to_string(there.join(new)).unwrap(), "content");
    }
    fs::create_dir(there.join("-C")).unwrap();
    let output = up(&here.join("-x"), "-C", &there);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(there.join("-C/-x").exists());
    assert!(!there.join("bad").exists());
}

#[test]
fn a_directory_takes_the_copy_and_another_name_renames_it() {
    let root = tempfile::tempdir().unwrap();
    let (here, there) = (root.path().join("file"), root.path().join("there"));
    fs::write(&here, "new").unwrap();
    fs::create_dir(&there).unwrap();
    fs::write(there.join("old"), "old").unwrap();
    for (path, arrives) in [
        (".", "file"),
        ("", "file"),
        ("old", "old"),
        ("made", "made"),
    ] {
        let output = up(&here, path, &there);
        assert!(output.status.success(), "{path}: {}", stderr(&output));
        assert_eq!(fs::read_to_string(there.join(arrives)).unwrap(), "new");
    }
    let absolute = there.join("absolute").display().to_string();
    assert!(up(&here, &absolute, root.path()).status.success());
    assert!(there.join("absolute").exists());
    for (path, why) in [
        (
            "missing/file",
            "workbay: missing: No such file or directory\n",
        ),
        (
            "missing/",
            "workbay: the directory missing/ doesn't exist\n",
        ),
    ] {
        let output = up(&here, path, &there);
        assert_eq!(
            (output.status.code(), stderr(&output)),
            (Some(1), why.to_owned())
        );
    }
}

#[test]
fn what_is_named_is_followed_and_what_is_missing_is_named() {
    let root = tempfile::tempdir().unwrap();
    let there = root.path().join("there");
    fs::create_dir(&there).unwrap();
    fs::write(there.join("target"), "content").unwrap();
    symlink("target", there.join("link")).unwrap();
    assert_eq!(down("link", &there, root.path()).files, 1);
    assert!(root.path().join("target").is_file());
    // The directory itself has its own name.
    let here = tempfile::tempdir().unwrap();
    down(".", &there, here.path());
    assert!(here.path().join("there/target").exists());
    let output = run(PACK, "missing", &there, b"");
    assert_eq!(
        (output.status.code(), stderr(&output).as_str()),
        (Some(1), "workbay: missing: No such file or directory\n")
    );
    assert!(output.stdout.is_empty());
    assert_eq!(run(PACK, "/", &there, b"").status.code(), Some(1));
}

#[test]
fn what_cannot_be_copied_is_skipped() {
    let root = tempfile::tempdir().unwrap();
    let tree = root.path().join("tree");
    fs::create_dir(&tree).unwrap();
    fs::write(tree.join("file"), "content").unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(tree.join("socket")).unwrap();
    let output = run(PACK, "tree", root.path(), b"");
    assert!(output.status.success());
    assert_eq!(stderr(&output), "skipped tree/socket: socket ignored\n");
}

#[test]
fn a_stream_that_breaks_off_is_an_error_and_leaves_nothing() {
    let root = tempfile::tempdir().unwrap();
    let there = root.path().join("there");
    fs::create_dir(&there).unwrap();
    fs::write(root.path().join("file"), vec![7; 100_000]).unwrap();
    let stream = packed("file", root.path());
    let output = run(UNPACK, "new", &there, &stream[..50_000]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr(&output).starts_with("workbay: "),
        "{}",
        stderr(&output)
    );
    assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
    let output = run(UNPACK, ".", &there, b"no archive at all");
    assert_eq!(output.status.code(), Some(1));
}
