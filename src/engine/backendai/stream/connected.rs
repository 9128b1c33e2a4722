//! A connection to a port of a session as one byte stream, without a task or channels in between.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep},
};

use super::pipe::PortPipe;

/// How long the far end may be silent after our side has ended. Such a stream can't be half-closed, so the far end
/// doesn't learn that its client has gone, and an open stream keeps the session from being idle.
const LINGER: Duration = Duration::from_secs(30);

/// A pipe whose end of input is kept to ourselves. Dropping it closes the connection.
pub(super) struct ConnectedPort<S: AsyncRead + AsyncWrite + Unpin> {
    pipe: PortPipe<S>,
    /// Set when our side has ended.
    lingering: Option<Pin<Box<Sleep>>>,
    has_ended: bool,
}

impl<S: AsyncRead + AsyncWrite + Unpin> ConnectedPort<S> {
    pub(super) fn new(pipe: PortPipe<S>) -> Self {
        Self {
            pipe,
            lingering: None,
            has_ended: false,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for ConnectedPort<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.has_ended {
            return Poll::Ready(Ok(()));
        }
        let before = buffer.filled().len();
        if let Poll::Ready(read) = Pin::new(&mut self.pipe).poll_read(cx, buffer) {
            self.has_ended = read.is_err() || buffer.filled().len() == before;
            if let Some(timer) = &mut self.lingering {
                timer.as_mut().reset(Instant::now() + LINGER);
            }
            return Poll::Ready(read);
        }
        match &mut self.lingering {
            Some(timer) => timer.as_mut().poll(cx).map(Ok),
            None => Poll::Pending,
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for ConnectedPort<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.pipe).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.pipe).poll_flush(cx)
    }

    /// Sends what was written. The answer to it may still come.
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.lingering.is_none() {
            self.lingering = Some(Box::pin(tokio::time::sleep(LINGER)));
        }
        Pin::new(&mut self.pipe).poll_flush(cx)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Drop for ConnectedPort<S> {
    /// Says goodbye as far as that is possible without waiting.
    fn drop(&mut self) {
        let mut cx = Context::from_waker(Waker::noop());
        let _ = Pin::new(&mut self.pipe).poll_shutdown(&mut cx);
    }
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt as _;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
    use tokio_tungstenite::{
        WebSocketStream,
        tungstenite::{Message, protocol::Role},
    };

    use super::*;

    type Far = WebSocketStream<DuplexStream>;

    async fn pair() -> (ConnectedPort<DuplexStream>, Far) {
        let (near, far) = tokio::io::duplex(1024 * 1024);
        let near = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
        let far = WebSocketStream::from_raw_socket(far, Role::Server, None).await;
        (ConnectedPort::new(PortPipe::new(near)), far)
    }

    async fn send(far: &mut Far, text: &'static str) {
        use futures_util::SinkExt as _;
        far.send(Message::Binary(text.into())).await.unwrap();
    }

    #[tokio::test]
    async fn an_answer_arrives_after_the_end_of_the_request() {
        let (mut port, mut far) = pair().await;
        port.write_all(b"question").await.unwrap();
        port.shutdown().await.unwrap();
        let asked = far.next().await.unwrap().unwrap();
        assert_eq!(asked.into_data().as_ref(), b"question");
        send(&mut far, "answer").await;
        far.close(None).await.unwrap();
        let mut answer = String::new();
        port.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer, "answer");
    }

    #[tokio::test(start_paused = true)]
    async fn a_far_end_that_says_nothing_more_is_not_waited_for() {
        let (mut port, mut far) = pair().await;
        port.shutdown().await.unwrap();
        send(&mut far, "some").await;
        let mut rest = String::new();
        port.read_to_string(&mut rest).await.unwrap();
        assert_eq!(rest, "some");
    }

    #[tokio::test]
    async fn a_dropped_connection_is_closed_at_once() {
        let (port, mut far) = pair().await;
        drop(port);
        assert!(far.next().await.unwrap().unwrap().is_close());
    }
}
