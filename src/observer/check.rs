//! Checks a launch against what is known of the context before it is sent to the engine. What is
//! known may be old, so a launch isn't refused before the context was read again. The engine checks
//! everything else.

use jiff::{SignedDuration, Timestamp};

use super::{
    core::Observer,
    fact::{Fact, ManagerReply, ObserverRequest},
    order::ManagerRequest,
    task::Purpose,
    turn::Turn,
};
use crate::{
    model::{
        capability::{Capability, EngineState},
        catalogue::Catalogue,
        environment::Environment,
        failure::Failure,
        launch_field::FieldProblem,
        spec::LaunchRequest,
        text::Clean,
    },
    rules::launch::{Ground, check, check::check_agent, check_words},
    state_machine::Ticket,
};

/// Data that was read within this time is up to date.
const FRESH: SignedDuration = SignedDuration::from_secs(2);

#[derive(Debug)]
pub(super) enum Verdict {
    Good,
    Bad(Failure),
    /// The known catalog shows a problem but may be out of date, or there is no known catalog.
    Doubtful,
}

impl Observer {
    pub(super) fn evaluate(&self, request: &LaunchRequest, now: Timestamp) -> Verdict {
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

    /// Whether the available resources can be read, as far as it is known.
    fn may_read(&self, request: &LaunchRequest, now: Timestamp) -> bool {
        let failed = self.unread.as_ref().is_some_and(|(project, at)| {
            *project == request.project && now.duration_since(*at) < FRESH
        });
        !failed && self.lacks(Capability::Catalogue).is_none()
    }

    /// The last catalog of a project, requested by its name or as the context's own.
    pub(super) fn known_of(&self, project: Option<&str>) -> Option<&(Timestamp, Catalogue)> {
        let same = |(key, (_, catalogue)): &(&Option<String>, &(Timestamp, Catalogue))| {
            let read = catalogue.project.as_ref().map(Clean::as_str);
            key.as_deref() == project || (project.is_some() && read == project)
        };
        let all = self.catalogues.iter().filter(same);
        all.map(|(_, known)| known).max_by_key(|(at, _)| *at)
    }

    /// The first problem.
    fn problem(
        &self,
        request: &LaunchRequest,
        now: Timestamp,
        offer: Option<&Catalogue>,
    ) -> Option<FieldProblem> {
        let capabilities = match &self.connection.state {
            EngineState::Connected { info } => Some(&info.capabilities),
            _ => None,
        };
        // Our own limits don't apply to another owner, but the agents are the same for all.
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

    /// The requested environment, if it is certain which one is meant. The engine accepts more
    /// spellings.
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

    /// Reads the available resources and decides then. Launches that arrive together share one
    /// reading.
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
        self.run(turn, ManagerRequest::Catalogue { project }, purpose);
    }

    /// Decides the launches as if they were requested now. The engine decides if the resources
    /// couldn't be read.
    pub(super) fn rechecked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        project: Option<String>,
        waiting: Vec<(Ticket, Box<LaunchRequest>)>,
        result: Result<ManagerReply, Failure>,
    ) {
        match result {
            Ok(ManagerReply::Catalogue(catalogue)) if catalogue.gaps.is_empty() => {
                self.keep_catalogue(now, project, &catalogue);
            }
            Err(failure) if failure.is_lost() => {
                for (ticket, _) in waiting {
                    turn.answer(ticket, Err(failure.clone()));
                }
                return;
            }
            // The known catalog is old, under any name.
            _ => {
                self.catalogues.clear();
                self.unread = Some((project, now));
            }
        }
        for (ticket, request) in waiting {
            let ask = ObserverRequest::Launch(request);
            turn.follow.push(Fact::Asked { ticket, ask });
        }
    }
}

fn refusal(problem: FieldProblem) -> Failure {
    Failure::usage(problem.message).about(problem.field)
}
