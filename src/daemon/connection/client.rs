//! One connection of a client: a control connection with its requests, or one stream.

use std::{sync::Arc, time::Duration};

use tokio::net::UnixStream;

use super::{
    admission::{Admitted, made_room},
    greeting::{self, ClientReader, Writer},
    inbound::{ConnectionId, Inbound},
    outbox::Outbox,
    server_state::ServerState,
    streams,
};
use crate::{
    model::{failure::Failure, text::Clean},
    protocol::{
        frame::{Frame, FrameError},
        message::{FromClient, FromDaemon, Request, RequestId},
    },
};

/// Time limit for sending a client the reason for its disconnection.
const FAREWELL: Duration = Duration::from_secs(1);

/// What was read from a connection; `None` = the client closed it.
type Received = Option<Result<Frame<FromClient>, FrameError>>;

/// Serves one connection until the client closes it or the daemon ends.
pub(in crate::daemon) async fn serve(
    socket: UnixStream,
    id: ConnectionId,
    admitted: Admitted,
    server_state: ServerState,
) {
    let greeted = tokio::select! {
        greeted = greeting::greet(socket, id, &server_state) => greeted,
        () = admitted.given_up() => None,
    };
    let Some((mut reader, mut writer, older)) = greeted else {
        return;
    };
    let first = tokio::select! {
        first = reader.next() => first,
        () = admitted.given_up() => return cut_off(&mut writer, id, made_room()).await,
    };
    let ended = match first {
        Some(Ok(Frame::Control(FromClient::Open { open }))) => {
            streams::serve(open, reader, &mut writer, &admitted, &server_state).await
        }
        first => {
            let client = ControlClient {
                id,
                admitted: &admitted,
                server_state: &server_state,
                outbox: Arc::default(),
            };
            client.serve(first, reader, &mut writer, older).await
        }
    };
    if let Err(message) = ended {
        cut_off(&mut writer, id, message).await;
    }
}

/// A client that doesn't read isn't waited for.
async fn cut_off(writer: &mut Writer, id: ConnectionId, message: Clean) {
    tracing::warn!(connection = id, %message, "cut off");
    let said = writer.send(Frame::Control(FromDaemon::Refused { message }));
    let _ = tokio::time::timeout(FAREWELL, said).await;
}

async fn write_all(writer: &mut Writer, outbox: &Outbox, admitted: &Admitted) {
    while let Some(batch) = outbox.next().await {
        let answers = batch
            .iter()
            .filter(|it| matches!(it, FromDaemon::Answer { .. }));
        answers.for_each(|_| admitted.answered());
        let fed = feed_all(writer, batch.into_iter().map(Frame::Control));
        if fed.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

/// An answer that is too long for a frame becomes a failure; anything else ends the connection.
fn feed_all(
    writer: &mut Writer,
    frames: impl Iterator<Item = Frame<FromDaemon>>,
) -> Result<(), FrameError> {
    for frame in frames {
        let asked = match &frame {
            Frame::Control(FromDaemon::Answer { id, .. }) => Some(*id),
            _ => None,
        };
        match (writer.feed(frame), asked) {
            (Err(FrameError::TooLong { bytes, .. }), Some(id)) => {
                let text = tr_sent!("the answer is too long ({bytes} bytes)", bytes);
                let result = Err(Failure::internal(text));
                writer.feed(Frame::Control(FromDaemon::Answer { id, result }))?;
            }
            (fed, _) => fed?,
        }
    }
    Ok(())
}

/// A client at its control connection.
struct ControlClient<'a> {
    id: ConnectionId,
    admitted: &'a Admitted,
    server_state: &'a ServerState,
    outbox: Arc<Outbox>,
}

impl ControlClient<'_> {
    /// Returns an error if the client must be disconnected.
    async fn serve(
        self,
        first: Received,
        reader: ClientReader,
        writer: &mut Writer,
        older: Option<Clean>,
    ) -> Result<(), Clean> {
        let connection = self.id;
        let joined = Inbound::Joined {
            connection,
            outbox: self.outbox.clone(),
            older,
        };
        // Sending fails only while the daemon ends.
        if self.server_state.inbound.send(joined).await.is_err() {
            return Ok(());
        }
        let ended = tokio::select! {
            () = write_all(writer, &self.outbox, self.admitted) => Ok(()),
            () = self.admitted.given_up() => Err(made_room()),
            ended = self.read_all(first, reader) => ended,
        };
        let _ = self
            .server_state
            .inbound
            .send(Inbound::Left { connection })
            .await;
        ended
    }

    async fn read_all(&self, first: Received, mut reader: ClientReader) -> Result<(), Clean> {
        let mut received = first;
        while let Some(frame) = received {
            match frame {
                Ok(Frame::Control(FromClient::Ask { id, request })) => {
                    self.asked(id, request).await;
                }
                Ok(_) => return Err(Clean::new(tr_sent!("this connection carries no stream"))),
                Err(FrameError::Io(_)) => return Ok(()),
                Err(error) => return Err(Clean::new(&error.to_string())),
            }
            received = reader.next().await;
        }
        Ok(())
    }

    async fn asked(&self, id: RequestId, request: Request) {
        self.outbox.room().await;
        self.admitted.asked();
        if matches!(request, Request::Subscribe)
            && let Err(failure) = self.admitted.stay()
        {
            let result = Err(failure);
            return self.outbox.answer(FromDaemon::Answer { id, result });
        }
        let asked = Inbound::Asked {
            connection: self.id,
            id,
            request,
        };
        // Sending fails only while the daemon ends, and the connection ends with it.
        let _ = self.server_state.inbound.send(asked).await;
    }
}
