//! The greeting of a connection, the two tasks of a client's connection, and the state that they share with
//! the clones of the client.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::StreamExt;
use tokio::{
    net::{
        UnixStream,
        unix::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc, oneshot},
};
use tokio_util::codec::FramedRead;

use super::{
    Client, ClientError, ClientEvent, ConnectOptions, DaemonHello, language,
    pulse::Pulse,
    start::{not_responding, patiently},
};
use crate::{
    model::{failure::Failure, text::Clean},
    protocol::{
        frame::{Frame, FrameCodec, FrameError, FrameWriter},
        greeting::{Greeting, Welcome},
        message::{FromClient, FromDaemon, PROTOCOL, Reply, RequestId},
        version::version,
    },
};

type Codec = FrameCodec<FromClient, FromDaemon>;
pub(super) type DaemonReader = FramedRead<OwnedReadHalf, Codec>;
pub(super) type Writer = FrameWriter<OwnedWriteHalf, FromClient>;
type FirstCodec = FrameCodec<Greeting, Welcome>;
type ReplySender = oneshot::Sender<Result<Reply, Failure>>;

/// Notices that can wait for the client; the reader waits when there are more.
const EVENTS: usize = 1024;
/// Messages that can wait for the socket.
const OUTGOING: usize = 64;
/// Bytes to read at once.
const READ: usize = 32 * 1024;
/// Messages to read before other tasks run. The TUI reads its keys in the same thread.
const AT_ONCE: usize = 16;

/// The state that waits for messages of the daemon.
pub(super) struct LinkState {
    inner: Mutex<OpenRequests>,
    pub(super) pulse: Arc<Pulse>,
}

#[derive(Default)]
struct OpenRequests {
    next_request: RequestId,
    answers: HashMap<RequestId, ReplySender>,
    lost: Option<Clean>,
}

impl LinkState {
    fn lock(&self) -> MutexGuard<'_, OpenRequests> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a receiver for an answer, and returns the number of the request.
    pub(super) fn expect_answer(&self, answer: ReplySender) -> Result<RequestId, Failure> {
        let mut inner = self.lock();
        if let Some(why) = &inner.lost {
            return Err(lost(why));
        }
        inner.next_request += 1;
        let id = inner.next_request;
        inner.answers.insert(id, answer);
        Ok(id)
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lock().lost.is_some()
    }

    pub(super) fn lost_failure(&self) -> Failure {
        match &self.lock().lost {
            Some(why) => lost(why),
            None => lost(&Clean::new(tr!("the connection to the daemon is closed"))),
        }
    }

    fn answer(&self, id: RequestId, result: Result<Reply, Failure>) {
        let answer = self.lock().answers.remove(&id);
        if let Some(answer) = answer {
            // The caller may have dropped its receiver.
            let _ = answer.send(result);
        }
    }

    /// Marks the connection as lost and fails all waiting requests.
    fn break_off(&self, why: &Clean) {
        let answers = {
            let mut inner = self.lock();
            inner.lost = Some(why.clone());
            std::mem::take(&mut inner.answers)
        };
        for answer in answers.into_values() {
            // The caller may have dropped its receiver.
            let _ = answer.send(Err(lost(why)));
        }
    }
}

fn lost(why: &Clean) -> Failure {
    Failure::lost(why.clone()).hint(tr!(
        "workbay reconnects automatically. If this was a command, run it again"
    ))
}

/// The result of a greeting.
pub(super) enum Greeted {
    Hello(Connection),
    /// The other side closed the connection before its greeting: a daemon that was about to end.
    Nothing,
    /// The daemon (its version and start time) is being upgraded to this program.
    Upgrading(Was),
}

/// A connection after the greetings.
pub(super) struct Connection {
    pub reader: DaemonReader,
    pub writer: Writer,
    hello: DaemonHello,
}

/// Identifies a daemon: its version and start time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Was {
    pub version: String,
    pub started_at: jiff::Timestamp,
}

/// Exchanges the greetings.
pub(super) async fn greet(
    socket: UnixStream,
    options: &ConnectOptions,
) -> Result<Greeted, ClientError> {
    let (read, write) = socket.into_split();
    let mut reader = FramedRead::with_capacity(read, FirstCodec::default(), READ);
    let mut writer = FrameWriter::new(write);
    let talk = async {
        let hello = Greeting::Hello {
            protocol: PROTOCOL,
            version: version().to_owned(),
            program: this_program(),
        };
        // A daemon that refuses may close the connection before it has read this. Only its answer matters.
        let _ = writer.send(Frame::Control(hello)).await;
        reader.next().await
    };
    let welcome = match patiently(options, talk).await {
        Some(Some(Ok(Frame::Control(welcome)))) => welcome,
        Some(None | Some(Err(FrameError::Io(_)))) => return Ok(Greeted::Nothing),
        Some(Some(Err(error))) => return Err(ClientError::Refused(error.to_string().into())),
        _ => return Err(not_responding(&options.paths)),
    };
    let hello = match welcome {
        Welcome::Hello {
            version,
            pid,
            instance,
            ..
        } => DaemonHello {
            version,
            pid,
            instance,
        },
        Welcome::Refused { message } => return Err(ClientError::Refused(message)),
        Welcome::Upgrading {
            version,
            started_at,
        } => {
            let was = Was {
                version,
                started_at,
            };
            return Ok(Greeted::Upgrading(was));
        }
    };
    Ok(Greeted::Hello(Connection {
        reader: reader.map_decoder(|_| Codec::default()),
        writer: FrameWriter::new(writer.into_inner()),
        hello,
    }))
}

/// Starts the tasks of a client's connection.
pub(super) fn begin(
    connection: Connection,
    options: &ConnectOptions,
) -> (Client, mpsc::Receiver<ClientEvent>) {
    let Connection {
        reader,
        writer,
        hello,
    } = connection;
    let (out, outgoing) = mpsc::channel(OUTGOING);
    let (events, receiver) = mpsc::channel(EVENTS);
    let shared = Arc::new(LinkState {
        inner: Mutex::default(),
        pulse: Arc::new(Pulse::new()),
    });
    let watch = tokio::spawn(shared.pulse.clone().watch(out.downgrade()));
    tokio::spawn(write_all(writer, outgoing, shared.clone()));
    let read = read_all(reader, shared.clone(), events);
    tokio::spawn(async move {
        read.await;
        watch.abort();
    });
    // Only the running daemon has the session's state, so a stream never starts another. The pulse notices
    // when it isn't responding.
    let options = ConnectOptions {
        starter: None,
        patience: Duration::MAX,
        ..options.clone()
    };
    let client = Client {
        out,
        shared,
        hello: Arc::new(hello),
        options: Arc::new(options),
    };
    (client, receiver)
}

/// The path of the running program. After a replacement the path is `PATH (deleted)`; the new program at PATH
/// is used then.
fn this_program() -> Option<String> {
    let path = std::env::current_exe().ok()?.into_os_string();
    let path = path.into_string().ok()?;
    let path = path.strip_suffix(" (deleted)").unwrap_or(&path).to_owned();
    std::path::Path::new(&path).is_file().then_some(path)
}

/// Ends (and closes the connection) when the last client and the last stream are dropped.
async fn write_all(
    mut writer: Writer,
    mut outgoing: mpsc::Receiver<Frame<FromClient>>,
    shared: Arc<LinkState>,
) {
    while let Some(frame) = outgoing.recv().await {
        if feed(&mut writer, frame, &shared).is_err() {
            return;
        }
        while let Ok(more) = outgoing.try_recv() {
            if feed(&mut writer, more, &shared).is_err() {
                return;
            }
        }
        if writer.flush().await.is_err() {
            return;
        }
    }
}

/// Feeds a frame to the writer. A message that is too long fails its own request, and the connection stays
/// open.
fn feed(
    writer: &mut Writer,
    frame: Frame<FromClient>,
    shared: &LinkState,
) -> Result<(), FrameError> {
    let asked = match &frame {
        Frame::Control(FromClient::Ask { id, .. }) => Some(*id),
        _ => None,
    };
    match (writer.feed(frame), asked) {
        (Err(FrameError::TooLong { bytes, most }), Some(id)) => {
            shared.answer(id, Err(too_long(bytes, most)));
            Ok(())
        }
        (fed, _) => fed,
    }
}

pub(super) fn too_long(bytes: usize, most: usize) -> Failure {
    let text = tr!(
        "the request is too long: {bytes} bytes (max: {most})",
        bytes,
        most
    );
    Failure::usage(text).hint(tr!(
        "store long texts in a file in the session or in a folder"
    ))
}

async fn read_all(
    mut reader: DaemonReader,
    shared: Arc<LinkState>,
    events: mpsc::Sender<ClientEvent>,
) {
    let mut count = 0;
    let why = loop {
        let received = reader.next().await;
        shared.pulse.received();
        count += 1;
        if count % AT_ONCE == 0 {
            tokio::task::yield_now().await;
        }
        match received {
            Some(Ok(Frame::Control(FromDaemon::Refused { message }))) => {
                break language::of(message);
            }
            Some(Ok(Frame::Control(FromDaemon::Answer { id, result }))) => {
                shared.answer(id, language::answer(result));
            }
            Some(Ok(Frame::Control(FromDaemon::Notice { seq, change }))) => {
                let change = language::change(change);
                // The caller may have dropped its receiver because it doesn't need notices.
                let _ = events.send(ClientEvent::Notice { seq, change }).await;
            }
            // Messages of streams, which have connections of their own.
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                break Clean::new(&tr!("the connection to the daemon broke: {error}", error));
            }
            None => break Clean::new(tr!("the daemon stopped")),
        }
    };
    shared.break_off(&why);
    let _ = events.send(ClientEvent::Lost { why }).await;
}
