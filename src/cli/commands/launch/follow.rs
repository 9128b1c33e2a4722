//! Follows a session to its end: its output, its status, and the signals of the user at the terminal.

use bytes::Bytes;
use signal_hook::consts::{SIGINT, SIGTERM};
use tokio::{
    signal::unix::{Signal, SignalKind, signal},
    time::{Duration, timeout},
};

use super::own_lines::OwnLines;
use crate::{
    cli::{
        connection::Connection,
        fail::{Fail, code},
        now, output,
        passing::{Filters, put},
        watch::{Goal, Restarts, Watch},
    },
    client::{Stream, StreamItem},
    model::{
        id::SessionKey,
        log::{LogOptions, LogSource},
        request::SessionRequest,
        session::Session,
        text::Clean,
    },
    protocol::message::{Request, StreamEnd, StreamOpen},
};

/// How long to wait for a log that the engine doesn't end after its session has ended.
const LAST_OUTPUT: Duration = Duration::from_secs(10);

/// A session that has ended, and the signal that requested it.
pub struct Followed {
    pub session: Session,
    pub signal: Option<CaughtSignal>,
}

/// A signal that this command received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CaughtSignal(i32);

impl CaughtSignal {
    /// The exit code that shells use for this signal.
    pub fn code(self) -> u8 {
        u8::try_from(128 + self.0).unwrap_or(code::INTERRUPTED)
    }
}

/// The signals that terminate a session. After this is created, they no longer end this process.
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
    caught: Vec<CaughtSignal>,
}

impl Signals {
    pub fn listen() -> Result<Self, Fail> {
        Ok(Self {
            interrupt: signal(SignalKind::interrupt())?,
            terminate: signal(SignalKind::terminate())?,
            caught: Vec::new(),
        })
    }

    pub async fn next(&mut self) -> CaughtSignal {
        let caught = tokio::select! {
            Some(()) = self.interrupt.recv() => CaughtSignal(SIGINT),
            Some(()) = self.terminate.recv() => CaughtSignal(SIGTERM),
            else => std::future::pending().await,
        };
        self.caught.push(caught);
        caught
    }

    /// How many signals were received.
    pub fn caught(&self) -> usize {
        self.caught.len()
    }
}

/// Prints the output.
pub struct Printer {
    own: OwnLines,
    filters: Filters,
}

impl Printer {
    pub fn new(filters: Filters) -> Self {
        Self {
            own: OwnLines::new(),
            filters,
        }
    }

    fn print(&mut self, source: LogSource, bytes: Bytes) -> Result<(), Fail> {
        let bytes = match source {
            LogSource::Stdout => self.own.pass(&bytes).into(),
            LogSource::Stderr => bytes,
        };
        self.put(source, bytes)
    }

    fn finish(&mut self) -> Result<(), Fail> {
        let rest = self.own.rest().into();
        self.put(LogSource::Stdout, rest)?;
        self.filters.finish()
    }

    fn put(&mut self, source: LogSource, bytes: Bytes) -> Result<(), Fail> {
        if bytes.is_empty() {
            return Ok(());
        }
        put(source, &self.filters.pass(source, bytes))
    }
}

/// The session's log, while it is read.
struct Output {
    stream: Option<Stream>,
    /// The log has begun.
    opened: bool,
    /// Why the log can't be shown.
    trouble: Option<Clean>,
    /// Why the connection to the log broke.
    lost: Option<Clean>,
    /// How many bytes were printed. A log is the same each time, in the same order.
    taken: u64,
    /// How many bytes at the beginning of this stream were printed before it was opened.
    skip: u64,
}

pub async fn follow(
    connection: &mut Connection,
    session: Session,
    printer: &mut Printer,
    signals: &mut Signals,
) -> Result<Followed, Fail> {
    let (key, name) = (session.key(), session.name.clone());
    let followed = to_the_end(connection, session, printer, signals).await;
    followed.map_err(|fail| match fail.code {
        code::CLOSED => {
            let why = tr!("the output is closed; session {name} keeps running", name);
            Fail::new(code::CLOSED, why)
                .hint(tr!("to terminate it, run `workbay terminate {name}`", name))
        }
        code::UNREACHABLE => fail.hint(tr!(
            "session {name} ({short}) keeps running: `workbay logs -f {name}` shows its output, \
             `workbay wait {name}` returns its exit code",
            name,
            short = key.id.short()
        )),
        _ => fail,
    })
}

async fn to_the_end(
    connection: &mut Connection,
    session: Session,
    printer: &mut Printer,
    signals: &mut Signals,
) -> Result<Followed, Fail> {
    let key = session.key();
    let mut watch = Watch::new(vec![session], Goal::Ended);
    let mut seen = watch.begin(connection.subscribe().await?, |_| Ok(()))?;
    let mut output = Output::open(connection, key);
    let mut restarts = Restarts::begin(now());
    let mut handled = 0;
    while !watch.is_over() {
        if signals.caught() > handled {
            handled = signals.caught();
            end(connection, key, handled > 1).await;
        }
        tokio::select! {
            item = output.next() => {
                output.take(item, printer)?;
                output.check(connection).await?;
            }
            change = connection.next_change(seen) => match change {
                Ok((seq, change)) => {
                    seen = seq;
                    watch.apply(change)?;
                }
                Err(fail) if connection.is_broken() && restarts.may_follow(now()) => {
                    seen = watch.reconnect(connection, &fail, &mut |_| Ok(())).await?;
                    output = output.reopen(connection, key);
                    // The daemon that ended may not have stored the request to terminate the session.
                    handled = 0;
                }
                Err(fail) => return Err(fail),
            },
            _ = signals.next() => {}
        }
    }
    let session = watch.sessions.pop();
    let session =
        session.ok_or_else(|| Fail::new(code::NOT_FOUND, tr!("the session was not found")))?;
    if session.started_at.is_some() {
        output.drain(printer).await?;
        if output.trouble.is_some() && !output.opened {
            // The output that the engine kept.
            output = output.reopen(connection, key);
            output.drain(printer).await?;
        }
    }
    printer.finish()?;
    if let Some(why) = output.trouble.filter(|_| session.started_at.is_some()) {
        output::remark(&tr!("workbay: the output is incomplete: {why}", why));
    }
    Ok(Followed {
        session,
        signal: signals.caught.first().copied(),
    })
}

/// Requests the termination. If the session has already ended, the next change shows it.
async fn end(connection: &Connection, session: SessionKey, force: bool) {
    output::remark(if force {
        tr!("workbay: killing the session")
    } else {
        tr!("workbay: terminating the session. To kill it, press Ctrl-C again")
    });
    if let Err(Fail {
        failure: Some(why), ..
    }) = connection
        .request_done(Request::session(
            session,
            SessionRequest::Terminate { force },
        ))
        .await
    {
        output::remark(&format!("workbay: {why}"));
    }
}

impl Output {
    /// Opens the log from its beginning, which may not exist yet.
    fn open(connection: &Connection, session: SessionKey) -> Self {
        let options = LogOptions {
            follow: true,
            ..LogOptions::default()
        };
        let stream = connection.stream(StreamOpen::Log { session, options });
        Self {
            stream: Some(stream),
            opened: false,
            trouble: None,
            lost: None,
            taken: 0,
            skip: 0,
        }
    }

    /// Opens the log again, to print what follows.
    fn reopen(&self, connection: &Connection, session: SessionKey) -> Self {
        Self {
            taken: self.taken,
            skip: self.taken,
            ..Self::open(connection, session)
        }
    }

    /// Fails if only the connection to the log broke. If the daemon ended, the connection to it breaks, too.
    async fn check(&mut self, connection: &Connection) -> Result<(), Fail> {
        let Some(why) = self.lost.take() else {
            return Ok(());
        };
        if connection.request(Request::Status).await.is_err() {
            return Ok(());
        }
        let text = tr!("the connection to the session's output broke: {why}", why);
        Err(Fail::new(code::UNREACHABLE, text))
    }

    async fn next(&mut self) -> Option<StreamItem> {
        match &mut self.stream {
            Some(stream) => stream.recv().await,
            None => std::future::pending().await,
        }
    }

    fn take(&mut self, item: Option<StreamItem>, printer: &mut Printer) -> Result<(), Fail> {
        match item {
            Some(StreamItem::Opened) => self.opened = true,
            Some(StreamItem::Data { source, bytes }) => {
                self.opened = true;
                let bytes = self.not_printed(bytes);
                printer.print(source, bytes)?;
            }
            Some(StreamItem::Ended(StreamEnd::Lost { why })) => {
                self.lost = Some(why);
                self.stream = None;
            }
            Some(StreamItem::Ended(StreamEnd::Failed { failure })) => {
                self.trouble = Some(failure.message());
                self.stream = None;
            }
            Some(StreamItem::Ended(_)) | None => self.stream = None,
        }
        Ok(())
    }

    /// The part of a piece that wasn't printed before.
    fn not_printed(&mut self, mut bytes: Bytes) -> Bytes {
        let old = bytes
            .len()
            .min(usize::try_from(self.skip).unwrap_or(usize::MAX));
        let bytes = bytes.split_off(old);
        self.skip -= old as u64;
        self.taken += bytes.len() as u64;
        bytes
    }

    /// Reads the last output of a session that has ended.
    async fn drain(&mut self, printer: &mut Printer) -> Result<(), Fail> {
        let rest = async {
            while self.stream.is_some() {
                let item = self.next().await;
                self.take(item, printer)?;
            }
            Ok(())
        };
        let done = timeout(LAST_OUTPUT, rest).await.unwrap_or(Ok(()));
        self.trouble = self.trouble.take().or(self.lost.take());
        done
    }
}
