//! `workbay runner listen`: listens on a port of the container and carries the connections over stdin and stdout, in
//! the frames of [`crate::model::listen_frame`]. It serves remote forwards of SSH.

mod connection;
#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    io,
    net::SocketAddr,
    process::ExitCode,
    sync::{Arc, Mutex, PoisonError},
};

use bytes::BytesMut;
use tokio::{
    io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    sync::mpsc,
};

use self::connection::Peer;
use super::complain;
use crate::model::listen_frame::{CONNECTIONS, Frame, FrameKind};

/// Frames that wait for a slow reader of stdout.
const QUEUE: usize = 16;

/// How many bytes are written at once.
const BATCH: usize = 128 * 1024;

/// Runs until stdin ends.
pub(super) fn run(address: &str, port: u16) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let outcome = runtime.and_then(|runtime| {
        let served = runtime.block_on(async {
            let listener = TcpListener::bind((address, port)).await;
            serve(listener, tokio::io::stdin(), tokio::io::stdout()).await
        });
        // A thread may still read stdin.
        runtime.shutdown_background();
        served
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&tr_sent!(
                "listening on {address} port {port}: {error}",
                address,
                port,
                error
            ));
            ExitCode::FAILURE
        }
    }
}

type Peers = Arc<Mutex<HashMap<u32, Peer>>>;

/// Serves until `input` ends. Reports a failed listener in a frame.
async fn serve(
    listener: io::Result<TcpListener>,
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let (frames, queue) = mpsc::channel(QUEUE);
    let (first, listener) = match listener.and_then(|it| Ok((it.local_addr()?.port(), it))) {
        Ok((port, listener)) => {
            let port = port.to_be_bytes().to_vec();
            (Frame::new(FrameKind::Ready, 0, port), Ok(listener))
        }
        Err(error) => {
            let why = error.to_string();
            (Frame::new(FrameKind::Failed, 0, why), Err(error))
        }
    };
    // The queue is empty, so this succeeds.
    let _ = frames.try_send(first);
    let Ok(listener) = listener else {
        drop(frames);
        return write(queue, output).await;
    };
    let peers = Peers::default();
    tokio::select! {
        read = read(input, &peers) => read,
        written = write(queue, output) => written,
        () = accept(&listener, &peers, &frames) => Ok(()),
    }
}

/// Gives each frame to its connection. Never waits for one, because each has a window.
async fn read(mut input: impl AsyncRead + Unpin, peers: &Peers) -> io::Result<()> {
    let mut buffer = BytesMut::with_capacity(BATCH);
    loop {
        let frame = Frame::read(&mut buffer)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        if let Some(frame) = frame {
            let mut peers = peers.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(peer) = peers.get_mut(&frame.connection) {
                peer.take(&frame);
            }
            continue;
        }
        buffer.reserve(BATCH);
        if input.read_buf(&mut buffer).await? == 0 {
            return Ok(());
        }
    }
}

/// Writes all frames. Some that wait are written together.
async fn write(
    mut queue: mpsc::Receiver<Frame>,
    mut output: impl AsyncWrite + Unpin,
) -> io::Result<()> {
    let mut buffer = BytesMut::with_capacity(BATCH);
    while let Some(frame) = queue.recv().await {
        frame.write(&mut buffer);
        while buffer.len() < BATCH
            && let Ok(frame) = queue.try_recv()
        {
            frame.write(&mut buffer);
        }
        output.write_all(&buffer).await?;
        output.flush().await?;
        buffer.clear();
    }
    Ok(())
}

/// Accepts connections, each with the next number.
async fn accept(listener: &TcpListener, peers: &Peers, frames: &mpsc::Sender<Frame>) {
    let mut number: u32 = 0;
    loop {
        let (stream, from) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(error) => {
                complain(&tr_sent!("a connection can't be accepted: {error}", error));
                // Without file descriptors an immediate retry fails, too.
                tokio::time::sleep(std::time::Duration::from_millis(100)).await;
                continue;
            }
        };
        number = number.wrapping_add(1).max(1);
        open(number, stream, from, peers, frames).await;
    }
}

async fn open(
    number: u32,
    stream: TcpStream,
    from: SocketAddr,
    peers: &Peers,
    frames: &mpsc::Sender<Frame>,
) {
    let peer = {
        let mut peers = peers.lock().unwrap_or_else(PoisonError::into_inner);
        if peers.len() >= CONNECTIONS {
            complain(&tr_sent!(
                "a connection is refused: {connections} are open",
                connections = CONNECTIONS
            ));
            return;
        }
        let (peer, ends) = Peer::new(number, frames.clone());
        peers.insert(number, peer);
        ends
    };
    let opened = Frame::opened(number, &from.ip().to_string(), from.port());
    if frames.send(opened).await.is_err() {
        return;
    }
    let peers = Arc::clone(peers);
    tokio::spawn(async move {
        peer.carry(stream).await;
        let mut peers = peers.lock().unwrap_or_else(PoisonError::into_inner);
        peers.remove(&number);
    });
}
