//! Who waits for which answer.

use std::collections::HashMap;

use super::inbound::ConnectionId;
use crate::{
    controller::fact::Ticket,
    protocol::message::{Failure, Reply, RequestId},
};

/// Who waits for which answer.
#[derive(Debug, Default)]
pub(super) struct Waiters {
    next: Ticket,
    waiting: HashMap<Ticket, Waiter>,
    /// Requests that went to several contexts, by the first of their tickets.
    groups: HashMap<Ticket, Group>,
}

#[derive(Debug)]
struct Waiter {
    connection: ConnectionId,
    id: RequestId,
    group: Option<Ticket>,
}

#[derive(Debug)]
struct Group {
    left: usize,
    /// One did it: then the request is done.
    done: bool,
    failure: Option<Failure>,
}

type Answered = (ConnectionId, RequestId, Result<Reply, Failure>);

impl Waiters {
    pub fn ticket(&mut self, connection: ConnectionId, id: RequestId) -> Ticket {
        self.one_of(connection, id, None)
    }

    fn one_of(&mut self, connection: ConnectionId, id: RequestId, group: Option<Ticket>) -> Ticket {
        self.next += 1;
        let waiter = Waiter {
            connection,
            id,
            group,
        };
        self.waiting.insert(self.next, waiter);
        self.next
    }

    /// As many tickets, one answer.
    pub fn tickets(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        count: usize,
    ) -> Vec<Ticket> {
        let group = self.next + 1;
        let tickets = (0..count)
            .map(|_| self.one_of(connection, id, Some(group)))
            .collect();
        let open = Group {
            left: count,
            done: false,
            failure: None,
        };
        self.groups.insert(group, open);
        tickets
    }

    /// Whom to answer now, if anybody.
    pub fn answered(&mut self, ticket: Ticket, result: Result<Reply, Failure>) -> Option<Answered> {
        let waiter = self.waiting.remove(&ticket)?;
        let result = match waiter.group {
            None => result,
            Some(group) => self.counted(group, result)?,
        };
        Some((waiter.connection, waiter.id, result))
    }

    /// The answer of the whole group with its last one: done if any is.
    fn counted(
        &mut self,
        number: Ticket,
        result: Result<Reply, Failure>,
    ) -> Option<Result<Reply, Failure>> {
        let group = self.groups.get_mut(&number)?;
        group.left -= 1;
        match result {
            Ok(_) => group.done = true,
            Err(failure) => drop(group.failure.get_or_insert(failure)),
        }
        if group.left > 0 {
            return None;
        }
        let group = self.groups.remove(&number)?;
        Some(match group.failure {
            Some(failure) if !group.done => Err(failure),
            _ => Ok(Reply::Done),
        })
    }

    pub fn left(&mut self, connection: ConnectionId) {
        self.waiting
            .retain(|_, waiter| waiter.connection != connection);
        let waiting = &self.waiting;
        self.groups.retain(|number, _| {
            let waits = |waiter: &Waiter| waiter.group == Some(*number);
            waiting.values().any(waits)
        });
    }
}
