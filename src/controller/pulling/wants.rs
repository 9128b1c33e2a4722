//! Who wants an image: sessions that cannot begin without it, and people who ask for it by hand.

use jiff::Timestamp;

use crate::{
    controller::{
        core::Controller,
        fact::Ticket,
        held::Held,
        order::Order,
        turn::{Answer, Refusal, Turn},
    },
    model::{
        environment::EnvironmentSource,
        id::SessionId,
        record::{Ending, Step},
        reference, resolve,
        spec::LaunchSpec,
        status::Status,
        text::Clean,
    },
};

/// What a session's phase of waiting for its image is called in its history.
const PHASE: &str = "pull-images";

impl Controller {
    /// The first step of a session that begins: its image, where it is not here.
    pub(in crate::controller) fn begin_with_image(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) {
        let Some(held) = self.held.get(&id) else {
            return;
        };
        let step = if self.lacks_image(&held.record.spec) {
            Step::Pull
        } else {
            Step::Create
        };
        if step == Step::Pull {
            self.advance(turn, now, id, PHASE, &Status::Pulling, None);
        }
        if let Some(held) = self.change(turn, id) {
            held.record.step = step;
        }
        self.issue(turn, id);
    }

    /// The engine says that its image is not there, though it seemed to be. `false` = it cannot be
    /// pulled, or was for this session already.
    pub(in crate::controller) fn pull_after_all(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) -> bool {
        let Some(held) = self.change(turn, id) else {
            return false;
        };
        let pulls = image_of(&held.record.spec).is_some();
        let fresh = pulls && held.record.session.status == Status::Preparing;
        if fresh {
            held.record.step = Step::Pull;
            self.advance(turn, now, id, PHASE, &Status::Pulling, None);
            self.issue(turn, id);
        }
        fresh
    }

    /// The present step of a session is to wait for its image.
    pub(in crate::controller) fn want_image(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(held) = self.held.get(&id) else {
            return;
        };
        let Some(image) = image_of(&held.record.spec) else {
            return;
        };
        let reference = reference::with_tag(image);
        self.pull(turn, &reference);
        self.tell_pull(turn, &reference);
    }

    /// Whether the image that a session waits for has come while nobody looked.
    pub(in crate::controller) fn has_come(&self, id: SessionId) -> bool {
        let held = self.held.get(&id).map(|held| &held.record);
        held.is_some_and(|record| record.step == Step::Pull && !self.lacks_image(&record.spec))
    }

    /// The image is here: its container is made.
    pub(in crate::controller) fn go_on(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        self.advance(turn, now, id, PHASE, &Status::Prepared, None);
        if let Some(held) = self.change(turn, id) {
            held.record.step = Step::Create;
            held.record.session.pull = None;
        }
        self.issue(turn, id);
    }

    /// A person does not want the session any more.
    pub(in crate::controller) fn leave_pull(
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

    /// An image is asked for by hand; answered when it is here.
    pub(in crate::controller) fn ask_pull(&mut self, turn: &mut Turn, ticket: Ticket, asked: &str) {
        match self.image_meant(asked) {
            Err(refusal) => turn.answer(ticket, Err(refusal)),
            Ok(reference) => {
                self.pull(turn, &reference);
                match self.pulls.all.get_mut(&reference) {
                    Some(under) => drop(under.tickets.insert(ticket)),
                    None => turn.answer(ticket, Ok(Answer::Done)),
                }
                self.tell_pull(turn, &reference);
            }
        }
    }

    /// A name of the catalogue, else a reference.
    fn image_meant(&self, asked: &str) -> Result<String, Refusal> {
        if let Some(refusal) = self.unreachable() {
            return Err(refusal);
        }
        let mut known = self.settings.environments.iter();
        let meant = known.find_map(|it| it.image_of(asked)).unwrap_or(asked);
        if let Err(why) = reference::check(meant) {
            let text = format!("invalid image '{}': {why}", Clean::new(meant));
            return Err(Refusal::usage(text)
                .with_help("write it as for docker pull, or use the name of an environment"));
        }
        Ok(reference::with_tag(meant))
    }

    /// Who asked by hand has gone, and waits for nothing.
    pub(in crate::controller) fn has_left(&mut self, tickets: &[Ticket]) {
        for under in self.pulls.all.values_mut() {
            under.tickets.retain(|ticket| !tickets.contains(ticket));
        }
    }

    pub(in crate::controller) fn has_unwanted_pulls(&self) -> bool {
        let mut all = self.pulls.all.iter();
        all.any(|(reference, under)| {
            under.tickets.is_empty() && self.waiting_for(reference).is_empty()
        })
    }

    /// What nobody wants any more is given up.
    pub(in crate::controller) fn give_up_unwanted(&mut self, turn: &mut Turn) {
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

    /// Sessions that cannot begin without this image.
    pub(super) fn waiting_for(&self, reference: &str) -> Vec<SessionId> {
        let waits = |held: &&Held| {
            let record = &held.record;
            // First what costs nothing: it is asked of all sessions at each turn.
            record.step == Step::Pull
                && image_of(&record.spec)
                    .is_some_and(|image| reference::with_tag(image) == reference)
        };
        self.held.values().filter(waits).map(Held::id).collect()
    }

    pub(in crate::controller) fn lacks_image(&self, spec: &LaunchSpec) -> bool {
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
