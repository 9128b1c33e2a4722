//! Tracks which client waits for which answer.

use std::collections::{BTreeMap, HashMap};

use crate::{
    daemon::{
        connection::inbound::ConnectionId,
        context::{query::Query, runner::Number},
        storage::recent_launch::Memory,
    },
    model::{failure::Failure, folder::FolderRequest, session::Session},
    protocol::message::{Reply, RequestId},
    state_machine::Ticket,
};

/// The requests that wait for an answer.
#[derive(Debug, Default)]
pub(in crate::daemon) struct Waiters {
    next: Ticket,
    waiting: HashMap<Ticket, Waiter>,
    /// Requests that became several commands, by the first of their tickets.
    groups: HashMap<Ticket, WaiterGroup>,
}

#[derive(Debug)]
struct Waiter {
    connection: ConnectionId,
    id: RequestId,
    wish: Wish,
}

/// How the answer of a ticket is used.
#[derive(Debug)]
enum Wish {
    Plain,
    /// The ticket belongs to a group with one answer for all tickets.
    OneOf(Ticket),
    /// The engine of the context is asked when the ticket is admitted.
    Query(Number, Query),
    /// The same for a request about folders, for either kind of engine.
    Folder(Number, FolderRequest),
}

#[derive(Debug)]
struct WaiterGroup {
    left: usize,
    got: WaitResult,
    /// The first failure.
    failure: Option<Failure>,
}

#[derive(Debug)]
enum WaitResult {
    /// Whether one ticket succeeded: then the request succeeds.
    Done(bool),
    /// The launched sessions, in the order of their tickets.
    Sessions {
        made: BTreeMap<Ticket, Session>,
        memory: Memory,
    },
}

/// A query that may go to the engine.
pub(in crate::daemon) struct AdmittedQuery {
    pub connection: ConnectionId,
    pub id: RequestId,
    pub number: Number,
    pub query: Query,
}

/// A request about folders that may go to the engine.
pub(in crate::daemon) struct AdmittedFolder {
    pub connection: ConnectionId,
    pub id: RequestId,
    pub number: Number,
    pub request: FolderRequest,
}

type Answered = (ConnectionId, RequestId, Result<Reply, Failure>);

impl Waiters {
    pub fn ticket(&mut self, connection: ConnectionId, id: RequestId) -> Ticket {
        self.wait(connection, id, Wish::Plain)
    }

    /// Creates the ticket of a query, see [`Self::admitted`].
    pub fn ticket_of_query(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        query: Query,
    ) -> Ticket {
        self.wait(connection, id, Wish::Query(number, query))
    }

    /// Creates the ticket of a request about folders, see [`Self::admitted_folder`].
    pub fn ticket_of_folder(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        number: Number,
        request: FolderRequest,
    ) -> Ticket {
        self.wait(connection, id, Wish::Folder(number, request))
    }

    /// Returns the request about folders of a ticket, which is answered without the ticket.
    pub fn admitted_folder(&mut self, ticket: Ticket) -> Option<AdmittedFolder> {
        let is_of_folder = |waiter: &Waiter| matches!(waiter.wish, Wish::Folder(..));
        self.waiting.get(&ticket).filter(|it| is_of_folder(it))?;
        let waiter = self.waiting.remove(&ticket)?;
        let Wish::Folder(number, request) = waiter.wish else {
            return None;
        };
        Some(AdmittedFolder {
            connection: waiter.connection,
            id: waiter.id,
            number,
            request,
        })
    }

    /// Returns the query of a ticket, which is answered without the ticket.
    pub fn admitted(&mut self, ticket: Ticket) -> Option<AdmittedQuery> {
        let waiter = self.waiting.remove(&ticket)?;
        let Wish::Query(number, query) = waiter.wish else {
            return None;
        };
        Some(AdmittedQuery {
            connection: waiter.connection,
            id: waiter.id,
            number,
            query,
        })
    }

    fn wait(&mut self, connection: ConnectionId, id: RequestId, wish: Wish) -> Ticket {
        self.next += 1;
        let waiter = Waiter {
            connection,
            id,
            wish,
        };
        self.waiting.insert(self.next, waiter);
        self.next
    }

    /// Creates tickets that share one answer: success if any of them succeeds.
    pub fn tickets(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        count: usize,
    ) -> Vec<Ticket> {
        self.group(connection, id, count, WaitResult::Done(false))
    }

    /// Creates the tickets of a launch, which share one answer: the launched sessions.
    pub fn tickets_of_launch(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        count: usize,
        memory: Memory,
    ) -> Vec<Ticket> {
        let made = BTreeMap::new();
        self.group(connection, id, count, WaitResult::Sessions { made, memory })
    }

    fn group(
        &mut self,
        connection: ConnectionId,
        id: RequestId,
        count: usize,
        got: WaitResult,
    ) -> Vec<Ticket> {
        let group = self.next + 1;
        let tickets = (0..count)
            .map(|_| self.wait(connection, id, Wish::OneOf(group)))
            .collect();
        let open = WaiterGroup {
            left: count,
            got,
            failure: None,
        };
        self.groups.insert(group, open);
        tickets
    }

    /// What to remember when this ticket's launch succeeds: `None` after another launch of the same request
    /// has succeeded.
    pub fn to_be_remembered(&self, ticket: Ticket) -> Option<&Memory> {
        let Wish::OneOf(group) = self.waiting.get(&ticket)?.wish else {
            return None;
        };
        match &self.groups.get(&group)?.got {
            WaitResult::Sessions { made, memory } if made.is_empty() => Some(memory),
            _ => None,
        }
    }

    /// The request that this ticket's launch belongs to.
    pub fn memory_of(&self, ticket: Ticket) -> Option<&Memory> {
        let Wish::OneOf(group) = self.waiting.get(&ticket)?.wish else {
            return None;
        };
        match &self.groups.get(&group)?.got {
            WaitResult::Sessions { memory, .. } => Some(memory),
            WaitResult::Done(_) => None,
        }
    }

    /// The client to answer now, if any.
    pub fn answered(&mut self, ticket: Ticket, result: Result<Reply, Failure>) -> Option<Answered> {
        let waiter = self.waiting.remove(&ticket)?;
        let result = match (waiter.wish, result) {
            (Wish::OneOf(group), result) => self.counted(group, ticket, result)?,
            (Wish::Plain | Wish::Folder(..), result) => result,
            (Wish::Query(_, query), result) => result.map_err(|failure| query.locate(failure)),
        };
        Some((waiter.connection, waiter.id, result))
    }

    /// The answer of the whole group, once its last ticket is answered.
    fn counted(
        &mut self,
        number: Ticket,
        ticket: Ticket,
        result: Result<Reply, Failure>,
    ) -> Option<Result<Reply, Failure>> {
        let group = self.groups.get_mut(&number)?;
        group.left -= 1;
        match (result, &mut group.got) {
            (Err(failure), _) => drop(group.failure.get_or_insert(failure)),
            (Ok(Reply::Launched { mut sessions, .. }), WaitResult::Sessions { made, .. }) => {
                made.extend(sessions.drain(..).map(|session| (ticket, session)));
            }
            (Ok(_), WaitResult::Sessions { .. }) => {}
            (Ok(_), WaitResult::Done(done)) => *done = true,
        }
        if group.left > 0 {
            return None;
        }
        let group = self.groups.remove(&number)?;
        Some(group.answer())
    }

    /// Removes the requests of a closed connection, except launches, whose result is still remembered.
    /// Returns the removed tickets.
    pub fn left(&mut self, connection: ConnectionId) -> Vec<Ticket> {
        let groups = &self.groups;
        let mut gone = Vec::new();
        self.waiting.retain(|ticket, waiter| {
            let launches = match waiter.wish {
                Wish::OneOf(group) => groups.get(&group).is_some_and(WaiterGroup::is_launch),
                Wish::Plain | Wish::Query(..) | Wish::Folder(..) => false,
            };
            let stays = launches || waiter.connection != connection;
            if !stays {
                gone.push(*ticket);
            }
            stays
        });
        let waiting = &self.waiting;
        self.groups.retain(|number, _| {
            let waits = |waiter: &Waiter| matches!(waiter.wish, Wish::OneOf(n) if n == *number);
            waiting.values().any(waits)
        });
        gone
    }
}

impl WaiterGroup {
    fn is_launch(&self) -> bool {
        matches!(self.got, WaitResult::Sessions { .. })
    }

    /// Returns a failure only if nothing succeeded.
    fn answer(self) -> Result<Reply, Failure> {
        match (self.got, self.failure) {
            (WaitResult::Done(false), Some(failure)) => Err(failure),
            (WaitResult::Done(_), _) => Ok(Reply::Done),
            (WaitResult::Sessions { made, .. }, Some(failure)) if made.is_empty() => Err(failure),
            (WaitResult::Sessions { made, .. }, failure) => Ok(Reply::Launched {
                sessions: made.into_values().collect(),
                failure,
            }),
        }
    }
}
