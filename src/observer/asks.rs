//! What is read only on request: environments, catalogs, and queries that the daemon sends.

use jiff::{SignedDuration, Timestamp};

use super::{core::Observer, fact::ManagerReply, order::ManagerRequest, task::Purpose, turn::Turn};
use crate::{
    model::{capability::Capability, catalogue::Catalogue, change::Change, failure::Failure},
    state_machine::{Answer, Ticket},
};

/// A catalog isn't read again within this time, unless the request demands it.
const CATALOGUE: SignedDuration = SignedDuration::from_mins(1);
/// How many catalogs are kept, one for each project.
const CATALOGUES: usize = 32;
/// Environments of this age are read again when a client begins to watch.
const ENVIRONMENTS: SignedDuration = SignedDuration::from_mins(5);

impl Observer {
    /// The daemon sends an admitted query to the engine.
    pub(super) fn admit_query(
        &mut self,
        turn: &mut Turn,
        ticket: Ticket,
        needs: Option<Capability>,
    ) {
        match needs.and_then(|capability| self.lacks(capability)) {
            Some(failure) => turn.answer(ticket, Err(failure)),
            None => turn.admitted.push(ticket),
        }
    }

    /// Reads the environments if the known ones are old.
    pub(super) fn read_environments(&mut self, turn: &mut Turn, now: Timestamp) {
        let old = |at: Timestamp| now.duration_since(at) >= ENVIRONMENTS;
        let reading = |purpose: &Purpose| matches!(purpose, Purpose::Environments { .. });
        if self.environments_at.is_none_or(old) && !self.is_under_way(reading) {
            let tickets = Vec::new();
            self.run(
                turn,
                ManagerRequest::Environments,
                Purpose::Environments { tickets },
            );
        }
    }

    pub(super) fn ask_environments(&mut self, turn: &mut Turn, ticket: Ticket) {
        for task in self.under_way.values_mut() {
            if let Purpose::Environments { tickets } = &mut task.purpose {
                return tickets.push(ticket);
            }
        }
        let tickets = vec![ticket];
        self.run(
            turn,
            ManagerRequest::Environments,
            Purpose::Environments { tickets },
        );
    }

    pub(super) fn environments_read(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        tickets: &[Ticket],
        result: Result<ManagerReply, Failure>,
    ) {
        let answer = match result {
            Ok(ManagerReply::Environments(environments)) => {
                self.environments_at = Some(now);
                if environments != self.environments {
                    self.environments.clone_from(&environments);
                    turn.changes.push(Change::Environments {
                        context: self.context,
                        environments: environments.clone(),
                    });
                }
                Ok(Answer::Environments(environments))
            }
            Ok(got) => Err(got.mismatch()),
            Err(failure) => Err(failure),
        };
        for ticket in tickets {
            turn.answer(*ticket, answer.clone());
        }
    }

    pub(super) fn ask_catalogue(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        project: Option<String>,
        refresh: bool,
    ) {
        if let Some(failure) = self.lacks(Capability::Catalogue) {
            return turn.answer(ticket, Err(failure));
        }
        if let Some((at, catalogue)) = self.catalogues.get(&project)
            && !refresh
            && now.duration_since(*at) < CATALOGUE
        {
            let catalogue = Box::new(self.as_known(catalogue));
            return turn.answer(ticket, Ok(Answer::Catalogue(catalogue)));
        }
        for task in self.under_way.values_mut() {
            if let Purpose::Catalogue {
                project: read,
                tickets,
            } = &mut task.purpose
                && *read == project
            {
                return tickets.push(ticket);
            }
        }
        let purpose = Purpose::Catalogue {
            project: project.clone(),
            tickets: vec![ticket],
        };
        self.run(turn, ManagerRequest::Catalogue { project }, purpose);
    }

    pub(super) fn catalogue_read(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        project: Option<String>,
        tickets: &[Ticket],
        result: Result<ManagerReply, Failure>,
    ) {
        let answer = match result {
            Ok(ManagerReply::Catalogue(catalogue)) => {
                self.keep_catalogue(now, project, &catalogue);
                Ok(Answer::Catalogue(Box::new(self.as_known(&catalogue))))
            }
            Ok(got) => Err(got.mismatch()),
            Err(failure) => Err(failure),
        };
        for ticket in tickets {
            turn.answer(*ticket, answer.clone());
        }
    }

    /// A catalog with gaps is returned but not kept, because the next one may be complete.
    pub(super) fn keep_catalogue(
        &mut self,
        now: Timestamp,
        project: Option<String>,
        catalogue: &Catalogue,
    ) {
        if self.catalogues.len() >= CATALOGUES {
            self.catalogues.clear();
        }
        self.stirred = true;
        if catalogue.gaps.is_empty() {
            self.catalogues.insert(project, (now, catalogue.clone()));
        } else {
            self.catalogues.remove(&project);
            self.unread = Some((project, now));
        }
    }
}
