//! Terminals, logs and commands through the daemon.

use workbay::{
    client::{Stream, StreamItem},
    model::{
        id::{SessionId, SessionKey},
        log::{LogOptions, LogSource},
    },
    protocol::message::{Request, StreamEnd, StreamOpen},
};

use crate::support::{TestClient, TestDaemon, programs::FLOOD_PIECE, test_daemon::PATIENCE};

async fn next(stream: &mut Stream) -> StreamItem {
    tokio::time::timeout(PATIENCE, stream.recv())
        .await
        .expect("an item comes in time")
        .expect("the stream continues")
}

/// More bytes than the socket and the tasks on both sides buffer.
const LONG: usize = 4 * 1024 * 1024;

async fn open(client: &TestClient, open: StreamOpen) -> Stream {
    let mut stream = client.connection.open(open);
    assert_eq!(next(&mut stream).await, StreamItem::Opened);
    stream
}

/// All bytes until the end, and the end.
async fn rest(stream: &mut Stream) -> (Vec<u8>, StreamEnd) {
    let mut all = Vec::new();
    loop {
        match next(stream).await {
            StreamItem::Opened => {}
            StreamItem::Data { bytes, .. } => all.extend_from_slice(&bytes),
            StreamItem::Ended(end) => {
                assert_eq!(stream.recv().await, None);
                return (all, end);
            }
        }
    }
}

async fn until_text(stream: &mut Stream, expected: &str) {
    let mut seen = String::new();
    while !seen.contains(expected) {
        if let StreamItem::Data { bytes, .. } = next(stream).await {
            seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
}

fn exec(session: SessionId, argv: &[&str]) -> StreamOpen {
    StreamOpen::Exec {
        session: SessionKey::local(session),
        argv: argv.iter().map(ToString::to_string).collect(),
        tty: None,
        kernel: None,
    }
}

fn exited(code: i64) -> StreamEnd {
    StreamEnd::Exited {
        exit_code: Some(code),
    }
}

#[tokio::test]
async fn a_terminal_echoes_resizes_and_ends() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.run("shelled").await;
    let terminal = StreamOpen::Terminal {
        session: SessionKey::local(session),
        tag: "pane-1".into(),
        columns: 80,
        rows: 24,
        start: workbay::model::shell_start::ShellStart::default(),
    };
    let mut stream = open(&client, terminal).await;
    let sender = stream.sender();
    sender.send("안녕 \u{1b}[2J").await.unwrap();
    until_text(&mut stream, "안녕 \u{1b}[2J").await;
    sender.resize(100, 30).await.unwrap();
    until_text(&mut stream, "<100x30>").await;
    sender.send("exit\n").await.unwrap();
    assert_eq!(rest(&mut stream).await.1, exited(0));
    sender.send("more").await.unwrap_err();
}

#[tokio::test]
async fn a_command_gets_its_input_and_its_code_comes_back() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.run("commanded").await;
    let mut stream = open(&client, exec(session, &["exit", "7"])).await;
    assert_eq!(rest(&mut stream).await, (Vec::new(), exited(7)));

    let mut stream = open(&client, exec(session, &["cat"])).await;
    let sender = stream.sender();
    let paste = vec![b'p'; LONG + 5];
    let sent = paste.clone();
    let sending = tokio::spawn(async move {
        sender.send(sent).await.unwrap();
        sender.end_input().await.unwrap();
    });
    let (echoed, end) = rest(&mut stream).await;
    sending.await.unwrap();
    assert_eq!((echoed.len(), end), (paste.len(), exited(0)));
}

#[tokio::test]
async fn output_and_the_end_arrive_when_input_is_refused_first() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.run("nourished").await;
    // More frames than wait for the owner of the stream, and fewer than block the program.
    let mut stream = open(&client, exec(session, &["flood", "15"])).await;
    let sender = stream.sender();
    while sender.send("y\n").await.is_ok() {}
    let (output, end) = rest(&mut stream).await;
    assert_eq!((output.len(), end), (15 * FLOOD_PIECE, exited(0)));
}

#[tokio::test]
async fn a_flood_that_nobody_reads_blocks_neither_requests_nor_other_streams() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.run("flooded").await;
    let mut flood = open(&client, exec(session, &["flood", "500"])).await;
    let deaf = open(&client, exec(session, &["deaf"])).await;
    let pasted = deaf.sender();
    let pasting = tokio::spawn(async move {
        let long = vec![0; LONG];
        pasted.send(long).await
    });
    let mut echo = open(&client, exec(session, &["cat"])).await;
    echo.sender().send("still here").await.unwrap();
    until_text(&mut echo, "still here").await;
    let answer = client.connection.ask(Request::Status).await;
    assert!(answer.is_ok(), "{answer:?}");
    client.run("another").await;
    drop(deaf);
    assert!(pasting.await.unwrap().is_err(), "nobody reads it any more");
    let (bytes, end) = rest(&mut flood).await;
    assert_eq!((bytes.len(), end), (500 * FLOOD_PIECE, exited(0)));
}

#[tokio::test]
async fn the_log_comes_with_its_source() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.run("logged").await;
    daemon.engine.write_log(session, "hello\n");
    let options = LogOptions {
        follow: false,
        tail: None,
        kernel: None,
        timestamps: false,
        before: None,
    };
    let session = SessionKey::local(session);
    let mut stream = open(&client, StreamOpen::Log { session, options }).await;
    let StreamItem::Data { source, bytes } = next(&mut stream).await else {
        panic!("no data");
    };
    assert_eq!((source, &bytes[..]), (LogSource::Stderr, &b"hello\n"[..]));
}

#[tokio::test]
async fn a_shell_in_an_ended_session_is_refused_with_its_status() {
    let daemon = TestDaemon::open().await;
    let mut client = daemon.client().await;
    let session = client.run("over").await;
    daemon.engine.die(session, 0, false);
    client
        .until(session, |session| session.status.is_final())
        .await;
    let mut stream = client.connection.open(exec(session, &["cat"]));
    let StreamItem::Ended(StreamEnd::Failed { failure }) = next(&mut stream).await else {
        panic!("it was opened");
    };
    assert_eq!(
        failure.message(),
        "session over is TERMINATED: a command needs a running session"
    );
}
