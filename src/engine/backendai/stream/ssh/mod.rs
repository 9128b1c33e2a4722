//! Commands in a session. A manager can't run commands, so they go through the session's own sshd,
//! over the same pipe as its other services, with the key in its home directory.
//!
//! Each program has a connection of its own, because channels of one connection would block each
//! other, and a terminal's control connection, when one reader is slow. The programs of a session
//! share its key and the host key of its sshd ([`known`]). The connection ends with its program, so
//! that it doesn't keep the session from being idle.
//!
//! A manager connects to the main container only. The other containers are reached through its sshd
//! ([`hop`]).

mod channel;
mod handshake;
mod helper;
mod hop;
mod key;
mod known;
mod shell_words;
mod tmux;
mod wire;

use super::{
    super::{BackendAiEngine, request::manager_error::declined},
    open::{once, patiently},
    open_terminals::TagClaim,
    precheck::Container,
};
use crate::{
    engine::{
        api::{AttachRequest, Attached, DialTarget, ExecCommand, Result},
        port_stream::{PipedStream, PortStream},
    },
    model::{
        failure::Failure,
        id::{KernelId, SessionId},
    },
};

use channel::SshRequest;
use handshake::{LoginResult, SshConnection};
pub(super) use helper::helper;
pub(in super::super) use helper::start_python;
pub(in super::super) use known::KnownSshd;

/// The service that commands use.
const SSHD: &str = "sshd";

/// Runs a command to its end.
pub(super) async fn exec(
    engine: &BackendAiEngine,
    session: SessionId,
    command: &ExecCommand,
) -> Result<Attached> {
    let Some(connection) = shell_words::command(&command.argv) else {
        return Err(declined(tr_sent!(
            "invalid command: it is empty or contains a NUL byte"
        )));
    };
    let entered = enter_at(engine, session, command.kernel).await?;
    channel::start(entered, SshRequest::Command(connection), command.tty, None).await
}

/// Opens the control connection to a container's tmux.
pub(super) async fn control(
    engine: &BackendAiEngine,
    session: SessionId,
    kernel: Option<KernelId>,
) -> Result<Attached> {
    let argv = tmux::control();
    let command = ExecCommand {
        argv,
        tty: None,
        kernel,
    };
    exec(engine, session, &command).await
}

/// Opens a terminal on the tmux of a container other than the main one, as its ttyd would.
pub(super) async fn terminal(
    engine: &BackendAiEngine,
    session: SessionId,
    container: &Container,
    request: &AttachRequest,
    claim: TagClaim,
) -> Result<Attached> {
    let Some(connection) = shell_words::command(&tmux::terminal()) else {
        return Err(declined(tr_sent!("invalid command for a terminal")));
    };
    let entered = hop::enter(engine, session, container).await?;
    let size = (request.columns, request.rows);
    let request = SshRequest::Command(connection);
    channel::start(entered, request, Some(size), Some(claim)).await
}

/// Connects to a port of the main container's loopback, whether or not a service has it.
pub(super) async fn port(
    engine: &BackendAiEngine,
    session: SessionId,
    port: u16,
) -> Result<PortStream> {
    let entered = enter(engine, session).await?;
    let attached = channel::tunnel(entered, "127.0.0.1", port).await?;
    Ok(Box::new(PipedStream::new(attached)))
}

/// Opens a new connection to the sshd of a container of our running session.
async fn enter_at(
    engine: &BackendAiEngine,
    session: SessionId,
    kernel: Option<KernelId>,
) -> Result<SshConnection> {
    let other = match kernel {
        Some(kernel) => engine.other_container(session, kernel).await?,
        None => None,
    };
    match other {
        Some(container) => hop::enter(engine, session, &container).await,
        None => enter(engine, session).await,
    }
}

/// Opens a new connection to the sshd of the main container.
async fn enter(engine: &BackendAiEngine, session: SessionId) -> Result<SshConnection> {
    let sshd = engine.core.known.of(session);
    let _turn = sshd.door().await;
    loop {
        // This check comes before the key is read: after the session has ended, the manager could
        // read the key of another one.
        engine.must_be_open(session).await?;
        let connection = engine.core.connection().await?;
        let (secret, known_before) = sshd.key(&connection.http, session).await?;
        let key = key::read(&secret)?;
        let to = DialTarget {
            service: SSHD.to_owned(),
            port: None,
        };
        let knocked = patiently(|| async {
            let pipe = once(engine, session, &to).await?;
            handshake::knock(pipe, &sshd, key.clone()).await
        });
        match knocked.await.map_err(with_fix)? {
            LoginResult::In(entered) => return Ok(*entered),
            LoginResult::Denied => sshd.forget_key().await,
        }
        // A remembered key may have changed since, so only that case gets another attempt.
        if !known_before {
            return Err(Failure::refused(tr_sent!(
                "the SSH server of the session doesn't accept the session's own key"
            ))
            .hint(tr_sent!(
                "if a folder is mounted at .ssh, add the key of /home/work/id_container to \
                     its authorized_keys, or open a terminal instead"
            )));
        }
    }
}

/// Adds a fix to the error of an image without sshd.
fn with_fix(error: Failure) -> Failure {
    let is_plain = error.is_not_found() && error.hint.is_none();
    if is_plain && error.what.as_str().contains("no service 'sshd'") {
        return Failure::refused(error.what).hint(
            tr_sent!("commands, and ports that aren't services, need an SSH server in the session, which its image doesn't \
             have. Open a terminal instead (`workbay shell`)"),
        );
    }
    error
}
