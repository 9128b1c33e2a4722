//! The Python program does what the runner of other engines does: the same requests, side by side.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    io::{Read as _, Write as _},
    os::unix::{ffi::OsStrExt as _, fs::MetadataExt as _},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use proptest::prelude::*;

use super::*;
use crate::{
    files::{
        LocalWork, PartFile, Root, carry_out,
        wire::{self, Event, FrameKind, HEAD, Order},
    },
    model::{
        failure::{Failure, FailureKind},
        files::{
            FileAnswer, FileName, FileOrder, FilePath, FileProgress, FileRequest, ListOptions,
            WriteOptions, part_name,
        },
    },
};

/// The program, which serves a directory.
struct Program {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
}

impl Program {
    fn serve(directory: &Path) -> Self {
        let words = argv(&["files", directory.to_str().unwrap()]);
        let mut child = Command::new(&words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(SOURCE.as_bytes()).unwrap();
        let output = child.stdout.take().unwrap();
        Self {
            child,
            input,
            output,
        }
    }

    fn order(&mut self, order: &Order) {
        self.input.write_all(&wire::message(order)).unwrap();
    }

    fn frame(&mut self) -> (FrameKind, Vec<u8>) {
        let mut head = [0; HEAD];
        self.output.read_exact(&mut head).unwrap();
        let (kind, length) = wire::read_head(head).unwrap();
        let mut content = vec![0; length];
        self.output.read_exact(&mut content).unwrap();
        (kind, content)
    }

    /// The last event, and the bytes before it.
    fn finish(&mut self) -> (Result<()>, Vec<u8>, FileProgress) {
        let (mut bytes, mut last) = (Vec::new(), FileProgress::default());
        loop {
            let (kind, content) = self.frame();
            if kind == FrameKind::Data {
                bytes.extend_from_slice(&content);
                continue;
            }
            match wire::read_message(&content).unwrap() {
                Event::Progress { progress } => last = progress,
                Event::Done => return (Ok(()), bytes, last),
                Event::Failed { failure } => return (Err(failure), bytes, last),
                Event::Answer { answer } => panic!("{answer:?}"),
            }
        }
    }

    fn ask(&mut self, request: &FileRequest) -> Result<FileAnswer> {
        let request = request.clone();
        self.order(&Order::Request { request });
        match wire::read_message(&self.frame().1).unwrap() {
            Event::Answer { answer } => Ok(answer),
            Event::Failed { failure } => Err(failure),
            other => panic!("{other:?}"),
        }
    }

    fn read(&mut self, path: &FilePath, offset: u64) -> Result<Vec<u8>> {
        let path = path.clone();
        self.order(&Order::Read { path, offset });
        let (result, bytes, _) = self.finish();
        result.map(|()| bytes)
    }

    fn write(&mut self, path: &FilePath, options: WriteOptions, bytes: &[u8]) -> Result<()> {
        let path = path.clone();
        self.order(&Order::Write { path, options });
        for piece in bytes.chunks(wire::MAX_PIECE) {
            self.input
                .write_all(&wire::frame(FrameKind::Data, piece))
                .unwrap();
        }
        self.input
            .write_all(&wire::frame(FrameKind::End, &[]))
            .unwrap();
        self.finish().0
    }

    fn work(&mut self, work: &LocalWork) -> Result<FileProgress> {
        let work = work.clone();
        self.order(&Order::Work { work });
        let (result, _, last) = self.finish();
        result.map(|()| last)
    }

    /// Ends its input, and returns how it ended.
    fn end(mut self) -> Option<i32> {
        drop(self.input);
        self.child.wait().unwrap().code()
    }
}

fn path(bytes: impl AsRef<OsStr>) -> FilePath {
    FilePath::parse(bytes.as_ref()).unwrap()
}

fn page(offset: u64, count: u32) -> ListOptions {
    ListOptions {
        offset,
        count,
        ..ListOptions::default()
    }
}

/// Names with everything that a name may contain.
const NAMES: [&[u8]; 8] = [
    b"a",
    b"file10",
    b"file2",
    b"b \n\x1b[31m",
    b"\xff\xfe",
    "한글".as_bytes(),
    b"-rf",
    b".hidden007",
];

#[derive(Clone, Debug)]
enum Step {
    Ask(FileRequest),
    Write(FilePath, Vec<u8>, bool),
    Work(LocalWork),
}

fn any_path(most: usize) -> impl Strategy<Value = FilePath> {
    prop::collection::vec(prop::sample::select(&NAMES[..]), 0..most).prop_map(|names| {
        let names: PathBuf = names.iter().map(|name| OsStr::from_bytes(name)).collect();
        path(names)
    })
}

fn any_options() -> impl Strategy<Value = ListOptions> {
    let order = prop::sample::select(vec![FileOrder::Name, FileOrder::Size]);
    let filter = prop::option::of(prop::sample::select(vec!["FILE", "1", "\u{fffd}"]));
    (
        order,
        any::<bool>(),
        any::<bool>(),
        filter,
        0..3_u64,
        0..9_u32,
    )
        .prop_map(
            |(order, reversed, without_hidden, filter, offset, count)| ListOptions {
                order,
                reversed,
                filter: filter.map(str::to_owned),
                without_hidden,
                offset,
                count,
            },
        )
}

fn any_request() -> impl Strategy<Value = FileRequest> {
    let path = || any_path(3);
    prop_oneof![
        4 => path().prop_map(|path| FileRequest::CreateDirectory { path }),
        2 => path().prop_map(|path| FileRequest::CreateFile { path }),
        2 => path().prop_map(|path| FileRequest::Stat { path }),
        3 => (path(), path()).prop_map(|(from, to)| FileRequest::Rename { from, to }),
        1 => (path(), prop::sample::select(&NAMES[..])).prop_map(|(path, name)| {
            let target = FileName(OsStr::from_bytes(name).to_owned());
            FileRequest::CreateLink { path, target }
        }),
        1 => (path(), prop::sample::select(vec![0o600, 0o755, 0o644])).prop_map(|(path, mode)| {
            let modified = "1969-12-31T23:59:59.123456789Z".parse().ok();
            FileRequest::SetAttributes { path, mode: Some(mode), modified }
        }),
        4 => (path(), any_options()).prop_map(|(path, options)| FileRequest::List { path, options }),
    ]
}

fn any_step() -> impl Strategy<Value = Step> {
    let paths = || prop::collection::vec(any_path(3), 1..3);
    let content = prop::collection::vec(any::<u8>(), 0..2000);
    let copy = (paths(), any_path(2), any::<bool>(), any::<bool>()).prop_map(
        |(paths, directory, replace, moving)| LocalWork::Copy {
            paths,
            directory,
            replace,
            moving,
        },
    );
    prop_oneof![
        6 => any_request().prop_map(Step::Ask),
        3 => (any_path(3), content, any::<bool>()).prop_map(|(a, b, c)| Step::Write(a, b, c)),
        1 => paths().prop_map(|paths| Step::Work(LocalWork::Delete { paths })),
        1 => paths().prop_map(|paths| Step::Work(LocalWork::Measure { paths })),
        3 => copy.prop_map(Step::Work),
    ]
}

/// Times and inode numbers differ between the two sides.
fn comparable(answer: FileAnswer) -> FileAnswer {
    match answer {
        FileAnswer::Entry { mut entry } => {
            entry.modified = None;
            FileAnswer::Entry { entry }
        }
        FileAnswer::Listing { mut listing } => {
            for entry in &mut listing.entries {
                entry.modified = None;
            }
            FileAnswer::Listing { listing }
        }
        FileAnswer::Done => FileAnswer::Done,
    }
}

/// What is said, without what only one side knows.
fn said(failure: Failure) -> (FailureKind, String) {
    (failure.kind, failure.what.to_string())
}

type Outcome = std::result::Result<(FileAnswer, (u64, u64)), (FailureKind, String)>;

fn by_program(program: &mut Program, step: &Step) -> Outcome {
    let done = match step {
        Step::Ask(request) => program.ask(request).map(|it| (comparable(it), (0, 0))),
        Step::Write(path, bytes, replace) => {
            let options = WriteOptions {
                size: Some(bytes.len() as u64),
                replace: *replace,
                ..WriteOptions::default()
            };
            program
                .write(path, options, bytes)
                .map(|()| (FileAnswer::Done, (0, 0)))
        }
        Step::Work(work) => program
            .work(work)
            .map(|it| (FileAnswer::Done, (it.files, it.bytes))),
    };
    done.map_err(said)
}

fn by_runner(root: &Root, step: &Step) -> Outcome {
    let done = match step {
        Step::Ask(request) => root.answer(request).map(|it| (comparable(it), (0, 0))),
        Step::Write(path, bytes, replace) => {
            let options = WriteOptions {
                size: Some(bytes.len() as u64),
                replace: *replace,
                ..WriteOptions::default()
            };
            PartFile::open(root, path, options)
                .and_then(|mut part| {
                    part.write(bytes)?;
                    part.finish()
                })
                .map(|()| (FileAnswer::Done, (0, 0)))
        }
        Step::Work(work) => {
            let mut last = FileProgress::default();
            carry_out(root, root, work, &mut |now| {
                last = now;
                true
            })
            .map(|()| (FileAnswer::Done, (last.files, last.bytes)))
        }
    };
    done.map_err(said)
}

/// Every entry: its permissions, then its content or target.
fn tree(top: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut found = BTreeMap::new();
    let mut pending = vec![top.to_owned()];
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
                    .as_os_str()
                    .as_bytes()
                    .to_vec()
            } else {
                fs::read(&path).unwrap()
            };
            found.insert(
                path.strip_prefix(top).unwrap().to_owned(),
                (about.mode(), content),
            );
        }
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn any_sequence_is_what_the_runner_does(steps in prop::collection::vec(any_step(), 1..40)) {
        let dir = tempfile::tempdir().unwrap();
        let (one, other) = (dir.path().join("program"), dir.path().join("runner"));
        fs::create_dir(&one).unwrap();
        fs::create_dir(&other).unwrap();
        let mut program = Program::serve(&one);
        let root = Root::open(&other, None).unwrap();
        for step in &steps {
            let (ours, theirs) = (by_program(&mut program, step), by_runner(&root, step));
            prop_assert_eq!(&ours, &theirs, "{:?}", step);
            prop_assert_eq!(tree(&one), tree(&other), "after {:?}", step);
        }
        prop_assert_eq!(program.end(), Some(0));
    }
}

#[test]
fn transfers_continue_where_they_broke_off() {
    let dir = tempfile::tempdir().unwrap();
    let content: Vec<u8> = (0..1_000_003_u32).map(|at| (at % 251) as u8).collect();
    let target = path(OsStr::from_bytes(&[0xfe; 255]));
    let options = |offset| WriteOptions {
        size: Some(content.len() as u64),
        offset,
        mode: Some(0o640),
        ..WriteOptions::default()
    };
    let mut program = Program::serve(dir.path());
    let order = Order::Write {
        path: target.clone(),
        options: options(0),
    };
    program.order(&order);
    let half = &content[..wire::MAX_PIECE];
    program
        .input
        .write_all(&wire::frame(FrameKind::Data, half))
        .unwrap();
    assert_eq!(program.end(), Some(0));
    // The part has the name that the runner gives it.
    let part = path(part_name(target.name().unwrap()));
    let root = Root::open(dir.path(), None).unwrap();
    let stat = FileRequest::Stat { path: part };
    let Ok(FileAnswer::Entry { entry }) = root.answer(&stat) else {
        panic!("the part is gone");
    };
    assert_eq!(entry.size, half.len() as u64);
    let mut program = Program::serve(dir.path());
    let wrong = program.write(&target, options(7), &content[7..]);
    assert!(wrong.unwrap_err().to_string().contains("instead of 7"));
    let mut program = Program::serve(dir.path());
    let rest = &content[half.len()..];
    program
        .write(&target, options(half.len() as u64), rest)
        .unwrap();
    assert_eq!(program.read(&target, 0).unwrap(), content);
    assert_eq!(program.read(&target, 999_999).unwrap(), &content[999_999..]);
    assert!(program.read(&target, 1 << 40).is_err());
    let short = program.write(&path("short"), options(0), b"few");
    assert!(short.unwrap_err().to_string().contains("3 of 1000003"));
}

#[test]
fn nothing_leads_out_of_the_directory_or_blocks() {
    let dir = tempfile::tempdir().unwrap();
    let (top, outside) = (dir.path().join("top"), dir.path().join("outside"));
    fs::create_dir_all(top.join("d")).unwrap();
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("kept"), "secret").unwrap();
    std::os::unix::fs::symlink(&outside, top.join("link")).unwrap();
    std::os::unix::fs::symlink(&outside, top.join("d/link")).unwrap();
    let made = Command::new("mkfifo").arg(top.join("d/pipe")).status();
    assert!(made.unwrap().success());
    let mut program = Program::serve(&top);
    let inside = path("link/kept");
    assert!(program.read(&inside, 0).is_err());
    assert!(program.ask(&FileRequest::Stat { path: inside }).is_err());
    let pipe = program.read(&path("d/pipe"), 0).unwrap_err();
    assert!(pipe.to_string().contains("it is a pipe"), "{pipe}");
    let copy = LocalWork::Copy {
        paths: vec![path("d")],
        directory: path(""),
        replace: false,
        moving: false,
    };
    assert!(program.work(&copy).is_err(), "it is already there");
    // Deleting a link leaves what it leads to.
    let paths = vec![path("link"), path("d")];
    program.work(&LocalWork::Delete { paths }).unwrap();
    assert_eq!(fs::read_dir(&top).unwrap().count(), 0);
    assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "secret");
}

#[test]
fn a_deep_tree_and_a_large_directory_are_no_problem() {
    let dir = tempfile::tempdir().unwrap();
    let mut program = Program::serve(dir.path());
    let script =
        "import os\nfor _ in range(3000):\n os.mkdir('d'); os.chdir('d')\nopen('end', 'w').close()";
    let made = Command::new("python3")
        .args(["-c", script])
        .current_dir(dir.path())
        .status();
    assert!(made.unwrap().success());
    let paths = vec![path("d")];
    let measured = program.work(&LocalWork::Measure {
        paths: paths.clone(),
    });
    assert_eq!(measured.unwrap().files, 1);
    let mkdir = FileRequest::CreateDirectory { path: path("to") };
    program.ask(&mkdir).unwrap();
    let copy = LocalWork::Copy {
        paths: paths.clone(),
        directory: path("to"),
        replace: false,
        moving: false,
    };
    assert_eq!(program.work(&copy).unwrap().files, 1);
    let paths = vec![path("d"), path("to")];
    program.work(&LocalWork::Delete { paths }).unwrap();
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    for number in 0..5000 {
        fs::write(dir.path().join(format!("f{number}")), "").unwrap();
    }
    let request = FileRequest::List {
        path: path(""),
        options: page(4998, 1000),
    };
    let root = Root::open(dir.path(), None).unwrap();
    assert_eq!(program.ask(&request), root.answer(&request));
    let Ok(FileAnswer::Listing { listing }) = program.ask(&request) else {
        panic!("no listing");
    };
    let names: Vec<_> = listing.entries.iter().map(|it| it.name.shown()).collect();
    assert_eq!(
        (names, listing.total),
        (vec!["f4998".into(), "f4999".into()], 5000)
    );
}
