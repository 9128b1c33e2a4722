//! Opens connections to ports of the container and to SFTP servers for the engine, and hands over the connected sockets.
//! So their bytes don't pass through the engine's exec.
//!
//! The engine writes a port (two bytes, the higher one first; 0 for SFTP). The answer is one byte: 0 with the socket, or 1
//! with the reason. The directory of the socket belongs to the session's user, who may use the ports anyway.

use std::{
    fs, io,
    io::IoSlice,
    mem::MaybeUninit,
    net::{Ipv4Addr, Ipv6Addr},
    os::fd::{AsFd as _, BorrowedFd},
    path::Path,
    sync::Arc,
    time::Duration,
};

use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, Interest},
    net::{TcpStream, UnixListener, UnixStream},
    sync::Semaphore,
    time::timeout,
};

use super::sftp;
use crate::model::inside;

/// How long a request may take to arrive, and its connection to be made.
const PATIENCE: Duration = Duration::from_secs(5);

/// The pause after a connection that couldn't be accepted: descriptors may be used up.
const ACCEPT_AGAIN: Duration = Duration::from_millis(200);

/// Serves requests in the background, if the container shares a directory with the engine.
pub(super) fn listen() {
    let directory = Path::new(inside::SHARED);
    if !directory.is_dir() {
        return;
    }
    match bind(&directory.join(inside::CONNECT_SOCKET)) {
        Ok(listener) => drop(tokio::spawn(serve(listener))),
        Err(error) => super::complain(&tr_sent!(
            "connections to ports of this session will be slower, because its socket can't be created: {error}",
            error
        )),
    }
}

fn bind(path: &Path) -> io::Result<UnixListener> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    UnixListener::bind(path)
}

async fn serve(listener: UnixListener) {
    let places = Arc::new(Semaphore::new(inside::CONNECTING));
    loop {
        let Ok(place) = Arc::clone(&places).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((client, _)) => {
                tokio::spawn(async move {
                    // A client that left gets nothing.
                    let _ = timeout(PATIENCE, answer(client)).await;
                    drop(place);
                });
            }
            Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
        }
    }
}

async fn answer(mut client: UnixStream) -> io::Result<()> {
    let port = client.read_u16().await?;
    let refusal = if port == inside::SFTP_PORT {
        match sftp::start() {
            Ok(stream) => return hand_over(&client, stream.as_fd()).await,
            Err(error) => tr_sent!("no SFTP server can be started: {error}", error),
        }
    } else {
        match connect(port).await {
            Ok(stream) => return hand_over(&client, stream.as_fd()).await,
            Err(error) => tr_sent!(
                "no program answers on port {port} of this session: {error}",
                port,
                error
            ),
        }
    };
    client.write_all(format!("\u{1}{refusal}").as_bytes()).await
}

/// Tries both loopback addresses, because some services listen on only one of them.
async fn connect(port: u16) -> io::Result<TcpStream> {
    let stream = match TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await {
        Ok(stream) => stream,
        Err(refused) => {
            let second = TcpStream::connect((Ipv6Addr::LOCALHOST, port)).await;
            // Where IPv6 is missing, the second error says nothing about the port.
            second.map_err(|_| refused)?
        }
    };
    stream.set_nodelay(true)?;
    Ok(stream)
}

async fn hand_over(client: &UnixStream, socket: BorrowedFd<'_>) -> io::Result<()> {
    let send = || {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        let sockets = [socket];
        control.push(SendAncillaryMessage::ScmRights(&sockets));
        let sent = rustix::net::sendmsg(
            client,
            &[IoSlice::new(&[0])],
            &mut control,
            SendFlags::NOSIGNAL,
        );
        Ok(sent.map(drop)?)
    };
    client.async_io(Interest::WRITABLE, send).await
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    async fn ask(port: u16) -> Vec<u8> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        tokio::spawn(serve(bind(&path).unwrap()));
        let mut client = UnixStream::connect(&path).await.unwrap();
        client.write_u16(port).await.unwrap();
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn a_port_that_listens_is_connected() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(ask(port).await, [0]);
        assert!(listener.accept().await.is_ok());
        let answer = String::from_utf8(ask(1).await).unwrap();
        let expected = "\u{1}no program answers on port 1 of this session: ";
        assert!(answer.starts_with(expected), "{answer}");
    }

    #[tokio::test]
    async fn an_old_socket_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        drop(bind(&path).unwrap());
        assert!(bind(&path).is_ok());
    }
}
