//! Accepts the connections of a route: bounded in number, each identified before anything is read from it.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    Access, DIAL_TIME, Io, Kind, Route,
    client_stream::ClientStream,
    http, peer,
    relay::relay,
    traffic::{Counted, Counting},
};
use crate::model::failure::Failure;

/// The max number of connections of a route at the same time. Others are closed, with status 503 for HTTP.
pub const CONNECTIONS: usize = 2048;

/// How many connections without access get an answer at the same time. Others are closed.
const REFUSALS: usize = 16;

/// How long to wait after an error of the listener: no free file descriptors, for example.
const PAUSE: Duration = Duration::from_millis(100);

/// What the connections of a route share.
pub(super) struct Shared {
    pub(super) route: Route,
    pub(super) pool: http::pool::Pool,
    connections: Arc<Semaphore>,
    refusals: Arc<Semaphore>,
    tasks: TaskTracker,
    pub(super) stop: CancellationToken,
}

impl Shared {
    /// Runs a task that ends with the route.
    pub(super) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                // First, so that nothing takes the end of another task of the route for the end of a transfer.
                biased;
                () = stop.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// A new stream to the application.
    pub(super) async fn dial(&self) -> Result<Counted<Box<dyn Io>>, DialError> {
        match timeout(DIAL_TIME, self.route.upstream.dial()).await {
            Ok(Ok(stream)) => Ok(Counted::new(stream, &self.route.traffic)),
            Ok(Err(failure)) => Err(DialError::Failed(failure)),
            Err(_) => Err(DialError::TimedOut),
        }
    }
}

/// Why there is no stream to the application.
#[derive(Debug)]
pub(super) enum DialError {
    Failed(Failure),
    TimedOut,
}

/// The other end of a connection.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) local: SocketAddr,
    pub(super) peer: SocketAddr,
}

/// Who a connection is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visitor {
    /// May send requests. With [`Access::Token`] and HTTP, each needs the token as well.
    Welcome,
    /// Another user of this machine.
    OtherUser,
    /// An address outside the allowed networks, or another machine for which there is no check.
    Outside,
}

/// Serves a route until `stop` is cancelled. Then open connections are closed, and `serve` returns when they are.
pub async fn serve(listener: TcpListener, route: Route, stop: CancellationToken) {
    let stop = stop.child_token();
    // Connections also end if this future is dropped.
    let _end = stop.clone().drop_guard();
    let shared = Arc::new(Shared {
        route,
        pool: http::pool::Pool::default(),
        connections: Arc::new(Semaphore::new(CONNECTIONS)),
        refusals: Arc::new(Semaphore::new(REFUSALS)),
        tasks: TaskTracker::new(),
        stop: stop.clone(),
    });
    stop.run_until_cancelled(accept(&listener, &shared)).await;
    drop(listener);
    shared.tasks.close();
    shared.tasks.wait().await;
}

async fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    loop {
        let Ok((tcp, peer)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let Ok(local) = tcp.local_addr() else {
            continue;
        };
        match shared.connections.clone().try_acquire_owned() {
            Ok(permit) => {
                let task = connection(shared.clone(), tcp, Ends { local, peer }, permit);
                shared.spawn(task);
            }
            Err(_) if shared.route.kind == Kind::Http => http::pages::reject_excess(&tcp),
            Err(_) => {}
        }
    }
}

async fn connection(shared: Arc<Shared>, tcp: TcpStream, ends: Ends, permit: OwnedSemaphorePermit) {
    let visitor = identify(&shared.route, ends).await;
    let is_welcome = visitor == Visitor::Welcome;
    let permit = if is_welcome {
        permit
    } else {
        // Clients without access don't take the place of others.
        drop(permit);
        match shared.refusals.clone().try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => return,
        }
    };
    match shared.route.kind {
        Kind::Http => http::serve(shared, ClientStream::new(tcp), ends, visitor, permit).await,
        Kind::Tcp if is_welcome => pass(&shared, ClientStream::new(tcp)).await,
        Kind::Tcp => {}
    }
}

async fn identify(route: &Route, ends: Ends) -> Visitor {
    let Ends { local, peer } = ends;
    match &route.access {
        Access::Public { allowed } => {
            let is_allowed = |network: &&crate::model::cidr::Network| network.contains(peer.ip());
            if allowed.is_empty() || allowed.iter().find(is_allowed).is_some() {
                Visitor::Welcome
            } else {
                Visitor::Outside
            }
        }
        Access::Token(_) if peer::is_this_machine(local, peer) => {
            let own = rustix::process::geteuid().as_raw();
            match peer::lookup(local, peer).await {
                Some(uid) if uid == own => Visitor::Welcome,
                _ => Visitor::OtherUser,
            }
        }
        Access::Token(_) if route.kind == Kind::Tcp => Visitor::Outside,
        Access::Token(_) => Visitor::Welcome,
    }
}

/// Raw TCP.
async fn pass(shared: &Shared, mut client: ClientStream) {
    let _counting = Counting::new(&shared.route.traffic);
    let abort = client.abort();
    // A stop in the middle resets the connection, so that a client doesn't take a part for the whole.
    abort.set();
    let Ok(mut upstream) = shared.dial().await else {
        return;
    };
    if relay(&mut client, &mut upstream).await.is_ok() {
        abort.clear();
    }
}
