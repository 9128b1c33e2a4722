//! A daemon that a test simulates at the other end of the socket.

use futures_util::StreamExt as _;
use tokio::net::{
    UnixStream,
    unix::{OwnedReadHalf, OwnedWriteHalf},
};
use tokio_util::codec::FramedRead;

use crate::{
    model::id::InstanceId,
    protocol::{
        frame::{Frame, FrameCodec, FrameWriter},
        greeting::{Greeting, Welcome},
        message::{FromClient, FromDaemon, PROTOCOL, Request, RequestId},
    },
};

/// The daemon's end of a connection, after the greeting.
pub(crate) struct SimulatedDaemon {
    reader: FramedRead<OwnedReadHalf, FrameCodec<FromDaemon, FromClient>>,
    writer: FrameWriter<OwnedWriteHalf, FromDaemon>,
}

impl SimulatedDaemon {
    /// Answers the greeting of a client.
    pub(crate) async fn accept(socket: UnixStream) -> Self {
        let (read, write) = socket.into_split();
        let mut first = FramedRead::new(read, FrameCodec::<Welcome, Greeting>::default());
        first.next().await.unwrap().unwrap();
        let welcome = Frame::Control(Welcome::Hello {
            protocol: PROTOCOL,
            version: "0".into(),
            pid: 1,
            instance: InstanceId::random(),
        });
        let mut writer = FrameWriter::new(write);
        writer.send(welcome).await.unwrap();
        Self {
            reader: first.map_decoder(|_| FrameCodec::default()),
            writer: FrameWriter::new(writer.into_inner()),
        }
    }

    /// The next request. Other messages are skipped.
    pub(crate) async fn request(&mut self) -> (RequestId, Request) {
        loop {
            match self.reader.next().await {
                Some(Ok(Frame::Control(FromClient::Ask {
                    id: id @ 1..,
                    request,
                }))) => {
                    return (id, request);
                }
                Some(Ok(_)) => {}
                other => panic!("{other:?}"),
            }
        }
    }

    pub(crate) async fn send(&mut self, message: FromDaemon) {
        self.writer.send(Frame::Control(message)).await.unwrap();
    }
}
