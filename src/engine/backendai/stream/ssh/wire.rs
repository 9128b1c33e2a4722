//! The transport of an SSH connection: a pipe that runs in a task of its own, so that a loss is
//! noticed and the connection can be dropped while the SSH library is blocked.

use std::{
    io,
    pin::Pin,
    sync::{Arc, OnceLock},
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, DuplexStream, ReadBuf},
    sync::mpsc,
    task::JoinHandle,
};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use super::super::{
    dial,
    pipe::{PipeEnd, PortPipe},
};
use crate::engine::api::{Attached, Input, Output};

/// How many bytes may wait to be sent. It is more than any sshd lets programs send unread: the
/// library doesn't read while it writes, so both sides could block each other forever.
const BACKLOG: usize = 16 * 1024 * 1024;

/// The longest slice sent at once.
const SLICE: usize = 32 * 1024;

/// The library's end of the connection.
pub(super) struct SshWire {
    output: mpsc::Receiver<Output>,
    backlog: DuplexStream,
    sending: JoinHandle<()>,
    rest: Bytes,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    gone: Arc<OnceLock<String>>,
}

/// Our end: it knows why the connection was lost, and can drop it.
#[derive(Clone, Default)]
pub(super) struct WireHandle {
    stop: CancellationToken,
    cut: Arc<OnceLock<PipeEnd>>,
    /// How a connection through another container was lost.
    gone: Arc<OnceLock<String>>,
}

impl WireHandle {
    /// How the connection was lost, if it was.
    pub(super) fn cut(&self) -> Option<&PipeEnd> {
        self.cut.get()
    }

    /// How a connection through another container was lost, if it was.
    pub(super) fn gone(&self) -> Option<&str> {
        self.gone.get().map(String::as_str)
    }

    /// Drops the connection at once.
    pub(super) fn stop(&self) {
        self.stop.cancel();
    }
}

pub(super) fn over<S>(pipe: PortPipe<S>) -> (SshWire, WireHandle)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let handle = WireHandle::default();
    let stream = dial::start_reporting(pipe, handle.cut.clone());
    on(stream, handle)
}

/// Makes a transport of a stream through another container.
pub(super) fn through(stream: Attached) -> (SshWire, WireHandle) {
    on(stream, WireHandle::default())
}

fn on(stream: Attached, handle: WireHandle) -> (SshWire, WireHandle) {
    let Attached { output, input } = stream;
    let (backlog, waiting) = tokio::io::duplex(BACKLOG);
    let wire = SshWire {
        output,
        backlog,
        sending: tokio::spawn(send(waiting, input)),
        rest: Bytes::new(),
        stopped: Box::pin(handle.stop.clone().cancelled_owned()),
        gone: handle.gone.clone(),
    };
    (wire, handle)
}

/// Sends what was written, until the writer closes or the connection is lost.
async fn send(mut waiting: DuplexStream, input: mpsc::Sender<Input>) {
    let mut slice = BytesMut::new();
    loop {
        slice.reserve(SLICE);
        match waiting.read_buf(&mut slice).await {
            Ok(1..)
                if input
                    .send(Input::Bytes(slice.split().freeze()))
                    .await
                    .is_ok() => {}
            _ => return,
        }
    }
}

impl SshWire {
    fn check(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.stopped.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::ErrorKind::BrokenPipe.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl AsyncRead for SshWire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(cx)?;
        while self.rest.is_empty() {
            match ready!(self.output.poll_recv(cx)) {
                Some(Output::Stdout(bytes) | Output::Stderr(bytes)) => self.rest = bytes,
                Some(Output::Lost { why }) => {
                    // The loss is set only once.
                    let _ = self.gone.set(why.to_string());
                    return Poll::Ready(Err(io::Error::other(why.to_string())));
                }
                Some(Output::End { .. }) | None => return Poll::Ready(Ok(())),
            }
        }
        let fits = buffer.remaining().min(self.rest.len());
        buffer.put_slice(&self.rest[..fits]);
        self.rest.advance(fits);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for SshWire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(cx)?;
        Pin::new(&mut self.backlog).poll_write(cx, bytes)
    }

    /// Returns at once: the task `sending` delivers what was written.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Waits until the task `sending` has passed on everything.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(cx)?;
        ready!(Pin::new(&mut self.backlog).poll_shutdown(cx))?;
        if !self.sending.is_finished() {
            // The task ends on its own. Its result doesn't matter.
            let _ = ready!(Pin::new(&mut self.sending).poll(cx));
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio_tungstenite::{WebSocketStream, tungstenite::protocol::Role};

    use super::*;

    async fn line() -> (SshWire, WireHandle, tokio::io::DuplexStream) {
        let (near, far) = tokio::io::duplex(1024);
        let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
        let (wire, handle) = over(PortPipe::new(socket));
        (wire, handle, far)
    }

    #[tokio::test]
    async fn a_connection_that_reads_nothing_is_given_up_even_if_something_waits_for_it() {
        let (mut wire, handle, mut far) = line().await;
        let long = vec![b'x'; 2 * BACKLOG];
        let mut writing = Box::pin(wire.write_all(&long));
        assert!(futures_util::poll!(&mut writing).is_pending());
        handle.stop();
        let error = writing.await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
        assert!(wire.read_u8().await.is_err());
        drop(wire);
        // The far side sees its end.
        let mut rest = Vec::new();
        far.read_to_end(&mut rest).await.unwrap();
    }

    #[tokio::test]
    async fn how_a_connection_was_lost_is_kept() {
        let (mut wire, handle, far) = line().await;
        drop(far);
        assert!(wire.read_u8().await.is_err());
        assert!(matches!(handle.cut(), Some(PipeEnd::Line(_))));
    }
}
