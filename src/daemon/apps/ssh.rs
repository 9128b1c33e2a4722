//! Serves SSH for a session, on a forwarded port or on a stream of a client.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use tokio::{
    sync::mpsc,
    time::{Duration, Instant},
};
use tokio_util::sync::CancellationToken;

use super::keys::{KeyFiles, SshKeys, USER};
use crate::{
    daemon::{
        clock,
        connection::{inbound::Inbound, streams::engine_for},
    },
    engine::api::{AttachRequest, Attached, DialTarget, Engine, ExecCommand, HelperTask},
    gateway::{Io, Upstream},
    model::{
        failure::Failure, id::SessionKey, inside, settings::AppSettings, shell_start::ShellStart,
        text::Clean,
    },
    protocol::message::StreamOpen,
    scheduler::fact::UseEvent,
    ssh_server::{self, SessionAccess},
};

/// The bytes that may wait between a client and the server.
const PIPE: usize = 256 * 1024;
/// The minimum time between two reports of use.
const USED_EVERY: Duration = Duration::from_secs(1);

/// The SSH server of a session, as the gateway dials it.
pub(super) struct SshPort {
    pub session: SessionKey,
    pub name: Clean,
    pub keys: SshKeys,
    pub inbound: mpsc::Sender<Inbound>,
}

#[async_trait]
impl Upstream for SshPort {
    async fn dial(&self) -> Result<Box<dyn Io>, Failure> {
        let access = Reached::find(self.session, &self.name, &self.inbound).await?;
        let (ours, theirs) = tokio::io::duplex(PIPE);
        let (host, keys) = (self.keys.host.clone(), self.keys.authorized.clone());
        tokio::spawn(async move {
            // The gateway drops its end when the forward is closed, which ends the connection.
            let stop = CancellationToken::new();
            let served = ssh_server::serve(theirs, host, keys, access, stop).await;
            if let Err(error) = served {
                tracing::debug!(%error, "an SSH connection ended");
            }
        });
        Ok(Box::new(ours))
    }
}

/// Serves SSH on a stream of a client, until one side closes it.
pub(in crate::daemon) async fn serve_stream(
    stream: tokio::io::DuplexStream,
    session: SessionKey,
    keys: std::path::PathBuf,
    settings: AppSettings,
    inbound: mpsc::Sender<Inbound>,
) -> Result<(), Failure> {
    let access = Reached::find(session, &Clean::default(), &inbound).await?;
    let loaded = tokio::task::spawn_blocking(move || {
        SshKeys::load(
            &KeyFiles::new(&keys),
            session,
            settings.authorized_keys.as_deref(),
        )
    });
    let loaded = loaded
        .await
        .map_err(|error| Failure::internal(error.to_string()))??;
    let stop = CancellationToken::new();
    ssh_server::serve(stream, loaded.host, loaded.authorized, access, stop).await
}

/// A session that runs, with its engine.
struct Reached {
    session: SessionKey,
    name: Clean,
    engine: Arc<dyn Engine>,
    inbound: mpsc::Sender<Inbound>,
    used: Mutex<Option<Instant>>,
}

impl Reached {
    async fn find(
        session: SessionKey,
        name: &Clean,
        inbound: &mpsc::Sender<Inbound>,
    ) -> Result<Arc<dyn SessionAccess>, Failure> {
        let engine = engine_for(inbound, &StreamOpen::Ssh { session }).await?;
        Ok(Arc::new(Self {
            session,
            name: name.clone(),
            engine,
            inbound: inbound.clone(),
            used: Mutex::default(),
        }))
    }
}

#[async_trait]
impl SessionAccess for Reached {
    fn user(&self) -> &str {
        USER
    }

    fn hosts(&self) -> Vec<String> {
        vec![self.name.to_string(), inside::MAIN_HOST.to_owned()]
    }

    async fn exec(&self, argv: Vec<String>, tty: Option<(u16, u16)>) -> Result<Attached, Failure> {
        let kernel = None;
        let command = ExecCommand { argv, tty, kernel };
        self.engine.exec(self.session.id, command).await
    }

    async fn tmux(&self, tag: String, size: (u16, u16)) -> Result<Attached, Failure> {
        let (columns, rows) = size;
        let request = AttachRequest {
            tag,
            columns,
            rows,
            start: ShellStart::default(),
        };
        self.engine.attach(self.session.id, request).await
    }

    async fn helper(&self, task: HelperTask) -> Result<Attached, Failure> {
        self.engine.helper(self.session.id, task).await
    }

    async fn dial(&self, _host: String, port: u16) -> Result<Box<dyn ssh_server::Io>, Failure> {
        let target = DialTarget {
            service: port.to_string(),
            port: None,
        };
        let stream = self.engine.connect(self.session.id, &target).await?;
        Ok(Box::new(stream))
    }

    fn used(&self) {
        let now = clock::instant();
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.is_some_and(|at| now < at + USED_EVERY) {
            return;
        }
        *used = Some(now);
        // A full queue means that the loop is busy; the next input is reported again.
        let (session, usage) = (self.session, UseEvent::Typed);
        if self
            .inbound
            .try_send(Inbound::Used { session, usage })
            .is_err()
        {
            *used = None;
        }
    }

    fn is_live(&self) -> bool {
        // The engine answered a moment ago. A session that ends closes its programs.
        !self.inbound.is_closed()
    }
}
