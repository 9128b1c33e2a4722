//! Surveys of the engine: their purposes and their results.

use jiff::Timestamp;

use super::{
    core::Scheduler,
    fact::{Fact, Survey},
    order::{Order, SurveyNumber},
    purpose::{OrderPurpose, Waiting},
    turn::Turn,
};
use crate::{
    model::{change::Change, failure::Failure, wellknown},
    state_machine::Answer,
};

impl Scheduler {
    /// Orders a survey.
    pub(super) fn survey(&mut self, turn: &mut Turn, purpose: OrderPurpose, environments: bool) {
        self.next_survey += 1;
        let survey = self.next_survey;
        let asked_in = self.turn_number;
        let waiting = Waiting {
            asked_in,
            environments,
            purpose,
        };
        self.surveys.insert(survey, waiting);
        turn.orders.push(Order::Survey {
            survey,
            environments,
        });
    }

    pub(super) fn surveyed(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        survey: SurveyNumber,
        result: Result<Survey, Failure>,
    ) {
        let Some(waiting) = self.surveys.remove(&survey) else {
            return;
        };
        let failure = match result {
            Ok(survey) => {
                self.take_survey(turn, now, survey, waiting.asked_in, false);
                None
            }
            Err(failure) => {
                self.note_failure(turn, now, &failure);
                Some(failure)
            }
        };
        match waiting.purpose {
            OrderPurpose::Launch(ticket, launch) => match failure {
                None => {
                    self.launch_earlier(turn, survey, waiting.environments);
                    turn.follow.push(Fact::LaunchSurveyed { ticket, launch });
                }
                Some(failure) => turn.answer(ticket, Err(failure)),
            },
            OrderPurpose::Refresh(ticket) => {
                turn.answer(ticket, failure.map_or(Ok(Answer::Done), Err));
            }
            OrderPurpose::Environments(ticket) => {
                let answer = Answer::Environments(self.environments.clone());
                turn.answer(ticket, failure.map_or(Ok(answer), Err));
            }
            OrderPurpose::Catalogue(ticket) => {
                let answer = match failure {
                    Some(failure) => Err(failure),
                    None => Ok(Answer::Catalogue(Box::new(self.catalogue()))),
                };
                turn.answer(ticket, answer);
            }
            // A failed survey must not keep sessions waiting.
            OrderPurpose::Queue => turn.stirred |= failure.is_some(),
            OrderPurpose::Reconcile => {}
        }
    }

    /// Surveys may be answered in any order, but launches keep theirs: this answer is newer than the requests
    /// of earlier launches, so it serves them, too.
    fn launch_earlier(&mut self, turn: &mut Turn, survey: SurveyNumber, environments: bool) {
        let serves = |waiting: &Waiting| {
            let is_launch = matches!(waiting.purpose, OrderPurpose::Launch(..));
            is_launch && (environments || !waiting.environments)
        };
        let earlier = self.surveys.range(..survey);
        let earlier = earlier.filter(|(_, waiting)| serves(waiting));
        let earlier: Vec<SurveyNumber> = earlier.map(|(number, _)| *number).collect();
        for number in earlier {
            let purpose = self.surveys.remove(&number).map(|it| it.purpose);
            if let Some(OrderPurpose::Launch(ticket, launch)) = purpose {
                turn.follow.push(Fact::LaunchSurveyed { ticket, launch });
            }
        }
    }

    pub(super) fn take_survey(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        survey: Survey,
        asked_in: u64,
        whole_line: bool,
    ) {
        self.others = survey.others;
        turn.stirred = true;
        self.take_network(turn, survey.lacks);
        if let Some(folders) = survey.folders {
            self.folders = folders;
        }
        let known = &self.settings.environments;
        if let Some(here) = survey.environments
            && let environments = wellknown::completed(here, known)
            && environments != self.environments
        {
            self.environments.clone_from(&environments);
            turn.changes.push(Change::Environments {
                context: self.context,
                environments,
            });
        }
        self.reconcile(turn, now, survey.seen, asked_in, whole_line);
    }
}
