//! Handles the messages of connections in the main loop, and answers the requests that had to wait.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    core::{ConnectedClient, Core},
    snapshots,
};
use crate::{
    daemon::{
        clock,
        connection::{
            inbound::{ConnectionId, Inbound},
            outbox::Outbox,
        },
        context::runner::ContextMachine,
    },
    model::{
        id::SessionKey,
        notice::{Level, Notice},
        text::Clean,
    },
    protocol::message::StreamOpen,
    scheduler::fact::{Fact, UseEvent},
    state_machine::Ticket,
};

impl Core {
    pub(in crate::daemon) async fn handle_message(&mut self, word: Inbound) {
        match word {
            Inbound::Joined {
                connection,
                outbox,
                older,
            } => self.joined(connection, outbox, older),
            Inbound::Left { connection } => {
                self.clients.remove(&connection);
                self.folders.left(connection);
                let tickets = self.waiters.left(connection);
                self.gone(&tickets).await;
                if self.clients.is_empty() {
                    self.drop_all_recalled();
                }
            }
            Inbound::Asked {
                connection,
                id,
                request,
            } => self.asked(connection, id, request).await,
            Inbound::Used { session, usage } => self.used(session, usage).await,
            Inbound::Remark { text } => {
                self.notify(Notice::message(clock::now(), Level::Warning, text));
            }
            Inbound::ImagesChanged { context } => self.images_changed(context).await,
            Inbound::Warning { notice } => self.publish_warning(notice),
            Inbound::HomesMeasured { homes } => self.limit_kept_homes(homes).await,
            Inbound::App(event) => self.app_event(event).await,
            Inbound::FindPlace(waiting) => self.place_asked(waiting).await,
            Inbound::Folder(event) => self.folder_event(event).await,
            Inbound::MayOpen { open, answer } => {
                if let StreamOpen::Log { session, .. } = &open {
                    self.recall(*session).await;
                }
                self.waiting_opens.push((open, answer));
            }
        }
    }

    pub(in crate::daemon) fn joined(
        &mut self,
        connection: ConnectionId,
        outbox: Arc<Outbox>,
        older: Option<Clean>,
    ) {
        let client = ConnectedClient {
            outbox,
            older,
            subscribed: false,
            watched: HashSet::new(),
            shown: HashMap::new(),
        };
        self.clients.insert(connection, client);
    }

    /// Reports the tickets of a client that left, so that state machines cancel work only it waited for.
    async fn gone(&mut self, tickets: &[Ticket]) {
        if tickets.is_empty() {
            return;
        }
        for runner in &mut self.contexts {
            if let ContextMachine::Scheduler(driver) = &mut runner.machine {
                let tickets = tickets.to_vec();
                driver.push(Fact::Left { tickets });
            }
        }
        self.settle_all().await;
    }

    /// Reports use of a session to its scheduler. Engines that schedule run their own idle checks.
    pub(in crate::daemon) async fn used(&mut self, session: SessionKey, usage: UseEvent) {
        let Ok(number) = snapshots::context_number(&self.contexts, session.context) else {
            return;
        };
        if let ContextMachine::Scheduler(driver) = &mut self.contexts[number].machine {
            let session = session.id;
            driver.push(Fact::Used { session, usage });
            self.settle(number).await;
        }
    }

    /// Reports whether a client is subscribed.
    pub(in crate::daemon) async fn report_watched(&mut self) {
        let watched = self.clients.values().any(|client| client.subscribed);
        if watched == self.watched {
            return;
        }
        self.watched = watched;
        for runner in &mut self.contexts {
            runner.set_watched(watched);
        }
        self.settle_all().await;
    }

    /// Answers the waiting streams whose session is settled now.
    pub(in crate::daemon) fn answer_waiting_opens(&mut self) {
        for (open, answer) in std::mem::take(&mut self.waiting_opens) {
            if answer.is_closed() {
                continue;
            }
            match snapshots::may_open(&self.contexts, &open) {
                Some(result) => drop(answer.send(result)),
                None => self.waiting_opens.push((open, answer)),
            }
        }
    }
}
