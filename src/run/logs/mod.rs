//! Logs that are open in the TUI. Each log has a task that reads the log from its beginning into a spool
//! file, sends the lines near the screen and searches all lines. File work runs off the runtime's thread, in
//! small steps, so that the loop of the TUI never waits for it.

mod preview;
mod reader;
mod record;
mod scan;
mod segment;
mod store;

use std::{collections::HashMap, path::PathBuf, time::Duration};

use bytes::BytesMut;
use futures_util::FutureExt as _;
use tokio::{sync::mpsc, time::Instant};

use super::{
    clock,
    connection::{Current, disconnected},
};
use crate::{
    app::{logs::feed::LogOrder, msg::Msg},
    client::{Client, Stream, StreamItem},
    model::log::{LogOptions, LogSource},
    protocol::message::{StreamEnd, StreamId, StreamOpen},
};

pub use reader::LogReader;
pub use store::LogStoreLimits;

/// Capacity of the queue of orders to a log.
const ORDERS: usize = 256;
/// Bytes to read before the next check for orders.
const AT_ONCE: usize = 64 * 1024;
/// Minimum time between two reports of new lines to the view.
const PACE: Duration = Duration::from_millis(40);
/// A log that brought nothing for this long counts as read to its end.
const IDLE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct LogReaders {
    open: HashMap<StreamId, mpsc::Sender<LogOrder>>,
    answers: mpsc::Sender<Msg>,
    spool: Option<PathBuf>,
}

impl LogReaders {
    /// Spools lines in this directory. `None` = only a few lines are kept, in memory.
    pub fn new(answers: mpsc::Sender<Msg>, spool: Option<PathBuf>) -> Self {
        Self {
            open: HashMap::new(),
            answers,
            spool,
        }
    }

    /// Opens a log. `open` must be a log.
    pub fn open(&mut self, log: StreamId, open: StreamOpen, current: &Current) {
        self.open.retain(|_, orders| !orders.is_closed());
        let (orders, received) = mpsc::channel(ORDERS);
        self.open.insert(log, orders);
        let timed = matches!(&open, StreamOpen::Log { options, .. } if options.timestamps);
        let spool = self.spool.clone();
        let work = Work {
            client: current.borrow().clone(),
            open,
            reader: LogReader::new(log, spool, LogStoreLimits::default(), timed, clock::now()),
            answers: self.answers.clone(),
        };
        tokio::spawn(work.run(received));
    }

    pub fn order(&self, log: StreamId, order: LogOrder) {
        if let Some(orders) = self.open.get(&log) {
            // The view requests a page at a time. If the queue is full, the log is still busy with earlier
            // orders.
            let _ = orders.try_send(order);
        }
    }

    /// Closes the log, if the stream is a log, and frees its spool.
    pub fn close(&mut self, log: StreamId) {
        self.open.remove(&log);
    }
}

/// The task of one log.
struct Work {
    client: Option<Client>,
    open: StreamOpen,
    reader: LogReader,
    answers: mpsc::Sender<Msg>,
}

/// What comes next.
enum NextInput {
    Order(LogOrder),
    /// Items of the stream that reads the log from its beginning.
    Whole(Vec<StreamItem>),
    Preview(Vec<StreamItem>),
    Search,
    Send,
    Idle,
    Over,
}

/// The streams of one log.
struct LogStreams {
    whole: Option<Stream>,
    preview: Option<Stream>,
}

impl Work {
    async fn run(mut self, mut orders: mpsc::Receiver<LogOrder>) {
        let mut streams = LogStreams {
            whole: self.begin(),
            preview: None,
        };
        let mut changed = true;
        let mut sent_at = Instant::now()
            .checked_sub(PACE)
            .unwrap_or_else(Instant::now);
        loop {
            let searches = self.reader.has_work();
            let waits = self.reader.is_loading();
            let next = tokio::select! {
                biased;
                order = orders.recv() => order.map_or(NextInput::Over, NextInput::Order),
                () = tokio::time::sleep_until(sent_at + PACE), if changed => NextInput::Send,
                next = streams.next(searches, waits) => next,
            };
            if matches!(next, NextInput::Over) {
                return;
            }
            // Orders are reported without the pace, because the user waits for them.
            changed = !matches!(next, NextInput::Order(_) | NextInput::Send);
            let Some(work) = self.take(next, &mut streams).await else {
                return;
            };
            self = work;
            if !changed {
                sent_at = Instant::now();
            }
            if streams.preview.is_none() && self.reader.needs_preview() {
                streams.preview = self.open_preview();
                self.reader.preview_opened();
            }
            if self.reader.has_preview_enough() {
                streams.preview = None;
            }
        }
    }

    /// Opens the log from its beginning.
    fn begin(&mut self) -> Option<Stream> {
        if let Some(client) = &self.client {
            return Some(client.open(self.open.clone()));
        }
        let failure = disconnected();
        self.reader.ended(StreamEnd::Failed { failure });
        None
    }

    /// Opens the end of the log.
    fn open_preview(&self) -> Option<Stream> {
        let StreamOpen::Log { session, options } = &self.open else {
            return None;
        };
        let options = LogOptions {
            tail: Some(preview::LINES),
            ..*options
        };
        let open = StreamOpen::Log {
            session: *session,
            options,
        };
        Some(self.client.as_ref()?.open(open))
    }

    /// Handles `next` off the runtime's thread. `None` = the receiver of the answers is gone.
    async fn take(mut self, next: NextInput, streams: &mut LogStreams) -> Option<Self> {
        let over = |items: &[StreamItem]| matches!(items.last(), Some(StreamItem::Ended(_)));
        match &next {
            NextInput::Whole(items) if over(items) => streams.whole = None,
            NextInput::Preview(items) if over(items) => streams.preview = None,
            _ => {}
        }
        let done = tokio::task::spawn_blocking(move || {
            let reader = &mut self.reader;
            let mut events = Vec::new();
            match next {
                NextInput::Order(order) => {
                    events.extend(reader.order(order));
                    events.extend(reader.take());
                }
                NextInput::Send => events = reader.take(),
                NextInput::Whole(items) => {
                    for item in joined(items) {
                        match item {
                            StreamItem::Opened => reader.opened(),
                            StreamItem::Data { source, bytes } => reader.read(source, &bytes),
                            StreamItem::Ended(end) => reader.ended(end),
                        }
                    }
                }
                NextInput::Preview(items) => {
                    for item in joined(items) {
                        if let StreamItem::Data { source, bytes } = item {
                            reader.preview(source, &bytes);
                        }
                    }
                }
                NextInput::Search => reader.work(),
                NextInput::Idle => reader.idle(),
                NextInput::Over => {}
            }
            (self, events)
        });
        let (work, events) = done.await.ok()?;
        for msg in events {
            work.answers.send(msg).await.ok()?;
        }
        Some(work)
    }
}

impl LogStreams {
    /// Waits for the next event that isn't urgent.
    async fn next(&mut self, searches: bool, waits: bool) -> NextInput {
        tokio::select! {
            items = next_of(&mut self.whole) => NextInput::Whole(items),
            items = next_of(&mut self.preview) => NextInput::Preview(items),
            () = std::future::ready(()), if searches => NextInput::Search,
            () = tokio::time::sleep(IDLE), if waits => NextInput::Idle,
        }
    }
}

/// All items that the stream has ready. Lines come one at a time, and each step has a cost.
async fn next_of(stream: &mut Option<Stream>) -> Vec<StreamItem> {
    let Some(stream) = stream else {
        return std::future::pending().await;
    };
    let (mut items, mut bytes) = (Vec::new(), 0);
    let mut next = Some(stream.recv().await);
    while let Some(item) = next {
        let item = item.unwrap_or_else(|| {
            let why = tr!("the connection to the daemon is lost").into();
            StreamItem::Ended(StreamEnd::Lost { why })
        });
        let is_over = matches!(item, StreamItem::Ended(_));
        if let StreamItem::Data { bytes: data, .. } = &item {
            bytes += data.len();
        }
        items.push(item);
        if is_over || bytes >= AT_ONCE {
            break;
        }
        next = stream.recv().now_or_never();
    }
    items
}

/// Joins consecutive bytes of the same source.
fn joined(items: Vec<StreamItem>) -> Vec<StreamItem> {
    let mut joined: Vec<StreamItem> = Vec::new();
    let mut held: Option<(LogSource, BytesMut)> = None;
    let data = |(source, bytes): (LogSource, BytesMut)| {
        let bytes = bytes.freeze();
        StreamItem::Data { source, bytes }
    };
    for item in items {
        match (item, &mut held) {
            (StreamItem::Data { source, bytes }, Some((before, all))) if *before == source => {
                all.extend_from_slice(&bytes);
            }
            (StreamItem::Data { source, bytes }, _) => {
                joined.extend(held.replace((source, bytes.into())).map(data));
            }
            (item, _) => {
                joined.extend(held.take().map(data));
                joined.push(item);
            }
        }
    }
    joined.extend(held.map(data));
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_one_source_are_joined_in_their_order() {
        let data = |source, text: &'static str| StreamItem::Data {
            source,
            bytes: text.into(),
        };
        let (out, err) = (LogSource::Stdout, LogSource::Stderr);
        let end = || StreamItem::Ended(StreamEnd::Exited { exit_code: None });
        let items = vec![
            StreamItem::Opened,
            data(out, "a"),
            data(out, "b"),
            data(err, "c"),
            data(out, "d"),
            end(),
        ];
        let expected = vec![
            StreamItem::Opened,
            data(out, "ab"),
            data(err, "c"),
            data(out, "d"),
            end(),
        ];
        assert_eq!(joined(items), expected);
        assert_eq!(joined(vec![data(err, "x")]), [data(err, "x")]);
    }
}
