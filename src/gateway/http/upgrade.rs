//! Connections that stop being HTTP: WebSocket and other protocols.

use std::sync::Arc;

use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;

use super::Connection;
use crate::gateway::relay::relay;

/// Copies bytes between both sides as soon as both have switched. The connection counts until both have ended.
pub(super) fn start(connection: &Arc<Connection>, client: OnUpgrade, application: OnUpgrade) {
    let held = connection.clone();
    connection.shared.spawn(async move {
        let (Ok(client), Ok(application)) = tokio::join!(client, application) else {
            return;
        };
        let (mut client, mut application) = (TokioIo::new(client), TokioIo::new(application));
        // What was sent is incomplete unless both sides have ended.
        held.abort.set();
        if relay(&mut client, &mut application).await.is_ok() {
            held.abort.clear();
        }
    });
}
