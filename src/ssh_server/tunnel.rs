//! A connection to a port of the session, carried by a channel.

use std::{net::IpAddr, sync::Arc, time::Duration};

use bytes::BytesMut;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, ReadHalf, WriteHalf};
use tokio_util::sync::CancellationToken;

use super::{
    access::{Io, SessionAccess},
    channel::{self, ChannelOutput, ClientInput, Gone, InputQueue},
};
use crate::model::failure::Failure;

/// How many bytes are read at once.
const PIECE: usize = 64 * 1024;

/// How long a connection to a port of the session may take.
const DIAL: Duration = Duration::from_secs(15);

/// Whether a client means the session itself: it reaches nothing else.
pub(super) fn is_own(host: &str, access: &dyn SessionAccess) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_loopback = match bare.parse::<IpAddr>() {
        Ok(IpAddr::V6(address)) => address
            .to_ipv4_mapped()
            .map_or(address.is_loopback(), |inner| inner.is_loopback()),
        Ok(IpAddr::V4(address)) => address.is_loopback(),
        Err(_) => false,
    };
    let is_name = |name: &str| bare.eq_ignore_ascii_case(name);
    is_loopback || is_name("localhost") || access.hosts().iter().any(|name| is_name(name))
}

/// Why a connection to another host is refused.
pub(super) fn elsewhere(host: &str) -> String {
    let shown: String = host.chars().filter(|c| !c.is_control()).take(64).collect();
    tr_sent!(
        "a session's SSH server connects only to the session itself (localhost), not to '{shown}'",
        shown
    )
}

/// Connects to a port of the session, unless the client leaves first.
pub(super) async fn dial(
    access: &dyn SessionAccess,
    gone: &CancellationToken,
    host: String,
    port: u16,
) -> Result<Box<dyn Io>, Failure> {
    let late = || {
        let what = tr_sent!(
            "connecting to port {port} of the session took too long",
            port
        );
        Failure::lost(what)
    };
    tokio::select! {
        dialed = access.dial(host, port) => dialed,
        () = tokio::time::sleep(DIAL) => Err(late()),
        () = gone.cancelled() => Err(late()),
    }
}

/// Carries a connection until both directions have ended, or the client closes the channel.
pub(super) async fn carry(
    stream: Box<dyn Io>,
    access: Arc<dyn SessionAccess>,
    input: InputQueue,
    output: ChannelOutput,
) {
    access.used();
    let (read, write) = tokio::io::split(stream);
    let overflow = output.end().overflow.clone();
    let both = async {
        let (input, ()) = tokio::try_join!(
            to_session(input, write, &*access),
            from_session(read, &output)
        )?;
        channel::closed_by_client(input).await;
        Ok::<(), Gone>(())
    };
    tokio::select! {
        _ = both => {}
        () = overflow.cancelled() => {}
    }
    output.close().await;
}

async fn from_session(mut read: ReadHalf<Box<dyn Io>>, output: &ChannelOutput) -> Result<(), Gone> {
    let mut buffer = BytesMut::new();
    loop {
        buffer.reserve(PIECE);
        match read.read_buf(&mut buffer).await {
            Ok(0) => break,
            Ok(_) => output.send(buffer.split().freeze(), false).await?,
            Err(_) => return Err(Gone),
        }
    }
    output.eof().await;
    Ok(())
}

/// Returns the queue after the end of the input, or [`Gone`] when the client closes the channel before it.
async fn to_session(
    mut input: InputQueue,
    mut write: WriteHalf<Box<dyn Io>>,
    access: &dyn SessionAccess,
) -> Result<InputQueue, Gone> {
    while let Some((one, queued)) = input.recv().await {
        match one {
            ClientInput::Bytes(bytes) => {
                access.used();
                write.write_all(&bytes).await.map_err(|_| Gone)?;
            }
            ClientInput::Eof => {
                write.shutdown().await.map_err(|_| Gone)?;
                return Ok(input);
            }
            ClientInput::Resize(..) | ClientInput::Signal(_) => {}
        }
        drop(queued);
    }
    Err(Gone)
}
