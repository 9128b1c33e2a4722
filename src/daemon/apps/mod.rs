//! The apps of sessions, and the forwards that lead to them: ports of this machine that the daemon serves.
//!
//! The main loop owns the registry of forwards ([`registry`]). What takes time (starting an app, waiting until it ends)
//! runs in tasks ([`tasks`]), which report to the loop as [`AppEvent`]. The gateway serves the ports; [`target`] connects
//! it to the sessions, and [`ssh`] to workbay's SSH server.

mod events;
mod keys;
mod open;
mod options;
mod registry;
mod requests;
mod ssh;
mod target;
mod tasks;
mod upkeep;

pub(in crate::daemon) use self::{
    registry::{Apps, AppsSetup},
    ssh::serve_stream,
};
use super::connection::inbound::ConnectionId;
use crate::{
    model::{
        app::App,
        failure::Failure,
        forward::{ForwardId, ForwardOptions},
        id::SessionKey,
        text::Clean,
    },
    protocol::message::{Reply, RequestId},
};

/// The client that waits for an answer.
#[derive(Clone, Copy, Debug)]
pub(in crate::daemon) struct Asker {
    pub connection: ConnectionId,
    pub id: RequestId,
}

/// A report of a task to the main loop.
pub(in crate::daemon) enum AppEvent {
    /// The answer to a request that needs nothing else.
    Answered {
        asker: Asker,
        result: Result<Reply, Failure>,
    },
    /// An app answers on its port. With options, a forward to it was requested.
    Started {
        asker: Asker,
        session: SessionKey,
        app: Box<App>,
        options: Option<ForwardOptions>,
    },
    /// The keys of SSH exist, and a port for it was requested.
    SshReady {
        asker: Asker,
        session: SessionKey,
        options: ForwardOptions,
    },
    /// An app was stopped on request.
    Stopped {
        asker: Asker,
        session: SessionKey,
        app: Clean,
    },
    /// An app ended on its own.
    Ended {
        session: SessionKey,
        app: Clean,
        exit_code: Option<i64>,
    },
    /// Whether a forward leads to its session, when that changes. The failure is a sentence.
    Reached {
        forward: ForwardId,
        failure: Option<Clean>,
    },
}
