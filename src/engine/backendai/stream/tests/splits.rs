//! The byte stream stays the same, however the proxy splits it into messages.

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use proptest::prelude::*;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio_tungstenite::{
    WebSocketStream,
    tungstenite::{Message, protocol::Role},
};

use super::{SESSION, all};
use crate::engine::{
    api::Output,
    backendai::stream::{open_terminals::OpenTerminals, pipe::PortPipe, terminal},
};

/// Both ends of an upgraded connection.
async fn ends() -> (PortPipe<DuplexStream>, WebSocketStream<DuplexStream>) {
    let (near, far) = tokio::io::duplex(4096);
    let near = WebSocketStream::from_raw_socket(near, Role::Client, None).await;
    let far = WebSocketStream::from_raw_socket(far, Role::Server, None).await;
    (PortPipe::new(near), far)
}

/// Sends `bytes` in messages of these lengths, repeatedly.
async fn send(far: &mut WebSocketStream<DuplexStream>, mut bytes: Bytes, cuts: &[usize]) {
    let mut cuts = cuts.iter().cycle();
    while !bytes.is_empty() {
        let cut = cuts.next().copied().unwrap_or(usize::MAX);
        let slice = bytes.split_to(cut.min(bytes.len()));
        // A frame in between that doesn't belong to the stream.
        far.feed(Message::text("aside")).await.unwrap();
        if far.send(Message::binary(slice)).await.is_err() {
            return;
        }
    }
}

/// What ttyd writes to its WebSocket when it shows these texts.
async fn written(shown: &[Vec<u8>], end: bool) -> Bytes {
    let (near, mut far) = tokio::io::duplex(1 << 20);
    let mut socket = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
    for one in shown {
        let message = [b"0", one.as_slice()].concat();
        socket.send(Message::binary(message)).await.unwrap();
        socket
            .send(Message::binary(b"1title".as_slice()))
            .await
            .unwrap();
    }
    if end {
        socket.close(None).await.unwrap();
    }
    drop(socket);
    let mut bytes = Vec::new();
    far.read_to_end(&mut bytes).await.unwrap();
    bytes.into()
}

fn block_on<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(work)
}

/// Opens a terminal whose ttyd then writes `bytes`, split at `cuts`, and closes the port.
async fn play(bytes: Bytes, cuts: Vec<usize>) -> (Vec<u8>, Output) {
    let (pipe, mut far) = ends().await;
    let proxy = tokio::spawn(async move {
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            let message = far.next().await.unwrap().unwrap();
            request.extend_from_slice(&message.into_data());
        }
        let request = String::from_utf8(request).unwrap();
        let key = request
            .lines()
            .find_map(|line| line.strip_prefix("Sec-WebSocket-Key: "))
            .unwrap();
        let accept = tokio_tungstenite::tungstenite::handshake::derive_accept_key(key.as_bytes());
        let answer = format!(
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Accept: {accept}\r\nSec-WebSocket-Protocol: tty\r\n\r\n"
        );
        // The library rejects a head in tiny pieces as an attack, and ttyd doesn't send such a
        // head.
        let mut cuts = cuts;
        if let Some(first) = cuts.first_mut() {
            *first += answer.len();
        }
        let mut answer = Vec::from(answer);
        answer.extend_from_slice(&bytes);
        send(&mut far, answer.into(), &cuts).await;
        let _ = far.close(None).await;
        while let Some(Ok(_)) = far.next().await {}
    });
    let claim = OpenTerminals::default().take(SESSION, "pane").await;
    let ended = match terminal::open(pipe, 80, 24).await {
        Ok(tty) => all(&mut terminal::start(tty, claim).output).await,
        Err(error) => panic!("{error:?}"),
    };
    proxy.await.unwrap();
    ended
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_stream_is_the_same_in_any_slices(
        bytes in prop::collection::vec(any::<u8>(), 0..20_000),
        cuts in prop::collection::vec(1..5000usize, 1..20),
        reads in prop::collection::vec(1..3000usize, 1..20),
    ) {
        let came = block_on(async {
            let (mut pipe, mut far) = ends().await;
            let sent = Bytes::from(bytes.clone());
            let sending = tokio::spawn(async move {
                send(&mut far, sent, &cuts).await;
                far.close(None).await.unwrap();
                far
            });
            let (mut came, mut reads) = (Vec::new(), reads.iter().cycle());
            loop {
                let mut room = vec![0; *reads.next().unwrap()];
                let read = pipe.read(&mut room).await.unwrap();
                if read == 0 {
                    break;
                }
                came.extend_from_slice(&room[..read]);
            }
            drop(sending.await);
            came
        });
        prop_assert!(came == bytes);
    }

    #[test]
    fn what_is_written_arrives_whole(
        bytes in prop::collection::vec(any::<u8>(), 0..200_000),
        cut in 1..100_000usize,
    ) {
        let came = block_on(async {
            let (mut pipe, mut far) = ends().await;
            let sent = bytes.clone();
            let writing = tokio::spawn(async move {
                for piece in sent.chunks(cut) {
                    pipe.write_all(piece).await.unwrap();
                }
                pipe.shutdown().await.unwrap();
                pipe
            });
            let mut came = Vec::new();
            while let Some(Ok(Message::Binary(slice))) = far.next().await {
                came.extend_from_slice(&slice);
            }
            drop(writing.await);
            came
        });
        prop_assert!(came == bytes);
    }

    #[test]
    fn a_terminal_shows_the_same_in_any_slices(
        shown in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..12),
        cuts in prop::collection::vec(1..90usize, 1..20),
    ) {
        let (came, last) = block_on(async {
            let bytes = written(&shown, true).await;
            play(bytes, cuts).await
        });
        prop_assert_eq!(came, shown.concat());
        prop_assert_eq!(last, Output::End { exit_code: None });
    }

    #[test]
    fn no_bytes_of_ttyd_s_do_harm(
        shown in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..3),
        noise in prop::collection::vec(any::<u8>(), 0..200),
        cuts in prop::collection::vec(1..90usize, 1..5),
    ) {
        let (came, last) = block_on(async {
            let bytes = [written(&shown, false).await.as_ref(), noise.as_slice()].concat();
            play(bytes.into(), cuts).await
        });
        prop_assert!(came.starts_with(&shown.concat()));
        prop_assert!(!matches!(last, Output::Stdout(_) | Output::Stderr(_)));
    }
}
