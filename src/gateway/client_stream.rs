//! The connection of a client.

use std::{
    io::{self, IoSlice},
    os::fd::AsFd,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    task::{Context, Poll},
    time::Duration,
};

use rustix::net::sockopt;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// When the kernel first checks a quiet connection, how often it checks again, and how many checks may stay
/// unanswered.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(60);
const KEEPALIVE_EVERY: Duration = Duration::from_secs(20);
const KEEPALIVE_COUNT: u32 = 3;

/// Marks that a connection must be reset when it is dropped, because what was sent isn't complete.
#[derive(Clone, Default)]
pub(super) struct Abort(Arc<AtomicBool>);

impl Abort {
    pub(super) fn clear(&self) {
        self.0.store(false, Relaxed);
    }

    pub(super) fn set(&self) {
        self.0.store(true, Relaxed);
    }
}

/// The connection of a client, which is reset rather than ended if it is [aborted](Abort).
pub(super) struct ClientStream {
    tcp: TcpStream,
    abort: Abort,
}

impl ClientStream {
    pub(super) fn new(tcp: TcpStream) -> Self {
        prepare(&tcp);
        Self {
            tcp,
            abort: Abort::default(),
        }
    }

    pub(super) fn abort(&self) -> Abort {
        self.abort.clone()
    }
}

/// Sends small messages immediately and detects lost connections. Errors are ignored: the connection works without it.
fn prepare(tcp: &TcpStream) {
    let tcp = tcp.as_fd();
    let _ = sockopt::set_tcp_nodelay(tcp, true);
    let _ = sockopt::set_socket_keepalive(tcp, true);
    let _ = sockopt::set_tcp_keepidle(tcp, KEEPALIVE_AFTER);
    let _ = sockopt::set_tcp_keepintvl(tcp, KEEPALIVE_EVERY);
    let _ = sockopt::set_tcp_keepcnt(tcp, KEEPALIVE_COUNT);
}

impl Drop for ClientStream {
    fn drop(&mut self) {
        if self.abort.0.load(Relaxed) {
            let _ = self.tcp.set_zero_linger();
        }
    }
}

impl AsyncRead for ClientStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_read(cx, buf)
    }
}

impl AsyncWrite for ClientStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.tcp).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.tcp.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.tcp).poll_shutdown(cx)
    }
}
