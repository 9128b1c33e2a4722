//! The SSH handshake over a pipe to a session's sshd, with the session's own key.

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
        pipe::{PipeEnd, PortPipe},
        ws::{OpenError, OpenResult},
    },
    known::Sshd,
    wire::{self, SshWire, WireHandle},
};
use crate::model::failure::Failure;

/// The user name that a session's sshd accepts.
const USER: &str = "work";

/// Time limit for the handshake and the login.
const COMING_IN: Duration = Duration::from_secs(15);

/// How often sshd is pinged, and how many pings may stay unanswered. The interval is longer than
/// the one of the pipe, so that the pipe reports a lost connection first, with its cause.
const ASK_EVERY: Duration = Duration::from_secs(25);
const UNANSWERED: usize = 1;

/// How many messages are queued for a slow reader.
const PIECES: usize = 16;

/// Accepted types of host keys, without SHA-1.
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

/// A connection to a session's sshd after login.
pub(super) struct SshConnection {
    pub(super) handle: Handle<SshdHost>,
    wire_handle: WireHandle,
    reported: SshdReport,
}

/// The result of a login attempt.
pub(super) enum LoginResult {
    In(Box<SshConnection>),
    /// The sshd doesn't accept our key.
    Denied,
}

/// What the handler reports about the sshd while the connection is open.
#[derive(Clone, Default)]
struct SshdReport {
    /// The error if the host key isn't the known one.
    stranger: Arc<OnceLock<Failure>>,
    /// Why the connection ended.
    end: Arc<OnceLock<String>>,
}

/// The sshd that we connect to.
pub(super) struct SshdHost {
    sshd: Arc<Sshd>,
    reported: SshdReport,
}

impl client::Handler for SshdHost {
    type Error = russh::Error;

    async fn check_server_key(
        &mut self,
        shown: &PublicKeyOrCertificate,
    ) -> Result<bool, Self::Error> {
        // Certificates aren't requested, so one is never accepted.
        let PublicKeyOrCertificate::PublicKey { key, .. } = shown else {
            return Ok(false);
        };
        let fingerprint = key.fingerprint(HashAlg::Sha256).to_string();
        let known = self.sshd.meet(&fingerprint);
        if let Err(first) = &known {
            let _ = self.reported.stranger.set(stranger(first, &fingerprint));
        }
        Ok(known.is_ok())
    }

    async fn disconnected(
        &mut self,
        reason: DisconnectReason<Self::Error>,
    ) -> Result<(), Self::Error> {
        let said = match reason {
            DisconnectReason::ReceivedDisconnect(said) => {
                tr_sent!(
                    "the SSH server of the session closed the connection: {message}",
                    message = said.message
                )
            }
            DisconnectReason::Error(russh::Error::KeepaliveTimeout) => {
                tr_sent!("the SSH server of the session stopped answering").to_owned()
            }
            DisconnectReason::Error(
                russh::Error::Disconnect | russh::Error::HUP | russh::Error::IO(_),
            ) => tr_sent!("the connection to the SSH server of the session was closed").to_owned(),
            DisconnectReason::Error(error) => {
                tr_sent!(
                    "the connection to the SSH server of the session broke: {error}",
                    error
                )
            }
        };
        let _ = self.reported.end.set(said);
        Ok(())
    }
}

fn stranger(first: &str, shown: &str) -> Failure {
    Failure::refused(tr_sent!(
        "the SSH server of the session has another key than before ({shown}, before: \
             {first}). Another program may be answering",
        shown,
        first
    ))
    .hint(tr_sent!(
        "if the session was recreated outside workbay, run `workbay daemon stop` to remove \
             the old key"
    ))
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

/// Logs in with `key`.
pub(super) async fn knock<S>(
    pipe: PortPipe<S>,
    sshd: &Arc<Sshd>,
    key: PrivateKey,
) -> OpenResult<LoginResult>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    knock_at(wire::over(pipe), sshd, key).await
}

/// Logs in over any transport.
pub(super) async fn knock_at(
    (line, wire_handle): (SshWire, WireHandle),
    sshd: &Arc<Sshd>,
    key: PrivateKey,
) -> OpenResult<LoginResult> {
    let reported = SshdReport::default();
    let host = SshdHost {
        sshd: sshd.clone(),
        reported: reported.clone(),
    };
    let work = async {
        let mut handle = client::connect_stream(config(), line, host).await?;
        // SHA-256 is the RSA signature that the sshd of every session accepts.
        let key = PrivateKeyWithHashAlg::new(Arc::new(key), Some(HashAlg::Sha256));
        let answer = handle.authenticate_publickey(USER, key).await?;
        Ok(answer.success().then_some(handle))
    };
    let done = timeout(COMING_IN, work).await;
    match done {
        Ok(Ok(Some(handle))) => Ok(LoginResult::In(Box::new(SshConnection {
            handle,
            wire_handle,
            reported,
        }))),
        Ok(Ok(None)) => Ok(LoginResult::Denied),
        Ok(Err(error)) => Err(outside(&wire_handle, &reported, &error)),
        Err(_) => {
            wire_handle.stop();
            Err(OpenError::NotYet(
                tr_sent!("the SSH server of the session doesn't answer").to_owned(),
            ))
        }
    }
}

/// Why the login failed.
fn outside(wire_handle: &WireHandle, reported: &SshdReport, error: &russh::Error) -> OpenError {
    if let Some(stranger) = reported.stranger.get() {
        return OpenError::Failed(stranger.clone());
    }
    match (wire_handle.cut(), error) {
        (Some(PipeEnd::Refused), _) => OpenError::NotYet(
            tr_sent!("the SSH server of the session isn't running yet").to_owned(),
        ),
        (Some(cut), _) => declined(cut.to_string()).into(),
        (None, russh::Error::Disconnect | russh::Error::HUP | russh::Error::IO(_)) => {
            OpenError::NotYet(
                tr_sent!("the SSH server of the session closed the connection").to_owned(),
            )
        }
        (None, error) => declined(tr_sent!(
            "the SSH server of the session sent an unexpected answer: {error}",
            error
        ))
        .into(),
    }
}

impl SshConnection {
    /// The sentence for a lost connection.
    pub(super) fn loss(&self) -> String {
        if let Some(gone) = self.wire_handle.gone() {
            return gone.to_owned();
        }
        match (self.wire_handle.cut(), self.reported.end.get()) {
            (Some(cut), _) => cut.to_string(),
            (None, Some(said)) => said.clone(),
            (None, None) => {
                tr_sent!("the connection to the SSH server of the session was closed").to_owned()
            }
        }
    }

    /// Disconnects within `patience`, then drops the connection.
    pub(super) async fn leave(self, patience: Duration) {
        let Self {
            handle,
            wire_handle,
            ..
        } = self;
        let work = async {
            let said = handle.disconnect(Disconnect::ByApplication, "", "").await;
            if said.is_ok() {
                // The result of the connection doesn't matter any more.
                let _ = handle.await;
            }
        };
        let _ = timeout(patience, work).await;
        wire_handle.stop();
    }
}
