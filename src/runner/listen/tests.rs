//! The helper with frames in memory. The whole way is tested with `ssh -R`.

use bytes::{Bytes, BytesMut};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

use super::serve;
use crate::model::listen_frame::{Frame, FrameKind, LONGEST, WINDOW};

/// The server's side of a helper.
struct Link {
    to: DuplexStream,
    from: DuplexStream,
    buffer: BytesMut,
    helper: JoinHandle<std::io::Result<()>>,
    port: u16,
}

impl Link {
    async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await;
        let port = listener.as_ref().unwrap().local_addr().unwrap().port();
        let (to, input) = tokio::io::duplex(1024);
        let (output, from) = tokio::io::duplex(1024);
        let helper = tokio::spawn(serve(listener, input, output));
        let mut link = Self {
            to,
            from,
            buffer: BytesMut::new(),
            helper,
            port,
        };
        let ready = link.next().await;
        assert_eq!(
            (ready.kind, ready.port()),
            (FrameKind::Ready, Some((port, String::new())))
        );
        link
    }

    async fn next(&mut self) -> Frame {
        loop {
            if let Some(frame) = Frame::read(&mut self.buffer).unwrap() {
                return frame;
            }
            assert!(
                self.from.read_buf(&mut self.buffer).await.unwrap() > 0,
                "the helper ended"
            );
        }
    }

    async fn send(&mut self, kind: FrameKind, connection: u32, payload: &'static [u8]) {
        let frame = Frame::new(kind, connection, Bytes::from_static(payload));
        self.to.write_all(&frame.encoded()).await.unwrap();
    }

    async fn connect(&mut self) -> (TcpStream, u32) {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.unwrap();
        let opened = self.next().await;
        let local = stream.local_addr().unwrap();
        assert_eq!(opened.kind, FrameKind::Opened);
        assert_eq!(opened.port(), Some((local.port(), "127.0.0.1".to_owned())));
        (stream, opened.connection)
    }
}

#[tokio::test]
async fn both_directions_end_on_their_own() {
    let mut link = Link::new().await;
    let (mut program, number) = link.connect().await;
    program.write_all(b"question").await.unwrap();
    program.shutdown().await.unwrap();
    let mut asked = Vec::new();
    loop {
        let frame = link.next().await;
        assert_eq!(frame.connection, number);
        if frame.kind == FrameKind::End {
            break;
        }
        asked.extend_from_slice(&frame.payload);
    }
    assert_eq!(asked, b"question");
    link.send(FrameKind::Data, number, b"answer").await;
    link.send(FrameKind::End, number, b"").await;
    let mut answer = Vec::new();
    program.read_to_end(&mut answer).await.unwrap();
    assert_eq!(answer, b"answer");
    let credit = link.next().await;
    assert_eq!((credit.kind, credit.bytes()), (FrameKind::Credit, 6));
    assert_eq!(link.next().await.kind, FrameKind::Close);
    drop(link.to);
    link.helper.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_program_sends_no_more_than_the_window() {
    let mut link = Link::new().await;
    let (mut program, number) = link.connect().await;
    let writing = tokio::spawn(async move {
        program.write_all(&vec![1; 3 * WINDOW]).await.unwrap();
        program
    });
    let mut received = 0;
    while received < WINDOW {
        received += link.next().await.payload.len();
    }
    assert_eq!(received, WINDOW);
    // Another connection isn't concerned.
    let (mut other, second) = link.connect().await;
    other.write_all(b"x").await.unwrap();
    assert_eq!(link.next().await.connection, second);
    let credit = Frame::credit(number, LONGEST).encoded();
    link.to.write_all(&credit).await.unwrap();
    let mut more = 0;
    while more < LONGEST {
        let frame = link.next().await;
        assert_eq!(frame.connection, number);
        more += frame.payload.len();
    }
    link.send(FrameKind::Close, number, b"").await;
    assert_eq!(link.next().await.kind, FrameKind::Close);
    // The program's connection is closed, which it sees as an end or an error.
    let mut program = writing.await.unwrap();
    let read = program.read(&mut [0]).await;
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    drop(other);
}

#[tokio::test]
async fn what_cannot_listen_says_so_and_ends() {
    let (_to, input) = tokio::io::duplex(64);
    let (output, mut from) = tokio::io::duplex(1024);
    let failed = Err(std::io::ErrorKind::AddrInUse.into());
    serve(failed, input, output).await.unwrap();
    let mut bytes = BytesMut::new();
    while from.read_buf(&mut bytes).await.unwrap() > 0 {}
    let frame = Frame::read(&mut bytes).unwrap().unwrap();
    assert_eq!(frame.kind, FrameKind::Failed);
    assert!(String::from_utf8_lossy(&frame.payload).contains("in use"));
}

#[tokio::test]
async fn garbage_ends_it() {
    let mut link = Link::new().await;
    link.to
        .write_all(b"garbage that isn't a frame")
        .await
        .unwrap();
    assert!(link.helper.await.unwrap().is_err());
}
