//! Commands in a session: a manager runs none, so they go through the session's own sshd, over the same
//! pipe as its other services, with the key that lies in its home.
//!
//! Each program has a connection of its own. The channels of one connection would hold each other up
//! wherever the reader of one is slow, and with it the control line of a terminal; what is shared by
//! the programs of a session is its key and the key its sshd has shown ([`known`]). The connection ends
//! with its program, so that none keeps a session from being idle.
//!
//! A manager leads to the main container only. From its sshd the way to the others goes on ([`hop`]).

mod channel;
mod handshake;
mod hop;
mod key;
mod known;
mod shell_words;
mod tmux;
mod wire;

use super::{
    super::{BackendAiEngine, request::manager_error::declined},
    open::{once, patiently},
    open_terminals::Hold,
    precheck::Container,
};
use crate::{
    engine::{
        api::{AttachRequest, Attached, DialTarget, ExecCommand, Result},
        error::EngineError,
    },
    model::id::{KernelId, SessionId},
};

use handshake::{Entered, Knocked};
pub(in super::super) use known::Known;

/// The service commands go through.
const SSHD: &str = "sshd";

/// Runs a command to its end.
pub(super) async fn exec(
    engine: &BackendAiEngine,
    session: SessionId,
    command: &ExecCommand,
) -> Result<Attached> {
    let Some(line) = shell_words::command(&command.argv) else {
        return Err(declined(
            "invalid command: it is empty or contains a NUL byte",
        ));
    };
    let entered = enter_at(engine, session, command.kernel).await?;
    channel::start(entered, line, command.tty, None).await
}

/// The control line of a container's tmux.
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

/// A terminal on the tmux of another container than the main one, as its ttyd would have it.
pub(super) async fn terminal(
    engine: &BackendAiEngine,
    session: SessionId,
    container: &Container,
    request: &AttachRequest,
    hold: Hold,
) -> Result<Attached> {
    let Some(line) = shell_words::command(&tmux::terminal()) else {
        return Err(declined("invalid command for a terminal"));
    };
    let entered = hop::enter(engine, session, container).await?;
    let size = (request.columns, request.rows);
    channel::start(entered, line, Some(size), Some(hold)).await
}

/// A connection of one's own to the sshd of a container of a running session of ours.
async fn enter_at(
    engine: &BackendAiEngine,
    session: SessionId,
    kernel: Option<KernelId>,
) -> Result<Entered> {
    let other = match kernel {
        Some(kernel) => engine.other_container(session, kernel).await?,
        None => None,
    };
    match other {
        Some(container) => hop::enter(engine, session, &container).await,
        None => enter(engine, session).await,
    }
}

/// The same of its main container.
async fn enter(engine: &BackendAiEngine, session: SessionId) -> Result<Entered> {
    let sshd = engine.core.known.of(session);
    let _turn = sshd.door().await;
    loop {
        // Before the key is read: of a session that has ended it is another one's.
        engine.must_be_open(session).await?;
        let line = engine.core.line().await?;
        let (secret, known_before) = sshd.key(&line.http, session).await?;
        let key = key::read(&secret)?;
        let to = DialTarget {
            service: SSHD.to_owned(),
            port: None,
        };
        let knocked = patiently(|| async {
            let pipe = once(engine, session, &to).await?;
            handshake::knock(pipe, &sshd, key.clone()).await
        });
        match knocked.await.map_err(with_a_way_out)? {
            Knocked::In(entered) => return Ok(*entered),
            Knocked::Denied => sshd.forget_key().await,
        }
        // One that was remembered may have been changed since.
        if !known_before {
            return Err(EngineError::Declined {
                why: "the SSH server of the session doesn't accept the session's own key"
                    .to_owned(),
                hint: Some(
                    "if a folder is mounted at .ssh, add the key of /home/work/id_container to \
                     its authorized_keys, or open a terminal instead"
                        .to_owned(),
                ),
            });
        }
    }
}

/// An image may have no sshd.
fn with_a_way_out(error: EngineError) -> EngineError {
    match error {
        EngineError::Declined { why, hint: None } if why.contains("no service 'sshd'") => {
            EngineError::Declined {
                why,
                hint: Some(
                    "commands in a session on a cluster need an SSH server, which its image \
                     doesn't have. Open a terminal instead (`workbay shell`)"
                        .to_owned(),
                ),
            }
        }
        other => other,
    }
}
