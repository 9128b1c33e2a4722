//! Files of running sessions of a real cluster: the explorer's requests, what would be lost, copies into folders, and a
//! port on which a session listens for an SSH client.

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use tokio::sync::watch;
use workbay::{
    engine::{
        api::{Attached, ExecCommand, HelperTask, Input, Output},
        files::{FileRoot, LocalWork},
    },
    model::{
        digest,
        failure::FailureKind,
        files::{FileAnswer, FilePath, FileRequest, ListOptions, WriteOptions},
        id::SessionId,
        listen_frame::{Frame, FrameKind},
        loss::Rescue,
        spec::{FolderMount, LaunchRequest},
    },
};

use crate::{
    built::machine,
    folder::Made,
    support::{Bench, small, within},
};

fn path(text: &str) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

fn mounting(folders: &[(&Made, Option<&str>)]) -> LaunchRequest {
    let mounts = folders.iter().map(|(made, path)| FolderMount {
        folder: made.name().to_owned(),
        path: path.map(str::to_owned),
        read_only: false,
    });
    LaunchRequest {
        mounts: mounts.collect(),
        ..small()
    }
}

/// Runs a script in the session, and returns what it prints.
async fn run(bench: &Bench, session: SessionId, script: &str) -> String {
    let command = ExecCommand {
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        tty: None,
        kernel: None,
    };
    let mut running = within(bench.engine.exec(session, command)).await.unwrap();
    let mut printed = Vec::new();
    loop {
        match within(running.output.recv())
            .await
            .expect("an end is reported")
        {
            Output::Stdout(bytes) | Output::Stderr(bytes) => printed.extend_from_slice(&bytes),
            Output::End { exit_code } => {
                let printed = String::from_utf8_lossy(&printed).into_owned();
                assert_eq!(exit_code, Some(0), "{printed}");
                return printed;
            }
            Output::Lost { why } => panic!("{why}"),
        }
    }
}

async fn names(bench: &Bench, root: &FileRoot, of: &str) -> Vec<String> {
    let list = FileRequest::List {
        path: path(of),
        options: ListOptions {
            count: 100,
            ..ListOptions::default()
        },
    };
    match within(bench.engine.file_request(root, &list)).await {
        Ok(FileAnswer::Listing { listing }) => {
            let names = listing.entries.iter().map(|it| it.name.shown().to_string());
            names.collect()
        }
        other => panic!("{other:?}"),
    }
}

async fn read(bench: &Bench, root: &FileRoot, of: &str, offset: u64) -> Vec<u8> {
    let path = path(of);
    let mut pieces = within(bench.engine.read_file(root, &path, offset))
        .await
        .unwrap();
    let mut bytes = Vec::new();
    while let Some(piece) = within(pieces.next()).await {
        bytes.extend_from_slice(&piece.unwrap());
    }
    bytes
}

#[tokio::test]
async fn files_of_a_running_session_are_listed_changed_uploaded_and_downloaded() {
    let bench = Bench::new().await;
    let made = Made::new(&bench).await;
    let (ours, _) = bench.running(mounting(&[(&made, None)])).await;
    let (id, engine) = (ours.id(), &bench.engine);
    let home = FileRoot::Running(id);
    let ask = async |request| within(engine.file_request(&home, &request)).await;
    assert!(
        names(&bench, &home, "")
            .await
            .contains(&made.name().to_owned())
    );
    ask(FileRequest::CreateDirectory { path: path("deep") })
        .await
        .unwrap();
    let content: Vec<u8> = (0..20_000_003_u32).map(|at| (at % 253) as u8).collect();
    let pieces = content.chunks(1 << 20);
    let pieces: Vec<_> = pieces.map(|it| Ok(Bytes::copy_from_slice(it))).collect();
    let options = WriteOptions {
        size: Some(content.len() as u64),
        mode: Some(0o640),
        ..WriteOptions::default()
    };
    let (target, renamed) = (path("deep/한글 file"), path("deep/renamed"));
    within(engine.write_file(&home, &target, options, stream::iter(pieces).boxed()))
        .await
        .unwrap();
    ask(FileRequest::Rename {
        from: target,
        to: renamed,
    })
    .await
    .unwrap();
    // The session sees the same bytes, owner and permissions.
    let seen = run(
        &bench,
        id,
        "cd deep; sha256sum <renamed; stat -c '%U %a' renamed",
    )
    .await;
    let expected = format!("{}  -\nwork 640\n", digest::of(&content));
    assert_eq!(seen, expected);
    let rest = read(&bench, &home, "deep/renamed", 12_345_678).await;
    assert_eq!(digest::of(&rest), digest::of(&content[12_345_678..]));
    run(
        &bench,
        id,
        r#"printf x > "deep/$(printf '\377\033[31m')"; ln -s /etc deep/link; mkfifo deep/pipe"#,
    )
    .await;
    assert_eq!(names(&bench, &home, "deep").await.len(), 4);
    let pipe = engine
        .read_file(&home, &path("deep/pipe"), 0)
        .await
        .map(drop);
    assert!(pipe.unwrap_err().to_string().contains("it is a pipe"));
    let outside = engine.read_file(&home, &path("deep/link/passwd"), 0).await;
    assert!(outside.is_err(), "a link is followed");
    // What is mounted doesn't go with the session's files.
    let paths = vec![path(made.name())];
    let mounted = engine
        .file_work(&home, &home, LocalWork::Delete { paths })
        .await;
    let steps = mounted.unwrap().collect::<Vec<_>>().await;
    let refused = steps.into_iter().find_map(Result::err).unwrap();
    assert!(
        refused.to_string().contains("is mounted there"),
        "{refused}"
    );
    let paths = vec![path("deep")];
    let deleting = engine
        .file_work(&home, &home, LocalWork::Delete { paths })
        .await;
    for step in deleting.unwrap().collect::<Vec<_>>().await {
        step.unwrap();
    }
    run(&bench, id, "test ! -e deep && test -r /etc/passwd").await;
}

#[tokio::test]
async fn what_would_be_lost_is_counted_and_copied_into_folders() {
    let bench = Bench::new().await;
    let (mounted, other) = (Made::new(&bench).await, Made::new(&bench).await);
    // The folder is found by its id, wherever it is mounted.
    let (ours, _) = bench.running(mounting(&[(&mounted, Some("alias"))])).await;
    let (id, engine) = (ours.id(), &bench.engine);
    let nothing = within(engine.unsaved(id)).await.unwrap();
    assert_eq!(nothing.lost().files, 0, "{nothing:?}");
    run(
        &bench,
        id,
        "mkdir -p deep /tmp/x; head -c 100000 /dev/urandom > deep/data; echo hi > /tmp/x/f; \
         printf x > \"/tmp/x/$(printf '\\377')\"",
    )
    .await;
    let unsaved = within(engine.unsaved(id)).await.unwrap();
    assert_eq!(unsaved.home.total.files, 1, "{unsaved:?}");
    assert_eq!(unsaved.outside.total.files, 2, "{unsaved:?}");
    assert_eq!(unsaved.largest()[0].0.path, path("home/work/deep/data"));
    let sum = run(&bench, id, "sha256sum <deep/data").await;

    let rescue = |made: &Made, paths: Vec<FilePath>| Rescue {
        paths,
        folder: made.name().to_owned(),
        directory: path("new/rescued"),
    };
    // Where the session's user may write to its folders, the copy has every name. Otherwise the storage proxy stores it,
    // which takes only names in UTF-8.
    let writable = run(&bench, id, "test -w alias && echo yes || echo no").await == "yes\n";
    let (files, skipped) = if writable { (3, 0) } else { (2, 1) };
    let done = within(engine.rescue(id, &rescue(&mounted, Vec::new()), watch::Sender::default()))
        .await
        .unwrap();
    let counted = (done.files, done.skipped.len());
    assert_eq!(counted, (files, skipped), "{done:?}");
    let copied =
        "cd alias/new/rescued; sha256sum <home/work/deep/data; find . -type f | wc -l; ls -A ..";
    let expected = format!("{sum}{files}\nrescued\n");
    assert_eq!(run(&bench, id, copied).await, expected);
    let again = engine
        .rescue(id, &rescue(&mounted, Vec::new()), watch::Sender::default())
        .await;
    assert!(again.unwrap_err().to_string().contains("already exists"));

    // Into a folder that isn't mounted, through the storage proxy.
    let named = vec![path("home/work/deep"), path("tmp/x")];
    let done = within(engine.rescue(id, &rescue(&other, named), watch::Sender::default()))
        .await
        .unwrap();
    assert_eq!((done.files, done.skipped.len()), (2, 1), "{done:?}");
    let folder = FileRoot::Folder(other.name().to_owned());
    let data = read(&bench, &folder, "new/rescued/home/work/deep/data", 0).await;
    assert_eq!(format!("{}  -\n", digest::of(&data)), sum);
    assert_eq!(
        read(&bench, &folder, "new/rescued/tmp/x/f", 0).await,
        b"hi\n"
    );
    let missing = vec![path("home/work/no-such-file")];
    let failed =
        within(engine.rescue(id, &rescue(&other, missing), watch::Sender::default())).await;
    assert!(
        failed
            .unwrap_err()
            .to_string()
            .contains("not found in the session")
    );
    let unknown = Rescue {
        folder: "wbt-no-such-folder".to_owned(),
        ..rescue(&other, Vec::new())
    };
    let failed = engine
        .rescue(id, &unknown, watch::Sender::default())
        .await
        .unwrap_err();
    assert_eq!(failed.kind, FailureKind::NotFound, "{failed}");
}

#[tokio::test]
async fn the_command_line_copies_files_before_it_terminates_a_session() {
    let bench = Bench::new().await;
    let made = Made::new(&bench).await;
    let (ours, asked) = bench.running(mounting(&[(&made, None)])).await;
    let name = asked.name.unwrap();
    run(&bench, ours.id(), "echo mine > work.txt").await;
    let machine = machine("");
    let listed = machine.ok(&["rescue", &name, "--list"]);
    assert!(listed.contains("/home/work/work.txt"), "{listed}");
    // The explorer's way to the same file, and `cp` in both directions.
    let here = machine.path("here.txt");
    std::fs::write(&here, "from here").unwrap();
    let here = here.to_str().unwrap();
    machine.ok(&["cp", here, &format!("{name}:there.txt")]);
    assert_eq!(run(&bench, ours.id(), "cat there.txt").await, "from here");
    let to = format!("{}/saved", made.name());
    machine.ok(&["terminate", &name, "--yes", "--rescue-to", &to]);
    bench
        .until_session(ours.id(), |session| session.status.is_final())
        .await;
    let folder = FileRoot::Folder(made.name().to_owned());
    let saved = read(&bench, &folder, "saved/home/work/work.txt", 0).await;
    assert_eq!(saved, b"mine\n");
}

/// The next frame of a helper that listens, except for credit.
async fn frame(attached: &mut Attached, buffer: &mut BytesMut) -> Frame {
    loop {
        match Frame::read(buffer).unwrap() {
            Some(frame) if frame.kind != FrameKind::Credit => return frame,
            Some(_) => {}
            None => match within(attached.output.recv()).await {
                Some(Output::Stdout(bytes)) => buffer.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            },
        }
    }
}

#[tokio::test]
async fn a_session_listens_for_an_ssh_client() {
    let bench = Bench::new().await;
    let (ours, _) = bench.running(small()).await;
    let id = ours.id();
    let listen = HelperTask::Listen {
        address: "127.0.0.1".to_owned(),
        port: 0,
    };
    let mut attached = within(bench.engine.helper(id, listen)).await.unwrap();
    let mut buffer = BytesMut::new();
    let ready = frame(&mut attached, &mut buffer).await;
    let (port, _) = ready.port().unwrap();
    let script =
        format!("exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}; echo question >&3; cat <&3'");
    let asking = run(&bench, id, &script);
    let answering = async {
        let opened = frame(&mut attached, &mut buffer).await;
        let number = opened.connection;
        let data = frame(&mut attached, &mut buffer).await;
        assert_eq!(data.payload, "question\n");
        let answer = Frame::new(FrameKind::Data, number, Bytes::from_static(b"answer\n"));
        let end = Frame::new(FrameKind::End, number, Bytes::new());
        for frame in [answer, end] {
            let bytes = Input::Bytes(frame.encoded());
            attached.input.send(bytes).await.unwrap();
        }
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert_eq!(answer, "answer\n");
}
