//! Files of a running session, by a helper in its main container, which runs as the session's user: `runner files`, or
//! on a cluster a program that speaks the same protocol.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::{StreamExt as _, stream::unfold};
use tokio::{
    sync::mpsc::error::TryRecvError,
    time::{sleep, timeout},
};

use super::{
    api::{Attached, Input, Output, Result},
    files::{FileBytes, FileProgresses, LocalWork},
};
use crate::{
    files::wire::{self, Event, FrameKind, Order},
    model::{
        failure::Failure,
        files::{FileAnswer, FilePath, FileProgress, FileRequest, WriteOptions},
        id::SessionId,
        text::Clean,
    },
};

/// How long the helper may take to answer. A session may have a small part of a core.
const ANSWER: Duration = Duration::from_secs(60);
/// How long a helper waits for the next request.
const IDLE: Duration = Duration::from_secs(30);
/// How long a helper may take to remove an unfinished copy.
const CLEANING: Duration = Duration::from_secs(120);
/// The longest message on stderr that is kept, in bytes.
const LONGEST_MESSAGE: usize = 1024;
/// The exit code of a runner that doesn't know a command.
const UNKNOWN_COMMAND: i64 = 2;

/// Helpers that wait for the next request, because starting one takes longer than a request. Cheap to clone.
#[derive(Clone, Default)]
pub struct IdleHelpers {
    helpers: Arc<Mutex<HashMap<HelperKey, (u64, Helper)>>>,
    uses: Arc<AtomicU64>,
    /// Whether a helper that has carried out a transfer or work takes another order.
    is_reusable: bool,
}

/// A helper's session, and the directory that its paths are below.
pub type HelperKey = (SessionId, &'static str);

impl IdleHelpers {
    /// For helpers that take any number of orders.
    #[must_use]
    pub fn reusable() -> Self {
        Self {
            is_reusable: true,
            ..Self::default()
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<HelperKey, (u64, Helper)>> {
        self.helpers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A helper that waits, or a new one.
    async fn take(
        &self,
        key: HelperKey,
        starting: impl Future<Output = Result<Attached>>,
    ) -> Result<Helper> {
        let known = self.lock().remove(&key);
        if let Some((_, mut helper)) = known
            && helper.is_waiting()
        {
            return Ok(helper);
        }
        Ok(Helper {
            attached: starting.await?,
            buffer: BytesMut::new(),
            message: Vec::new(),
        })
    }

    /// The same for a transfer or work.
    async fn take_for_work(
        &self,
        key: HelperKey,
        starting: impl Future<Output = Result<Attached>>,
    ) -> Result<Helper> {
        if self.is_reusable {
            return self.take(key, starting).await;
        }
        Self::default().take(key, starting).await
    }

    /// Keeps a helper for a while.
    fn keep(&self, key: HelperKey, helper: Helper) {
        let number = self.uses.fetch_add(1, Relaxed);
        self.lock().insert(key, (number, helper));
        let all = self.clone();
        tokio::spawn(async move {
            sleep(IDLE).await;
            let mut helpers = all.lock();
            if helpers.get(&key).is_some_and(|(now, _)| *now == number) {
                helpers.remove(&key);
            }
        });
    }

    /// Keeps a helper whose transfer or work is done, if it takes more.
    fn keep_after_work(&self, key: HelperKey, helper: Helper) {
        if self.is_reusable {
            self.keep(key, helper);
        }
    }
}

/// Carries out a request. `starting` starts a helper, if none waits.
pub async fn request(
    idle: &IdleHelpers,
    key: HelperKey,
    starting: impl Future<Output = Result<Attached>>,
    request: &FileRequest,
) -> Result<FileAnswer> {
    let mut helper = idle.take(key, starting).await?;
    let order = Order::Request {
        request: request.clone(),
    };
    let asked = timeout(ANSWER, async {
        helper.order(&order).await?;
        helper.event().await
    });
    let event = asked.await.unwrap_or_else(|_| {
        let text = tr_sent!(
            "the session didn't answer within {seconds} seconds",
            seconds = ANSWER.as_secs()
        );
        Err(Failure::lost(text).hint(tr_sent!("check the load of the session, then try again")))
    })?;
    idle.keep(key, helper);
    match event {
        Event::Answer { answer } => Ok(answer),
        Event::Failed { failure } => Err(cleaned(failure)),
        Event::Progress { .. } | Event::Done => Err(unexpected()),
    }
}

/// The bytes of a file from an offset on.
pub async fn read(
    idle: &IdleHelpers,
    key: HelperKey,
    starting: impl Future<Output = Result<Attached>>,
    path: &FilePath,
    offset: u64,
) -> Result<FileBytes> {
    let mut helper = idle.take_for_work(key, starting).await?;
    let path = path.clone();
    helper.order(&Order::Read { path, offset }).await?;
    // A file that can't be read is reported before the transfer begins.
    let first = helper.next().await?;
    let state = (Some(helper), Some(first));
    let idle = idle.clone();
    let pieces = unfold(state, move |(helper, first)| {
        let idle = idle.clone();
        async move {
            let mut helper = helper?;
            let next = match first {
                Some(first) => Ok(first),
                None => helper.next().await,
            };
            match next {
                Ok(Incoming::Data(bytes)) => Some((Ok(bytes), (Some(helper), None))),
                Ok(Incoming::Event(Event::Done)) => {
                    idle.keep_after_work(key, helper);
                    None
                }
                Ok(Incoming::Event(Event::Failed { failure })) => {
                    Some((Err(cleaned(failure)), (None, None)))
                }
                Ok(Incoming::Event(_)) => Some((Err(unexpected()), (None, None))),
                Err(failure) => Some((Err(failure), (None, None))),
            }
        }
    });
    let mut pieces = pieces.boxed().peekable();
    if let Some(Err(failure)) = std::pin::Pin::new(&mut pieces).peek().await {
        return Err(failure.clone());
    }
    Ok(pieces.boxed())
}

/// Writes a file until the end of its content.
pub async fn write(
    idle: &IdleHelpers,
    key: HelperKey,
    starting: impl Future<Output = Result<Attached>>,
    path: &FilePath,
    options: WriteOptions,
    mut content: FileBytes,
) -> Result<()> {
    let mut helper = idle.take_for_work(key, starting).await?;
    let path = path.clone();
    helper.order(&Order::Write { path, options }).await?;
    let input = helper.attached.input.clone();
    let sending = async {
        while let Some(piece) = content.next().await {
            let mut piece: Bytes = piece?;
            while !piece.is_empty() {
                let some = piece.split_to(piece.len().min(wire::MAX_PIECE));
                let head = wire::head(FrameKind::Data, some.len());
                for part in [Bytes::copy_from_slice(&head), some] {
                    if input.send(Input::Bytes(part)).await.is_err() {
                        // The helper has ended, and reports why.
                        return Ok(());
                    }
                }
            }
        }
        let end = wire::frame(FrameKind::End, &[]);
        let _ = input.send(Input::Bytes(end.into())).await;
        Ok(())
    };
    tokio::pin!(sending);
    let mut is_sending = true;
    loop {
        tokio::select! {
            sent = &mut sending, if is_sending => {
                is_sending = false;
                if let Err(failure) = sent {
                    helper.finish_later();
                    return Err(failure);
                }
            }
            event = helper.event() => return match event? {
                Event::Done => {
                    idle.keep_after_work(key, helper);
                    Ok(())
                }
                Event::Failed { failure } => Err(cleaned(failure)),
                Event::Answer { .. } | Event::Progress { .. } => Err(unexpected()),
            },
        }
    }
}

/// Works on many files of the session.
pub async fn work(
    idle: &IdleHelpers,
    key: HelperKey,
    starting: impl Future<Output = Result<Attached>>,
    work: LocalWork,
) -> Result<FileProgresses> {
    let mut helper = idle.take_for_work(key, starting).await?;
    helper.order(&Order::Work { work }).await?;
    let working = Working {
        helper: Some(helper),
        last: FileProgress::default(),
        idle: idle.clone(),
        key,
    };
    Ok(unfold(Some(working), |working| async { working?.next().await }).boxed())
}

/// Work in the container. Dropping it cancels the work, and the helper removes what is unfinished.
struct Working {
    helper: Option<Helper>,
    last: FileProgress,
    idle: IdleHelpers,
    key: HelperKey,
}

impl Working {
    async fn next(mut self) -> Option<(Result<FileProgress>, Option<Self>)> {
        let helper = self.helper.as_mut()?;
        let event = helper.event().await;
        let result = match event {
            Ok(Event::Progress { progress }) => {
                self.last = progress;
                return Some((Ok(progress), Some(self)));
            }
            Ok(Event::Done) => {
                if let Some(helper) = self.helper.take() {
                    self.idle.keep_after_work(self.key, helper);
                }
                Ok(self.last)
            }
            Ok(Event::Failed { failure }) => Err(cleaned(failure)),
            Ok(Event::Answer { .. }) => Err(unexpected()),
            Err(failure) => Err(failure),
        };
        self.helper = None;
        Some((result, None))
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        if let Some(helper) = self.helper.take() {
            helper.finish_later();
        }
    }
}

/// What the helper sends.
enum Incoming {
    Event(Event),
    Data(Bytes),
}

/// A helper in a container. Dropping it ends it.
struct Helper {
    attached: Attached,
    buffer: BytesMut,
    /// What it printed to stderr.
    message: Vec<u8>,
}

impl Helper {
    /// Whether it runs and has nothing more to report.
    fn is_waiting(&mut self) -> bool {
        let next = self.attached.output.try_recv();
        self.buffer.is_empty() && matches!(next, Err(TryRecvError::Empty))
    }

    async fn order(&mut self, order: &Order) -> Result<()> {
        let bytes = Bytes::from(wire::message(order));
        // If it has ended, its output says why.
        let _ = self.attached.input.send(Input::Bytes(bytes)).await;
        Ok(())
    }

    async fn event(&mut self) -> Result<Event> {
        match self.next().await? {
            Incoming::Event(event) => Ok(event),
            Incoming::Data(_) => Err(unexpected()),
        }
    }

    async fn next(&mut self) -> Result<Incoming> {
        loop {
            if let Some(incoming) = self.take()? {
                return Ok(incoming);
            }
            match self.attached.output.recv().await {
                Some(Output::Stdout(bytes)) => self.buffer.extend_from_slice(&bytes),
                Some(Output::Stderr(bytes)) => {
                    let room = LONGEST_MESSAGE.saturating_sub(self.message.len());
                    self.message
                        .extend_from_slice(&bytes[..bytes.len().min(room)]);
                }
                Some(Output::End { exit_code }) => return Err(self.ended(exit_code)),
                Some(Output::Lost { why }) => return Err(Failure::lost(why)),
                None => {
                    return Err(
                        Failure::lost(tr_sent!("the connection to the session broke"))
                            .hint(tr_sent!("check that the session still runs")),
                    );
                }
            }
        }
    }

    /// The next frame, if it has arrived completely.
    fn take(&mut self) -> Result<Option<Incoming>> {
        let Some(head) = self.buffer.first_chunk() else {
            return Ok(None);
        };
        let (kind, length) = wire::read_head(*head)?;
        if self.buffer.len() < wire::HEAD + length {
            return Ok(None);
        }
        self.buffer.advance(wire::HEAD);
        let content = self.buffer.split_to(length).freeze();
        match kind {
            FrameKind::Message => wire::read_message(&content).map(|it| Some(Incoming::Event(it))),
            FrameKind::Data => Ok(Some(Incoming::Data(content))),
            FrameKind::End => Err(unexpected()),
        }
    }

    fn ended(&self, exit_code: Option<i64>) -> Failure {
        if exit_code == Some(UNKNOWN_COMMAND) {
            return Failure::unsupported(tr_sent!(
                "the session was created by an older version of workbay that can't open files"
            ))
            .hint(tr_sent!(
                "launch the session again: `workbay relaunch` uses the same settings"
            ));
        }
        let text = String::from_utf8_lossy(&self.message);
        let text = text.trim().trim_start_matches("workbay: ");
        if text.is_empty() {
            let text = tr_sent!("workbay's helper in the session ended unexpectedly");
            return Failure::reported(text).hint(tr_sent!("check the memory of the session"));
        }
        Failure::reported(Clean::new(text)).hint(tr_sent!("check the session's home directory"))
    }

    /// Ends its input, and waits in the background until it has removed or kept what is unfinished.
    fn finish_later(mut self) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move {
                let _ = self.attached.input.send(Input::Eof).await;
                let _ = timeout(CLEANING, async {
                    while let Ok(Incoming::Event(Event::Progress { .. })) = self.next().await {}
                })
                .await;
            });
        }
    }
}

/// A failure that the helper reports. Programs in the session may have changed it, so only its texts are used.
fn cleaned(failure: Failure) -> Failure {
    Failure::new(failure.kind, Clean::new(failure.message().as_str()))
        .maybe_hint(failure.hint.map(|hint| Clean::new(hint.as_str())))
}

fn unexpected() -> Failure {
    Failure::reported(tr_sent!(
        "an unexpected answer of workbay's helper in the session"
    ))
    .hint(tr_sent!(
        "launch the session again: `workbay relaunch` uses the same settings"
    ))
}
