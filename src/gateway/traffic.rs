//! What passes between the clients of a route and its application.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::Instant,
};

/// Counts the transfers of a route. Only bytes that reach the application or come from it count: refused requests
/// and open connections without transfers don't.
#[derive(Debug)]
pub struct Traffic {
    created: Instant,
    bytes_in: AtomicU64,
    bytes_out: AtomicU64,
    connections_now: AtomicU64,
    connections_total: AtomicU64,
    /// Milliseconds from `created` to the last transfer, plus one; 0 = no transfer yet.
    last: AtomicU64,
}

/// The counters of a route at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TrafficFigures {
    /// Bytes from clients to the application.
    pub bytes_in: u64,
    /// Bytes from the application to clients.
    pub bytes_out: u64,
    /// Open connections of clients with access.
    pub connections_now: u64,
    /// All connections of clients with access, since the counters were created.
    pub connections_total: u64,
    /// The time since the last transfer; `None` = no transfer yet.
    pub quiet_for: Option<Duration>,
}

impl Default for Traffic {
    fn default() -> Self {
        Self {
            created: Instant::now(),
            bytes_in: AtomicU64::new(0),
            bytes_out: AtomicU64::new(0),
            connections_now: AtomicU64::new(0),
            connections_total: AtomicU64::new(0),
            last: AtomicU64::new(0),
        }
    }
}

impl Traffic {
    pub fn read(&self) -> TrafficFigures {
        let last = self.last.load(Relaxed);
        let last = last.checked_sub(1).map(Duration::from_millis);
        TrafficFigures {
            bytes_in: self.bytes_in.load(Relaxed),
            bytes_out: self.bytes_out.load(Relaxed),
            connections_now: self.connections_now.load(Relaxed),
            connections_total: self.connections_total.load(Relaxed),
            quiet_for: last.map(|last| self.created.elapsed().saturating_sub(last)),
        }
    }

    fn count(&self, bytes: usize, direction: &AtomicU64) {
        if bytes > 0 {
            direction.fetch_add(bytes as u64, Relaxed);
            let now = self.created.elapsed().as_millis() as u64;
            self.last.store(now + 1, Relaxed);
        }
    }
}

/// Counts a connection for as long as it exists.
pub(super) struct Counting(Arc<Traffic>);

impl Counting {
    pub(super) fn new(traffic: &Arc<Traffic>) -> Self {
        traffic.connections_now.fetch_add(1, Relaxed);
        traffic.connections_total.fetch_add(1, Relaxed);
        Self(traffic.clone())
    }
}

impl Drop for Counting {
    fn drop(&mut self) {
        self.0.connections_now.fetch_sub(1, Relaxed);
    }
}

/// A stream to the application whose bytes are counted.
pub(super) struct Counted<T> {
    stream: T,
    traffic: Arc<Traffic>,
}

impl<T> Counted<T> {
    pub(super) fn new(stream: T, traffic: &Arc<Traffic>) -> Self {
        let traffic = traffic.clone();
        Self { stream, traffic }
    }

    fn written(&self, result: io::Result<usize>) -> Poll<io::Result<usize>> {
        if let Ok(bytes) = result {
            self.traffic.count(bytes, &self.traffic.bytes_in);
        }
        Poll::Ready(result)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Counted<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(cx, buf))?;
        let bytes = buf.filled().len() - before;
        self.traffic.count(bytes, &self.traffic.bytes_out);
        Poll::Ready(Ok(()))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Counted<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.stream).poll_write(cx, buf));
        self.written(result)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = ready!(Pin::new(&mut self.stream).poll_write_vectored(cx, bufs));
        self.written(result)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
