//! Stop hooks run before a session is terminated. They run once, or once more if the daemon was
//! killed meanwhile, and never with force.

use super::{core::Scheduler, order::StopHookPlan, tracked_session::TrackedSession, turn::Turn};
use crate::model::{
    history::{HistoryEntry, Outcome},
    id::SessionId,
    notice::Level,
    record::{Step, Write},
    spec::Mounted,
    text::Clean,
};

/// A hook is repeated once if the daemon was killed while it ran.
const TRIES: u32 = 2;

/// The result of a stop hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StopHookEnd {
    pub outcome: Outcome,
    /// The end of its output, or why it failed.
    pub words: Clean,
}

/// The first step of a requested termination: the stop hook, if there is one.
pub(super) fn first_step(tracked: &TrackedSession, force: bool) -> Step {
    let stop_hooks = tracked.record.spec.stop_hook.is_some();
    let live = tracked.record.session.status.is_live();
    if stop_hooks && live && !force {
        Step::StopHook
    } else {
        Step::Stop
    }
}

/// The stop hook to run now.
pub(super) fn stop_hook(tracked: &TrackedSession) -> Option<StopHookPlan> {
    let (session, spec) = (&tracked.record.session, &tracked.record.spec);
    let hook = spec.stop_hook.clone()?;
    let in_it = |it: &&Mounted| hook.folder.as_ref() == Some(&it.folder);
    let mounted = spec.mounts.iter().find(in_it);
    let file = format!("{}-{}", session.name, session.id.short());
    Some(StopHookPlan {
        place: mounted.map(|it| format!("{}/{file}", it.target)),
        file,
        stop_hook: hook,
    })
}

impl Scheduler {
    /// Begins the stop hook. A hook that was interrupted is repeated once, then skipped.
    pub(super) fn begin_stop_hook(&mut self, turn: &mut Turn, id: SessionId) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        if tracked.record.step != Step::StopHook || tracked.busy {
            return;
        }
        if tracked.record.will_tries < TRIES {
            tracked.record.will_tries += 1;
            let text = tr_sent!("terminating: its stop hook is running");
            tracked.record.session.pending_request = Some(Clean::new(text));
            return;
        }
        let words = Clean::new(tr_sent!("interrupted twice"));
        let outcome = Outcome::GiveUp;
        self.stop_hook_is_over(turn, id, &StopHookEnd { outcome, words });
    }

    /// Handles the result of a stop hook.
    pub(super) fn stop_hook_done(
        &mut self,
        turn: &mut Turn,
        id: SessionId,
        epoch: u32,
        end: &StopHookEnd,
    ) {
        let number = self.turn_number;
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        if !tracked.busy || tracked.epoch != epoch || tracked.record.step != Step::StopHook {
            return;
        }
        tracked.busy = false;
        tracked.touched = number;
        self.stop_hook_is_over(turn, id, end);
        self.issue(turn, id);
    }

    /// The session is stopped now. Its history has the result of the stop hook.
    pub(super) fn stop_hook_is_over(&mut self, turn: &mut Turn, id: SessionId, end: &StopHookEnd) {
        let now = turn.now();
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.record.step = Step::Stop;
        let session = &mut tracked.record.session;
        session.pending_request = Some(Clean::new("terminating"));
        session.stop_hook_end = Some((end.outcome.clone(), end.words.clone()));
        let (status, name) = (session.status.clone(), session.name.clone());
        turn.writes.push(Write::History(HistoryEntry {
            result: end.outcome.clone(),
            message: Some(end.words.clone()).filter(|words| !words.is_empty()),
            ..HistoryEntry::new(id, now, "stop-hook", Some(status.clone()), status)
        }));
        if !matches!(end.outcome, Outcome::Success | Outcome::Skipped) {
            let text = tr_sent!(
                "the stop hook of {name} failed: {words}",
                name,
                words = end.words
            );
            turn.message(Level::Warning, Some(id), text);
        }
    }
}
