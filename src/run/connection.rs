//! Keeps the connection to the daemon. It connects (and starts the daemon if none runs), subscribes, passes
//! changes on, and reconnects with a growing wait when the connection breaks.

use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::{
    app::msg::Link,
    client::{Client, ClientError, ClientEvent, ConnectOptions},
    model::{change::Change, failure::Failure, text::Clean},
    protocol::message::{Reply, Request, Snapshot},
};

/// First and longest wait between two attempts.
const SHORTEST_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(30);
/// How often to retry a connection that only the user can fix.
const REFUSED_WAIT: Duration = Duration::from_secs(15);
/// Capacity of the queue of messages from the daemon to the app.
const LINK: usize = 64;
/// Changes kept while a snapshot is fetched.
const NOTICES_KEPT: usize = 4096;

/// The current client. `None` = no connection.
pub type Current = watch::Receiver<Option<Client>>;

/// The connection of the TUI to the daemon.
pub struct DaemonLink {
    pub(super) link: mpsc::Receiver<Link>,
    pub(super) current: Current,
}

impl DaemonLink {
    /// Starts a task that keeps the connection.
    #[must_use]
    pub fn begin(options: ConnectOptions) -> Self {
        let (link_in, link) = mpsc::channel(LINK);
        let (current_in, current) = watch::channel(None);
        tokio::spawn(keep(options, link_in, current_in));
        Self { link, current }
    }
}

/// Why a connection ended.
enum End {
    Lost(Clean),
    /// The main loop of the TUI has ended.
    AppGone,
}

/// Runs until the main loop drops the receiver of `out`.
async fn keep(
    options: ConnectOptions,
    out: mpsc::Sender<Link>,
    current: watch::Sender<Option<Client>>,
) {
    let mut attempt = 0;
    loop {
        let (said, wait) = match Client::connect(&options).await {
            Ok((client, events)) => {
                let mut line = OpenConnection {
                    unresponsive: client.unresponsive(),
                    client,
                    events,
                    out: &out,
                    seq: 0,
                };
                let end = line.serve(&current, &mut attempt).await;
                current.send_replace(None);
                match end {
                    End::AppGone => return,
                    End::Lost(why) => {
                        attempt += 1;
                        (Link::Down { why, attempt }, wait_of(attempt))
                    }
                }
            }
            Err(
                error @ (ClientError::Refused(_)
                | ClientError::Older(_)
                | ClientError::Foreign { .. }),
            ) => (Link::Refused(error.into_failure()), REFUSED_WAIT),
            Err(error) => {
                attempt += 1;
                let why = Clean::new(&error.to_string());
                (Link::Down { why, attempt }, wait_of(attempt))
            }
        };
        if out.send(said).await.is_err() {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = out.closed() => return,
        }
    }
}

fn wait_of(attempt: u32) -> Duration {
    let doublings = attempt.saturating_sub(1).min(10);
    (SHORTEST_WAIT * 2u32.pow(doublings)).min(LONGEST_WAIT)
}

struct OpenConnection<'a> {
    client: Client,
    events: mpsc::Receiver<ClientEvent>,
    unresponsive: watch::Receiver<bool>,
    out: &'a mpsc::Sender<Link>,
    /// Number of the last change that was passed on.
    seq: u64,
}

impl OpenConnection<'_> {
    async fn serve(&mut self, current: &watch::Sender<Option<Client>>, attempt: &mut u32) -> End {
        if let Err(end) = self.snapshot(Request::Subscribe, Some(current)).await {
            return end;
        }
        *attempt = 0;
        loop {
            let event = tokio::select! {
                event = self.events.recv() => event,
                unresponsive = changed(&mut self.unresponsive) => {
                    match self.say(Link::NotResponding(unresponsive)).await {
                        Ok(()) => continue,
                        Err(end) => return end,
                    }
                }
                () = self.out.closed() => return End::AppGone,
            };
            let outcome = match event {
                Some(ClientEvent::Notice { seq, change }) => self.notice(seq, change).await,
                Some(ClientEvent::Lost { why }) => Err(End::Lost(why)),
                None => Err(End::Lost(Clean::new(tr!(
                    "the daemon closed the connection"
                )))),
            };
            if let Err(end) = outcome {
                return end;
            }
        }
    }

    /// Passes a change on. After a gap in the numbers, fetches a new snapshot.
    async fn notice(&mut self, seq: u64, change: Change) -> Result<(), End> {
        if seq <= self.seq {
            return Ok(());
        }
        if seq != self.seq + 1 {
            return self.snapshot(Request::Snapshot { tab: None }, None).await;
        }
        self.seq = seq;
        self.say(Link::Notice(change)).await
    }

    async fn say(&self, link: Link) -> Result<(), End> {
        self.out.send(link).await.map_err(|_| End::AppGone)
    }

    /// Fetches a snapshot and passes it on, then the changes that came in the meantime.
    async fn snapshot(
        &mut self,
        request: Request,
        publish: Option<&watch::Sender<Option<Client>>>,
    ) -> Result<(), End> {
        let mut waiting = Vec::new();
        let snapshot = self.fetch(request, &mut waiting).await?;
        self.seq = snapshot.seq;
        if let Some(current) = publish {
            current.send_replace(Some(self.client.clone()));
        }
        self.say(Link::Up(Box::new(snapshot))).await?;
        for (seq, change) in waiting {
            if seq == self.seq + 1 {
                self.seq = seq;
                self.say(Link::Notice(change)).await?;
            }
        }
        Ok(())
    }

    /// Takes changes while it waits for the answer, because both come on the same connection.
    async fn fetch(
        &mut self,
        request: Request,
        waiting: &mut Vec<(u64, Change)>,
    ) -> Result<Snapshot, End> {
        let client = self.client.clone();
        let answer = client.ask(request);
        tokio::pin!(answer);
        let answer = loop {
            tokio::select! {
                // More changes may follow the answer than are kept. They are taken one by one after it.
                biased;
                answer = &mut answer => break answer,
                unresponsive = changed(&mut self.unresponsive) => {
                    let said = self.out.send(Link::NotResponding(unresponsive)).await;
                    said.map_err(|_| End::AppGone)?;
                }
                event = self.events.recv() => match event {
                    Some(ClientEvent::Notice { seq, change }) => {
                        if waiting.len() < NOTICES_KEPT {
                            waiting.push((seq, change));
                        }
                    }
                    Some(ClientEvent::Lost { why }) => return Err(End::Lost(why)),
                    None => return Err(End::Lost(Clean::new(tr!("the daemon closed the connection")))),
                },
            }
        };
        match answer {
            Ok(Reply::Snapshot { snapshot }) => Ok(*snapshot),
            Ok(_) => Err(End::Lost(Clean::new(tr!("the daemon sent no list")))),
            Err(failure) => Err(End::Lost(failure.message())),
        }
    }
}

/// Waits for the next change of whether the daemon responds.
async fn changed(unresponsive: &mut watch::Receiver<bool>) -> bool {
    if unresponsive.changed().await.is_err() {
        // The connection has ended, which is reported elsewhere.
        return std::future::pending().await;
    }
    *unresponsive.borrow_and_update()
}

/// The answer to a request while there is no connection.
pub fn disconnected() -> Failure {
    Failure::lost(tr!(
        "workbay's daemon isn't responding. workbay retries automatically"
    ))
}
