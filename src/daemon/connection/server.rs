//! Accepts clients, and recreates the socket when it vanishes.

use std::{io::Write as _, path::Path, sync::Arc, time::Duration};

use bytes::BytesMut;
use tokio::{
    net::UnixStream,
    sync::Notify,
    task::JoinSet,
    time::{MissedTickBehavior, interval},
};
use tokio_util::{codec::Encoder as _, sync::CancellationToken};

use super::{inbound::ConnectionId, server_state::ServerState, socket::Socket};
use crate::{
    daemon::upgrade::Successor,
    model::text::Clean,
    protocol::{
        frame::{Frame, FrameCodec},
        greeting::Welcome,
    },
};

/// How often the socket's path is checked: its directory may be deleted at the last logout.
const LOOK: Duration = Duration::from_secs(60);
/// The time limit for clients to read their last answers.
const FAREWELL: Duration = Duration::from_secs(2);

/// Serves until `stop`. `remake` requests a check of the socket. The socket is returned for the case that the
/// daemon becomes another program: clients that connect meanwhile wait.
pub(in crate::daemon) async fn serve(
    mut socket: Socket,
    path: &Path,
    server_state: ServerState,
    stop: CancellationToken,
    remake: Arc<Notify>,
) -> Option<Socket> {
    let mut clients = JoinSet::new();
    let mut next: ConnectionId = 0;
    let mut look = interval(LOOK);
    look.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            accepted = socket.listener.accept() => match accepted {
                Ok((client, _)) => {
                    next += 1;
                    match server_state.admission.admit(next) {
                        Ok(admitted) => {
                            let server_state = server_state.clone();
                            clients.spawn(super::client::serve(client, next, admitted, server_state));
                        }
                        Err(message) => refuse(client, message),
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a client can't be accepted");
                    // The process is probably out of file descriptors, so an immediate retry is useless.
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
            Some(_) = clients.join_next() => {}
            () = remake.notified() => renew(&mut socket, path).await,
            _ = look.tick() => renew(&mut socket, path).await,
        }
    }
    let keeps_socket = server_state
        .successor
        .as_ref()
        .is_some_and(Successor::is_named);
    let socket = keeps_socket.then_some(socket);
    let farewell = async { while clients.join_next().await.is_some() {} };
    // Clients that haven't read their answers by then are disconnected.
    let _ = tokio::time::timeout(FAREWELL, farewell).await;
    socket
}

/// Refuses a new connection. The message fits in the socket's buffer, so sending doesn't block.
fn refuse(client: UnixStream, message: Clean) {
    tracing::warn!(%message, "a client was refused");
    let mut wire = BytesMut::new();
    let refused = Frame::Control(Welcome::Refused { message });
    if FrameCodec::<Welcome, ()>::default()
        .encode(refused, &mut wire)
        .is_ok()
        && let Ok(mut client) = client.into_std()
    {
        // The client may have disconnected already.
        let _ = client.write_all(&wire);
    }
}

async fn renew(socket: &mut Socket, path: &Path) {
    if socket.is_there() {
        return;
    }
    match Socket::bind(path).await {
        Ok(new) => {
            tracing::info!(path = %path.display(), "the socket was deleted and has been recreated");
            *socket = new;
        }
        Err(error) => tracing::warn!(%error, "the socket was deleted"),
    }
}
