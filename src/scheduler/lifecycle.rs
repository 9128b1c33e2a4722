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
        let Some(held) = self.change(turn, id) else {
            return;
        };
        let rests = matches!(held.record.step, Step::Settled | Step::Wait);
        if !connected || held.busy || rests {
            return;
        }
        if held.record.step == Step::Pull {
            return self.require_image(turn, id);
        }
        let Some(plan) = plan(held) else {
            return;
        };
        held.epoch += 1;
        held.busy = true;
        held.touched = number;
        held.retry_at = None;
        let (session, epoch) = (id, held.epoch);
        let order = match held.record.step {
            Step::Settled | Step::Wait | Step::Pull => return,
            Step::Create => Order::Create {
                epoch,
                plan: Box::new(plan),
            },
            Step::Start => Order::Start { session, epoch },
            Step::StopHook => match stop_hook(held) {
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
                grace_seconds: if held.record.force { 0 } else { gentle },
            },
            Step::Remove => Order::Remove { session, epoch },
        };
        turn.orders.push(order);
    }

    /// After a (re)connect: orders again what was decided but isn't done.
    pub(super) fn resume_all(&mut self, turn: &mut Turn, now: Timestamp) {
        let open: Vec<SessionId> = self
            .held
            .values()
            .filter(|held| is_under_way(held))
            .map(TrackedSession::id)
            .collect();
        for id in open {
            if self.held.get(&id).is_some_and(has_lost_secrets) {
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
        let forgets = self.held.values().filter_map(|held| {
            let at = held.forget_at?;
            Some((at, held.id()))
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
        let Some(held) = self.change(turn, id) else {
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
            OrderKind::DetachAll => held.detaching = false,
            OrderKind::Rename => self.renamed(turn, id, result.err()),
            OrderKind::Forget => self.forgot(turn, now, id, result.err().as_ref()),
            OrderKind::Inspect => {
                held.inspecting = false;
                if held.busy || held.epoch != epoch {
                    held.missed = true;
                } else if let Ok(sight) = result {
                    held.touched = number;
                    self.apply_sight(turn, now, id, sight, false);
                }
                self.plan_due(id);
                self.check_idle(turn, now, id);
            }
            OrderKind::Create | OrderKind::Start | OrderKind::Stop | OrderKind::Remove => {
                if !held.busy || held.epoch != epoch {
                    return;
                }
                held.busy = false;
                held.touched = number;
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
        let Some(held) = self.change(turn, id) else {
            return;
        };
        held.failures = 0;
        if let Some(sight) = &sight {
            note_containers(held, sight);
        }
        let ending = held.record.ending.is_some();
        // The container gets its address from the engine when it starts.
        held.missed |= step == OrderKind::Start && !held.record.session.preopen_ports.is_empty();
        match (step, ending) {
            (OrderKind::Create, false) => {
                held.record.step = Step::Start;
                held.secrets.clear();
                self.note_home_taken(turn, id);
                self.advance(turn, now, id, "start-sessions", &Status::Creating, None);
            }
            (OrderKind::Start, false) => return self.promote(turn, now, id, None),
            (OrderKind::Start, true) => held.record.step = Step::Stop,
            (OrderKind::Create, true) | (OrderKind::Stop, _) => held.record.step = Step::Remove,
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
        let Some(held) = self.change(turn, id) else {
            return;
        };
        let making = matches!(step, OrderKind::Create | OrderKind::Start);
        match (making, failure.kind) {
            (true, _) if held.record.ending.is_some() => held.record.step = Step::Remove,
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
        let Some(held) = self.change(turn, id) else {
            return;
        };
        held.record.step = Step::Settled;
        held.record.boot.clone_from(&boot);
        let session = &mut held.record.session;
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
        let Some(held) = self.change(turn, id) else {
            return;
        };
        held.settle();
        held.record.renaming = None;
        let session = &mut held.record.session;
        session.pull = None;
        if let Some(ending) = held.record.ending.take() {
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
        if let Some(mut held) = self.held.remove(&id) {
            self.plan_forgetting(&mut held);
            self.held.insert(id, held);
        }
    }
}

/// Something was decided that the engine hasn't done yet. A waiting session doesn't count.
fn is_under_way(held: &TrackedSession) -> bool {
    let record = &held.record;
    !matches!(record.step, Step::Settled | Step::Wait) || record.renaming.is_some()
}

/// The session can't be created as requested, because its secrets are lost.
pub(super) fn has_lost_secrets(held: &TrackedSession) -> bool {
    let names = &held.record.spec.secret_names;
    let making =
        matches!(held.record.step, Step::Pull | Step::Create) && held.record.ending.is_none();
    making && names.iter().any(|name| !held.secrets.contains_key(name))
}

fn plan(held: &TrackedSession) -> Option<CreatePlan> {
    let session = &held.record.session;
    Some(CreatePlan {
        session: session.id,
        kernel: session.main_kernel()?.id,
        name: session.name.to_string(),
        owner: session.owner.to_string(),
        created_at: session.created_at,
        spec: held.record.spec.clone(),
        pids: held.record.pids,
        subs: session.kernels.iter().skip(1).map(|it| it.id).collect(),
        secrets: held.secrets.clone(),
    })
}
