//! The barest client that can type into a terminal of the cluster: one blocking socket, a WebSocket
//! within a WebSocket, nothing checked.

use std::{
    io::{Read, Write},
    net::TcpStream,
};

const BINARY: u8 = 2;
const CONTINUATION: u8 = 0;

pub struct Bare {
    stream: TcpStream,
    /// Bytes of the inner stream that no frame was made of yet.
    inner: Vec<u8>,
}

impl Bare {
    /// Sends this head of a request for the tunnel, then opens the terminal in it.
    pub fn open(target: &str, head: &str) -> Self {
        let mut stream = TcpStream::connect(target).expect("the manager");
        stream.set_nodelay(true).expect("no delay");
        stream.write_all(head.as_bytes()).expect("the request");
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 101"), "no WebSocket");
        let mut bare = Self {
            stream,
            inner: Vec::new(),
        };
        bare.send_outer(
            b"GET /ws HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
              Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\
              Sec-WebSocket-Protocol: tty\r\n\r\n",
        );
        while !bare.inner.windows(4).any(|four| four == b"\r\n\r\n") {
            bare.receive_outer();
        }
        let end = bare.inner.windows(4).position(|four| four == b"\r\n\r\n");
        bare.inner.drain(..end.expect("it is there") + 4);
        bare.send(br#"{"AuthToken":"","columns":80,"rows":24}"#);
        bare
    }

    /// Types, and waits until the output contains it.
    pub fn echo(&mut self, text: &[u8]) {
        self.type_(text);
        self.wait_for(text);
    }

    pub fn type_(&mut self, text: &[u8]) {
        let mut message = vec![b'0'];
        message.extend_from_slice(text);
        self.send(&message);
    }

    /// Reads output until a piece contains this.
    pub fn wait_for(&mut self, text: &[u8]) {
        loop {
            let piece = self.receive();
            let output = piece.first() == Some(&b'0');
            if output && piece.windows(text.len()).any(|part| part == text) {
                return;
            }
        }
    }

    fn send(&mut self, message: &[u8]) {
        let framed = frame(message);
        self.send_outer(&framed);
    }

    fn send_outer(&mut self, bytes: &[u8]) {
        self.stream
            .write_all(&frame(bytes))
            .expect("the connection");
    }

    /// The next message of the terminal.
    fn receive(&mut self) -> Vec<u8> {
        loop {
            if let Some((length, from)) = size(&self.inner)
                && self.inner.len() >= from + length
            {
                let message = self.inner[from..from + length].to_vec();
                self.inner.drain(..from + length);
                return message;
            }
            self.receive_outer();
        }
    }

    fn receive_outer(&mut self) {
        let mut head = vec![0; 2];
        self.stream.read_exact(&mut head).expect("a frame");
        let more = match head[1] & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        let mut rest = vec![0; more];
        self.stream.read_exact(&mut rest).expect("a frame's length");
        head.extend(rest);
        let (length, _) = size(&head).expect("a whole head");
        let mut payload = vec![0; length];
        self.stream
            .read_exact(&mut payload)
            .expect("a frame's bytes");
        let kind = head[0] % 16;
        if kind == BINARY || kind == CONTINUATION {
            self.inner.extend(payload);
        }
    }
}

/// A final binary frame, masked with zeros.
fn frame(bytes: &[u8]) -> Vec<u8> {
    let mut framed = vec![0x80 | BINARY];
    match bytes.len() {
        length @ ..126 => framed.push(0x80 | length as u8),
        length => {
            framed.push(0x80 + 126);
            framed.extend((length as u16).to_be_bytes());
        }
    }
    framed.extend([0; 4]);
    framed.extend_from_slice(bytes);
    framed
}

/// How long the payload of the first frame is, and where it begins.
fn size(bytes: &[u8]) -> Option<(usize, usize)> {
    match bytes.get(1)? & 0x7f {
        126 => Some((
            usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?)),
            4,
        )),
        127 => {
            let length = u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?);
            Some((length as usize, 10))
        }
        length => Some((usize::from(length), 2)),
    }
}
