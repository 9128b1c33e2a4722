//! Handles the messages of connections in the main loop, and answers the requests that had to wait.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use super::{
    clock,
    core::{ClientSeat, Core},
    inbound::{ConnectionId, Inbound},
    looks,
    outbox::Outbox,
    station::Machine,
};
use crate::{
    model::{
        id::SessionKey,
        notice::{Level, Notice},
        text::Clean,
    },
    protocol::message::StreamOpen,
    scheduler::fact::{Fact, Use},
    state_machine::Ticket,
};

impl Core {
    pub(super) async fn hear(&mut self, word: Inbound) {
        match word {
            Inbound::Joined {
                connection,
                outbox,
                older,
            } => self.joined(connection, outbox, older),
            Inbound::Left { connection } => {
                self.clients.remove(&connection);
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
                self.tell(Notice::message(clock::now(), Level::Warning, text));
            }
            Inbound::Look { open, answer } => {
                if let StreamOpen::Log { session, .. } = &open {
                    self.recall(*session).await;
                }
                self.looks.push((open, answer));
            }
        }
    }

    pub(super) fn joined(
        &mut self,
        connection: ConnectionId,
        outbox: Arc<Outbox>,
        older: Option<Clean>,
    ) {
        let seat = ClientSeat {
            outbox,
            older,
            subscribed: false,
            watched: HashSet::new(),
            shown: HashMap::new(),
        };
        self.clients.insert(connection, seat);
    }

    /// Reports the tickets of a client that left, so that controllers cancel work only it waited for.
    async fn gone(&mut self, tickets: &[Ticket]) {
        if tickets.is_empty() {
            return;
        }
        for station in &mut self.stations {
            if let Machine::Scheduler(driver) = &mut station.machine {
                let tickets = tickets.to_vec();
                driver.push(Fact::Left { tickets });
            }
        }
        self.settle_all().await;
    }

    /// Reports use of a session to its controller. Engines that schedule run their own idle checks.
    async fn used(&mut self, session: SessionKey, usage: Use) {
        let Ok(number) = looks::station(&self.stations, session.context) else {
            return;
        };
        if let Machine::Scheduler(driver) = &mut self.stations[number].machine {
            let session = session.id;
            driver.push(Fact::Used { session, usage });
            self.settle(number).await;
        }
    }

    /// Reports whether a client is subscribed.
    pub(super) async fn tell_watched(&mut self) {
        let watched = self.clients.values().any(|client| client.subscribed);
        if watched == self.watched {
            return;
        }
        self.watched = watched;
        for station in &mut self.stations {
            station.set_watched(watched);
        }
        self.settle_all().await;
    }

    /// Answers the waiting streams whose session is settled now.
    pub(super) fn answer_looks(&mut self) {
        for (open, answer) in std::mem::take(&mut self.looks) {
            if answer.is_closed() {
                continue;
            }
            match looks::may_open(&self.stations, &open) {
                Some(result) => drop(answer.send(result)),
                None => self.looks.push((open, answer)),
            }
        }
    }
}
