//! A connection to a port of a session as one byte stream.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf},
    sync::mpsc,
};
use tokio_util::sync::PollSender;

use super::api::{Attached, Input, Output};

/// Any byte stream in both directions.
pub trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin + 'static {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin + 'static> ByteStream for T {}

pub type PortStream = Box<dyn ByteStream>;

/// The longest message of a relay that is kept.
const MAX_MESSAGE: usize = 1024;
/// The pieces that may wait in each direction.
const QUEUE: usize = 4;
/// The largest piece that is written at once.
const MAX_PIECE: usize = 64 * 1024;

/// A program whose stdin and stdout carry a connection. What it prints to stderr explains its failure.
pub struct PipedStream {
    output: mpsc::Receiver<Output>,
    input: PollSender<Input>,
    piece: Bytes,
    message: Vec<u8>,
    has_ended: bool,
}

impl PipedStream {
    pub fn new(attached: Attached) -> Self {
        Self {
            output: attached.output,
            input: PollSender::new(attached.input),
            piece: Bytes::new(),
            message: Vec::new(),
            has_ended: false,
        }
    }

    /// The error of a relay that failed.
    fn failed(&self, exit_code: Option<i64>) -> Option<io::Error> {
        if exit_code.is_none_or(|code| code == 0) {
            return None;
        }
        let text = String::from_utf8_lossy(&self.message);
        let text = text.trim();
        let text = text.strip_prefix("workbay: ").unwrap_or(text);
        Some(io::Error::new(
            io::ErrorKind::ConnectionRefused,
            if text.is_empty() {
                tr_sent!("the connection inside the session failed").to_owned()
            } else {
                text.to_owned()
            },
        ))
    }
}

impl AsyncRead for PipedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if !self.piece.is_empty() {
                let length = self.piece.len().min(buffer.remaining());
                buffer.put_slice(&self.piece[..length]);
                self.piece.advance(length);
                return Poll::Ready(Ok(()));
            }
            if self.has_ended {
                return Poll::Ready(Ok(()));
            }
            match ready!(self.output.poll_recv(context)) {
                Some(Output::Stdout(bytes)) => self.piece = bytes,
                Some(Output::Stderr(bytes)) => {
                    let room = MAX_MESSAGE.saturating_sub(self.message.len());
                    let length = bytes.len().min(room);
                    self.message.extend_from_slice(&bytes[..length]);
                }
                Some(Output::End { exit_code }) => {
                    self.has_ended = true;
                    if let Some(error) = self.failed(exit_code) {
                        return Poll::Ready(Err(error));
                    }
                }
                Some(Output::Lost { why }) => {
                    self.has_ended = true;
                    let error = io::Error::new(io::ErrorKind::ConnectionReset, why.into_string());
                    return Poll::Ready(Err(error));
                }
                None => {
                    self.has_ended = true;
                    let text = tr_sent!("the connection to the session broke");
                    return Poll::Ready(Err(io::Error::new(io::ErrorKind::ConnectionReset, text)));
                }
            }
        }
    }
}

impl PipedStream {
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        make: impl FnOnce() -> Input,
    ) -> Poll<io::Result<()>> {
        let broken = || io::Error::from(io::ErrorKind::BrokenPipe);
        ready!(self.input.poll_reserve(context)).map_err(|_| broken())?;
        self.input.send_item(make()).map_err(|_| broken())?;
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for PipedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let piece = &bytes[..bytes.len().min(MAX_PIECE)];
        let make = || Input::Bytes(Bytes::copy_from_slice(piece));
        self.poll_send(context, make)
            .map(|sent| sent.map(|()| piece.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The program may have ended, which closes its input, too.
        let _ = ready!(self.poll_send(context, || Input::Eof));
        Poll::Ready(Ok(()))
    }
}

/// Carries a byte stream in the form in which engines return streams. Dropping the result closes the stream.
pub fn attached(stream: impl ByteStream) -> Attached {
    let (out, output) = mpsc::channel(QUEUE);
    let (input, mut typed) = mpsc::channel(QUEUE);
    let (mut reader, mut writer) = tokio::io::split(stream);
    let reading = async move {
        loop {
            let mut piece = BytesMut::with_capacity(MAX_PIECE);
            let item = match reader.read_buf(&mut piece).await {
                Ok(0) => Output::End { exit_code: Some(0) },
                Ok(_) => Output::Stdout(piece.freeze()),
                Err(error) => Output::Lost {
                    why: error.to_string().into(),
                },
            };
            let is_last = !matches!(item, Output::Stdout(_));
            if out.send(item).await.is_err() || is_last {
                return;
            }
        }
    };
    let writing = async move {
        while let Some(item) = typed.recv().await {
            let written = match item {
                Input::Bytes(bytes) => writer.write_all(&bytes).await,
                Input::Eof => writer.shutdown().await,
                Input::Resize { .. } => Ok(()),
            };
            // The reader reports what broke.
            if written.is_err() {
                return;
            }
        }
        // Nobody can write any more. The reader may still have something.
        let _ = writer.shutdown().await;
    };
    tokio::spawn(async move { tokio::join!(reading, writing) });
    Attached { output, input }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::text::Clean;

    fn pair() -> (PipedStream, mpsc::Sender<Output>, mpsc::Receiver<Input>) {
        let (out, output) = mpsc::channel(4);
        let (input, sent) = mpsc::channel(4);
        (PipedStream::new(Attached { output, input }), out, sent)
    }

    #[tokio::test]
    async fn bytes_pass_in_both_directions_until_the_end() {
        let (mut stream, out, mut sent) = pair();
        out.send(Output::Stdout(Bytes::from_static(b"hello")))
            .await
            .unwrap();
        out.send(Output::End { exit_code: Some(0) }).await.unwrap();
        let mut text = String::new();
        stream.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "hello");
        stream.write_all(b"bye").await.unwrap();
        stream.shutdown().await.unwrap();
        assert_eq!(sent.recv().await, Some(Input::Bytes(Bytes::from("bye"))));
        assert_eq!(sent.recv().await, Some(Input::Eof));
    }

    #[tokio::test]
    async fn a_relay_that_fails_says_why() {
        let (mut stream, out, _sent) = pair();
        let text = b"workbay: no program answers on port 1 of this session\n";
        out.send(Output::Stderr(Bytes::from_static(text)))
            .await
            .unwrap();
        out.send(Output::End { exit_code: Some(1) }).await.unwrap();
        let error = stream.read(&mut [0; 8]).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "no program answers on port 1 of this session"
        );
    }

    #[tokio::test]
    async fn a_broken_connection_is_an_error_and_not_an_end() {
        let (mut stream, out, _sent) = pair();
        let why = Clean::new("gone");
        out.send(Output::Lost { why }).await.unwrap();
        assert!(stream.read(&mut [0; 8]).await.is_err());
        let (mut stream, out, _sent) = pair();
        drop(out);
        assert!(stream.read(&mut [0; 8]).await.is_err());
    }
}
