//! What needs an image: sessions that can't begin without it, and `pull` requests.

use jiff::Timestamp;

use crate::{
    model::{
        environment::EnvironmentSource,
        failure::Failure,
        id::SessionId,
        record::{Ending, Step},
        reference,
        spec::LaunchSpec,
        status::Status,
        text::Clean,
    },
    rules::resolve,
    scheduler::{core::Scheduler, order::Order, tracked_session::TrackedSession, turn::Turn},
    state_machine::{Answer, Ticket},
};

/// The phase in a session's history in which its pull begins.
const BEGIN: &str = "begin-pull";
/// The phase of the pull itself. Its entry has the result.
pub(super) const PHASE: &str = "pull-images";

impl Scheduler {
    /// The first step of a session that begins: pulling its image if it is missing.
    pub(in crate::scheduler) fn begin_with_image(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) {
        let Some(tracked) = self.tracked.get(&id) else {
            return;
        };
        let step = if self.lacks_image(&tracked.record.spec) {
            Step::Pull
        } else {
            Step::Create
        };
        if step == Step::Pull {
            self.advance(turn, now, id, BEGIN, &Status::Pulling, None);
        }
        if let Some(tracked) = self.change(turn, id) {
            tracked.record.step = step;
        }
        self.issue(turn, id);
    }

    /// Pulls an image that the engine reports missing, although it seemed to exist. `false` if it
    /// can't be pulled, or already was for this session.
    pub(in crate::scheduler) fn pull_after_all(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) -> bool {
        let Some(tracked) = self.change(turn, id) else {
            return false;
        };
        let pulls = image_of(&tracked.record.spec).is_some();
        let fresh = pulls && tracked.record.session.status == Status::Preparing;
        if fresh {
            tracked.record.step = Step::Pull;
            self.advance(turn, now, id, BEGIN, &Status::Pulling, None);
            self.issue(turn, id);
        }
        fresh
    }

    /// Sets the step of a session to waiting for its image.
    pub(in crate::scheduler) fn require_image(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(tracked) = self.tracked.get(&id) else {
            return;
        };
        let Some(image) = image_of(&tracked.record.spec) else {
            return;
        };
        let reference = reference::with_tag(image);
        self.pull(turn, &reference);
        self.report_pull(turn, &reference);
    }

    /// Whether the image of a waiting session has arrived by other means.
    pub(in crate::scheduler) fn has_come(&self, id: SessionId) -> bool {
        let tracked = self.tracked.get(&id).map(|tracked| &tracked.record);
        tracked.is_some_and(|record| record.step == Step::Pull && !self.lacks_image(&record.spec))
    }

    /// The image has arrived: the session's container is created.
    pub(in crate::scheduler) fn image_ready(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) {
        self.advance(turn, now, id, PHASE, &Status::Prepared, None);
        if let Some(tracked) = self.change(turn, id) {
            tracked.record.step = Step::Create;
            tracked.record.session.pull = None;
        }
        self.issue(turn, id);
    }

    /// The user terminates a session that waits for its image.
    pub(in crate::scheduler) fn leave_pull(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) {
        Self::audit(turn, now, "terminate", Some(id), "");
        let ending = Ending {
            status: Status::Cancelled,
            info: Clean::new("user-requested"),
            message: None,
        };
        self.decide(turn, id, ending);
        self.finish(turn, now, id);
    }

    /// Handles a `pull` request, which is answered when the image is complete.
    pub(in crate::scheduler) fn ask_pull(&mut self, turn: &mut Turn, ticket: Ticket, asked: &str) {
        match self.image_meant(asked) {
            Err(failure) => turn.answer(ticket, Err(failure)),
            Ok(reference) => {
                self.pull(turn, &reference);
                match self.pulls.all.get_mut(&reference) {
                    Some(under) => drop(under.tickets.insert(ticket)),
                    None => turn.answer(ticket, Ok(Answer::Done)),
                }
                self.report_pull(turn, &reference);
            }
        }
    }

    /// The image of a name in the catalog; otherwise the text is a reference.
    fn image_meant(&self, asked: &str) -> Result<String, Failure> {
        if let Some(failure) = self.unreachable() {
            return Err(failure);
        }
        let mut known = self.settings.environments.iter();
        let meant = known.find_map(|it| it.image_of(asked)).unwrap_or(asked);
        if let Err(why) = reference::check(meant) {
            let text = tr_sent!(
                "invalid image '{meant}': {why}",
                meant = Clean::new(meant),
                why
            );
            return Err(Failure::usage(text).hint(tr_sent!(
                "write it as for docker pull, or use the name of an environment"
            )));
        }
        Ok(reference::with_tag(meant))
    }

    /// Removes the requests of disconnected clients.
    pub(in crate::scheduler) fn has_left(&mut self, tickets: &[Ticket]) {
        for under in self.pulls.all.values_mut() {
            under.tickets.retain(|ticket| !tickets.contains(ticket));
        }
    }

    pub(in crate::scheduler) fn has_unwanted_pulls(&self) -> bool {
        let mut all = self.pulls.all.iter();
        all.any(|(reference, under)| {
            under.tickets.is_empty() && self.waiting_for(reference).is_empty()
        })
    }

    /// Cancels pulls that nothing needs any more.
    pub(in crate::scheduler) fn give_up_unwanted(&mut self, turn: &mut Turn) {
        let unwanted: Vec<String> = self
            .pulls
            .all
            .iter()
            .filter(|(reference, under)| {
                under.tickets.is_empty() && self.waiting_for(reference).is_empty()
            })
            .map(|(reference, _)| reference.clone())
            .collect();
        for reference in unwanted {
            if let Some(under) = self.pulls.all.remove(&reference) {
                let number = under.number;
                turn.orders.push(Order::CancelPull { number });
            }
        }
    }

    /// The sessions that can't begin without this image.
    pub(super) fn waiting_for(&self, reference: &str) -> Vec<SessionId> {
        let waits = |tracked: &&TrackedSession| {
            let record = &tracked.record;
            // The cheap test comes first, because every turn runs it for all sessions.
            record.step == Step::Pull
                && image_of(&record.spec)
                    .is_some_and(|image| reference::with_tag(image) == reference)
        };
        self.tracked
            .values()
            .filter(waits)
            .map(TrackedSession::id)
            .collect()
    }

    pub(in crate::scheduler) fn lacks_image(&self, spec: &LaunchSpec) -> bool {
        let here = self.environments.iter().filter(|it| !it.absent);
        let here: Vec<_> = here.cloned().collect();
        image_of(spec).is_some_and(|image| resolve::find_image(&here, image).is_none())
    }
}

fn image_of(spec: &LaunchSpec) -> Option<&str> {
    match &spec.source {
        EnvironmentSource::Image { reference } => Some(reference),
        EnvironmentSource::Host => None,
    }
}
