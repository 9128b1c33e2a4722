//! Our stdin as the input of a stream.

use std::io::{self, Read as _};

use bytes::Bytes;
use tokio::sync::mpsc;

use crate::client::StreamSender;

/// The most that is read at once.
const PIECE: usize = 64 * 1024;

/// Forwards our stdin to a stream until one of them ends. Reading blocks, so it has its own thread, which ends with the
/// process.
pub async fn forward(sender: StreamSender) {
    let (pieces, mut read) = mpsc::channel::<Bytes>(4);
    std::thread::spawn(move || {
        let mut buffer = vec![0; PIECE];
        while let Ok(count @ 1..) = io::stdin().lock().read(&mut buffer) {
            let piece = Bytes::copy_from_slice(&buffer[..count]);
            if pieces.blocking_send(piece).is_err() {
                return;
            }
        }
    });
    while let Some(piece) = read.recv().await {
        if sender.send(piece).await.is_err() {
            return;
        }
    }
    // The other side may have ended in the meantime, so errors are ignored.
    let _ = sender.end_input().await;
}
