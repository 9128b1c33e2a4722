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
        capability::EngineState,
        catalogue::Catalogue,
        environment::Environment,
        launch::{FieldProblem, Ground, check, check_words},
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
        let offer = known.map(|(_, catalogue)| catalogue);
        match self.problem(request, now, offer) {
            None => Verdict::Good,
            Some(problem) => match known {
                Some((at, _)) if now.duration_since(*at) >= FRESH => Verdict::Doubtful,
                _ => Verdict::Bad(refusal(problem)),
            },
        }
    }

    /// What was last read of a project, whether it was asked for by its name or as the context's own.
    fn known_of(&self, project: Option<&str>) -> Option<&(Timestamp, Catalogue)> {
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
        // What is offered to us says nothing of what somebody else may have.
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

    /// Reads what can be had and decides then.
    pub(super) fn recheck(&mut self, turn: &mut Turn, ticket: Ticket, request: Box<LaunchRequest>) {
        let project = request.project.clone();
        let purpose = Purpose::Recheck { ticket, request };
        self.run(turn, Errand::Catalogue { project }, purpose);
    }

    /// It is as if it were asked now. With what could not be read again the engine decides.
    pub(super) fn rechecked(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        ticket: Ticket,
        request: Box<LaunchRequest>,
        result: Result<Got, Fault>,
    ) {
        match result {
            Ok(Got::Catalogue(catalogue)) if catalogue.gaps.is_empty() => {
                self.keep_catalogue(now, request.project.clone(), &catalogue);
            }
            Err(fault) if fault.is_lost() => {
                return turn.answer(ticket, Err(super::answers::refusal(&fault)));
            }
            // What is known of it is old, by whatever name it was read.
            _ => self.catalogues.clear(),
        }
        let ask = Ask::Launch(request);
        turn.follow.push(Fact::Asked { ticket, ask });
    }
}

fn refusal(problem: FieldProblem) -> Refusal {
    Refusal::usage(problem.message).about(problem.field)
}
