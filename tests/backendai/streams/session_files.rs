//! Files of a running session, and ports that an SSH client listens on: by workbay's program for the session's Python.

use std::{collections::VecDeque, time::Duration};

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, stream};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    sync::mpsc,
};
use workbay::{
    engine::{
        api::{Attached, HelperTask, Input, Output, Result, Streams as _},
        backendai::BackendAiEngine,
        files::{FileRoot, Files as _, LocalWork},
    },
    model::{
        failure::Failure,
        files::{
            FileAnswer, FileListing, FilePath, FileRequest, ListOptions, WriteOptions, part_name,
        },
        listen_frame::{Frame, FrameKind},
    },
};

use crate::poll;

use super::{
    commands::lab,
    manager::SESSION,
    sshd::{Sshd, USUAL},
    tcpproxy::{Fault, TcpProxy},
};

/// Long enough for a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

static HERE: FileRoot = FileRoot::Running(SESSION);

/// A session whose home is a directory of this machine. Its connections can be cut.
struct Bench {
    engine: BackendAiEngine,
    home: tempfile::TempDir,
    lines: Lines,
}

/// The connections to the session.
struct Lines {
    new: mpsc::UnboundedReceiver<TcpProxy>,
    open: Vec<TcpProxy>,
    broken: Vec<TcpProxy>,
}

impl Lines {
    /// Cuts all of them.
    fn cut(&mut self) {
        self.count();
        for line in self.open.drain(..) {
            line.fault(Fault::Cut);
            self.broken.push(line);
        }
    }

    fn count(&mut self) -> usize {
        while let Ok(line) = self.new.try_recv() {
            self.open.push(line);
        }
        self.open.len() + self.broken.len()
    }
}

impl Bench {
    async fn new() -> Self {
        let mut manager = lab().await;
        let engine = manager.engine();
        let home = tempfile::tempdir().unwrap();
        let path: &'static str = Box::leak(home.path().to_str().unwrap().into());
        let sshd = Sshd {
            home: Some(path),
            ..USUAL
        };
        let (sender, new) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            loop {
                let (bytes, line) = manager.port().await;
                drop(sshd.serve(bytes));
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self {
            engine,
            home,
            lines: Lines {
                new,
                open: Vec::new(),
                broken: Vec::new(),
            },
        }
    }

    async fn ask(&self, request: FileRequest) -> Result<FileAnswer> {
        self.engine.file_request(&HERE, &request).await
    }

    async fn list(&self, of: &str) -> FileListing {
        let options = ListOptions {
            count: 100,
            ..ListOptions::default()
        };
        let path = path(of);
        match self.ask(FileRequest::List { path, options }).await.unwrap() {
            FileAnswer::Listing { listing } => listing,
            other => panic!("{other:?}"),
        }
    }

    async fn write(
        &self,
        to: &str,
        pieces: Vec<Result<Bytes>>,
        options: WriteOptions,
    ) -> Result<()> {
        let content = stream::iter(pieces).boxed();
        let path = path(to);
        self.engine.write_file(&HERE, &path, options, content).await
    }

    async fn read(&self, from: &str, offset: u64) -> Result<Vec<u8>> {
        let mut pieces = self.engine.read_file(&HERE, &path(from), offset).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = pieces.next().await {
            bytes.extend_from_slice(&piece?);
        }
        Ok(bytes)
    }

    async fn work(&self, work: LocalWork) -> Result<u64> {
        let steps = self.engine.file_work(&HERE, &HERE, work).await?;
        let mut last = 0;
        for step in steps.collect::<Vec<_>>().await {
            last = step?.files;
        }
        Ok(last)
    }
}

fn path(text: &str) -> FilePath {
    FilePath::parse(text.as_ref()).unwrap()
}

fn content(length: usize) -> Vec<u8> {
    (0..length).map(|at| (at % 251) as u8).collect()
}

fn sized(bytes: &[u8], offset: u64) -> WriteOptions {
    WriteOptions {
        size: Some(bytes.len() as u64),
        offset,
        ..WriteOptions::default()
    }
}

#[tokio::test]
async fn a_session_s_files_are_listed_and_changed_over_one_connection() {
    let mut bench = Bench::new().await;
    let create = |name: &str| FileRequest::CreateDirectory { path: path(name) };
    bench.ask(create("d")).await.unwrap();
    let taken = bench.ask(create("d")).await.unwrap_err();
    assert_eq!(taken.to_string(), "'d' already exists");
    let large = content(5_000_001);
    let pieces = large.chunks(300_000);
    let pieces = pieces.map(|it| Ok(Bytes::copy_from_slice(it))).collect();
    bench
        .write("d/large", pieces, sized(&large, 0))
        .await
        .unwrap();
    let from = path("d/large");
    let to = path("d/한글 \n");
    bench.ask(FileRequest::Rename { from, to }).await.unwrap();
    assert_eq!(bench.read("d/한글 \n", 0).await.unwrap(), large);
    let listing = bench.list("d").await;
    assert_eq!(listing.entries[0].size, large.len() as u64);
    let odd: &std::ffi::OsStr = std::os::unix::ffi::OsStrExt::from_bytes(b"\xff\xfe");
    std::fs::write(bench.home.path().join(odd), "odd").unwrap();
    let listing = bench.list("").await;
    let names: Vec<_> = listing.entries.iter().map(|it| it.name.0.clone()).collect();
    assert_eq!(names, [std::ffi::OsStr::new("d"), odd]);
    let copy = LocalWork::Copy {
        paths: vec![path("d")],
        directory: path("d"),
        replace: false,
        moving: false,
    };
    assert!(bench.work(copy).await.is_err(), "into itself");
    let paths = vec![path("d"), FilePath::parse(odd).unwrap()];
    assert_eq!(bench.work(LocalWork::Delete { paths }).await.unwrap(), 3);
    assert!(bench.list("").await.entries.is_empty());
    // Except for what broke off, one connection has served it all.
    assert!(bench.lines.count() <= 2, "{}", bench.lines.count());
    let missing = bench.read("missing", 0).await.unwrap_err();
    assert!(
        missing.is_not_found() && missing.hint.is_some(),
        "{missing}"
    );
}

#[tokio::test]
async fn a_manager_that_dies_breaks_a_transfer_that_can_be_continued() {
    let mut bench = Bench::new().await;
    let large = content(30_000_000);
    std::fs::write(bench.home.path().join("down"), &large).unwrap();
    let mut pieces = bench
        .engine
        .read_file(&HERE, &path("down"), 0)
        .await
        .unwrap();
    let mut arrived = pieces.next().await.unwrap().unwrap().to_vec();
    bench.lines.cut();
    let failure = loop {
        match pieces
            .next()
            .await
            .expect("a broken transfer isn't complete")
        {
            Ok(piece) => arrived.extend_from_slice(&piece),
            Err(failure) => break failure,
        }
    };
    assert!(failure.is_lost(), "{failure}");
    let rest = bench.read("down", arrived.len() as u64).await.unwrap();
    arrived.extend_from_slice(&rest);
    assert!(arrived == large);

    let part = bench.home.path().join(part_name("up".as_ref()));
    let half = Bytes::copy_from_slice(&large[..1_000_000]);
    let sent = stream::once(async { Ok(half) });
    let target = path("up");
    let content = sent.chain(stream::pending()).boxed();
    let writing = bench
        .engine
        .write_file(&HERE, &target, sized(&large, 0), content);
    let failure: Failure = {
        let is_half_there = || part.metadata().is_ok_and(|it| it.len() == 1_000_000);
        let pause = Duration::from_millis(20);
        let cut = async {
            let half = poll::until(pause, PATIENCE, async || is_half_there().then_some(())).await;
            half.expect("half of the file arrives");
            bench.lines.cut();
        };
        let (result, ()) = tokio::join!(writing, cut);
        result.unwrap_err()
    };
    assert!(failure.is_lost(), "{failure}");
    assert!(!bench.home.path().join("up").exists());
    let stat = FileRequest::Stat {
        path: FilePath::parse(part.file_name().unwrap()).unwrap(),
    };
    let Ok(FileAnswer::Entry { entry }) = bench.ask(stat).await else {
        panic!("the part is gone");
    };
    let rest = Bytes::copy_from_slice(&large[1_000_000..]);
    bench
        .write("up", vec![Ok(rest)], sized(&large, entry.size))
        .await
        .unwrap();
    assert!(std::fs::read(bench.home.path().join("up")).unwrap() == large);
}

/// The frames of a helper that listens.
struct Frames {
    attached: Attached,
    buffer: BytesMut,
    waiting: VecDeque<Frame>,
}

impl Frames {
    async fn next(&mut self) -> Frame {
        loop {
            if let Some(frame) = self.waiting.pop_front() {
                return frame;
            }
            match self.attached.output.recv().await {
                Some(Output::Stdout(bytes)) => self.buffer.extend_from_slice(&bytes),
                other => panic!("{other:?}"),
            }
            while let Some(frame) = Frame::read(&mut self.buffer).unwrap() {
                self.waiting.push_back(frame);
            }
        }
    }

    async fn send(&mut self, frame: Frame) {
        let input = &self.attached.input;
        input.send(Input::Bytes(frame.encoded())).await.unwrap();
    }

    /// The bytes that a connection sent until its end, which are acknowledged.
    async fn read_to_end(&mut self, number: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        loop {
            let frame = self.next().await;
            assert_eq!(frame.connection, number);
            match frame.kind {
                FrameKind::Data => {
                    bytes.extend_from_slice(&frame.payload);
                    self.send(Frame::credit(number, frame.payload.len())).await;
                }
                FrameKind::Credit => {}
                FrameKind::End => return bytes,
                other => panic!("{other:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_session_listens_for_an_ssh_client() {
    let bench = Bench::new().await;
    let listen = |port| HelperTask::Listen {
        address: "127.0.0.1".to_owned(),
        port,
    };
    let attached = bench.engine.helper(SESSION, listen(0)).await.unwrap();
    let mut frames = Frames {
        attached,
        buffer: BytesMut::new(),
        waiting: VecDeque::new(),
    };
    let ready = frames.next().await;
    assert_eq!(ready.kind, FrameKind::Ready);
    let (port, _) = ready.port().unwrap();
    let mut client = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let opened = frames.next().await;
    assert_eq!(opened.kind, FrameKind::Opened);
    let from = client.local_addr().unwrap().port();
    assert_eq!(opened.port(), Some((from, "127.0.0.1".to_owned())));
    let number = opened.connection;
    // More than a window goes in each direction.
    let large = content(1_000_000);
    let (mut reading, mut writing) = client.split();
    let sent = large.clone();
    let client_side = async {
        writing.write_all(&sent).await.unwrap();
        writing.shutdown().await.unwrap();
        let mut answer = Vec::new();
        reading.read_to_end(&mut answer).await.unwrap();
        answer
    };
    let our_side = async {
        let arrived = frames.read_to_end(number).await;
        let answer = Bytes::from_static(b"an answer");
        frames
            .send(Frame::new(FrameKind::Data, number, answer))
            .await;
        frames
            .send(Frame::new(FrameKind::End, number, Bytes::new()))
            .await;
        arrived
    };
    let (answer, arrived) = tokio::join!(client_side, our_side);
    assert_eq!(answer, b"an answer");
    assert!(arrived == large);
    let closed = loop {
        let frame = frames.next().await;
        if frame.kind != FrameKind::Credit {
            break frame.kind;
        }
    };
    assert_eq!(closed, FrameKind::Close);
    // The port is taken, which is reported.
    let attached = bench.engine.helper(SESSION, listen(port)).await.unwrap();
    let mut other = Frames {
        attached,
        buffer: BytesMut::new(),
        waiting: VecDeque::new(),
    };
    let failed = other.next().await;
    assert_eq!(failed.kind, FrameKind::Failed);
    let why = String::from_utf8_lossy(&failed.payload).into_owned();
    assert!(why.contains("in use"), "{why}");
}
