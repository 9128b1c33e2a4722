//! Images that are created from sessions: when they may be created, their progress, and how their creation ends.
//!
//! The engine works in the background. The record says that an image is being created, so that the next daemon reports
//! one that this daemon didn't finish. The session keeps running, and no rule ends it meanwhile.

use jiff::Timestamp;

use super::{
    core::Scheduler,
    order::{CommitNumber, Order},
    purpose::OrderPurpose,
    turn::Turn,
};
use crate::model::{
    environment::EnvironmentSource,
    failure::Failure,
    id::SessionId,
    notice::Level,
    own_image::{self, CommitPlan, CommitStep},
    session::{CommitStatus, Session, SessionType},
    status::Status,
    text::Clean,
};

impl Scheduler {
    /// Begins to create an image. The answer is that it has begun; a notification reports the end.
    pub(super) fn commit(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        name: &str,
        pause: bool,
    ) -> Result<(), Failure> {
        own_image::check_name(name).map_err(Failure::usage)?;
        self.check_commit(id)?;
        self.check_own_images(name)?;
        if let Some(failure) = self.unreachable() {
            return Err(failure);
        }
        Self::audit(turn, now, "commit", Some(id), name);
        let number = self.turn_number;
        let limit = self.settings.images.limit;
        let plan = CommitPlan {
            session: id,
            name: name.to_owned(),
            user: self.owner.to_string(),
            pause,
            limit: (limit > 0).then_some(limit),
            keep_free: self.settings.disk.save.keep_free,
        };
        if let Some(tracked) = self.change(turn, id) {
            tracked.commit = Some(number);
            tracked.record.committing = Some(name.to_owned());
            let session = &mut tracked.record.session;
            session.commit = CommitStatus::Ongoing;
            session.pending_request = Some(words(name, None));
        }
        turn.orders.push(Order::Commit {
            number,
            plan: Box::new(plan),
        });
        Ok(())
    }

    /// Whether an image can be created from the session now.
    fn check_commit(&self, id: SessionId) -> Result<(), Failure> {
        let tracked = self.find(id)?;
        let session = &tracked.record.session;
        let name = &session.name;
        if session.session_type != SessionType::Interactive {
            return Err(Failure::refused(tr_sent!(
                "session {name} isn't interactive: images are created from interactive sessions \
                 only",
                name
            ))
            .hint(tr_sent!(
                "launch an interactive session with the same image, and repeat its work there"
            )));
        }
        if matches!(session.environment.source, EnvironmentSource::Host) {
            return Err(Failure::refused(tr_sent!(
                "session {name} runs in the host environment, which has no image: its programs \
                 are those of this machine, and its only own files are in /home/work",
                name
            ))
            .hint(tr_sent!(
                "install programs in a session with an image, and commit that one. Files of this \
                 session are copied with `workbay cp`, or stay in a mounted folder"
            )));
        }
        if let Some(other) = &tracked.record.committing {
            return Err(Failure::refused(tr_sent!(
                "the image {other} is already being created from {name}",
                other,
                name
            ))
            .hint(tr_sent!(
                "wait for it, or cancel it: `workbay commit --cancel {name}`",
                name
            )));
        }
        if session.status != Status::Running || tracked.record.ending.is_some() {
            return Err(Failure::refused(tr_sent!("session {name} is {status}: images are created from running sessions only", name, status = session.status))
            .hint(tr_sent!("wait until it runs. A session that has ended can be launched again: `workbay relaunch`")));
        }
        Ok(())
    }

    /// The limit and the names in use, as far as they are known. The engine checks its own list again.
    fn check_own_images(&self, name: &str) -> Result<(), Failure> {
        let ours = self.environments.iter().filter_map(|it| {
            let own = it.facts.customized.as_ref()?;
            own.owner.is_none().then_some(own.name.as_str())
        });
        let begun = self.tracked.values();
        let begun = begun.filter_map(|tracked| tracked.record.committing.as_deref());
        let names: Vec<&str> = ours.chain(begun).collect();
        if names.contains(&name) {
            return Err(
                Failure::refused(tr_sent!("an image with the name {name} exists", name)).hint(
                    tr_sent!(
                        "choose another name, or remove it: `workbay image rm {name}`",
                        name
                    ),
                ),
            );
        }
        let limit = self.settings.images.limit;
        if limit > 0 && names.len() >= limit as usize {
            return Err(Failure::refused(tr_sent!(
                "you have {count} images of sessions, and the limit is {limit} (`images.limit`)",
                count = names.len(),
                limit
            ))
            .hint(tr_sent!(
                "remove one: `workbay image ls --mine` lists them, `workbay image rm NAME` \
                 removes one"
            )));
        }
        Ok(())
    }

    /// Cancels the creation of an image.
    pub(super) fn cancel_commit(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
    ) -> Result<(), Failure> {
        if self.find(id)?.commit.is_some() {
            Self::audit(turn, now, "cancel-commit", Some(id), "");
            self.drop_commit(turn, id);
        }
        Ok(())
    }

    /// Ends the creation of an image without a result, because it was cancelled or the session ends.
    pub(super) fn drop_commit(&mut self, turn: &mut Turn, id: SessionId) {
        let Some((name, image)) = self.commit_is_over(turn, id) else {
            return;
        };
        let text = tr_sent!(
            "the image {image} wasn't created from {name}: it was cancelled",
            image,
            name
        );
        turn.message(Level::Warning, Some(id), text);
    }

    /// Forgets the creation of an image, and notifies the engine. Returns the names of the session and the image.
    fn commit_is_over(&mut self, turn: &mut Turn, id: SessionId) -> Option<(Clean, String)> {
        let tracked = self.tracked.get(&id)?;
        tracked.record.committing.as_ref()?;
        let tracked = self.change(turn, id)?;
        let image = tracked.record.committing.take()?;
        let number = tracked.commit.take();
        let session = &mut tracked.record.session;
        session.commit = CommitStatus::Ready;
        let asked = session.pending_request.as_ref();
        if asked.is_some_and(|it| it.as_str().starts_with(Session::COMMITTING)) {
            session.pending_request = None;
        }
        let name = session.name.clone();
        if let Some(number) = number {
            turn.orders.push(Order::CancelCommit { number });
        }
        Some((name, image))
    }

    /// The engine has begun a step, or it is done.
    pub(super) fn committing(
        &mut self,
        turn: &mut Turn,
        id: SessionId,
        number: CommitNumber,
        result: Result<CommitStep, Failure>,
    ) {
        let current = self.tracked.get(&id).and_then(|tracked| tracked.commit);
        let is_current = current == Some(number);
        let is_over = !matches!(result, Ok(CommitStep::Begun { .. }));
        if is_current
            && is_over
            && let Some(tracked) = self.change(turn, id)
        {
            tracked.commit = None;
        }
        match result {
            Ok(CommitStep::Begun { number, of, what }) if is_current => {
                if let Some(tracked) = self.change(turn, id)
                    && let Some(image) = tracked.record.committing.clone()
                    && tracked.record.ending.is_none()
                {
                    let step = format!("{number}/{of} {what}");
                    tracked.record.session.pending_request = Some(words(&image, Some(&step)));
                }
            }
            Ok(CommitStep::Begun { .. }) => {}
            Ok(CommitStep::Done { reference }) => {
                let over = is_current.then(|| self.commit_is_over(turn, id)).flatten();
                let text = match over {
                    Some((name, image)) => {
                        tr_sent!(
                            "the image {image} was created from {name}: {reference}",
                            image,
                            name,
                            reference
                        )
                    }
                    // It was complete before it could be cancelled.
                    None => tr_sent!("the image {reference} was created", reference),
                };
                turn.message(Level::Success, Some(id), text);
                if self.is_connected() {
                    self.survey(turn, OrderPurpose::Reconcile, true);
                }
            }
            Err(failure) if is_current => {
                if let Some((name, image)) = self.commit_is_over(turn, id) {
                    let why = failure.message();
                    let text = tr_sent!(
                        "the image {image} couldn't be created from {name}: {why}",
                        image,
                        name,
                        why
                    );
                    turn.message(Level::Error, Some(id), text);
                }
            }
            Err(_) => {}
        }
    }

    /// Reports the images that an earlier daemon was creating when it ended.
    pub(super) fn report_lost_commits(&mut self, turn: &mut Turn) {
        let lost = |tracked: &&super::tracked_session::TrackedSession| {
            tracked.record.committing.is_some() && tracked.commit.is_none()
        };
        let ids: Vec<SessionId> = self
            .tracked
            .values()
            .filter(lost)
            .map(super::tracked_session::TrackedSession::id)
            .collect();
        for id in ids {
            if let Some((name, image)) = self.commit_is_over(turn, id) {
                let text = tr_sent!(
                    "the image {image} wasn't created from {name}: the daemon ended meanwhile. \
                     Create it again",
                    image,
                    name
                );
                turn.message(Level::Warning, Some(id), text);
            }
        }
    }
}

fn words(name: &str, step: Option<&str>) -> Clean {
    let begun = format!("{} {name}", Session::COMMITTING);
    Clean::new(&match step {
        Some(step) => format!("{begun}: {step}"),
        None => begun,
    })
}
