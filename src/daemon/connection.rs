//! One client: its requests, its streams.

use std::{collections::HashMap, sync::Arc, time::Duration};

use tokio::{
    net::UnixStream,
    sync::{mpsc, oneshot},
    task::{AbortHandle, JoinSet},
};

use super::{
    admission::{Admitted, made_room},
    greeting::{self, Reader, Writer},
    house::House,
    inbound::{ConnectionId, Inbound},
    outbox::Outbox,
    presence::{Presence, Typing},
    streams::{self, Seat},
};
use crate::{
    engine::api::Engine,
    model::text::Clean,
    protocol::{
        frame::{Frame, FrameError},
        message::{
            Failure, FailureKind, FromClient, FromDaemon, Request, StreamEnd, StreamId, StreamOpen,
        },
    },
};

/// Stream frames that wait for the socket.
const OUTGOING: usize = 16;
/// Frames written together at most, in bytes.
const TOGETHER: usize = 128 * 1024;
/// Streams of one client.
const STREAMS: usize = 256;
/// How long a client may take to read why it is cut off.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves one client until it goes or the daemon ends.
pub(super) async fn serve(socket: UnixStream, id: ConnectionId, admitted: Admitted, house: House) {
    let greeted = tokio::select! {
        greeted = greeting::greet(socket, id, &house) => greeted,
        () = admitted.given_up() => None,
    };
    let Some((reader, mut writer, older)) = greeted else {
        return;
    };
    let outbox = Arc::new(Outbox::default());
    let joined = Inbound::Joined {
        connection: id,
        outbox: outbox.clone(),
        older,
    };
    let inbound = house.inbound.clone();
    if inbound.send(joined).await.is_err() {
        return;
    }
    let (out, outgoing) = mpsc::channel(OUTGOING);
    let client = Client {
        id,
        admitted: &admitted,
        house,
        outbox: outbox.clone(),
        out,
        seats: HashMap::new(),
        tasks: JoinSet::new(),
    };
    tokio::select! {
        () = write_all(&mut writer, &outbox, outgoing, &admitted) => {}
        () = admitted.given_up() => {
            let message = made_room();
            tracing::info!(connection = id, %message, "cut off");
            // A client that doesn't read isn't waited for.
            let said = writer.send(Frame::Control(FromDaemon::Refused { message }));
            let _ = tokio::time::timeout(FAREWELL, said).await;
        }
        ended = client.read_all(reader) => {
            if let Err(message) = ended {
                tracing::warn!(connection = id, %message, "cut off");
                let said = writer.send(Frame::Control(FromDaemon::Refused { message }));
                let _ = tokio::time::timeout(FAREWELL, said).await;
            }
        }
    }
    let _ = inbound.send(Inbound::Left { connection: id }).await;
}

/// Answers and notices before stream bytes.
async fn write_all(
    writer: &mut Writer,
    outbox: &Outbox,
    mut outgoing: mpsc::Receiver<Frame<FromDaemon>>,
    admitted: &Admitted,
) {
    loop {
        let fed = tokio::select! {
            biased;
            batch = outbox.next() => match batch {
                Some(batch) => {
                    let answers = batch.iter().filter(|it| matches!(it, FromDaemon::Answer { .. }));
                    answers.for_each(|_| admitted.answered());
                    feed_all(writer, batch.into_iter().map(Frame::Control))
                }
                None => return,
            },
            frame = outgoing.recv() => match frame {
                Some(frame) => feed_all(writer, [frame].into_iter()),
                None => return,
            },
        };
        if fed.is_err() {
            return;
        }
        while writer.pending() < TOGETHER
            && let Ok(frame) = outgoing.try_recv()
        {
            if feed_all(writer, [frame].into_iter()).is_err() {
                return;
            }
        }
        if writer.flush().await.is_err() {
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
                let text = format!("the answer is too long ({bytes} bytes)");
                let result = Err(Failure::new(FailureKind::Internal, text));
                writer.feed(Frame::Control(FromDaemon::Answer { id, result }))?;
            }
            (fed, _) => fed?,
        }
    }
    Ok(())
}

/// An open stream.
struct Place {
    seat: Arc<Seat>,
    task: AbortHandle,
    typing: Typing,
}

struct Client<'a> {
    id: ConnectionId,
    admitted: &'a Admitted,
    house: House,
    outbox: Arc<Outbox>,
    out: streams::Outgoing,
    seats: HashMap<StreamId, Place>,
    /// Aborted with the connection: terminals are detached, their shells live on.
    tasks: JoinSet<()>,
}

impl Client<'_> {
    /// An error is what the client is told before it is cut off.
    async fn read_all(mut self, mut reader: Reader) -> Result<(), Clean> {
        while let Some(frame) = reader.next().await {
            match frame {
                Ok(Frame::Control(message)) => self.hear(message).await,
                Ok(Frame::Data(data)) => {
                    let Some(place) = self.seats.get_mut(&data.stream) else {
                        continue;
                    };
                    if place.seat.input.bytes(&data.bytes).is_err() {
                        return Err(Clean::new(
                            "the client sent more input than the window allows",
                        ));
                    }
                    if let Some(used) = place.typing.heard(data.origin) {
                        // Without the loop the daemon is ending.
                        let _ = self.house.inbound.send(used).await;
                    }
                }
                Err(FrameError::Io(_)) => return Ok(()),
                Err(error) => return Err(Clean::new(&error.to_string())),
            }
        }
        Ok(())
    }

    async fn hear(&mut self, message: FromClient) {
        match message {
            FromClient::Ask { id, request } => {
                self.outbox.room().await;
                self.admitted.asked();
                if matches!(request, Request::Subscribe)
                    && let Err(failure) = self.admitted.stay()
                {
                    let result = Err(failure);
                    return self.outbox.answer(FromDaemon::Answer { id, result });
                }
                let connection = self.id;
                let asked = Inbound::Asked {
                    connection,
                    id,
                    request,
                };
                // Without the loop the daemon is ending, and the connection with it.
                let _ = self.house.inbound.send(asked).await;
            }
            FromClient::OpenStream { stream, open } => self.open(stream, open),
            FromClient::ResizeStream {
                stream,
                columns,
                rows,
            } => self.with(stream, |seat| seat.input.resize(columns, rows)),
            FromClient::EndInput { stream } => self.with(stream, |seat| seat.input.end()),
            FromClient::Credit { stream, bytes } => self.with(stream, |seat| seat.grant(bytes)),
            FromClient::CloseStream { stream } => self.close(stream),
        }
    }

    fn with(&self, stream: StreamId, act: impl FnOnce(&Seat)) {
        if let Some(place) = self.seats.get(&stream) {
            act(&place.seat);
        }
    }

    fn open(&mut self, stream: StreamId, open: StreamOpen) {
        while self.tasks.try_join_next().is_some() {}
        self.seats.retain(|_, place| !place.task.is_finished());
        let seat = Arc::new(Seat::default());
        let (house, out) = (self.house.clone(), self.out.clone());
        let allowed = if self.seats.len() < STREAMS {
            self.admitted.stay()
        } else {
            Err(too_many_streams())
        };
        let carried = seat.clone();
        let typing = Typing::new(&open);
        let task = self.tasks.spawn(async move {
            match may_open(&house, &open, allowed).await {
                Ok(engine) => {
                    let _present = Presence::begin(&open, &house.inbound).await;
                    streams::carry(engine, stream, open, carried, out).await;
                }
                Err(failure) => {
                    let end = StreamEnd::Failed { failure };
                    let ended = FromDaemon::StreamEnded { stream, end };
                    let _ = out.send(Frame::Control(ended)).await;
                }
            }
        });
        // A number used twice: the older stream is closed.
        let place = Place { seat, task, typing };
        if let Some(older) = self.seats.insert(stream, place) {
            older.task.abort();
        }
    }

    fn close(&mut self, stream: StreamId) {
        let Some(Place { task, .. }) = self.seats.remove(&stream) else {
            return;
        };
        if task.is_finished() {
            return;
        }
        task.abort();
        let end = StreamEnd::Exited { exit_code: None };
        let ended = Frame::Control(FromDaemon::StreamEnded { stream, end });
        let out = self.out.clone();
        self.tasks.spawn(async move { drop(out.send(ended).await) });
    }
}

/// The loop knows whether the session is in a state for it, and which engine has it.
async fn may_open(
    house: &House,
    open: &StreamOpen,
    allowed: Result<(), Failure>,
) -> Result<Arc<dyn Engine>, Failure> {
    allowed?;
    let (answer, answered) = oneshot::channel();
    let look = Inbound::Look {
        open: open.clone(),
        answer,
    };
    let ending = || Failure::new(FailureKind::Unreachable, "the daemon is stopping");
    house.inbound.send(look).await.map_err(|_| ending())?;
    answered.await.unwrap_or_else(|_| Err(ending()))
}

fn too_many_streams() -> Failure {
    let text = format!(
        "too many terminals and logs are open (max: {STREAMS}). Close some, then try again"
    );
    Failure::new(FailureKind::Refused, text)
}
