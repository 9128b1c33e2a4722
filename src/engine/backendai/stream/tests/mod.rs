//! Terminals and connections against a scripted proxy, over an in-memory connection and a test
//! clock.

mod dials;
mod faults;
mod follows;
mod splits;
mod terminals;

#[path = "../../../../../tests/support/tcpproxy.rs"]
mod tcpproxy;

use bytes::Bytes;
use tokio::io::DuplexStream;
use tokio_tungstenite::{WebSocketStream, tungstenite::protocol::Role};

use self::tcpproxy::{Port, TcpProxy, Ttyd};
use super::{open_terminals::OpenTerminals, pipe::PortPipe, terminal};
use crate::{
    engine::api::{Attached, Output},
    model::id::SessionId,
};

const SESSION: SessionId = SessionId::from_u128(1);

/// A pipe and its port.
async fn pipe() -> (PortPipe<DuplexStream>, Port) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let socket = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
    (PortPipe::new(socket), tcpproxy::serve(far).await)
}

/// An open terminal of 80 by 24, and what it depends on.
struct Scene {
    terminal: Attached,
    ttyd: Ttyd,
    proxy: TcpProxy,
}

async fn scene(held: &OpenTerminals, tag: &str) -> Scene {
    let claim = held.take(SESSION, tag).await;
    let (pipe, port) = pipe().await;
    let (tty, ttyd) = tokio::join!(terminal::open(pipe, 80, 24), tcpproxy::ttyd(port.bytes));
    Scene {
        terminal: terminal::start(tty.unwrap(), claim),
        ttyd,
        proxy: port.proxy,
    }
}

/// Everything that is shown until the end, and the end.
async fn all(output: &mut tokio::sync::mpsc::Receiver<Output>) -> (Vec<u8>, Output) {
    let mut shown = Vec::new();
    loop {
        match output.recv().await.expect("an end is reported") {
            Output::Stdout(bytes) => shown.extend_from_slice(&bytes),
            last => return (shown, last),
        }
    }
}

/// Why a connection was lost.
fn why(last: Output) -> String {
    match last {
        Output::Lost { why } => why.into_string(),
        other => panic!("{other:?} isn't a loss"),
    }
}

fn stdout(text: &'static str) -> Output {
    Output::Stdout(Bytes::from_static(text.as_bytes()))
}
