//! Requests about folders. State machines only admit them ([`Core::folder_asked`]), because they decide nothing: a task
//! asks the engine ([`tasks`]) and reports to the main loop as [`FolderEvent`]. The loop knows which sessions mount a
//! folder, and reports to the state machine what changed, so that the next launch can mount a new folder.

mod mounting;
mod tasks;

use std::collections::HashMap;

use tokio::{sync::mpsc, task::AbortHandle};

use self::mounting::{add_mounting_sessions, refuse_if_mounted};
use super::{
    connection::inbound::{ConnectionId, Inbound},
    context::runner::{ContextMachine, Number},
    main_loop::core::Core,
};
use crate::{
    model::{
        failure::Failure,
        folder::{Folder, FolderAnswer, FolderChange, FolderRequest},
        natural,
        request::ContextRequest,
    },
    observer::fact::Fact as Observed,
    protocol::message::{Reply, RequestId},
    scheduler::fact::Fact,
    state_machine::Ticket,
};

/// The client that waits for an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::daemon) struct Asker {
    connection: ConnectionId,
    id: RequestId,
}

/// The engine answered a request about folders.
pub(in crate::daemon) struct FolderEvent {
    asker: Asker,
    number: Number,
    request: FolderRequest,
    result: Result<FolderAnswer, Failure>,
}

/// The requests in progress.
pub(in crate::daemon) struct FolderTasks {
    inbound: mpsc::Sender<Inbound>,
    /// Copies, which end when their client leaves.
    copies: HashMap<Asker, AbortHandle>,
    /// The ids and names of the folders of a context, as last listed.
    names: HashMap<Number, Vec<(String, String)>>,
}

impl FolderTasks {
    pub fn new(inbound: mpsc::Sender<Inbound>) -> Self {
        Self {
            inbound,
            copies: HashMap::new(),
            names: HashMap::new(),
        }
    }

    /// Cancels the copies of a client that left.
    pub fn left(&mut self, connection: ConnectionId) {
        self.copies.retain(|asker, task| {
            let stays = asker.connection != connection;
            if !stays {
                task.abort();
            }
            stays
        });
    }

    fn remember(&mut self, number: Number, folders: &[Folder]) {
        let names = folders.iter();
        let names = names.map(|it| (it.id.to_string(), it.name.to_string()));
        self.names.insert(number, names.collect());
    }

    /// The name of a folder that is named by its id.
    fn name_of(&self, number: Number, word: &str) -> Option<&str> {
        let known = self.names.get(&number)?;
        let found = known.iter().find(|(id, _)| id == word)?;
        Some(&found.1)
    }
}

impl Core {
    /// Asks the state machine whether the engine may get the request.
    pub(in crate::daemon) async fn folder_asked(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        request: FolderRequest,
    ) {
        if let Some(folder) = request.needs_unmounted() {
            let name = self.folders.name_of(number, folder).unwrap_or(folder);
            if let Err(failure) = refuse_if_mounted(self.contexts[number].known(), name) {
                return self.answer(connection, id, Err(failure));
            }
        }
        let waiters = &mut self.waiters;
        let ticket = waiters.ticket_of_folder(connection, id, number, request.clone());
        self.contexts[number]
            .machine
            .ask_about_context(ticket, ContextRequest::Folder { request });
        self.settle(number).await;
    }

    /// Starts the task of an admitted request. Returns `false` for a ticket of another kind.
    pub(in crate::daemon) fn begin_folder_request(&mut self, ticket: Ticket) -> bool {
        let Some(admitted) = self.waiters.admitted_folder(ticket) else {
            return false;
        };
        let asker = Asker {
            connection: admitted.connection,
            id: admitted.id,
        };
        let (number, request) = (admitted.number, admitted.request);
        let Some(engine) = self.contexts[number].lazy_engine.there() else {
            // An admitted request has an engine, unless it was discarded just now.
            let gone =
                Failure::lost(tr_sent!("the engine is disconnected")).hint(tr_sent!("try again"));
            self.answer(asker.connection, asker.id, Err(gone));
            return true;
        };
        let is_copy = matches!(request, FolderRequest::Clone { .. });
        let inbound = self.folders.inbound.clone();
        let task = tokio::spawn(async move {
            let result = tasks::carry_out(&engine, &request).await;
            let event = FolderEvent {
                asker,
                number,
                request,
                result,
            };
            // If the loop has ended, the daemon is ending.
            let _ = inbound.send(Inbound::Folder(event)).await;
        });
        if is_copy {
            self.folders.copies.insert(asker, task.abort_handle());
        }
        true
    }

    /// Answers the client. Launches and catalogs know the change from now on.
    pub(in crate::daemon) async fn folder_event(&mut self, event: FolderEvent) {
        let FolderEvent {
            asker,
            number,
            request,
            result,
        } = event;
        self.folders.copies.remove(&asker);
        if let Err(failure) = &result {
            tracing::warn!(request = request.name(), why = %failure.message(), "failed");
        }
        if let Ok(answer) = &result {
            let change = change_of(&request, answer);
            if !change.is_empty() {
                match &mut self.contexts[number].machine {
                    ContextMachine::Scheduler(driver) => driver.push(Fact::FoldersChanged(change)),
                    ContextMachine::Observer(driver) => {
                        driver.push(Observed::FoldersChanged(change));
                    }
                }
                self.settle(number).await;
            }
        }
        let result = result.map(|answer| self.folder_reply(number, answer));
        self.answer(asker.connection, asker.id, result);
    }

    fn folder_reply(&mut self, number: Number, answer: FolderAnswer) -> Reply {
        let known = self.contexts[number].known();
        match answer {
            FolderAnswer::Done => Reply::Done,
            FolderAnswer::Folder(mut folder) => {
                add_mounting_sessions(known, std::slice::from_mut(&mut *folder));
                Reply::Folder { folder }
            }
            FolderAnswer::Folders(mut folders) => {
                add_mounting_sessions(known, &mut folders);
                folders.sort_by(|one, other| {
                    natural::compare(one.name.as_str(), other.name.as_str())
                        .then_with(|| one.id.as_str().cmp(other.id.as_str()))
                });
                self.folders.remember(number, &folders);
                Reply::Folders { folders }
            }
            FolderAnswer::Hosts(hosts) => Reply::FolderHosts { hosts },
            FolderAnswer::Shares(shares) => Reply::FolderShares { shares },
            FolderAnswer::Invitations(invitations) => Reply::FolderInvitations { invitations },
        }
    }
}

/// What a successful request changed in the list of folders.
fn change_of(request: &FolderRequest, answer: &FolderAnswer) -> FolderChange {
    let gone = match request {
        FolderRequest::Trash { folder }
        | FolderRequest::Rename { folder, .. }
        | FolderRequest::Leave { folder } => Some(folder.clone()),
        _ => None,
    };
    let new = match answer {
        FolderAnswer::Folder(folder) => Some(folder.clone()),
        _ => None,
    };
    FolderChange { gone, new }
}
