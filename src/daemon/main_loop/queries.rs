//! Sends the queries of clients to the manager of a context, past its state machine.

use super::core::Core;
use crate::{
    daemon::{
        connection::inbound::ConnectionId,
        context::{
            query::{Query, without_secrets},
            runner::{ContextMachine, Number},
        },
    },
    observer::fact::{Fact, ObserverRequest},
    protocol::message::{FromDaemon, RequestId},
    state_machine::Ticket,
};

impl Core {
    /// Sends a query as soon as the observer admits it.
    pub(in crate::daemon) async fn query(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        query: Query,
    ) {
        let needs = query.needs();
        let waiters = &mut self.waiters;
        let ticket = waiters.ticket_of_query(connection, id, number, query);
        if let ContextMachine::Observer(driver) = &mut self.contexts[number].machine {
            let ask = ObserverRequest::Admit { needs };
            driver.push(Fact::Asked { ticket, ask });
        }
        self.settle(number).await;
    }

    /// Asks the manager in a task, which also answers the client.
    pub(super) fn begin_query(&mut self, ticket: Ticket) {
        let Some(admitted) = self.waiters.admitted(ticket) else {
            return;
        };
        let runner = &self.contexts[admitted.number];
        let (ContextMachine::Observer(driver), Some(client)) =
            (&runner.machine, self.clients.get(&admitted.connection))
        else {
            return;
        };
        let connection = driver.machine.connection();
        let reply = driver.executor.query(connection, admitted.query);
        let (outbox, rules, id) = (client.outbox.clone(), runner.secrets.clone(), admitted.id);
        tokio::spawn(async move {
            let result = reply.await.map(|reply| without_secrets(reply, &rules));
            outbox.answer(FromDaemon::Answer { id, result });
        });
    }
}
