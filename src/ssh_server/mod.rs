//! The SSH server of one session: shells, commands, SFTP and forwarded ports, without an sshd in the container.
//!
//! [`serve`] serves one connection. It never touches an engine: what it needs of the session is [`SessionAccess`]. Only
//! public keys log in. Commands, the SFTP server and forwarded ports run inside the container as the session's user, so
//! a client reaches nothing that a terminal of the session doesn't reach.
//!
//! What isn't offered: passwords, certificates, forwarding of agents, X11 and Unix sockets, and connections to other
//! hosts. Remote forwards listen on the container's loopback only.

mod access;
mod backlog;
mod channel;
mod command;
mod config;
mod connection;
mod forward;
mod gate;
mod keys;
mod program;
#[cfg(test)]
mod tests;
mod tunnel;
mod variables;

use std::{sync::Arc, time::Duration};

use russh::{Disconnect, server};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::watch,
    time::MissedTickBehavior,
};
use tokio_util::sync::CancellationToken;

pub use self::{
    access::{Io, SessionAccess},
    command::TMUX_SUFFIX,
    keys::{ClientKey, HostKey, Keys},
};
use self::{
    backlog::Backlog,
    connection::{Connection, Shared},
    gate::{Gate, Life},
};
use crate::model::failure::Failure;

/// How long a client may take to log in.
const GRACE: Duration = Duration::from_secs(60);

/// A client that sent nothing at all in that many keepalive intervals is gone.
const SILENT: u32 = 10;

/// How long the last message to a client may take.
const FAREWELL: Duration = Duration::from_secs(1);

/// Serves one client on `stream` until it disconnects or `stop` is cancelled. Programs that the client started and that
/// still have its terminal or pipes end then.
///
/// The caller bounds the number of connections, and sets TCP's keepalive and no-delay.
///
/// # Errors
///
/// The client doesn't speak SSH, didn't log in within a minute, or the connection broke. A client that disconnects
/// isn't an error.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    stream: S,
    host_key: Arc<HostKey>,
    keys: Arc<Keys>,
    access: Arc<dyn SessionAccess>,
    stop: CancellationToken,
) -> Result<(), Failure> {
    let backlog = Arc::new(Backlog::default());
    let life = Arc::new(Life::default());
    let gone = CancellationToken::new();
    let _gone = gone.clone().drop_guard();
    let gate = Gate::new(stream, Arc::clone(&backlog), Arc::clone(&life));
    let shared = Arc::new(Shared::new(access, Arc::clone(&backlog), gone));
    let (admitted, mut is_admitted) = watch::channel(false);
    let handler = Connection::new(shared, keys, admitted);

    let grace = tokio::time::sleep(GRACE);
    tokio::pin!(grace);
    let config = Arc::new(config::of(&host_key));
    let mut running = tokio::select! {
        started = server::run_stream(config, gate, handler) => started?,
        () = &mut grace => return Err(late()),
        () = stop.cancelled() => return Ok(()),
    };
    let outcome = tokio::select! {
        ended = &mut running => return ended,
        () = &mut grace, if !*is_admitted.borrow() => Err(late()),
        () = stop.cancelled() => {
            // English, because OpenSSH shows the letters of other languages as numbers.
            let why = tr_sent!("the session's SSH server has stopped").to_owned();
            let handle = running.handle();
            let farewell = handle.disconnect(Disconnect::ByApplication, why, String::new());
            let _ = tokio::time::timeout(FAREWELL, farewell).await;
            // The library then waits for the client to close its side.
            let _ = tokio::time::timeout(FAREWELL, &mut running).await;
            Ok(())
        }
        () = silence(&backlog, &life, &mut is_admitted) => {
            Err(Failure::lost(tr_sent!("the SSH client doesn't answer")))
        }
    };
    backlog.close();
    outcome
}

fn late() -> Failure {
    Failure::refused(tr_sent!("the SSH client didn't log in within a minute"))
}

/// Returns when the client has sent nothing for a long time, although the server asks it to.
async fn silence(backlog: &Backlog, life: &Life, is_admitted: &mut watch::Receiver<bool>) {
    if is_admitted.wait_for(|admitted| *admitted).await.is_err() {
        return std::future::pending().await;
    }
    let mut ticks = tokio::time::interval(config::KEEPALIVE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut silent = 0;
    while silent < SILENT {
        ticks.tick().await;
        // Nothing arrives from a client that isn't read.
        let lives = life.take() || !backlog.may_read();
        silent = if lives { 0 } else { silent + 1 };
    }
}
