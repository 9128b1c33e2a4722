//! A plain TCP stream to a port in a session.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::Bytes;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::mpsc,
};

use super::pipe::{PipeEnd, PipeEvent, PortPipe};
use crate::{
    engine::api::{Attached, Input, Output},
    model::text::Clean,
};

/// Output is queued for a slow reader in pieces of up to [`PIECE`] bytes.
const OUTPUT_QUEUE: usize = 16;
const INPUT_QUEUE: usize = 64;
const PIECE: usize = 64 * 1024;

const FAREWELL: Duration = Duration::from_secs(1);

/// Carries bytes both ways until the far end closes, the connection is lost or the reader drops it.
///
/// Such a stream can't be half-closed, so `Input::Eof` does nothing.
pub(super) fn start<S>(pipe: PortPipe<S>) -> Attached
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    start_reporting(pipe, Arc::default())
}

/// Like [`start`], and stores in `lost` how the connection was lost before the stream ends.
pub(super) fn start_reporting<S>(pipe: PortPipe<S>, lost: Arc<OnceLock<PipeEnd>>) -> Attached
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let (output_in, output) = mpsc::channel(OUTPUT_QUEUE);
    let (input, input_out) = mpsc::channel(INPUT_QUEUE);
    tokio::spawn(carry(pipe, lost, output_in, input_out));
    Attached { output, input }
}

async fn carry<S>(
    mut pipe: PortPipe<S>,
    lost: Arc<OnceLock<PipeEnd>>,
    output: mpsc::Sender<Output>,
    mut input: mpsc::Receiver<Input>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    // Received and outgoing bytes. Each waits for room on its own.
    let (mut come, mut outgoing) = (Bytes::new(), None);
    let mut typing = true;
    let last = loop {
        let read = come.is_empty();
        tokio::select! {
            biased;
            () = output.closed() => break None,
            Ok(room) = output.reserve(), if !read => {
                room.send(Output::Stdout(come.split_to(come.len().min(PIECE))));
            }
            turn = pipe.turn(&mut outgoing, read) => match turn {
                PipeEvent::Sent => {}
                PipeEvent::Came(bytes) => come = bytes,
                PipeEvent::Ended(why) => {
                    if let Some(cut) = &why {
                        // The cause is set only once.
                        let _ = lost.set(cut.clone());
                    }
                    break Some(ending(why));
                }
            },
            one = input.recv(), if typing && outgoing.is_none() => match one {
                Some(Input::Bytes(bytes)) if !bytes.is_empty() => outgoing = Some(bytes),
                Some(_) => {}
                None => typing = false,
            },
        }
    };
    let Some(last) = last else {
        let _ = tokio::time::timeout(FAREWELL, last_words(&mut pipe, outgoing, input)).await;
        return;
    };
    drop(pipe);
    // Forwards the bytes that arrived before the end.
    while !come.is_empty() {
        let piece = Output::Stdout(come.split_to(come.len().min(PIECE)));
        if output.send(piece).await.is_err() {
            return;
        }
    }
    // The reader may be gone already.
    let _ = output.send(last).await;
}

/// Sends the input that was queued before the reader left.
async fn last_words<S>(
    pipe: &mut PortPipe<S>,
    mut outgoing: Option<Bytes>,
    mut input: mpsc::Receiver<Input>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    loop {
        if outgoing.is_some() && pipe.turn(&mut outgoing, false).await != PipeEvent::Sent {
            return;
        }
        outgoing = match input.try_recv() {
            Ok(Input::Bytes(bytes)) if !bytes.is_empty() => Some(bytes),
            Ok(_) => None,
            Err(_) => break,
        };
    }
    pipe.close().await;
}

fn ending(why: Option<PipeEnd>) -> Output {
    match why {
        None => Output::End { exit_code: None },
        Some(cut) => Output::Lost {
            why: Clean::new(&cut.to_string()),
        },
    }
}
