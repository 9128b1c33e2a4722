//! Checks whether a process listens on a socket of this machine.

use std::path::Path;

use rustix::io::Errno;

/// Also true if the queue of the socket is full.
pub(in crate::engine::docker) fn listens(socket: &Path) -> bool {
    matches!(asked(socket), Ok(()) | Err(Errno::AGAIN))
}

/// Connects and disconnects; never waits.
pub(super) fn asked(socket: &Path) -> rustix::io::Result<()> {
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with,
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let ours = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(ours, &SocketAddrUnix::new(socket)?)
}

#[cfg(test)]
mod tests {
    use rustix::net::{
        AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with,
    };

    use super::*;

    /// A blocking connection to such a socket would wait forever.
    #[test]
    fn one_that_is_asked_by_too_many_listens_all_the_same() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("busy.sock");
        assert!(!listens(&path));
        let (flags, kind) = (SocketFlags::CLOEXEC, SocketType::STREAM);
        let busy = socket_with(AddressFamily::UNIX, kind, flags, None).unwrap();
        bind(&busy, &SocketAddrUnix::new(&path).unwrap()).unwrap();
        assert!(!listens(&path));
        listen(&busy, 0).unwrap();
        while asked(&path).is_ok() {}
        assert_eq!(asked(&path), Err(Errno::AGAIN));
        assert!(listens(&path));
    }
}
