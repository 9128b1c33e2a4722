//! Any sequence of operations has the same result as the same operations by coreutils.

use std::{
    collections::BTreeMap,
    ffi::OsString,
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use proptest::prelude::*;

use super::*;
use crate::{files::PartFile, model::files::WriteOptions};

const NAMES: [&str; 4] = ["a", "b", "c \n", "d"];

#[derive(Clone, Debug)]
enum Operation {
    Directory(PathBuf),
    File(PathBuf),
    Write(PathBuf, Vec<u8>, u32),
    Link(PathBuf, String),
    Rename(PathBuf, PathBuf),
    Delete(PathBuf),
    Copy(PathBuf, PathBuf, bool),
    Move(PathBuf, PathBuf),
    Mode(PathBuf, u32),
}

fn any_path() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 1..4)
        .prop_map(|names| names.iter().collect())
}

fn any_directory() -> impl Strategy<Value = PathBuf> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 0..3)
        .prop_map(|names| names.iter().collect())
}

fn any_operation() -> impl Strategy<Value = Operation> {
    let path = any_path;
    let content = prop::collection::vec(any::<u8>(), 0..2000);
    let mode = prop::sample::select(vec![0o600, 0o644, 0o755, 0o700]);
    prop_oneof![
        4 => path().prop_map(Operation::Directory),
        2 => path().prop_map(Operation::File),
        4 => (path(), content, mode.clone()).prop_map(|(a, b, c)| Operation::Write(a, b, c)),
        1 => (path(), prop::sample::select(&NAMES[..]))
            .prop_map(|(a, b)| Operation::Link(a, b.to_owned())),
        3 => (path(), path()).prop_map(|(a, b)| Operation::Rename(a, b)),
        1 => path().prop_map(Operation::Delete),
        3 => (path(), any_directory(), any::<bool>())
            .prop_map(|(a, b, c)| Operation::Copy(a, b, c)),
        2 => (path(), any_directory()).prop_map(|(a, b)| Operation::Move(a, b)),
        1 => (path(), mode).prop_map(|(a, b)| Operation::Mode(a, b)),
    ]
}

/// Our side. Returns whether it succeeded.
fn ours(root: &Root, operation: &Operation) -> bool {
    let ask = |request| root.answer(&request).is_ok();
    let of = |at: &Path| path(at);
    match operation {
        Operation::Directory(at) => ask(FileRequest::CreateDirectory { path: of(at) }),
        Operation::File(at) => ask(FileRequest::CreateFile { path: of(at) }),
        Operation::Link(at, target) => ask(FileRequest::CreateLink {
            path: of(at),
            target: FileName(target.into()),
        }),
        Operation::Rename(from, to) => ask(FileRequest::Rename {
            from: of(from),
            to: of(to),
        }),
        Operation::Mode(at, mode) => ask(FileRequest::SetAttributes {
            path: of(at),
            mode: Some(*mode),
            modified: None,
        }),
        Operation::Write(at, bytes, mode) => {
            let options = WriteOptions {
                replace: true,
                mode: Some(*mode),
                ..WriteOptions::default()
            };
            let part = PartFile::open(root, &of(at), options);
            part.and_then(|mut part| {
                part.write(bytes)?;
                part.finish()
            })
            .is_ok()
        }
        Operation::Delete(at) => {
            let paths = vec![of(at)];
            work(root, &LocalWork::Delete { paths }).is_ok()
        }
        Operation::Copy(from, to, replace) => {
            let copying = LocalWork::Copy {
                paths: vec![of(from)],
                directory: of(to),
                replace: *replace,
                moving: false,
            };
            work(root, &copying).is_ok()
        }
        Operation::Move(from, to) => {
            let moving = LocalWork::Copy {
                paths: vec![of(from)],
                directory: of(to),
                replace: false,
                moving: true,
            };
            work(root, &moving).is_ok()
        }
    }
}

/// The same by coreutils, after our side succeeded. Where ours refuses, nothing may have changed.
fn theirs(dir: &Path, operation: &Operation) {
    let at = |path: &Path| OsString::from(dir.join(path));
    let run = |program: &str, arguments: &[OsString]| {
        let status = Command::new(program)
            .args(arguments)
            .stderr(Stdio::null())
            .status();
        assert!(status.unwrap().success(), "{program} {arguments:?}");
    };
    let word = |text: &str| OsString::from(text);
    match operation {
        Operation::Directory(path) => run("mkdir", &[word("-m755"), at(path)]),
        Operation::File(path) => {
            run("touch", &[at(path)]);
            run("chmod", &[word("644"), at(path)]);
        }
        Operation::Write(path, bytes, mode) => {
            let temporary = tempfile::NamedTempFile::new().unwrap();
            fs::write(temporary.path(), bytes).unwrap();
            let mode = word(&format!("-m{mode:o}"));
            run(
                "install",
                &[word("-T"), mode, temporary.path().into(), at(path)],
            );
        }
        Operation::Link(path, target) => run("ln", &[word("-sT"), word(target), at(path)]),
        Operation::Rename(from, to) => {
            if from != to {
                run("mv", &[word("-nT"), at(from), at(to)]);
            }
        }
        Operation::Delete(path) => run("rm", &[word("-r"), at(path)]),
        Operation::Copy(from, to, _) => {
            let name = Path::new(from.file_name().unwrap());
            run(
                "cp",
                &[
                    word("-rPT"),
                    word("--remove-destination"),
                    word("--preserve=mode,timestamps"),
                    at(from),
                    at(&to.join(name)),
                ],
            );
        }
        Operation::Move(from, to) => {
            run("mv", &[word("-n"), word("-t"), at(to), at(from)]);
        }
        Operation::Mode(path, mode) => run("chmod", &[word(&format!("{mode:o}")), at(path)]),
    }
}

/// Every entry: kind and permissions, then content or target.
fn tree(dir: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut pending = vec![dir.to_owned()];
    while let Some(here) = pending.pop() {
        for entry in fs::read_dir(&here).unwrap() {
            let path = entry.unwrap().path();
            let about = fs::symlink_metadata(&path).unwrap();
            let content = if about.is_dir() {
                pending.push(path.clone());
                Vec::new()
            } else if about.is_symlink() {
                fs::read_link(&path)
                    .unwrap()
                    .into_os_string()
                    .into_encoded_bytes()
            } else {
                fs::read(&path).unwrap()
            };
            let place = path.strip_prefix(dir).unwrap().to_owned();
            found.insert(place, (about.mode(), content));
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_of_operations_is_what_coreutils_does(
        operations in prop::collection::vec(any_operation(), 1..40)
    ) {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("ours"), dir.path().join("theirs"));
        for side in [&one, &other] {
            fs::create_dir(side).unwrap();
            fs::set_permissions(side, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let root = root(&one);
        for operation in &operations {
            let before = tree(&one);
            if ours(&root, operation) {
                theirs(&other, operation);
            } else if !matches!(operation, Operation::Copy(_, _, true)) {
                // A copy over a directory may have replaced some of its files.
                prop_assert_eq!(&before, &tree(&one), "{:?} failed and changed something", operation);
            }
            if matches!(operation, Operation::Copy(_, _, true)) && before != tree(&one) && tree(&one) != tree(&other) {
                prop_assert!(false, "{:?}: {:?} and {:?}", operation, tree(&one), tree(&other));
            }
            prop_assert_eq!(tree(&one), tree(&other), "after {:?}", operation);
        }
    }
}
