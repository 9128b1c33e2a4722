//! The steps of a session's life: gives orders and handles their answers.

use jiff::Timestamp;

use super::{
    cluster::note_containers,
    core::Scheduler,
    order::{Order, OrderKind},
    stop_hook::stop_hook,
    tracked_session::TrackedSession,
    turn::Turn,
};
use crate::{
    engine::api::{CreatePlan, Sighting},
    model::{
        failure::{Failure, FailureKind},
        id::SessionId,
        idle::{Activity, ActivityKind},
        record::Step,
        status::Status,
    },
};

impl Scheduler {
    /// Orders the current step, unless it is in progress or there is no engine.
    pub(super) fn issue(&mut self, turn: &mut Turn, id: SessionId) {
        let (connected, number) = (self.is_connected(), self.turn_number);
        if connected {
            self.begin_stop_hook(turn, id);
        }
        let gentle = self.settings.engine.stop_grace_seconds;
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let rests = matches!(tracked.record.step, Step::Settled | Step::Wait);
        if !connected || tracked.busy || rests {
            return;
        }
        if tracked.record.step == Step::Pull {
            return self.require_image(turn, id);
        }
        let Some(plan) = plan(tracked) else {
            return;
        };
        tracked.epoch += 1;
        tracked.busy = true;
        tracked.touched = number;
        tracked.retry_at = None;
        let (session, epoch) = (id, tracked.epoch);
        let order = match tracked.record.step {
            Step::Settled | Step::Wait | Step::Pull => return,
            Step::Create => Order::Create {
                epoch,
                plan: Box::new(plan),
            },
            Step::Start => Order::Start { session, epoch },
            Step::StopHook => match stop_hook(tracked) {
                Some(hook) => Order::StopHook {
                    session,
                    epoch,
                    stop_hook: Box::new(hook),
                },
                None => return,
            },
            Step::Stop => Order::Stop {
                session,
                epoch,
                grace_seconds: if tracked.record.force { 0 } else { gentle },
            },
            Step::Remove => Order::Remove { session, epoch },
        };
        turn.orders.push(order);
    }

    /// After a (re)connect: orders again what was decided but isn't done.
    pub(super) fn resume_all(&mut self, turn: &mut Turn, now: Timestamp) {
        let open: Vec<SessionId> = self
            .tracked
            .values()
            .filter(|tracked| is_under_way(tracked))
            .map(TrackedSession::id)
            .collect();
        for id in open {
            if self.tracked.get(&id).is_some_and(has_lost_secrets) {
                let why = tr_sent!(
                    "the daemon restarted before the session was created, and secret \
                           variables are in its memory only. Relaunch the session"
                );
                self.fail_because(turn, now, id, "secret-lost", why);
            } else if self.has_come(id) {
                self.image_ready(turn, now, id);
            } else {
                self.issue(turn, id);
            }
            self.issue_rename(turn, id);
        }
        let forgets = self.tracked.values().filter_map(|tracked| {
            let at = tracked.forget_at?;
            Some((at, tracked.id()))
        });
        self.deadlines.extend(forgets);
        self.plan_all_due();
        self.check_all_idle(turn, now);
    }

    /// Handles the answer to an order.
    pub(super) fn done(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        epoch: u32,
        order: OrderKind,
        result: Result<Option<Sighting>, Failure>,
    ) {
        if let Err(failure) = &result {
            self.note_failure(turn, now, failure);
        }
        let number = self.turn_number;
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        match order {
            OrderKind::Connect
            | OrderKind::Survey
            | OrderKind::Pull
            | OrderKind::CancelPull
            | OrderKind::Commit
            | OrderKind::CancelCommit
            | OrderKind::StopHook => {}
            OrderKind::DetachAll => tracked.detaching = false,
            OrderKind::Rename => self.renamed(turn, id, result.err()),
            OrderKind::Forget => self.forgot(turn, now, id, result.err().as_ref()),
            OrderKind::Inspect => {
                tracked.inspecting = false;
                if tracked.busy || tracked.epoch != epoch {
                    tracked.missed = true;
                } else if let Ok(sight) = result {
                    tracked.touched = number;
                    self.apply_sight(turn, now, id, sight, false);
                }
                self.plan_due(id);
                self.check_idle(turn, now, id);
            }
            OrderKind::Create | OrderKind::Start | OrderKind::Stop | OrderKind::Remove => {
                if !tracked.busy || tracked.epoch != epoch {
                    return;
                }
                tracked.busy = false;
                tracked.touched = number;
                match result {
                    Ok(sight) => self.step_done(turn, now, id, order, sight),
                    Err(failure) => self.step_failed(turn, now, id, order, &failure),
                }
            }
        }
        self.inspect(turn, id);
    }

    fn step_done(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        step: OrderKind,
        sight: Option<Sighting>,
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.failures = 0;
        if let Some(sight) = &sight {
            note_containers(tracked, sight);
        }
        let ending = tracked.record.ending.is_some();
        // The container gets its address from the engine when it starts.
        tracked.missed |=
            step == OrderKind::Start && !tracked.record.session.preopen_ports.is_empty();
        match (step, ending) {
            (OrderKind::Create, false) => {
                tracked.record.step = Step::Start;
                tracked.secrets.clear();
                self.note_home_taken(turn, id);
                self.advance(turn, now, id, "start-sessions", &Status::Creating, None);
            }
            (OrderKind::Start, false) => return self.promote(turn, now, id, None),
            (OrderKind::Start, true) => tracked.record.step = Step::Stop,
            (OrderKind::Create, true) | (OrderKind::Stop, _) => tracked.record.step = Step::Remove,
            _ => return self.finish(turn, now, id),
        }
        self.issue(turn, id);
    }

    fn step_failed(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        step: OrderKind,
        failure: &Failure,
    ) {
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        let making = matches!(step, OrderKind::Create | OrderKind::Start);
        match (making, failure.kind) {
            (true, _) if tracked.record.ending.is_some() => tracked.record.step = Step::Remove,
            (true, FailureKind::NoImage) if self.pull_after_all(turn, now, id) => return,
            (true, _) => return self.fail(turn, now, id, step, failure),
            (false, FailureKind::Unreachable) => return,
            (false, FailureKind::NotFound) => return self.step_done(turn, now, id, step, None),
            (false, _) => return self.try_later(turn, now, id, failure),
        }
        self.issue(turn, id);
    }

    /// The session runs now.
    pub(super) fn promote(
        &mut self,
        turn: &mut Turn,
        now: Timestamp,
        id: SessionId,
        started_at: Option<Timestamp>,
    ) {
        self.advance(turn, now, id, "promote-to-running", &Status::Running, None);
        let boot = self.boot.clone();
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.record.step = Step::Settled;
        tracked.record.boot.clone_from(&boot);
        let session = &mut tracked.record.session;
        let at = *session.started_at.get_or_insert(started_at.unwrap_or(now));
        session.activity = Some(Activity {
            at,
            kind: ActivityKind::Started,
            open: 0,
        });
        for kernel in &mut session.kernels {
            kernel.started_at.get_or_insert(at);
        }
        self.plan_due(id);
        self.check_idle(turn, now, id);
    }

    /// The container is removed, so the decided ending takes effect.
    pub(super) fn finish(&mut self, turn: &mut Turn, now: Timestamp, id: SessionId) {
        self.drop_commit(turn, id);
        let Some(tracked) = self.change(turn, id) else {
            return;
        };
        tracked.settle();
        tracked.record.renaming = None;
        let session = &mut tracked.record.session;
        session.pull = None;
        if let Some(ending) = tracked.record.ending.take() {
            session.terminated_at = Some(now);
            session.status_info = Some(ending.info);
            session.status_message.clone_from(&ending.message);
            for kernel in &mut session.kernels {
                kernel.terminated_at.get_or_insert(now);
            }
            let (status, message) = (ending.status, ending.message);
            self.advance(
                turn,
                now,
                id,
                "promote-to-terminated",
                &status,
                message.as_ref(),
            );
        }
        if let Some(mut tracked) = self.tracked.remove(&id) {
            self.plan_forgetting(&mut tracked);
            self.tracked.insert(id, tracked);
        }
    }
}

/// Something was decided that the engine hasn't done yet. A waiting session doesn't count.
fn is_under_way(tracked: &TrackedSession) -> bool {
    let record = &tracked.record;
    !matches!(record.step, Step::Settled | Step::Wait) || record.renaming.is_some()
}

/// The session can't be created as requested, because its secrets are lost.
pub(super) fn has_lost_secrets(tracked: &TrackedSession) -> bool {
    let names = &tracked.record.spec.secret_names;
    let making =
        matches!(tracked.record.step, Step::Pull | Step::Create) && tracked.record.ending.is_none();
    making && names.iter().any(|name| !tracked.secrets.contains_key(name))
}

fn plan(tracked: &TrackedSession) -> Option<CreatePlan> {
    let session = &tracked.record.session;
    Some(CreatePlan {
        session: session.id,
        kernel: session.main_kernel()?.id,
        name: session.name.to_string(),
        owner: session.owner.to_string(),
        created_at: session.created_at,
        spec: tracked.record.spec.clone(),
        pids: tracked.record.pids,
        subs: session.kernels.iter().skip(1).map(|it| it.id).collect(),
        secrets: tracked.secrets.clone(),
    })
}
