//! The engine's raw streams: an HTTP request that turns its connection into the program's terminal or
//! pipes.
//!
//! The client library reads a terminal's first bytes as a frame header if they look like one, and it waits
//! for a whole frame before it returns a byte. A hostile program could use both to stall the daemon or fill its
//! memory. So this module sends this request itself.

use std::{io, path::Path};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use crate::{
    engine::{
        api::{Output, Result},
        docker::client_error,
    },
    model::failure::Failure,
};

/// Heads of answers and bodies of error messages are short.
const LONGEST_HEAD: usize = 64 * 1024;

/// Maximum size of one output piece.
const PIECE: usize = 16 * 1024;

/// Both directions of a started program.
pub(in crate::engine::docker) struct Hijacked {
    pub(in crate::engine::docker) reader: OutputReader,
    pub(in crate::engine::docker) writer: OwnedWriteHalf,
}

/// Starts exec `id` at the engine's socket and takes over the connection.
pub(in crate::engine::docker) async fn start(
    socket: &Path,
    url: &str,
    id: &str,
    tty: bool,
) -> Result<Hijacked> {
    let lost = |error: io::Error| client_error::unreachable(url, &error);
    let mut stream = UnixStream::connect(socket).await.map_err(lost)?;
    let body = format!("{{\"Detach\":false,\"Tty\":{tty}}}");
    let request = format!(
        "POST /exec/{id}/start HTTP/1.1\r\nHost: workbay\r\nContent-Type: application/json\r\n\
         Connection: Upgrade\r\nUpgrade: tcp\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(request.as_bytes()).await.map_err(lost)?;
    let mut buffer = BytesMut::with_capacity(PIECE);
    let status = loop {
        if let Some((status, length)) = head(&buffer) {
            buffer.advance(length);
            break status;
        }
        if buffer.len() > LONGEST_HEAD || stream.read_buf(&mut buffer).await.map_err(lost)? == 0 {
            return Err(lost(io::ErrorKind::UnexpectedEof.into()));
        }
    };
    // Older engines answer 200 when the connection is taken over.
    if status != 101 && status != 200 {
        return Err(refusal(&mut stream, buffer, status).await);
    }
    let (read, writer) = stream.into_split();
    let reader = OutputReader {
        read,
        buffer,
        frame: (!tty).then_some(Frame::default()),
    };
    Ok(Hijacked { reader, writer })
}

/// The status and length of a complete head.
pub(in crate::engine::docker) fn head(buffer: &[u8]) -> Option<(u16, usize)> {
    let end = buffer.windows(4).position(|four| four == b"\r\n\r\n")?;
    let text = String::from_utf8_lossy(&buffer[..end]);
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok());
    Some((status.unwrap_or(0), end + 4))
}

/// The engine's error message when it doesn't start the program.
async fn refusal(stream: &mut UnixStream, mut body: BytesMut, status: u16) -> Failure {
    #[derive(serde::Deserialize)]
    struct Said {
        message: String,
    }
    let until_whole = async {
        while body.len() < LONGEST_HEAD && !body.ends_with(b"}\n") && !body.ends_with(b"\r\n\r\n") {
            match stream.read_buf(&mut body).await {
                Ok(0) | Err(_) => break,
                Ok(_) => {}
            }
        }
    };
    // Uses what has arrived by then.
    let _ = tokio::time::timeout(std::time::Duration::from_secs(2), until_whole).await;
    let text = String::from_utf8_lossy(&body);
    let json = text
        .find('{')
        .zip(text.rfind('}'))
        .map(|(from, to)| &text[from..=to]);
    let said = json.and_then(|json| serde_json::from_str::<Said>(json).ok());
    client_error::answered(
        status,
        &said.map_or_else(|| text.trim().to_owned(), |said| said.message),
    )
}

/// What a program prints.
pub(in crate::engine::docker) struct OutputReader {
    read: OwnedReadHalf,
    buffer: BytesMut,
    /// Without a terminal, stdout and stderr come in frames.
    frame: Option<Frame>,
}

/// The frame whose payload is being read.
#[derive(Default)]
struct Frame {
    stderr: bool,
    left: usize,
}

impl OutputReader {
    /// The next piece; `None` at the end.
    pub(in crate::engine::docker) async fn next(&mut self) -> io::Result<Option<Output>> {
        loop {
            if let Some(piece) = self.take()? {
                return Ok(Some(piece));
            }
            self.buffer.reserve(PIECE);
            if self.read.read_buf(&mut self.buffer).await? == 0 {
                return Ok(None);
            }
        }
    }

    fn take(&mut self) -> io::Result<Option<Output>> {
        match &mut self.frame {
            Some(frame) => frame.take(&mut self.buffer),
            None if self.buffer.is_empty() => Ok(None),
            None => Ok(Some(Output::Stdout(piece(&mut self.buffer, PIECE)))),
        }
    }
}

impl Frame {
    /// Returns parts of a frame as they arrive: its claimed length isn't buffered.
    fn take(&mut self, buffer: &mut BytesMut) -> io::Result<Option<Output>> {
        while self.left == 0 {
            let Some(header) = buffer.get(..8) else {
                return Ok(None);
            };
            let length = [header[4], header[5], header[6], header[7]];
            self.left = u32::from_be_bytes(length) as usize;
            self.stderr = match header[0] {
                0 | 1 => false,
                2 => true,
                other => {
                    let what = tr_sent!("the engine sent a frame of unknown kind {other}", other);
                    return Err(io::Error::new(io::ErrorKind::InvalidData, what));
                }
            };
            buffer.advance(8);
        }
        if buffer.is_empty() {
            return Ok(None);
        }
        let bytes = piece(buffer, self.left);
        self.left -= bytes.len();
        Ok(Some(if self.stderr {
            Output::Stderr(bytes)
        } else {
            Output::Stdout(bytes)
        }))
    }
}

fn piece(buffer: &mut BytesMut, most: usize) -> Bytes {
    let length = buffer.len().min(most).min(PIECE);
    buffer.split_to(length).freeze()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_when_they_are_whole() {
        assert_eq!(head(b"HTTP/1.1 101 UPGRADED\r\nA: b\r\n"), None);
        let whole = b"HTTP/1.1 101 UPGRADED\r\nA: b\r\n\r\nrest";
        assert_eq!(head(whole), Some((101, whole.len() - 4)));
        assert_eq!(head(b"nonsense\r\n\r\n"), Some((0, 12)));
    }

    #[test]
    fn frames_are_handed_on_as_they_come() {
        let mut frame = Frame::default();
        let mut buffer = BytesMut::new();
        buffer.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]);
        assert_eq!(frame.take(&mut buffer).unwrap(), None);
        buffer.extend_from_slice(b"abc");
        let first = frame.take(&mut buffer).unwrap();
        assert_eq!(first, Some(Output::Stderr(Bytes::from_static(b"abc"))));
        assert_eq!(frame.left, 0x7fff_ffff - 3);
    }

    #[test]
    fn a_frame_of_no_kind_is_an_error() {
        let mut buffer = BytesMut::from(&b"GET / HTTP"[..]);
        assert!(Frame::default().take(&mut buffer).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_the_frames_panic(pieces: Vec<Vec<u8>>) {
            let mut frame = Frame::default();
            let mut buffer = BytesMut::new();
            'all: for bytes in pieces {
                buffer.extend_from_slice(&bytes);
                loop {
                    match frame.take(&mut buffer) {
                        Ok(Some(_)) => {}
                        Ok(None) => break,
                        Err(_) => break 'all,
                    }
                }
            }
        }
    }

    /// All output of `pieces`, stdout and stderr separately, and whether they ended in an error.
    fn unframed(pieces: &[&[u8]]) -> (Vec<u8>, Vec<u8>, bool) {
        let mut frame = Frame::default();
        let mut buffer = BytesMut::new();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        for bytes in pieces {
            buffer.extend_from_slice(bytes);
            loop {
                match frame.take(&mut buffer) {
                    Ok(Some(Output::Stderr(bytes))) => err.extend_from_slice(&bytes),
                    Ok(Some(Output::Stdout(bytes))) => out.extend_from_slice(&bytes),
                    Ok(Some(other)) => panic!("{other:?}"),
                    Ok(None) => break,
                    Err(_) => return (out, err, true),
                }
            }
        }
        (out, err, false)
    }

    #[test]
    fn fuzz_log_frames() {
        crate::fuzz::parser("log-frames", &[], |bytes, random| {
            let whole = unframed(&[bytes]);
            assert!(whole.0.len() + whole.1.len() <= bytes.len());
            assert_eq!(unframed(&random.split(bytes)), whole);
            if let Some((_, length)) = head(bytes) {
                assert!(length <= bytes.len());
            }
        });
    }
}
