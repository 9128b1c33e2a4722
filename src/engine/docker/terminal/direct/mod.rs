//! Direct connections to ports of a session and to its SFTP server: the runner inside connects, and hands over the socket.
//!
//! The session's user can replace the runner's socket and answer in its place. So nothing but the port is sent, the
//! socket file is opened without following links, and what comes back is checked: it must be a TCP connection to that
//! port of a loopback address, or one end of a pair of Unix sockets for SFTP. The session may keep a copy of the socket
//! and change its flags, so reading and writing never rely on them.

mod stream;

use std::{
    fs::Permissions,
    io::{self, IoSliceMut},
    mem::MaybeUninit,
    net::{IpAddr, SocketAddr},
    os::{
        fd::{AsFd as _, AsRawFd as _, OwnedFd},
        unix::fs::PermissionsExt as _,
    },
    path::Path,
    time::Duration,
};

use rustix::{
    fs::{FileType, Mode, OFlags},
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SocketType, ipproto,
        sockopt,
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, Interest},
    net::UnixStream,
    time::timeout,
};

use self::stream::DirectStream;
use crate::{
    engine::docker::{container::identity::give, private_directory::private_directory},
    model::{inside, text::Clean},
};

/// How long the runner may take. It connects to its own machine.
const PATIENCE: Duration = Duration::from_secs(3);

/// The longest reason that is read, in bytes.
const LONGEST_REASON: u64 = 512;

/// Why there is no direct connection.
#[derive(Debug)]
pub(in crate::engine::docker) enum NoConnection {
    /// No program listens on the port, in the runner's words.
    Refused(Clean),
    /// The session has no runner that connects, or its answer can't be trusted. Another way may work.
    Unavailable(io::Error),
}

impl From<io::Error> for NoConnection {
    fn from(error: io::Error) -> Self {
        Self::Unavailable(error)
    }
}

/// Creates the directory that is shared with the container.
pub(in crate::engine::docker) fn make_directory(path: &Path, owner: (u32, u32)) -> io::Result<()> {
    private_directory(path)?;
    std::fs::set_permissions(path, Permissions::from_mode(0o700))?;
    give(path, owner)
}

/// Connects to a port of the session with this shared directory. `uid` is the session's user on this machine.
pub(in crate::engine::docker) async fn connect(
    directory: &Path,
    uid: u32,
    port: u16,
) -> Result<DirectStream, NoConnection> {
    let asked = timeout(PATIENCE, ask(directory, uid, port)).await;
    asked.unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
}

/// Connects to a new SFTP server in the session with this shared directory. `uid` is the session's user on this machine.
pub(in crate::engine::docker) async fn sftp(
    directory: &Path,
    uid: u32,
) -> Result<DirectStream, NoConnection> {
    connect(directory, uid, inside::SFTP_PORT).await
}

async fn ask(directory: &Path, uid: u32, port: u16) -> Result<DirectStream, NoConnection> {
    let socket = open(directory, uid)?;
    // This name leads to the very file that was checked, and is short enough for the address of a socket.
    let name = format!("/proc/self/fd/{}", socket.as_raw_fd());
    let mut runner = UnixStream::connect(name).await?;
    if runner.peer_cred()?.uid() != uid {
        return Err(suspicious("another user answers"));
    }
    runner.write_u16(port).await?;
    let (kind, received) = receive(&runner).await?;
    match (kind, received) {
        (Some(0), Some(socket)) => Ok(DirectStream::new(checked(socket, port)?)?),
        (Some(1), None) => {
            let mut reason = Vec::new();
            runner.take(LONGEST_REASON).read_to_end(&mut reason).await?;
            Err(NoConnection::Refused(Clean::from_bytes(&reason)))
        }
        _ => Err(suspicious("the answer isn't a connection")),
    }
}

fn suspicious(what: &str) -> NoConnection {
    NoConnection::Unavailable(io::Error::other(what.to_owned()))
}

/// The runner's socket file.
fn open(directory: &Path, uid: u32) -> Result<OwnedFd, NoConnection> {
    let path = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = rustix::fs::open(directory, path | OFlags::DIRECTORY, Mode::empty());
    let directory = directory.map_err(io::Error::from)?;
    let socket = rustix::fs::openat(directory, inside::CONNECT_SOCKET, path, Mode::empty());
    let socket = socket.map_err(io::Error::from)?;
    let meta = rustix::fs::fstat(&socket).map_err(io::Error::from)?;
    if FileType::from_raw_mode(meta.st_mode) != FileType::Socket || meta.st_uid != uid {
        return Err(suspicious("the socket of the session isn't its own"));
    }
    Ok(socket)
}

/// The first byte of the answer, and the descriptor that came with it. The kernel closes any others.
async fn receive(runner: &UnixStream) -> io::Result<(Option<u8>, Option<OwnedFd>)> {
    let read = || {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut kind = [0];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        let got = rustix::net::recvmsg(
            runner,
            &mut [IoSliceMut::new(&mut kind)],
            &mut control,
            flags,
        )?;
        let mut received = None;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(descriptors) = message {
                for descriptor in descriptors {
                    received = Some(descriptor);
                }
            }
        }
        Ok(((got.bytes > 0).then_some(kind[0]), received))
    };
    runner.async_io(Interest::READABLE, read).await
}

/// Accepts nothing but a TCP connection to the port, or for SFTP a Unix connection.
fn checked(socket: OwnedFd, port: u16) -> Result<OwnedFd, NoConnection> {
    let is_expected = match port {
        inside::SFTP_PORT => is_pair(&socket),
        port => is_connection(&socket, port),
    };
    if is_expected.unwrap_or(false) {
        rustix::io::ioctl_fionbio(&socket, true).map_err(io::Error::from)?;
        return Ok(socket);
    }
    Err(suspicious(
        "the session handed over something else than the connection that was requested",
    ))
}

fn is_connection(socket: &OwnedFd, port: u16) -> rustix::io::Result<bool> {
    let socket = socket.as_fd();
    let is_tcp = sockopt::socket_type(socket)? == SocketType::STREAM
        && [AddressFamily::INET, AddressFamily::INET6].contains(&sockopt::socket_domain(socket)?)
        && sockopt::socket_protocol(socket)? == Some(ipproto::TCP)
        && !sockopt::socket_acceptconn(socket)?;
    if !is_tcp {
        return Ok(false);
    }
    let Some(peer) = rustix::net::getpeername(socket)? else {
        return Ok(false);
    };
    let is_loopback = |ip: IpAddr| ip.to_canonical().is_loopback();
    let peer = SocketAddr::try_from(peer);
    Ok(peer.is_ok_and(|peer| peer.port() == port && is_loopback(peer.ip())))
}

fn is_pair(socket: &OwnedFd) -> rustix::io::Result<bool> {
    Ok(sockopt::socket_type(socket)? == SocketType::STREAM
        && sockopt::socket_domain(socket)? == AddressFamily::UNIX
        && !sockopt::socket_acceptconn(socket)?)
}

#[cfg(test)]
mod tests;
