//! A connection whose descriptor another process may share.

use std::{
    io,
    os::fd::OwnedFd,
    pin::Pin,
    task::{Context, Poll, ready},
};

use rustix::net::{RecvFlags, SendFlags, Shutdown};
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest, ReadBuf},
    net::TcpStream,
};

/// Reads and writes never block, whatever flags another process sets on its copy of the socket.
#[derive(Debug)]
pub(in crate::engine::docker) struct DirectStream {
    /// The descriptor, known to the runtime. All that is used of it works with a Unix socket, too.
    socket: TcpStream,
}

impl DirectStream {
    /// `socket` must be a connected stream socket that doesn't block.
    pub(super) fn new(socket: OwnedFd) -> io::Result<Self> {
        let socket = TcpStream::from_std(std::net::TcpStream::from(socket))?;
        Ok(Self { socket })
    }

    fn shut(&self, which: Shutdown) -> io::Result<()> {
        match rustix::net::shutdown(&self.socket, which) {
            // The other side has closed it already.
            Err(rustix::io::Errno::NOTCONN) => Ok(()),
            outcome => Ok(outcome?),
        }
    }
}

impl Drop for DirectStream {
    /// Closing it isn't enough while the session has a copy.
    fn drop(&mut self) {
        let _ = self.shut(Shutdown::Both);
    }
}

/// Whether to wait and try again.
fn is_early(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted
    )
}

impl AsyncRead for DirectStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            ready!(self.socket.poll_read_ready(context))?;
            let read = self.socket.try_io(Interest::READABLE, || {
                let room = buffer.initialize_unfilled();
                let (read, _) = rustix::net::recv(&self.socket, room, RecvFlags::DONTWAIT)?;
                Ok(read)
            });
            match read {
                Ok(length) => {
                    buffer.advance(length);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if is_early(&error) => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for DirectStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            ready!(self.socket.poll_write_ready(context))?;
            let sent = self.socket.try_io(Interest::WRITABLE, || {
                Ok(rustix::net::send(&self.socket, bytes, flags)?)
            });
            match sent {
                Err(error) if is_early(&error) => {}
                outcome => return Poll::Ready(outcome),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.shut(Shutdown::Write))
    }
}
