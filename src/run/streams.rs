//! The open streams of the TUI. Each has a task that moves bytes in both directions.

use std::collections::HashMap;

use bytes::Bytes;
use tokio::sync::mpsc;

use super::connection::{Current, disconnected};
use crate::{
    app::msg::StreamEvent,
    client::{Client, StreamItem},
    model::{failure::Failure, log::LogSource},
    protocol::message::{Origin, StreamEnd, StreamId, StreamOpen},
    terminal::pty::{Pty, PtyCommand, PtyOutput},
};

/// Capacity of the queue of chunks from all streams to the app. It is small, so that a flood waits at its
/// source.
pub const EVENTS: usize = 16;
/// Capacity of the queue of keys, pastes and sizes to a stream.
const ORDERS: usize = 1024;

/// What happened to a stream.
pub type StreamReport = (StreamId, StreamEvent);

/// Something for the program of a stream.
#[derive(Debug)]
enum StreamOrder {
    Send(Origin, Bytes),
    Resize(u16, u16),
}

/// The program doesn't read, so what was typed is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck;

#[derive(Debug)]
pub struct Streams {
    open: HashMap<StreamId, mpsc::Sender<StreamOrder>>,
    events: mpsc::Sender<StreamReport>,
    /// The program of panes of this machine. Empty = the user's shell.
    shell: Vec<String>,
}

impl Streams {
    pub fn new(events: mpsc::Sender<StreamReport>) -> Self {
        Self {
            open: HashMap::new(),
            events,
            shell: Vec::new(),
        }
    }

    /// Runs this program in panes of this machine instead of the user's shell.
    #[cfg(test)]
    pub fn with_shell(mut self, argv: Vec<String>) -> Self {
        self.shell = argv;
        self
    }

    /// Opens a terminal, a log or a command at the daemon.
    pub fn open(&mut self, stream: StreamId, open: StreamOpen, current: &Current) {
        let client = current.borrow().clone();
        let orders = self.add(stream);
        let events = self.events.clone();
        tokio::spawn(async move {
            let end = match client {
                Some(client) => carry(&client, open, stream, orders, &events).await,
                None => Some(StreamEnd::Failed {
                    failure: disconnected(),
                }),
            };
            if let Some(end) = end {
                let _ = events.send((stream, StreamEvent::Ended(end))).await;
            }
        });
    }

    /// Opens a shell of this machine, or runs a program in place of it.
    pub fn open_host(
        &mut self,
        stream: StreamId,
        program: Vec<String>,
        (columns, rows): (u16, u16),
    ) {
        let orders = self.add(stream);
        let events = self.events.clone();
        let program = if program.is_empty() {
            self.shell.clone()
        } else {
            program
        };
        let command = host_shell(program, columns, rows);
        tokio::spawn(async move {
            let end = carry_host(stream, &command, orders, &events).await;
            if let Some(end) = end {
                let _ = events.send((stream, StreamEvent::Ended(end))).await;
            }
        });
    }

    fn add(&mut self, stream: StreamId) -> mpsc::Receiver<StreamOrder> {
        self.open.retain(|_, orders| !orders.is_closed());
        let (orders, received) = mpsc::channel(ORDERS);
        self.open.insert(stream, orders);
        received
    }

    pub fn send(&self, stream: StreamId, origin: Origin, bytes: Bytes) -> Result<(), Stuck> {
        self.order(stream, StreamOrder::Send(origin, bytes))
    }

    pub fn resize(&self, stream: StreamId, columns: u16, rows: u16) -> Result<(), Stuck> {
        self.order(stream, StreamOrder::Resize(columns, rows))
    }

    fn order(&self, stream: StreamId, order: StreamOrder) -> Result<(), Stuck> {
        match self.open.get(&stream).map(|orders| orders.try_send(order)) {
            Some(Err(mpsc::error::TrySendError::Full(_))) => Err(Stuck),
            // A stream that has ended reports its end on its own.
            _ => Ok(()),
        }
    }

    /// Closes the stream. Nothing more comes from it.
    pub fn close(&mut self, stream: StreamId) {
        self.open.remove(&stream);
    }
}

/// Moves bytes until either side ends. `None` = the TUI closed the stream.
async fn carry(
    client: &Client,
    open: StreamOpen,
    stream: StreamId,
    mut orders: mpsc::Receiver<StreamOrder>,
    events: &mpsc::Sender<StreamReport>,
) -> Option<StreamEnd> {
    let mut opened = client.open(open);
    let sender = opened.sender();
    let write = async {
        while let Some(order) = orders.recv().await {
            let sent = match order {
                StreamOrder::Send(origin, bytes) => sender.send_as(origin, bytes).await,
                StreamOrder::Resize(columns, rows) => sender.resize(columns, rows).await,
            };
            if sent.is_err() {
                // The other end closed the stream. Its last item says why.
                std::future::pending::<()>().await;
            }
        }
    };
    let read = async {
        while let Some(item) = opened.recv().await {
            let event = match item {
                StreamItem::Opened => StreamEvent::Opened,
                StreamItem::Data { source, bytes } => StreamEvent::Data { source, bytes },
                StreamItem::Ended(end) => return Some(end),
            };
            if events.send((stream, event)).await.is_err() {
                return None;
            }
        }
        Some(StreamEnd::Lost {
            why: tr!("the connection to the daemon broke").into(),
        })
    };
    tokio::select! {
        end = read => end,
        () = write => None,
    }
}

async fn carry_host(
    stream: StreamId,
    command: &PtyCommand,
    mut orders: mpsc::Receiver<StreamOrder>,
    events: &mpsc::Sender<StreamReport>,
) -> Option<StreamEnd> {
    let (pty, mut output) = match Pty::start(command) {
        Ok(started) => started,
        Err(error) => {
            let failure = Failure::internal(error.to_string())
                .hint(tr!("check that SHELL is the path of a program"));
            return Some(StreamEnd::Failed { failure });
        }
    };
    if events.send((stream, StreamEvent::Opened)).await.is_err() {
        return None;
    }
    let input = pty.input();
    let write = async {
        while let Some(order) = orders.recv().await {
            match order {
                StreamOrder::Send(_, bytes) => {
                    if input.send(bytes).await.is_err() {
                        std::future::pending::<()>().await;
                    }
                }
                StreamOrder::Resize(columns, rows) => pty.resize(columns, rows),
            }
        }
    };
    let read = async {
        while let Some(item) = output.recv().await {
            let event = match item {
                PtyOutput::Bytes(bytes) => StreamEvent::Data {
                    source: LogSource::Stdout,
                    bytes,
                },
                PtyOutput::Exited { exit_code } => {
                    return Some(StreamEnd::Exited { exit_code });
                }
            };
            if events.send((stream, event)).await.is_err() {
                return None;
            }
        }
        Some(StreamEnd::Exited { exit_code: None })
    };
    tokio::select! {
        end = read => end,
        () = write => None,
    }
}

/// A shell whose environment describes what our emulator supports.
fn host_shell(argv: Vec<String>, columns: u16, rows: u16) -> PtyCommand {
    let env = [
        ("TERM", "xterm-256color"),
        ("COLORTERM", "truecolor"),
        // Draws lines with characters, because the emulator has no alternate character sets.
        ("NCURSES_NO_UTF8_ACS", "1"),
    ];
    PtyCommand {
        argv,
        env: env
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
        columns,
        rows,
    }
}
