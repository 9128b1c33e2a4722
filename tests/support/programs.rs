//! The few programs that the engine in memory can run.

use bytes::Bytes as Chunk;
use tokio::sync::mpsc;
use workbay::{
    engine::api::{Attached, Input, Output},
    model::id::SessionId,
};

use super::MemoryEngine;

/// A piece of what `flood` writes.
pub const FLOOD_PIECE: usize = 10_000;

/// - `shell`: echoes input and prints sizes as `<columns>x<rows>`, ends with the code 0 at `exit\n`,
///   writes `drop 0`, `drop 1`, … without an end at `drip\n`, until something is typed
/// - `cat`: echoes input until its end
/// - `flood N`: writes N pieces of [`FLOOD_PIECE`] bytes
/// - `deaf`: reads nothing
/// - `exit N`: ends with that code
/// - `die N`: the session's main process ends with that code
pub fn run(engine: &MemoryEngine, session: SessionId, argv: &[String]) -> Attached {
    let (write, output) = mpsc::channel(4);
    let (input, read) = mpsc::channel(4);
    let (engine, argv) = (engine.clone(), argv.to_vec());
    tokio::spawn(async move {
        let number = |n: usize| argv.get(n).and_then(|text| text.parse::<i64>().ok());
        let code = match argv[0].as_str() {
            "shell" | "cat" => echo(read, &write).await,
            "flood" => flood(number(1).unwrap_or(1), &write).await,
            "exit" => number(1),
            "die" => {
                engine.die(session, number(1).unwrap_or(0), false);
                Some(0)
            }
            "deaf" => {
                let _unread = read;
                std::future::pending().await
            }
            _ => Some(127),
        };
        let _ = write.send(Output::End { exit_code: code }).await;
    });
    Attached { output, input }
}

async fn echo(mut read: mpsc::Receiver<Input>, write: &mpsc::Sender<Output>) -> Option<i64> {
    // What was typed, however it was cut into pieces.
    let mut line = Vec::new();
    while let Some(input) = read.recv().await {
        let mut bytes = match input {
            Input::Bytes(bytes) => {
                line.extend_from_slice(&bytes);
                bytes
            }
            Input::Resize { columns, rows } => Chunk::from(format!("<{columns}x{rows}>")),
            Input::Eof => break,
        };
        if line.ends_with(b"exit\n") {
            break;
        }
        if line.ends_with(b"drip\n") {
            line.clear();
            bytes = drip(&mut read, write).await;
        }
        if write.send(Output::Stdout(bytes)).await.is_err() {
            break;
        }
    }
    Some(0)
}

/// Lines without an end, until something is typed: that is returned.
async fn drip(read: &mut mpsc::Receiver<Input>, write: &mpsc::Sender<Output>) -> Chunk {
    for number in 0_u64.. {
        let piece = Chunk::from(format!("drop {number}\r\n").repeat(100));
        tokio::select! {
            biased;
            input = read.recv() => return match input {
                Some(Input::Bytes(bytes)) => bytes,
                _ => Chunk::new(),
            },
            sent = write.send(Output::Stdout(piece)) => if sent.is_err() { break },
        }
    }
    Chunk::new()
}

async fn flood(pieces: i64, write: &mpsc::Sender<Output>) -> Option<i64> {
    for _ in 0..pieces {
        let piece = Chunk::from(vec![b'x'; FLOOD_PIECE]);
        if write.send(Output::Stdout(piece)).await.is_err() {
            return None;
        }
    }
    Some(0)
}
