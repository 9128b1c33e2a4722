//! The far side of a stream, played by a script over any connection: a manager's tcpproxy, and a ttyd behind
//! it, with faults on demand. Shared by the engine's unit tests and by test programs.
#![allow(dead_code, reason = "not every user needs all of it")]

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, DuplexStream},
    sync::mpsc,
    task::JoinHandle,
};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{
        Message,
        handshake::server::{ErrorResponse, Request, Response},
        protocol::{CloseFrame, Role, frame::coding::CloseCode},
    },
};

/// What happens to the connection between client and manager.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The manager closes with this code.
    Close(u16),
    /// Nothing is read, written or answered any more.
    Freeze,
    /// The connection ends without a closing message.
    Cut,
}

/// How the proxy's side of the connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The client closed, with this code.
    Farewell(Option<u16>),
    /// The client's connection ended without a closing message.
    Gone,
    /// We closed it.
    ByFault,
}

/// The port in the session: a byte stream, and the connection it depends on.
pub struct Port {
    pub bytes: DuplexStream,
    pub proxy: TcpProxy,
}

pub struct TcpProxy {
    faults: mpsc::UnboundedSender<Fault>,
    ended: JoinHandle<Ended>,
}

impl TcpProxy {
    pub fn fault(&self, fault: Fault) {
        self.faults.send(fault).unwrap();
    }

    /// Waits for the end of the connection.
    pub async fn ended(self) -> Ended {
        self.ended.await.unwrap()
    }
}

/// Plays the proxy on a connection whose upgrade is done.
pub async fn serve<S>(wire: S) -> Port
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let socket = WebSocketStream::from_raw_socket(wire, Role::Server, None).await;
    let (bytes, far) = tokio::io::duplex(64 * 1024);
    let (faults, orders) = mpsc::unbounded_channel();
    let ended = tokio::spawn(pump(socket, far, orders));
    Port {
        bytes,
        proxy: TcpProxy { faults, ended },
    }
}

/// Carries bytes both ways, neither waiting for the other, until the client ends it or a fault is ordered.
async fn pump<S>(
    socket: WebSocketStream<S>,
    far: DuplexStream,
    mut orders: mpsc::UnboundedReceiver<Fault>,
) -> Ended
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let (mut to_client, mut from_client) = socket.split();
    let (mut from_port, mut to_port) = tokio::io::split(far);
    let up = async {
        loop {
            match from_client.next().await {
                // The port may be closed; the client learns that in another way.
                Some(Ok(Message::Binary(slice))) => drop(to_port.write_all(&slice).await),
                Some(Ok(Message::Close(farewell))) => {
                    return Ended::Farewell(farewell.map(|farewell| farewell.code.into()));
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Ended::Gone,
            }
        }
    };
    let down = async {
        let mut piece = vec![0; 16 * 1024];
        while let Ok(read @ 1..) = from_port.read(&mut piece).await {
            let slice = Message::binary(Bytes::copy_from_slice(&piece[..read]));
            if to_client.send(slice).await.is_err() {
                break;
            }
        }
        std::future::pending::<()>().await;
    };
    let order = tokio::select! {
        ended = up => {
            let _ = to_client.flush().await;
            return ended;
        }
        () = down => return Ended::Gone,
        Some(order) = orders.recv() => order,
    };
    match order {
        Fault::Close(code) => {
            let code = CloseCode::from(code);
            let reason = "".into();
            let farewell = Message::Close(Some(CloseFrame { code, reason }));
            let _ = to_client.send(farewell).await;
        }
        // The connection stays as it is until the test drops it.
        Fault::Freeze => while orders.recv().await.is_some() {},
        Fault::Cut => {}
    }
    Ended::ByFault
}

/// An open terminal, seen from the session.
pub struct Ttyd {
    pub socket: WebSocketStream<DuplexStream>,
    /// The first message.
    pub hello: String,
}

/// Answers as ttyd at a port until the terminal is open.
pub async fn ttyd(bytes: DuplexStream) -> Ttyd {
    let mut socket = tokio_tungstenite::accept_hdr_async(bytes, agree)
        .await
        .unwrap();
    let hello = socket.next().await.unwrap().unwrap();
    Ttyd {
        socket,
        hello: hello.into_text().unwrap().to_string(),
    }
}

/// Only the path and the sub-protocol of ttyd are accepted.
#[allow(clippy::result_large_err, reason = "the library's own type")]
fn agree(request: &Request, mut answer: Response) -> Result<Response, ErrorResponse> {
    let asked = request.headers().get("Sec-WebSocket-Protocol");
    if request.uri().path() != "/ws" || asked.is_none_or(|asked| asked != "tty") {
        let mut refusal = ErrorResponse::new(None);
        *refusal.status_mut() = tokio_tungstenite::tungstenite::http::StatusCode::NOT_FOUND;
        return Err(refusal);
    }
    let agreed = tokio_tungstenite::tungstenite::http::HeaderValue::from_static("tty");
    answer
        .headers_mut()
        .insert("Sec-WebSocket-Protocol", agreed);
    Ok(answer)
}

impl Ttyd {
    /// The terminal shows this.
    pub async fn show(&mut self, bytes: &[u8]) {
        let mut message = vec![b'0'];
        message.extend_from_slice(bytes);
        self.socket.send(Message::binary(message)).await.unwrap();
    }

    /// The next message to ttyd, except pings.
    pub async fn received(&mut self) -> Bytes {
        loop {
            match self.socket.next().await.unwrap().unwrap() {
                Message::Binary(message) => return message,
                Message::Ping(_) | Message::Pong(_) => {}
                other => panic!("{other:?} was said to ttyd"),
            }
        }
    }

    /// Waits for the client's closing message.
    pub async fn farewell(&mut self) -> Option<u16> {
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Close(farewell))) => {
                    let _ = self.socket.flush().await;
                    return farewell.map(|farewell| farewell.code.into());
                }
                Some(Ok(_)) => {}
                other => panic!("{other:?} came instead of a farewell"),
            }
        }
    }

    /// The program has ended.
    pub async fn end(&mut self, code: u16) {
        let farewell = CloseFrame {
            code: CloseCode::from(code),
            reason: "".into(),
        };
        self.socket.close(Some(farewell)).await.unwrap();
    }
}
