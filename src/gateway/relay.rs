//! Copies bytes between two streams in both directions, for as long as both are open. An idle pair of streams holds
//! no buffers.

use std::{
    cell::RefCell,
    future::poll_fn,
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The most bytes that one read takes.
const CHUNK: usize = 256 * 1024;

/// How many reads one direction makes before other tasks run.
const READS: usize = 16;

thread_local! {
    /// What all streams of a thread are read into. Only what the other side doesn't take is copied.
    static SCRATCH: RefCell<Vec<u8>> = RefCell::new(vec![0; CHUNK]);
}

/// Where a copy failed.
#[derive(Debug)]
pub(super) struct Broken;

/// Copies until both sides have ended. An end is passed on while the other direction continues. An error ends both.
pub(super) async fn relay<A, B>(one: &mut A, other: &mut B) -> Result<(), Broken>
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let (mut there, mut back) = (Direction::default(), Direction::default());
    let both = poll_fn(|cx| {
        let there = there.poll(cx, one, other)?;
        let back = back.poll(cx, other, one)?;
        match (there, back) {
            (Poll::Ready(()), Poll::Ready(())) => Poll::Ready(io::Result::Ok(())),
            _ => Poll::Pending,
        }
    });
    both.await.map_err(|_| Broken)
}

/// One direction.
#[derive(Default)]
struct Direction {
    /// What was read and not written yet, from `written` on.
    rest: Vec<u8>,
    written: usize,
    /// Whether bytes were written since the last flush.
    is_unflushed: bool,
    step: Step,
}

#[derive(Default, PartialEq)]
enum Step {
    #[default]
    Copying,
    /// The source has ended.
    Ending,
    Ended,
}

impl Direction {
    fn poll<R, W>(&mut self, cx: &mut Context<'_>, from: &mut R, to: &mut W) -> Poll<io::Result<()>>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        for _ in 0..READS {
            ready!(self.write_rest(cx, to))?;
            match self.step {
                Step::Copying => {}
                Step::Ending => {
                    ready!(Pin::new(&mut *to).poll_shutdown(cx))?;
                    self.step = Step::Ended;
                    return Poll::Ready(Ok(()));
                }
                Step::Ended => return Poll::Ready(Ok(())),
            }
            if self.copy(cx, from, to)?.is_pending() {
                if self.is_unflushed {
                    ready!(Pin::new(&mut *to).poll_flush(cx))?;
                    self.is_unflushed = false;
                }
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// One read, and one write of what was read.
    fn copy<R, W>(&mut self, cx: &mut Context<'_>, from: &mut R, to: &mut W) -> Poll<io::Result<()>>
    where
        R: AsyncRead + Unpin,
        W: AsyncWrite + Unpin,
    {
        SCRATCH.with_borrow_mut(|scratch| {
            let mut buf = ReadBuf::new(scratch);
            ready!(Pin::new(from).poll_read(cx, &mut buf))?;
            let read = buf.filled();
            if read.is_empty() {
                self.step = Step::Ending;
                return Poll::Ready(Ok(()));
            }
            let written = match Pin::new(to).poll_write(cx, read)? {
                Poll::Ready(written) => written,
                Poll::Pending => 0,
            };
            self.is_unflushed = true;
            self.rest.extend_from_slice(&read[written..]);
            Poll::Ready(Ok(()))
        })
    }

    fn write_rest<W>(&mut self, cx: &mut Context<'_>, to: &mut W) -> Poll<io::Result<()>>
    where
        W: AsyncWrite + Unpin,
    {
        while self.written < self.rest.len() {
            let rest = &self.rest[self.written..];
            match ready!(Pin::new(&mut *to).poll_write(cx, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.written += written,
            }
        }
        // The memory is returned, so that an idle stream holds none.
        if self.written > 0 {
            self.rest = Vec::new();
            self.written = 0;
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn bytes_and_ends_pass_in_both_directions() {
        // Smaller than a chunk, so that writes are partial.
        let (mut client, mut near) = duplex(1000);
        let (mut server, mut far) = duplex(700);
        let relayed = tokio::spawn(async move { relay(&mut near, &mut far).await.is_ok() });
        let sent: Vec<u8> = (0..100_000_u32).map(|it| it as u8).collect();
        let expected = sent.clone();
        let upload = async {
            client.write_all(&sent).await.unwrap();
            client.shutdown().await.unwrap();
            let mut answer = String::new();
            client.read_to_string(&mut answer).await.unwrap();
            answer
        };
        let serve = async {
            let mut received = Vec::new();
            server.read_to_end(&mut received).await.unwrap();
            // The direction back is still open.
            server.write_all(b"thanks").await.unwrap();
            server.shutdown().await.unwrap();
            received
        };
        let (answer, received) = tokio::join!(upload, serve);
        assert_eq!(answer, "thanks");
        assert!(received == expected);
        assert!(relayed.await.unwrap());
    }

    #[tokio::test]
    async fn an_error_ends_both_directions() {
        let (mut client, mut near) = duplex(64);
        let mut far = failing();
        let relayed = tokio::spawn(async move { relay(&mut near, &mut far).await.is_err() });
        client.write_all(b"x").await.unwrap();
        assert!(relayed.await.unwrap());
        assert_eq!(client.read(&mut [0; 8]).await.unwrap(), 0);
    }

    /// A stream that fails.
    fn failing() -> impl AsyncRead + AsyncWrite + Unpin {
        struct Failing;
        impl AsyncRead for Failing {
            fn poll_read(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
                _: &mut ReadBuf<'_>,
            ) -> Poll<io::Result<()>> {
                Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
            }
        }
        tokio::io::join(Failing, tokio::io::sink())
    }
}
