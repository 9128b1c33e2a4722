//! Limits how many clients and streams are connected at once.
//!
//! A new client always gets an answer. Clients that stay (they follow notices) never take the last places.
//! When all places are taken, the daemon disconnects the client that has been idle for the longest time.
//! If all other clients stay or wait for an answer, the daemon refuses the new client with a message.
//!
//! A connection that carries a stream frees its place: streams have a limit of their own.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio_util::sync::CancellationToken;

use super::inbound::ConnectionId;
use crate::model::{failure::Failure, text::Clean};

/// Max connections that carry no stream.
const PLACES: usize = 256;
/// Max places for clients that stay.
const STAYING: usize = 224;
/// Max streams. Each also has a connection to its engine.
const STREAMS: usize = 512;

/// All connections.
#[derive(Clone, Debug, Default)]
pub(in crate::daemon) struct Admission(Arc<Mutex<AdmittedClients>>);

#[derive(Debug, Default)]
struct AdmittedClients {
    places: HashMap<ConnectionId, ClientPlace>,
    staying: usize,
    streams: HashSet<ConnectionId>,
    /// Counts what clients do; a place with a smaller number has been idle for longer.
    moment: u64,
}

#[derive(Debug, Default)]
struct ClientPlace {
    /// The moment of the client's last activity.
    last: u64,
    stays: bool,
    /// Requests that aren't answered yet.
    unanswered: usize,
    give_up: CancellationToken,
}

/// One connection's place, freed when it is dropped.
#[derive(Debug)]
pub(in crate::daemon) struct Admitted {
    all: Admission,
    id: ConnectionId,
    give_up: CancellationToken,
}

impl Admission {
    fn lock(&self) -> MutexGuard<'_, AdmittedClients> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns a place for a new client, or why it is refused.
    pub fn admit(&self, id: ConnectionId) -> Result<Admitted, Clean> {
        let mut inner = self.lock();
        if inner.places.len() >= PLACES {
            let idle = inner.longest_idle().ok_or_else(crowded)?;
            inner.free(idle);
        }
        inner.moment += 1;
        let give_up = CancellationToken::new();
        let place = ClientPlace {
            last: inner.moment,
            give_up: give_up.clone(),
            ..ClientPlace::default()
        };
        inner.places.insert(id, place);
        drop(inner);
        let all = self.clone();
        Ok(Admitted { all, id, give_up })
    }
}

impl AdmittedClients {
    fn longest_idle(&self) -> Option<ConnectionId> {
        let idle = self.places.iter();
        let idle = idle.filter(|(_, place)| !place.stays && place.unanswered == 0);
        idle.min_by_key(|(_, place)| place.last).map(|(id, _)| *id)
    }

    fn free(&mut self, id: ConnectionId) {
        if let Some(place) = self.places.remove(&id) {
            place.give_up.cancel();
            self.staying -= usize::from(place.stays);
        }
        self.streams.remove(&id);
    }
}

impl Admitted {
    /// Counts a request.
    pub fn asked(&self) {
        self.change(|place| place.unanswered += 1);
    }

    /// Counts an answer.
    pub fn answered(&self) {
        self.change(|place| place.unanswered = place.unanswered.saturating_sub(1));
    }

    fn change(&self, change: impl FnOnce(&mut ClientPlace)) {
        let mut inner = self.all.lock();
        inner.moment += 1;
        let now = inner.moment;
        if let Some(place) = inner.places.get_mut(&self.id) {
            place.last = now;
            change(place);
        }
    }

    /// Marks the client as one that stays, unless there are too many.
    pub fn stay(&self) -> Result<(), Failure> {
        let mut inner = self.all.lock();
        let full = inner.staying >= STAYING;
        let Some(place) = inner.places.get_mut(&self.id) else {
            return Ok(());
        };
        if place.stays {
            return Ok(());
        }
        if full {
            let text = tr_sent!(
                "too many clients are connected to the daemon (max: {most})",
                most = STAYING
            );
            let failure = Failure::refused(text);
            return Err(failure.hint(tr_sent!("close some clients, then try again")));
        }
        place.stays = true;
        inner.staying += 1;
        Ok(())
    }

    /// Exchanges the client's place for a stream, unless there are too many streams.
    pub fn carry_stream(&self) -> Result<(), Failure> {
        let mut inner = self.all.lock();
        if inner.streams.len() >= STREAMS {
            let text = tr_sent!(
                "too many terminals, logs and commands are open (max: {most})",
                most = STREAMS
            );
            let failure = Failure::refused(text);
            return Err(failure.hint(tr_sent!("close some, then try again")));
        }
        if inner.places.remove(&self.id).is_none() {
            return Err(Failure::refused(made_room()));
        }
        inner.streams.insert(self.id);
        Ok(())
    }

    /// Returns when the place is needed for another client.
    pub async fn given_up(&self) {
        self.give_up.cancelled().await;
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        self.all.lock().free(self.id);
    }
}

/// The message for a client that loses its place to a new client.
pub(in crate::daemon) fn made_room() -> Clean {
    Clean::new(&tr_sent!(
        "the daemon closed this idle connection, because all {most} connections were in use",
        most = PLACES
    ))
}

fn crowded() -> Clean {
    Clean::new(&tr_sent!(
        "the daemon is busy: all {most} connections are in use. Close some clients, then try \
         again",
        most = PLACES
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(all: &Admission) -> Vec<Admitted> {
        let ids = 0..PLACES as ConnectionId;
        ids.map(|id| all.admit(id).unwrap()).collect()
    }

    #[test]
    fn the_client_that_was_idle_for_the_longest_time_makes_room() {
        let all = Admission::default();
        let clients = full(&all);
        clients[0].asked();
        clients[0].answered();
        clients[1].stay().unwrap();
        clients[2].asked();
        let newcomer = all.admit(1000).unwrap();
        let gone: Vec<usize> = (0..PLACES)
            .filter(|number| clients[*number].give_up.is_cancelled())
            .collect();
        assert_eq!(gone, [3]);
        assert!(!newcomer.give_up.is_cancelled());
        drop(clients);
        assert_eq!(all.lock().places.len(), 1);
        assert_eq!(all.lock().staying, 0);
    }

    #[test]
    fn clients_that_stay_never_take_the_last_places() {
        let all = Admission::default();
        let clients = full(&all);
        let stay = clients.iter().filter(|client| client.stay().is_ok());
        assert_eq!(stay.count(), STAYING);
        let stay_again = clients.iter().filter(|client| client.stay().is_ok());
        assert_eq!(stay_again.count(), STAYING);
        assert!(all.admit(1000).is_ok());
    }

    #[test]
    fn streams_take_no_places_of_clients_and_have_a_limit() {
        let all = Admission::default();
        let ids = 0..STREAMS as ConnectionId;
        let streams: Vec<Admitted> = ids
            .map(|id| {
                let stream = all.admit(id).unwrap();
                stream.carry_stream().unwrap();
                stream
            })
            .collect();
        let one_more = all.admit(1000).unwrap();
        let refused = one_more.carry_stream().unwrap_err();
        assert!(refused.message().as_str().ends_with("(max: 512)"));
        assert_eq!(all.lock().places.len(), 1);
        assert!(streams.iter().all(|it| !it.give_up.is_cancelled()));
        drop(streams);
        one_more.carry_stream().unwrap();
        assert!(all.lock().places.is_empty());
    }

    #[test]
    fn when_everybody_waits_for_an_answer_a_newcomer_is_refused() {
        let all = Admission::default();
        let clients = full(&all);
        clients.iter().for_each(Admitted::asked);
        let refused = all.admit(1000).unwrap_err();
        assert!(refused.as_str().contains("Close some clients"), "{refused}");
        clients[7].answered();
        all.admit(1000).unwrap();
        assert!(clients[7].give_up.is_cancelled());
    }
}
