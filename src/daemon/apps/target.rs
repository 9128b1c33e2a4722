//! Connects the gateway to ports of sessions.

use std::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU16, Ordering::Relaxed},
};

use async_trait::async_trait;
use tokio::sync::mpsc;

use super::AppEvent;
use crate::{
    daemon::connection::{inbound::Inbound, streams::engine_for},
    engine::api::DialTarget,
    gateway::{Io, Upstream},
    model::{
        failure::Failure,
        forward::{Forward, ForwardId, ForwardTarget},
        id::SessionKey,
        text::Clean,
    },
    protocol::message::StreamOpen,
};

/// A port of a session, as the gateway dials it.
pub(super) struct SessionPort {
    pub forward: ForwardId,
    pub session: SessionKey,
    /// The name of the app; `None` = a port.
    pub app: Option<Clean>,
    pub inside: Arc<Inside>,
    pub inbound: mpsc::Sender<Inbound>,
}

/// What the daemon's loop and the connections of a forward share.
#[derive(Debug)]
pub(super) struct Inside {
    /// The port in the session.
    pub port: AtomicU16,
    /// Whether the last connection failed, or the app has ended since then.
    pub is_broken: AtomicBool,
}

impl Inside {
    pub fn of(forward: &Forward) -> Arc<Self> {
        Arc::new(Self {
            port: AtomicU16::new(port_of(&forward.target)),
            is_broken: AtomicBool::new(forward.broken.is_some()),
        })
    }
}

impl SessionPort {
    fn target(&self) -> DialTarget {
        let port = self.inside.port.load(Relaxed);
        match &self.app {
            Some(app) => DialTarget {
                service: app.to_string(),
                port: Some(port),
            },
            None => DialTarget {
                service: port.to_string(),
                port: None,
            },
        }
    }

    async fn connect(&self) -> Result<Box<dyn Io>, Failure> {
        let target = self.target();
        let open = StreamOpen::Dial {
            session: self.session,
            service: target.service.clone(),
            port: target.port,
        };
        let engine = engine_for(&self.inbound, &open).await?;
        let stream = engine.connect(self.session.id, &target).await?;
        Ok(Box::new(stream))
    }

    /// Reports whether the session is reached, when that changed.
    async fn report(&self, failure: Option<Clean>) {
        let before = self.inside.is_broken.swap(failure.is_some(), Relaxed);
        if before == failure.is_some() {
            return;
        }
        let forward = self.forward;
        let event = AppEvent::Reached { forward, failure };
        // If the loop has ended, the daemon is ending.
        let _ = self.inbound.send(Inbound::App(event)).await;
    }
}

#[async_trait]
impl Upstream for SessionPort {
    async fn dial(&self) -> Result<Box<dyn Io>, Failure> {
        let connected = self.connect().await;
        self.report(connected.as_ref().err().map(Failure::message))
            .await;
        connected
    }
}

/// The port of a target, where it is known.
pub(super) fn port_of(target: &ForwardTarget) -> u16 {
    match target {
        ForwardTarget::App { port, .. } => port.unwrap_or_default(),
        ForwardTarget::Port { port } => *port,
        ForwardTarget::Ssh => 0,
    }
}
