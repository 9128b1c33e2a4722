//! The connection of the plain commands to the daemon.

use std::{collections::VecDeque, convert::Infallible, future::Future, time::Duration};

use tokio::{
    sync::{Mutex, mpsc, watch},
    time::{sleep, timeout},
};

use super::{
    fail::{Fail, code},
    output,
};
use crate::{
    client::{Client, ClientEvent, ConnectOptions, Stream},
    config::paths::Paths,
    model::{change::Change, failure::Failure, status::Tab, text::Clean},
    protocol::message::{Reply, Request, Snapshot, StreamOpen},
};

/// Runs a command to its end on a runtime of its own.
pub fn block_on<T>(work: impl Future<Output = Result<T, Fail>>) -> Result<T, Fail> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Fail::new(code::FAILED, tr!("the command can't start: {error}", error)))?;
    let outcome = runtime.block_on(work);
    // A thread that still waits for a key must not block the exit.
    runtime.shutdown_background();
    outcome
}

/// Attempts to reconnect, and the waits between them, of which each is twice the one before: 32 seconds in total.
const RECONNECTS: u32 = 8;
const FIRST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// How long to wait for a daemon that stopped responding.
const GIVE_UP: Duration = Duration::from_secs(15);

/// A connection and the events that come over it.
pub struct Connection {
    pub client: Client,
    /// Several requests may read ahead at the same time.
    events: Mutex<Events>,
    options: ConnectOptions,
    is_broken: bool,
}

/// What the daemon sends without a request.
struct Events {
    receiver: mpsc::Receiver<ClientEvent>,
    /// Events that arrived while a request was waiting for its answer, oldest first.
    read_ahead: VecDeque<ClientEvent>,
}

impl Events {
    async fn next(&mut self) -> Option<ClientEvent> {
        match self.read_ahead.pop_front() {
            Some(event) => Some(event),
            None => self.receiver.recv().await,
        }
    }
}

impl Connection {
    /// Connects. Starts the daemon if none runs.
    pub async fn connect(paths: &Paths) -> Result<Self, Fail> {
        Self::open(&ConnectOptions::new(paths.clone())).await
    }

    /// Connects only if a daemon runs.
    pub async fn existing(paths: &Paths) -> Result<Self, Fail> {
        Self::open(&ConnectOptions::existing(paths.clone())).await
    }

    async fn open(options: &ConnectOptions) -> Result<Self, Fail> {
        let (client, events) = Client::connect(options).await?;
        Ok(Self::new(client, events, options))
    }

    fn new(
        client: Client,
        receiver: mpsc::Receiver<ClientEvent>,
        options: &ConnectOptions,
    ) -> Self {
        let events = Events {
            receiver,
            read_ahead: VecDeque::new(),
        };
        Self {
            client,
            events: Mutex::new(events),
            options: options.clone(),
            is_broken: false,
        }
    }

    /// Replaces a connection that ended. Starts the daemon if the first connection could.
    pub async fn renew(&mut self) -> Result<(), Fail> {
        *self = Self::open(&self.options).await?;
        Ok(())
    }

    /// Whether [`Self::next_change`] found that the connection broke. A daemon that doesn't respond may still have it.
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Replaces a connection that broke and subscribes again. Retries for a while, because the daemon may be restarting.
    pub async fn resubscribe(&mut self) -> Result<Snapshot, Fail> {
        let mut wait = FIRST_WAIT;
        for _ in 1..RECONNECTS {
            match self.subscribe_once().await {
                Err(fail) if fail.code == code::UNREACHABLE => {}
                outcome => return outcome,
            }
            sleep(wait).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
        self.subscribe_once().await
    }

    async fn subscribe_once(&mut self) -> Result<Snapshot, Fail> {
        self.renew().await?;
        self.subscribe().await
    }

    pub async fn request(&self, request: Request) -> Result<Reply, Fail> {
        Ok(self.watched(self.client.ask(request)).await??)
    }

    /// Does work that needs the daemon. Prints when the daemon stops responding, and fails if it doesn't
    /// respond for too long.
    pub async fn watched<T>(&self, work: impl Future<Output = T>) -> Result<T, Fail> {
        let _expecting = self.client.expect();
        tokio::select! {
            done = work => Ok(done),
            fail = given_up(self.client.unresponsive(), self.client.hello().pid) => Err(fail),
            never = self.read_ahead() => match never {},
        }
    }

    /// Stores what arrives for [`Self::next_change`]. Events that nobody receives delay the answers behind them.
    async fn read_ahead(&self) -> Infallible {
        let mut events = self.events.lock().await;
        loop {
            match events.receiver.recv().await {
                Some(event) => events.read_ahead.push_back(event),
                // The connection has ended, which the request reports.
                None => std::future::pending().await,
            }
        }
    }

    /// Sends a request whose answer is only an acknowledgment.
    pub async fn request_done(&self, request: Request) -> Result<(), Fail> {
        match self.request(request).await? {
            Reply::Done => Ok(()),
            other => Err(unexpected(&other)),
        }
    }

    pub async fn snapshot(&self) -> Result<Snapshot, Fail> {
        self.snapshot_of(None).await
    }

    /// A snapshot with only the sessions of a tab, because there may be thousands of ended ones.
    pub async fn snapshot_of(&self, tab: Option<Tab>) -> Result<Snapshot, Fail> {
        match self.request(Request::Snapshot { tab }).await? {
            Reply::Snapshot { snapshot } => Ok(*snapshot),
            other => Err(unexpected(&other)),
        }
    }

    /// Subscribes: [`Self::next_change`] then returns what happens after this snapshot.
    pub async fn subscribe(&self) -> Result<Snapshot, Fail> {
        match self.request(Request::Subscribe).await? {
            Reply::Snapshot { snapshot } => Ok(*snapshot),
            other => Err(unexpected(&other)),
        }
    }

    /// The next change after number `seen`, with its own number.
    pub async fn next_change(&mut self, seen: u64) -> Result<(u64, Change), Fail> {
        let _expecting = self.client.expect();
        let unresponsive = self.client.unresponsive();
        let given_up = given_up(unresponsive, self.client.hello().pid);
        tokio::pin!(given_up);
        let events = self.events.get_mut();
        let why = loop {
            let event = tokio::select! {
                event = events.next() => event,
                fail = &mut given_up => return Err(fail),
            };
            match event {
                Some(ClientEvent::Notice { seq, change }) if seq > seen => {
                    return Ok((seq, change));
                }
                Some(ClientEvent::Notice { .. }) => {}
                Some(ClientEvent::Lost { why }) => break why,
                None => break Clean::new(tr!("it closed the connection")),
            }
        };
        self.is_broken = true;
        Err(lost(&why))
    }

    pub fn stream(&self, open: StreamOpen) -> Stream {
        self.client.open(open)
    }
}

/// Returns when the daemon hasn't responded for too long.
async fn given_up(mut unresponsive: watch::Receiver<bool>, pid: u32) -> Fail {
    let fix = tr!("run `workbay daemon stop`, then try again. Sessions keep running");
    loop {
        if unresponsive.wait_for(|it| *it).await.is_err() {
            // The connection has ended, which is reported elsewhere.
            return std::future::pending().await;
        }
        output::remark(&tr!(
            "workbay: the daemon (pid {pid}) isn't responding. Waiting {seconds} s more.\n         To restart it, {fix}.",
            pid,
            seconds = GIVE_UP.as_secs(),
            fix
        ));
        let Ok(again) = timeout(GIVE_UP, unresponsive.wait_for(|it| !it)).await else {
            let text = tr!("the daemon (pid {pid}) isn't responding", pid);
            return Fail::new(code::UNREACHABLE, text).hint(fix);
        };
        if again.is_ok() {
            output::remark(tr!("workbay: the daemon responds again."));
        }
    }
}

fn lost(why: &Clean) -> Fail {
    Fail::new(
        code::UNREACHABLE,
        tr!("the connection to the daemon broke: {why}", why),
    )
    .hint(tr!("sessions keep running. The next command reconnects"))
}

/// The answer doesn't match the request: the daemon has another version.
pub fn unexpected(reply: &Reply) -> Fail {
    let word = serde_json::to_value(reply)
        .ok()
        .and_then(|value| Some(value.get("reply")?.as_str()?.to_owned()))
        .unwrap_or_default();
    let message = tr!("the daemon sent an unexpected answer ('{word}')", word);
    let failure = Failure::internal(message);
    failure
        .hint(tr!("run `workbay daemon stop`, then try again"))
        .into()
}

/// Waits up to this many seconds. `None` = without a limit.
pub async fn within<T>(
    seconds: Option<u64>,
    what: &str,
    work: impl Future<Output = Result<T, Fail>>,
) -> Result<T, Fail> {
    let Some(seconds) = seconds else {
        return work.await;
    };
    let limit = std::time::Duration::from_secs(seconds);
    tokio::time::timeout(limit, work).await.unwrap_or_else(|_| {
        let message = tr!(
            "{what} hasn't finished after {seconds}s and continues",
            what,
            seconds
        );
        Err(Fail::new(code::TIMEOUT, message))
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tokio::net::UnixStream;

    use super::*;
    use crate::{
        client::simulated::SimulatedDaemon,
        model::id::{SessionId, SessionKey},
        protocol::message::FromDaemon,
    };

    /// More than a connection keeps unread.
    const MANY: u64 = 3_000;

    /// Sends many changes before it answers.
    async fn busy(socket: UnixStream) {
        let mut daemon = SimulatedDaemon::accept(socket).await;
        let (id, _) = daemon.request().await;
        for seq in 1..=MANY {
            let session = SessionKey::local(SessionId::from_u128(seq.into()));
            let change = Change::Gone { session };
            daemon.send(FromDaemon::Notice { seq, change }).await;
        }
        let result = Ok(Reply::Done);
        daemon.send(FromDaemon::Answer { id, result }).await;
        // Stays connected until the client ends.
        std::future::pending::<()>().await;
    }

    #[tokio::test]
    async fn changes_that_nobody_reads_delay_no_answer_and_are_kept() {
        let (mine, its) = UnixStream::pair().unwrap();
        let daemon = tokio::spawn(busy(its));
        let (client, events) = Client::over(mine).await;
        let options = ConnectOptions::existing(Paths::below(Path::new("/nowhere")));
        let mut connection = Connection::new(client, events, &options);
        let requests = (0..8).map(|_| connection.request_done(Request::Status));
        // One of several requests that wait at the same time is answered.
        let (first, ..) = futures_util::future::select_all(requests.map(Box::pin)).await;
        assert!(first.is_ok());
        for expected in 1..=MANY {
            let (seq, _) = connection.next_change(expected - 1).await.unwrap();
            assert_eq!(seq, expected);
        }
        daemon.abort();
    }
}
