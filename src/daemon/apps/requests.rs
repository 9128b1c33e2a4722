//! Requests about apps and forwards.

use super::{AppEvent, Asker, keys::KeyFiles, tasks};
use crate::{
    daemon::{
        connection::inbound::{ConnectionId, Inbound},
        main_loop::{core::Core, snapshots},
    },
    model::{
        failure::Failure,
        forward::{ForwardOptions, ForwardTarget},
        id::SessionKey,
        request::{AppRequest, ForwardRequest},
    },
    protocol::message::{Reply, RequestId},
};

impl Core {
    /// Asks the engine in a task.
    pub(in crate::daemon) fn app_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        session: SessionKey,
        request: AppRequest,
    ) {
        let asker = Asker { connection, id };
        let inbound = self.apps.inbound.clone();
        tokio::spawn(Box::pin(tasks::carry_out(inbound, asker, session, request)));
    }

    pub(in crate::daemon) async fn forward_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        request: ForwardRequest,
    ) {
        let result = match request {
            ForwardRequest::Open {
                session,
                target: ForwardTarget::Ssh,
                options,
            } => return self.open_ssh(Asker { connection, id }, session, options),
            ForwardRequest::List => Ok(Reply::Forwards {
                forwards: self.apps.forwards(),
            }),
            ForwardRequest::Open {
                session,
                target,
                options,
            } => self.open_port(session, target, &options).await,
            ForwardRequest::Url { id } => self.apps.answer(id, None).map(|opened| Reply::Opened {
                opened: Box::new(opened),
            }),
            ForwardRequest::Close { id } => {
                if self.apps.open.contains_key(&id) {
                    self.close_forwards(vec![id]).await;
                    Ok(Reply::Done)
                } else {
                    Err(super::open::no_forward(id))
                }
            }
        };
        self.answer(connection, id, result);
    }

    /// The keys are created first, in a task.
    fn open_ssh(&self, asker: Asker, session: SessionKey, options: ForwardOptions) {
        let (inbound, keys) = (self.apps.inbound.clone(), self.apps.keys.clone());
        tokio::spawn(async move {
            let event = match tasks::prepare_ssh(inbound.clone(), keys, session).await {
                Ok(_) => AppEvent::SshReady {
                    asker,
                    session,
                    options,
                },
                Err(failure) => AppEvent::Answered {
                    asker,
                    result: Err(failure),
                },
            };
            // If the loop has ended, the daemon is ending.
            let _ = inbound.send(Inbound::App(event)).await;
        });
    }

    pub(super) async fn open_port(
        &mut self,
        session: SessionKey,
        target: ForwardTarget,
        options: &ForwardOptions,
    ) -> Result<Reply, Failure> {
        if target == (ForwardTarget::Port { port: 0 }) {
            return Err(Failure::usage(tr_sent!("invalid port 0"))
                .hint(tr_sent!("use a port from 1 to 65535")));
        }
        let number = snapshots::context_number(&self.contexts, session.context)?;
        let found = snapshots::find(self.contexts[number].known(), session)?;
        if !found.status.is_live() {
            return Err(Failure::refused(tr_sent!(
                "session {name} is {status}: a forward needs a running session",
                name = found.name,
                status = found.status
            )));
        }
        let opened = self.open_forward(session, target, None, options).await?;
        Ok(Reply::Opened {
            opened: Box::new(opened),
        })
    }

    /// Creates the keys of this user's SSH client in a task, because it writes files.
    pub(in crate::daemon) fn ssh_client_asked(&mut self, connection: ConnectionId, id: RequestId) {
        let asker = Asker { connection, id };
        let (inbound, keys) = (self.apps.inbound.clone(), self.apps.keys.clone());
        tokio::task::spawn_blocking(move || {
            let access = KeyFiles::new(&keys).client_access();
            let result = access.map(|access| Reply::SshAccess { access });
            let event = AppEvent::Answered { asker, result };
            // If the loop has ended, the daemon is ending.
            let _ = inbound.blocking_send(Inbound::App(event));
        });
    }

    pub(in crate::daemon) fn ssh_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        session: SessionKey,
    ) {
        let asker = Asker { connection, id };
        let (inbound, keys) = (self.apps.inbound.clone(), self.apps.keys.clone());
        tokio::spawn(async move {
            let access = tasks::prepare_ssh(inbound.clone(), keys, session).await;
            let result = access.map(|access| Reply::SshAccess { access });
            let event = AppEvent::Answered { asker, result };
            // If the loop has ended, the daemon is ending.
            let _ = inbound.send(Inbound::App(event)).await;
        });
    }
}
