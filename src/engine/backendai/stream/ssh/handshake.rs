//! Coming in: the SSH handshake over a pipe to a session's sshd, with the session's own key.

use std::{
    borrow::Cow,
    sync::{Arc, OnceLock},
    time::Duration,
};

use russh::{
    Disconnect, Preferred,
    client::{self, DisconnectReason, Handle},
    keys::{
        Algorithm, EcdsaCurve, HashAlg, PrivateKey, PrivateKeyWithHashAlg, PublicKeyOrCertificate,
    },
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    time::timeout,
};

use super::{
    super::{
        super::request::manager_error::declined,
        pipe::{Cut, Pipe},
        ws::{Refusal, Tried},
    },
    known::Sshd,
    wire::{self, Grip, Wire},
};
use crate::engine::error::EngineError;

/// Whom a session's sshd knows.
const USER: &str = "work";

/// How long sshd may take until we are in.
const COMING_IN: Duration = Duration::from_secs(15);

/// How often sshd is asked whether it is there, and how often it may stay silent. Longer than the
/// pipe's own question, so that a line that is gone is called by its name.
const ASK_EVERY: Duration = Duration::from_secs(25);
const UNANSWERED: usize = 1;

/// Pieces on their way to a slow reader.
const PIECES: usize = 16;

/// What a host may prove itself with; no SHA-1.
const HOST_KEYS: &[Algorithm] = &[
    Algorithm::Ed25519,
    Algorithm::Ecdsa {
        curve: EcdsaCurve::NistP256,
    },
    Algorithm::Ecdsa {
        curve: EcdsaCurve::NistP384,
    },
    Algorithm::Ecdsa {
        curve: EcdsaCurve::NistP521,
    },
    Algorithm::Rsa {
        hash: Some(HashAlg::Sha512),
    },
    Algorithm::Rsa {
        hash: Some(HashAlg::Sha256),
    },
];

/// A connection to a session's sshd that let us in.
pub(super) struct Entered {
    pub(super) handle: Handle<Host>,
    grip: Grip,
    told: Told,
}

/// How knocking ended.
pub(super) enum Knocked {
    In(Box<Entered>),
    /// Our key does not open.
    Denied,
}

/// What is told of the far side while the connection stands.
#[derive(Clone, Default)]
struct Told {
    /// Why the host is not the one we know.
    stranger: Arc<OnceLock<EngineError>>,
    /// Why the connection ended.
    end: Arc<OnceLock<String>>,
}

/// The one we come to.
pub(super) struct Host {
    sshd: Arc<Sshd>,
    told: Told,
}

impl client::Handler for Host {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        // None is asked for.
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else {
            return Ok(false);
        };
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        let known = self.sshd.meet(&fingerprint);
        if let Err(first) = &known {
            let _ = self.told.stranger.set(stranger(first, &fingerprint));
        }
        Ok(known.is_ok())
    }

    async fn disconnected(
        &mut self,
        reason: DisconnectReason<Self::Error>,
    ) -> Result<(), Self::Error> {
        let said = match reason {
            DisconnectReason::ReceivedDisconnect(said) => {
                format!(
                    "the SSH server of the session closed the connection: {}",
                    said.message
                )
            }
            DisconnectReason::Error(russh::Error::KeepaliveTimeout) => {
                "the SSH server of the session stopped answering".to_owned()
            }
            DisconnectReason::Error(
                russh::Error::Disconnect | russh::Error::HUP | russh::Error::IO(_),
            ) => "the connection to the SSH server of the session was closed".to_owned(),
            DisconnectReason::Error(error) => {
                format!("the connection to the SSH server of the session broke: {error}")
            }
        };
        let _ = self.told.end.set(said);
        Ok(())
    }
}

fn stranger(first: &str, shown: &str) -> EngineError {
    EngineError::Declined {
        why: format!(
            "the SSH server of the session has another key than before ({shown}, before: \
             {first}). Another program may be answering"
        ),
        hint: Some(
            "if the session was recreated outside workbay, run `workbay daemon stop` to remove \
             the old key"
                .to_owned(),
        ),
    }
}

fn config() -> Arc<client::Config> {
    Arc::new(client::Config {
        channel_buffer_size: PIECES,
        keepalive_interval: Some(ASK_EVERY),
        keepalive_max: UNANSWERED,
        preferred: Preferred {
            key: Cow::Borrowed(HOST_KEYS),
            ..Preferred::DEFAULT
        },
        ..client::Config::default()
    })
}

/// Knocks with `key`.
pub(super) async fn knock<S>(pipe: Pipe<S>, sshd: &Arc<Sshd>, key: PrivateKey) -> Tried<Knocked>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    knock_at(wire::over(pipe), sshd, key).await
}

/// The same over a line of any kind.
pub(super) async fn knock_at(
    (line, grip): (Wire, Grip),
    sshd: &Arc<Sshd>,
    key: PrivateKey,
) -> Tried<Knocked> {
    let told = Told::default();
    let host = Host {
        sshd: sshd.clone(),
        told: told.clone(),
    };
    let work = async {
        let mut handle = client::connect_stream(config(), line, host).await?;
        // The one signature with RSA that every sshd of sessions takes.
        let key = PrivateKeyWithHashAlg::new(Arc::new(key), Some(HashAlg::Sha256));
        let answer = handle.authenticate_publickey(USER, key).await?;
        Ok(answer.success().then_some(handle))
    };
    let done = timeout(COMING_IN, work).await;
    match done {
        Ok(Ok(Some(handle))) => Ok(Knocked::In(Box::new(Entered { handle, grip, told }))),
        Ok(Ok(None)) => Ok(Knocked::Denied),
        Ok(Err(error)) => Err(outside(&grip, &told, &error)),
        Err(_) => {
            grip.stop();
            Err(Refusal::NotYet(
                "the SSH server of the session doesn't answer".to_owned(),
            ))
        }
    }
}

/// Why we are not in.
fn outside(grip: &Grip, told: &Told, error: &russh::Error) -> Refusal {
    if let Some(stranger) = told.stranger.get() {
        return Refusal::Failed(stranger.clone());
    }
    match (grip.cut(), error) {
        (Some(Cut::Refused), _) => {
            Refusal::NotYet("the SSH server of the session isn't running yet".to_owned())
        }
        (Some(cut), _) => declined(cut.to_string()).into(),
        (None, russh::Error::Disconnect | russh::Error::HUP | russh::Error::IO(_)) => {
            Refusal::NotYet("the SSH server of the session closed the connection".to_owned())
        }
        (None, error) => declined(format!(
            "the SSH server of the session sent an unexpected answer: {error}"
        ))
        .into(),
    }
}

impl Entered {
    /// The sentence for a connection that is gone.
    pub(super) fn loss(&self) -> String {
        if let Some(gone) = self.grip.gone() {
            return gone.to_owned();
        }
        match (self.grip.cut(), self.told.end.get()) {
            (Some(cut), _) => cut.to_string(),
            (None, Some(said)) => said.clone(),
            (None, None) => "the connection to the SSH server of the session was closed".to_owned(),
        }
    }

    /// Says goodbye, for `patience` at most, and lets go of the line.
    pub(super) async fn leave(self, patience: Duration) {
        let Self { handle, grip, .. } = self;
        let work = async {
            let said = handle.disconnect(Disconnect::ByApplication, "", "").await;
            if said.is_ok() {
                // How it ended is of no interest any more.
                let _ = handle.await;
            }
        };
        let _ = timeout(patience, work).await;
        grip.stop();
    }
}
