use std::{
    io::{IoSlice, Read as _},
    net::{TcpListener, TcpStream},
    os::{
        fd::BorrowedFd,
        unix::net::{UnixListener, UnixStream as StdUnixStream},
    },
    path::PathBuf,
};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};

use super::*;
use crate::engine::docker::container::identity::caller;

/// What a session does with a client of its socket.
type Answer = Box<dyn Fn(StdUnixStream) + Send>;

/// A session's directory with a socket whose owner answers what `answer` says.
fn session(answer: impl Fn(StdUnixStream) + Send + 'static) -> (tempfile::TempDir, PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    make_directory(&path, caller()).unwrap();
    let listener = UnixListener::bind(path.join(inside::CONNECT_SOCKET)).unwrap();
    std::thread::spawn(move || {
        while let Ok((mut client, _)) = listener.accept() {
            // The other side must not find the socket closed while it writes.
            let mut request = [0; 64];
            let _ = client.read(&mut request);
            answer(client);
        }
    });
    (dir, path)
}

fn send(client: &StdUnixStream, kind: u8, sockets: &[BorrowedFd<'_>]) {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(4))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !sockets.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(sockets));
    }
    rustix::net::sendmsg(
        client,
        &[IoSlice::new(&[kind])],
        &mut control,
        SendFlags::empty(),
    )
    .unwrap();
}

async fn tried(path: &Path, port: u16) -> Result<DirectStream, NoConnection> {
    connect(path, caller().0, port).await
}

async fn is_unavailable(path: &Path, port: u16) -> bool {
    matches!(tried(path, port).await, Err(NoConnection::Unavailable(_)))
}

#[tokio::test]
async fn a_connection_carries_bytes_in_both_directions() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let (_dir, path) = session(move |client| {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        send(&client, 0, &[stream.as_fd()]);
    });
    let echo = std::thread::spawn(move || {
        let (mut stream, _) = server.accept().unwrap();
        let mut copy = stream.try_clone().unwrap();
        io::copy(&mut stream, &mut copy).unwrap();
    });
    let mut stream = tried(&path, port).await.unwrap();
    let sent = vec![7; 3_000_000];
    let (mut reading, mut writing) = tokio::io::split(&mut stream);
    let write = async {
        writing.write_all(&sent).await.unwrap();
        writing.shutdown().await.unwrap();
    };
    let mut got = Vec::new();
    let read = reading.read_to_end(&mut got);
    let ((), length) = tokio::join!(write, read);
    assert_eq!((length.unwrap(), got.len()), (sent.len(), sent.len()));
    echo.join().unwrap();
}

#[tokio::test]
async fn a_copy_kept_by_the_session_neither_blocks_nor_holds_the_connection() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let (kept_in, kept) = std::sync::mpsc::channel();
    let (_dir, path) = session(move |client| {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        send(&client, 0, &[stream.as_fd()]);
        kept_in.send(stream).unwrap();
    });
    let mut stream = tried(&path, port).await.unwrap();
    let kept = kept.recv().unwrap();
    // The flag belongs to both copies.
    kept.set_nonblocking(false).unwrap();
    let mut byte = [0];
    let waiting = std::future::poll_fn(|context| {
        let mut buffer = tokio::io::ReadBuf::new(&mut byte);
        let polled =
            tokio::io::AsyncRead::poll_read(std::pin::Pin::new(&mut stream), context, &mut buffer);
        std::task::Poll::Ready(polled.is_pending())
    });
    assert!(waiting.await, "a read without data must not block");
    let (mut app, _) = server.accept().unwrap();
    drop(stream);
    let mut rest = Vec::new();
    io::Read::read_to_end(&mut app, &mut rest).unwrap();
    drop(kept);
}

#[tokio::test]
async fn what_is_no_connection_to_the_port_is_not_taken() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let elsewhere = other.local_addr().unwrap();
    let hostile: Vec<(&str, Answer)> = vec![
        (
            "a file",
            Box::new(|client| {
                let file = std::fs::File::open("/dev/zero").unwrap();
                send(&client, 0, &[file.as_fd()]);
            }),
        ),
        (
            "a listening socket",
            Box::new(|client| {
                let listener = TcpListener::bind("127.0.0.1:0").unwrap();
                send(&client, 0, &[listener.as_fd()]);
            }),
        ),
        (
            "a Unix socket",
            Box::new(|client| {
                let (one, _two) = StdUnixStream::pair().unwrap();
                send(&client, 0, &[one.as_fd()]);
            }),
        ),
        (
            "a UDP socket",
            Box::new(move |client| {
                let socket = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
                socket.connect(("127.0.0.1", port)).unwrap();
                send(&client, 0, &[socket.as_fd()]);
            }),
        ),
        (
            "another port",
            Box::new(move |client| {
                let stream = TcpStream::connect(elsewhere).unwrap();
                send(&client, 0, &[stream.as_fd()]);
            }),
        ),
        ("nothing", Box::new(|client| send(&client, 0, &[]))),
        ("an end", Box::new(drop)),
        ("another answer", Box::new(|client| send(&client, 9, &[]))),
        (
            "several descriptors",
            Box::new(|client| {
                let file = std::fs::File::open("/dev/null").unwrap();
                send(&client, 0, &[file.as_fd(), file.as_fd(), file.as_fd()]);
            }),
        ),
    ];
    for (what, answer) in hostile {
        let (_dir, path) = session(answer);
        assert!(is_unavailable(&path, port).await, "{what} was taken");
    }
    drop(server);
}

#[tokio::test]
async fn a_refusal_gives_its_reason_within_limits() {
    let (_dir, path) = session(|mut client| {
        send(&client, 1, &[]);
        let text = format!("\u{1b}[2Jnothing listens{}", " x".repeat(10_000));
        // The other side may have read enough.
        let _ = io::Write::write_all(&mut client, text.as_bytes());
    });
    let Err(NoConnection::Refused(why)) = tried(&path, 1).await else {
        panic!("not refused");
    };
    assert!(why.as_str().starts_with("nothing listens x"), "{why}");
    assert!(why.as_str().len() <= 512);
}

#[tokio::test]
async fn a_link_to_another_socket_is_not_followed() {
    let (_dir, other) = session(|client| send(&client, 1, &[]));
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    make_directory(&path, caller()).unwrap();
    let socket = path.join(inside::CONNECT_SOCKET);
    assert!(is_unavailable(&path, 1).await, "no socket");
    std::os::unix::fs::symlink(other.join(inside::CONNECT_SOCKET), &socket).unwrap();
    assert!(is_unavailable(&path, 1).await, "a link");
    std::fs::remove_file(&socket).unwrap();
    std::fs::write(&socket, "").unwrap();
    assert!(is_unavailable(&path, 1).await, "a file");
    let link = dir.path().join("link");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    assert!(is_unavailable(&link, 1).await, "a link to a directory");
}

#[tokio::test]
async fn sftp_gets_a_unix_connection_and_nothing_else() {
    let (_dir, path) = session(|client| {
        let (mut server, other) = StdUnixStream::pair().unwrap();
        io::Write::write_all(&mut server, b"hello").unwrap();
        send(&client, 0, &[other.as_fd()]);
    });
    let mut stream = sftp(&path, caller().0).await.unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).await.unwrap();
    assert_eq!(text, "hello");
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port();
    let (_dir, path) = session(move |client| {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        send(&client, 0, &[stream.as_fd()]);
    });
    let refused = sftp(&path, caller().0).await;
    assert!(matches!(refused, Err(NoConnection::Unavailable(_))));
}
