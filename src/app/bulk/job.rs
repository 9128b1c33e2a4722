//! A bulk action that is being carried out: few requests at a time, and the result of each session.

use std::collections::{BTreeMap, HashSet, VecDeque};

use super::{BulkPlan, BulkTarget, BulkVerb};
use crate::{
    app::{
        mirror::Mirror,
        step::{Purpose, Step},
    },
    model::{
        failure::Failure, id::SessionKey, idle::Keep, request::SessionRequest, spec::LaunchRequest,
        text::Clean,
    },
    protocol::message::{Reply, Request},
    rules::launch::{free_name, relaunch::Missing},
};

/// How many requests wait for their answer at the same time.
const AT_ONCE: usize = 8;

#[derive(Clone, Debug)]
pub struct BulkJob {
    id: u64,
    verb: BulkVerb,
    total: usize,
    waiting: VecDeque<BulkTarget>,
    asked: BTreeMap<SessionKey, BulkTarget>,
    /// Sessions whose termination was accepted and that haven't ended.
    ending: BTreeMap<SessionKey, BulkTarget>,
    /// The names that new sessions can't have.
    taken: HashSet<String>,
    report: BulkReport,
}

/// The results of a bulk action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BulkReport {
    pub verb: BulkVerb,
    pub done: Vec<BulkTarget>,
    /// The sessions for which it failed, with the reason.
    pub failed: Vec<(Clean, Clean)>,
    /// Sessions that were left out, each with a sentence that names it.
    pub refused: Vec<String>,
}

impl BulkReport {
    /// `58 terminated, 1 left out, 2 failed`.
    pub fn counts(&self) -> String {
        let counted = |count: usize, word: &str| tr!("{count} {word}", count, word);
        let mut text = counted(self.done.len(), self.verb.done());
        for (count, word) in [
            (self.refused.len(), tr!("left out")),
            (self.failed.len(), tr!("failed")),
        ] {
            if count > 0 {
                text = format!("{text}, {}", counted(count, word));
            }
        }
        text
    }

    /// `58 terminated, 2 failed: train: out of reach`.
    pub fn summary(&self) -> String {
        match self.failed.first() {
            Some((name, why)) => format!("{}: {name}: {why}", self.counts()),
            None => self.counts(),
        }
    }
}

impl BulkJob {
    /// `taken` are the names of sessions that haven't ended.
    pub fn new(id: u64, plan: BulkPlan, taken: HashSet<String>) -> Self {
        let mut targets = plan.targets;
        if matches!(plan.verb, BulkVerb::Terminate { .. }) {
            targets.sort_by_key(|target| target.status.termination_order());
        }
        Self {
            id,
            verb: plan.verb,
            total: targets.len(),
            waiting: targets.into(),
            asked: BTreeMap::new(),
            ending: BTreeMap::new(),
            taken,
            report: BulkReport {
                verb: plan.verb,
                done: Vec::new(),
                failed: Vec::new(),
                refused: plan.refused,
            },
        }
    }

    pub fn id(&self) -> u64 {
        self.id
    }

    /// `terminating 12 of 60`.
    pub fn progress(&self) -> String {
        let done = self.report.done.len() + self.report.failed.len();
        tr!(
            "{under_way} {done} of {total}",
            under_way = self.verb.under_way(),
            done,
            total = self.total
        )
    }

    /// Sends the next requests.
    pub fn ask(&mut self) -> Vec<Step> {
        let mut steps = Vec::new();
        while self.asked.len() < AT_ONCE
            && let Some(target) = self.waiting.pop_front()
        {
            let request = match self.verb {
                BulkVerb::Terminate { force } => SessionRequest::Terminate { force },
                BulkVerb::Relaunch => SessionRequest::Again,
                BulkVerb::Extend => SessionRequest::Keep { keep: Keep::Extend },
                BulkVerb::Priority(priority) => SessionRequest::Priority { priority },
            };
            steps.push(self.step(target.key, Request::session(target.key, request)));
            self.asked.insert(target.key, target);
        }
        steps
    }

    fn step(&self, session: SessionKey, request: Request) -> Step {
        let purpose = Purpose::Bulk {
            job: self.id,
            session,
        };
        Step::Ask { request, purpose }
    }

    /// Takes an answer and sends what follows from it.
    pub fn answered(&mut self, session: SessionKey, result: Result<Reply, Failure>) -> Vec<Step> {
        let Some(target) = self.asked.remove(&session) else {
            return Vec::new();
        };
        match result {
            Err(failure) => self.fail(target, failure.message()),
            Ok(Reply::Again { launch, missing }) => {
                if let Some(launch) = self.relaunch(target, launch, &missing) {
                    return vec![launch];
                }
            }
            Ok(Reply::Launched {
                failure: Some(failure),
                ..
            }) => self.fail(target, failure.message()),
            Ok(_) if matches!(self.verb, BulkVerb::Terminate { .. }) => {
                self.ending.insert(session, target);
            }
            Ok(_) => self.report.done.push(target),
        }
        self.ask()
    }

    /// Launches a session again with its settings, under a free name.
    fn relaunch(
        &mut self,
        target: BulkTarget,
        mut launch: Box<LaunchRequest>,
        missing: &[Missing],
    ) -> Option<Step> {
        if let Some(first) = missing.first() {
            let why = tr!(
                "settings aren't known: {what}. Relaunch it alone to set them",
                what = first.what
            );
            self.fail(target, Clean::new(&why));
            return None;
        }
        let generated = target.name.as_str().ends_with("-session");
        launch.name = (!generated).then(|| {
            let taken = |name: &str| self.taken.contains(name);
            free_name(target.name.as_str(), launch.copies(), taken)
        });
        self.taken.extend(launch.name.clone());
        let context = target.key.context;
        let step = self.step(target.key, Request::Launch { context, launch });
        self.asked.insert(target.key, target);
        Some(step)
    }

    fn fail(&mut self, target: BulkTarget, why: Clean) {
        self.report.failed.push((target.name, why));
    }

    /// Takes the sessions that have ended. A session that is gone has ended, too.
    pub fn follow(&mut self, mirror: &Mirror) {
        if !mirror.is_up() {
            return;
        }
        let done = &mut self.report.done;
        self.ending.retain(|key, target| {
            let ended = mirror
                .session(*key)
                .is_none_or(crate::model::session::Session::has_ended);
            if ended {
                done.push(target.clone());
            }
            !ended
        });
    }

    /// The daemon disconnected: what was asked gets no answer, and nothing more is sent.
    pub fn connection_lost(&mut self) {
        let unknown = Clean::new(tr!(
            "no answer: the daemon disconnected. It may have happened anyway"
        ));
        for target in std::mem::take(&mut self.asked).into_values() {
            self.fail(target, unknown.clone());
        }
        // The next list may lack the session although it hasn't ended.
        let accepted = Clean::new(tr!("accepted, but the daemon disconnected before it ended"));
        for target in std::mem::take(&mut self.ending).into_values() {
            self.fail(target, accepted.clone());
        }
        let unsent = Clean::new(tr!("not requested: the daemon disconnected"));
        for target in std::mem::take(&mut self.waiting) {
            self.fail(target, unsent.clone());
        }
    }

    /// The results, when every session has one.
    pub fn report(&self) -> Option<&BulkReport> {
        let open = self.waiting.len() + self.asked.len() + self.ending.len();
        (open == 0).then_some(&self.report)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        app::testing::{session, snapshot},
        model::{session::Session, status::Status},
    };

    fn job(verb: BulkVerb, count: u128) -> (BulkJob, Vec<Session>) {
        let sessions: Vec<Session> = (1..=count).map(|n| session(n, &format!("s{n}"))).collect();
        let plan = BulkPlan::new(verb, &sessions, |_| None);
        (BulkJob::new(1, plan, HashSet::new()), sessions)
    }

    fn asked(steps: &[Step]) -> Vec<SessionKey> {
        let keys = steps.iter().map(|step| match step {
            Step::Ask {
                purpose: Purpose::Bulk { session, .. },
                ..
            } => *session,
            other => panic!("{other:?}"),
        });
        keys.collect()
    }

    #[test]
    fn few_requests_are_open_at_a_time_and_each_answer_brings_the_next() {
        let (mut job, _) = job(BulkVerb::Extend, 20);
        let mut open: VecDeque<SessionKey> = asked(&job.ask()).into();
        assert_eq!(open.len(), AT_ONCE);
        let mut answers = 0;
        while let Some(key) = open.pop_front() {
            answers += 1;
            open.extend(asked(&job.answered(key, Ok(Reply::Done))));
            assert!(open.len() <= AT_ONCE);
        }
        assert_eq!(answers, 20);
        assert_eq!(job.report().unwrap().summary(), "20 extended");
    }

    #[test]
    fn sessions_in_a_queue_are_terminated_first() {
        let mut sessions: Vec<Session> = (1..=4).map(|n| session(n, &format!("s{n}"))).collect();
        sessions[1].status = Status::Pending;
        sessions[3].status = Status::Pending;
        let verb = BulkVerb::Terminate { force: true };
        let plan = BulkPlan::new(verb, &sessions, |_| None);
        let mut job = BulkJob::new(1, plan, HashSet::new());
        let order = [1, 3, 0, 2].map(|at: usize| sessions[at].key());
        assert_eq!(asked(&job.ask()), order);
    }

    #[test]
    fn terminated_means_that_it_has_ended() {
        let (mut job, sessions) = job(BulkVerb::Terminate { force: false }, 2);
        job.ask();
        job.answered(sessions[0].key(), Ok(Reply::Done));
        job.answered(sessions[1].key(), Err(Failure::lost("out of reach")));
        let mut mirror = Mirror::default();
        mirror.replace(snapshot(sessions.clone()), jiff::Timestamp::UNIX_EPOCH);
        job.follow(&mirror);
        assert_eq!(job.report(), None);
        assert_eq!(job.progress(), "terminating 1 of 2");
        mirror.replace(snapshot(Vec::new()), jiff::Timestamp::UNIX_EPOCH);
        job.follow(&mirror);
        let summary = job.report().unwrap().summary();
        assert_eq!(summary, "1 terminated, 1 failed: s2: out of reach");
    }

    #[test]
    fn relaunched_sessions_get_free_names() {
        let (mut job, sessions) = job(BulkVerb::Relaunch, 2);
        job.taken = HashSet::from(["s1".to_owned()]);
        job.ask();
        let again = |name: &str| {
            let launch = Box::new(LaunchRequest {
                name: Some(name.to_owned()),
                ..LaunchRequest::default()
            });
            let missing = Vec::new();
            Ok(Reply::Again { launch, missing })
        };
        let steps = job.answered(sessions[0].key(), again("s1"));
        let [
            Step::Ask {
                request: Request::Launch { launch, .. },
                ..
            },
        ] = steps.as_slice()
        else {
            panic!("{steps:?}");
        };
        assert_eq!(launch.name.as_deref(), Some("s1-2"));
    }

    #[test]
    fn a_lost_connection_leaves_no_result_open() {
        let (mut job, _) = job(BulkVerb::Extend, 10);
        job.ask();
        job.connection_lost();
        let report = job.report().unwrap();
        assert_eq!(report.failed.len(), 10);
        assert!(report.failed[0].1.as_str().starts_with("no answer"));
        assert!(report.failed[9].1.as_str().starts_with("not requested"));
    }
}
