//! A launch is checked before the engine is asked, against what is known of the context. What is
//! known may be old: nothing is refused for it before it was read anew. What is not known is left to
//! the engine.

use jiff::{SignedDuration, Timestamp};

use super::{
    fact::{Ask, Fact, Got},
    observer::Observer,
    order::Errand,
    task::Purpose,
    turn::Turn,
};
use crate::{
    controller::{
        fact::{Fault, Ticket},
        turn::Refusal,
    },
    model::{
        capability::{Capability, EngineState},
        catalogue::Catalogue,
        environment::Environment,
        launch::{FieldProblem, Ground, check, check::check_agent, check_words},
        spec::LaunchRequest,
        text::Clean,
    },
};

/// What was read within this time is as it is.
const FRESH: SignedDuration = SignedDuration::from_secs(2);

#[derive(Debug)]
pub(super) enum Verdict {
    Good,
    Bad(Refusal),
    /// Something speaks against it that may be over.
    Doubtful,
}

impl Observer {
    pub(super) fn judge(&self, request: &LaunchRequest, now: Timestamp) -> Verdict {
        if let Some(problem) = check_words(request, now).into_iter().next() {
            return Verdict::Bad(refusal(problem));
        }
        let known = self.known_of(request.project.as_deref());
        if known.is_none() && self.may_read(request, now) {
            return Verdict::Doubtful;
        }
        let offer = known.map(|(_, catalogue)| catalogue);
        match self.problem(request, now, offer) {
            None => Verdict::Good,
            Some(problem) => match known {
                Some((at, _)) if now.duration_since(*at) >= FRESH => Verdict::Doubtful,
                _ => Verdict::Bad(refusal(problem)),
            },
        }
    }

    /// Whether what there is can be read, as far as it is known.
    fn may_read(&self, request: &LaunchRequest, now: Timestamp) -> bool {
        let failed = self.unread.as_ref().is_some_and(|(project, at)| {
            *project == request.project && now.duration_since(*at) < FRESH
        });
        !failed && self.lacks(Capability::Catalogue).is_none()
    }

    /// What was last read of a project, whether it was asked for by its name or as the context's own.
    pub(super) fn known_of(&self, project: Option<&str>) -> Option<&(Timestamp, Catalogue)> {
        let same = |(key, (_, catalogue)): &(&Option<String>, &(Timestamp, Catalogue))| {
            let read = catalogue.project.as_ref().map(Clean::as_str);
            key.as_deref() == project || (project.is_some() && read == project)
        };
        let all = self.catalogues.iter().filter(same);
        all.map(|(_, known)| known).max_by_key(|(at, _)| *at)
    }

    /// The first thing that is wrong.
    fn problem(
        &self,
        request: &LaunchRequest,
        now: Timestamp,
        offer: Option<&Catalogue>,
    ) -> Option<FieldProblem> {
        let capabilities = match &self.line.state {
            EngineState::Connected { info } => Some(&info.capabilities),
            _ => None,
        };
        // What is offered to us says nothing of what somebody else may have; machines are everybody's.
        if let (Some(offer), true) = (offer, request.owner.is_some())
            && let Some(problem) = check_agent(request, offer)
        {
            return Some(problem);
        }
        let offer = offer.filter(|_| request.owner.is_none());
        let ground = Ground {
            environment: self.environment_asked(request),
            offer,
            capabilities,
            ..Ground::at(now)
        };
        check(&ground.filled(request), &ground).into_iter().next()
    }

    /// The environment as far as it is clear which one is meant: the engine knows more spellings.
    fn environment_asked(&self, request: &LaunchRequest) -> Option<&Environment> {
        if request.image.is_some() {
            return None;
        }
        let Some(asked) = request.environment.as_deref() else {
            return self.environments.first();
        };
        let mut all = self.environments.iter();
        all.find(|it| it.name == *asked || it.label() == asked)
    }

    /// Reads what can be had and decides then. Launches that come together are decided by one reading.
    pub(super) fn recheck(&mut self, turn: &mut Turn, ticket: Ticket, request: Box<LaunchRequest>) {
        for task in self.under_way.values_mut() {
            if let Purpose::Recheck { project, waiting } = &mut task.purpose
                && *project == request.project
            {
                return waiting.push((ticket, request));
            }
        }
        let project = request.project.clone();
        let purpose = Purpose::Recheck {
            project: project.clone(),
            waiting: vec![(ticket, request)],
        };
        self.run(turn, Errand::Catalogue { project }, purpose);
    }

    /// It is as if they were asked now. With what could not be read again the engine decides.
    pub(super) fn rechecked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        project: Option<String>,
        waiting: Vec<(Ticket, Box<LaunchRequest>)>,
        result: Result<Got, Fault>,
    ) {
        match result {
            Ok(Got::Catalogue(catalogue)) if catalogue.gaps.is_empty() => {
                self.keep_catalogue(now, project, &catalogue);
            }
            Err(fault) if fault.is_lost() => {
                for (ticket, _) in waiting {
                    turn.answer(ticket, Err(super::answers::refusal(&fault)));
                }
                return;
            }
            // What is known of it is old, by whatever name it was read.
            _ => {
                self.catalogues.clear();
                self.unread = Some((project, now));
            }
        }
        for (ticket, request) in waiting {
            let ask = Ask::Launch(request);
            turn.follow.push(Fact::Asked { ticket, ask });
        }
    }
}

fn refusal(problem: FieldProblem) -> Refusal {
    Refusal::usage(problem.message).about(problem.field)
}
