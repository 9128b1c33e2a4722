//! One session as a row of a table describes it.

use jiff::{SignedDuration, Timestamp};

use super::super::{
    averages::UsageWindow,
    evaluate::{Case, evaluate},
};
use crate::{
    model::{
        idle::{
            Activity, ActivityKind, IdleBasis, IdleCheck, IdleChecker, IdleRules, IdleState, Join,
            Reprieve, UtilizationRules,
        },
        resources::{Bytes, Cpu, ResourceSlots},
        session::SessionType,
        span::Span,
        usage::{AcceleratorUsage, Usage},
    },
    scheduler::tests::play::at,
};

/// It started at 0, wasn't used since, and was watched for long. It requested 1 CPU and 100 MiB.
#[derive(Clone, Debug)]
pub struct IdleFacts {
    pub session_type: SessionType,
    pub started: i64,
    pub activity: Option<Activity>,
    pub slots: ResourceSlots,
    pub samples: Vec<Usage>,
    pub rules: IdleRules,
    pub reprieve: Reprieve,
    pub watched_since: i64,
}

impl IdleFacts {
    pub fn new(rules: IdleRules) -> Self {
        Self {
            session_type: SessionType::Interactive,
            started: 0,
            activity: Some(activity(0, 0)),
            slots: ResourceSlots::new(Cpu::from_millis(1000), Bytes::mib(100)),
            samples: Vec::new(),
            rules,
            reprieve: Reprieve::default(),
            watched_since: -1_000_000,
        }
    }

    /// Adds a sample every 5 s: thousandths of a core, MiB.
    pub fn using(mut self, from: i64, to: i64, cpu: u64, mem: u64) -> Self {
        let seconds = (from..=to).step_by(5);
        self.samples
            .extend(seconds.map(|second| {
                Usage::new(at(second), Some(Cpu::from_millis(cpu)), Bytes::mib(mem))
            }));
        self
    }

    /// Sets all devices in the samples so far, in hundredths of a percent.
    pub fn devices(mut self, utilization: u32) -> Self {
        for sample in &mut self.samples {
            sample.accelerators = vec![AcceleratorUsage {
                name: "GPU 0".into(),
                utilization: Some(utilization),
                mem: Some(Bytes::mib(1)),
                mem_total: Some(Bytes::mib(100)),
            }];
        }
        self
    }

    pub fn evaluated(&self, second: i64) -> Vec<IdleCheck> {
        let mut window = UsageWindow::default();
        if let Some(rules) = &self.rules.utilization {
            for sample in &self.samples {
                window.push(sample.at, sample, &self.slots, rules);
            }
        }
        let case = Case {
            session_type: self.session_type,
            started_at: at(self.started),
            activity: self.activity,
            slots: &self.slots,
            window: &window,
            rules: &self.rules,
            reprieve: self.reprieve,
            watched_since: at(self.watched_since),
        };
        evaluate(&case, at(second))
    }

    /// The result of one checker at that second.
    pub fn says(&self, checker: &IdleChecker, second: i64) -> Says {
        let checks = self.evaluated(second);
        let Some(check) = checks.iter().find(|check| check.checker == *checker) else {
            return Says::Nothing;
        };
        match (check.state, check.basis) {
            (IdleState::NotCounting, _) => Says::Rests,
            (IdleState::Over, _) => Says::Over,
            (IdleState::Counting { until }, IdleBasis::ExpireAfter) => Says::Ends(since(until)),
            (IdleState::Counting { until }, IdleBasis::GracePeriod) => Says::Grace(since(until)),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Says {
    /// The checker isn't in force.
    Nothing,
    Rests,
    Ends(i64),
    Grace(i64),
    Over,
}

fn since(until: Timestamp) -> i64 {
    let left: SignedDuration = until.duration_since(at(0));
    left.as_secs()
}

pub fn activity(second: i64, open: u32) -> Activity {
    Activity {
        at: at(second),
        kind: ActivityKind::Typed,
        open,
    }
}

pub fn network(seconds: u64) -> IdleRules {
    IdleRules {
        network_timeout: Some(Span(seconds)),
        ..IdleRules::default()
    }
}

pub fn lifetime(seconds: u64) -> IdleRules {
    IdleRules {
        session_lifetime: Some(Span(seconds)),
        ..IdleRules::default()
    }
}

/// A window of 100 s, with thresholds in percent.
pub fn utilization(operator: Join, thresholds: &[(&str, i64)]) -> IdleRules {
    let thresholds = thresholds.iter();
    IdleRules {
        utilization: Some(UtilizationRules {
            time_window: Span(100),
            initial_grace_period: Span(0),
            operator,
            thresholds: thresholds
                .map(|(name, percent)| ((*name).to_owned(), percent * 100))
                .collect(),
        }),
        ..IdleRules::default()
    }
}
