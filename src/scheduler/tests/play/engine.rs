//! The simulated engine: it carries orders out, or fails at them.

use super::{Play, fault};
use crate::{
    engine::api::{ContainerState, Recorded, Sighting, SubSighting},
    model::{
        environment::{Environment, EnvironmentSource, ImageFacts},
        failure::FailureKind,
        history::Outcome,
        id::{KernelId, SessionId},
        own_image::{CommitPlan, CommitStep},
        pull::PullFigures,
        resources::{Bytes, ResourceSlots},
        text::Clean,
    },
    scheduler::{
        fact::{Fact, StopHookEnd, Survey},
        order::{CommitNumber, Order, PullNumber},
    },
};

impl Play {
    pub fn survey(&self) -> Survey {
        Survey {
            seen: self.there.values().cloned().collect(),
            others: self.others.clone(),
            environments: Some(self.environments()),
            folders: Some(self.folders.clone()),
            lacks: self.lacks.clone(),
        }
    }

    fn environments(&self) -> Vec<Environment> {
        let host = Environment {
            name: "host".into(),
            version: "1".into(),
            source: EnvironmentSource::Host,
            size: None,
            unavailable: None,
            absent: false,
            facts: ImageFacts::default(),
        };
        let images = self.images.iter().map(|reference| Environment {
            absent: false,
            ..Environment::of_image(reference)
        });
        std::iter::once(host).chain(images).collect()
    }

    /// A pull in progress: half of the image, then all of it.
    fn pull(&mut self, number: PullNumber, reference: String, failure: Option<FailureKind>) {
        let figures = PullFigures {
            layers: 2,
            layers_done: 1,
            bytes: Bytes(100),
            bytes_done: Bytes(50),
            unsized_layers: 0,
            more_layers: false,
        };
        self.handle(Fact::Pulling { number, figures });
        let result = match failure {
            Some(kind) => Err(fault(kind)),
            None => {
                self.images.insert(reference);
                Ok(())
            }
        };
        self.handle(Fact::Pulled { number, result });
    }

    /// An image of a session: a step, then the end.
    fn commit(&mut self, number: CommitNumber, plan: &CommitPlan, failure: Option<FailureKind>) {
        let what = "checking the space";
        let begun = CommitStep::Begun {
            number: 1,
            of: 3,
            what,
        };
        let end = match failure {
            Some(kind) => Err(fault(kind)),
            None => Ok(CommitStep::Done {
                reference: format!("localhost/workbay/me/tool:1-customized_{}", plan.name),
            }),
        };
        for result in [Ok(begun), end] {
            let session = plan.session;
            self.handle(Fact::Committing {
                session,
                number,
                result,
            });
        }
    }

    /// Carries out one order, or lets it fail.
    pub fn carry_out(&mut self, index: usize, failure: Option<FailureKind>) {
        let order = self.orders.remove(index);
        if let Order::CancelPull { number } = order {
            let is_it = |it: &Order| matches!(it, Order::Pull { number: n, .. } if *n == number);
            return self.orders.retain(|it| !is_it(it));
        }
        if let Order::CancelCommit { number } = order {
            let is_it = |it: &Order| matches!(it, Order::Commit { number: n, .. } if *n == number);
            return self.orders.retain(|it| !is_it(it));
        }
        if let Order::Connect { connection } = order {
            self.connection = connection;
        }
        let failure = if self.connected {
            failure
        } else {
            Some(FailureKind::Unreachable)
        };
        if let Order::Pull { number, reference } = order {
            return self.pull(number, reference, failure);
        }
        if let Order::Commit { number, plan } = order {
            return self.commit(number, &plan, failure);
        }
        let fact = match (&order, failure) {
            (Order::Connect { connection }, None) => Fact::EngineUp {
                connection: *connection,
                info: self.info.clone(),
                survey: self.survey(),
            },
            (Order::Connect { connection }, Some(kind)) => Fact::EngineDown {
                connection: *connection,
                failure: fault(kind),
            },
            (Order::Survey { survey, .. }, failure) => Fact::Surveyed {
                survey: *survey,
                result: failure.map_or_else(|| Ok(self.survey()), |kind| Err(fault(kind))),
            },
            (Order::StopHook { session, epoch, .. }, failure) => {
                self.stop_hooks.push(*session);
                let outcome = failure.map_or(Outcome::Success, |_| Outcome::Failure);
                let words = "its last words".into();
                Fact::WillDone {
                    session: *session,
                    epoch: *epoch,
                    end: StopHookEnd { outcome, words },
                }
            }
            (order, failure) => {
                let (session, epoch) = order.about().unwrap();
                let result = match failure {
                    Some(kind) => Err(fault(kind)),
                    None => Ok(self.act(order)),
                };
                Fact::Done {
                    session,
                    epoch,
                    order: order.kind(),
                    result,
                }
            }
        };
        self.handle(fact);
    }

    pub fn act(&mut self, order: &Order) -> Option<Sighting> {
        match order {
            Order::Create { plan, .. } => {
                let sight = Sighting {
                    session: plan.session,
                    kernel: plan.kernel,
                    container_id: "c".into(),
                    name: None,
                    state: ContainerState::Created,
                    address: None,
                    subs: (1..).zip(&plan.subs).map(sub).collect(),
                    home: Some("/scratch".to_owned()),
                    recorded: Some(Box::new(Recorded {
                        name: Clean::new(&plan.name),
                        created_at: plan.created_at,
                        owner: "me".into(),
                        spec: plan.spec.clone(),
                    })),
                };
                let there = self.there.entry(plan.session).or_insert(sight).clone();
                self.check_capacity();
                return Some(there);
            }
            Order::Start { session, .. } => {
                if let Some(sight) = self.there.get_mut(session) {
                    sight.state = ContainerState::Running { started_at: None };
                    for sub in &mut sight.subs {
                        sub.state = ContainerState::Running { started_at: None };
                    }
                }
            }
            Order::Stop { session, .. } => {
                self.die(*session, 143);
                self.die_sub(*session, 1, 143);
                self.die_sub(*session, 2, 143);
            }
            Order::Remove { session, .. } => drop(self.there.remove(session)),
            Order::Inspect { session, .. } => return self.there.get(session).cloned(),
            _ => {}
        }
        None
    }

    pub fn die(&mut self, session: SessionId, exit_code: i64) {
        if let Some(sight) = self.there.get_mut(&session) {
            sight.state = exited(exit_code);
        }
    }

    /// Ends one of the other containers of a cluster session. The first one is 1.
    pub fn die_sub(&mut self, session: SessionId, number: usize, exit_code: i64) {
        let sight = self.there.get_mut(&session);
        if let Some(sub) = sight.and_then(|sight| sight.subs.get_mut(number - 1)) {
            sub.state = exited(exit_code);
        }
    }

    /// The sessions never use more than the machine has.
    fn check_capacity(&self) {
        let specs = self
            .there
            .values()
            .filter_map(|sight| sight.recorded.as_ref());
        let used = specs.fold(self.others.clone(), |sum, it| {
            sum.plus(&it.spec.total_slots())
        });
        let host = &self.settings.resources.host;
        let all = ResourceSlots::new(
            host.cpu.unwrap_or(self.info.cpus),
            host.mem.unwrap_or(self.info.memory),
        );
        let plain = ResourceSlots::new(used.cpu, used.mem);
        assert!(plain.fits(&all), "{used:?} are more than {all:?}");
    }
}

fn exited(exit_code: i64) -> ContainerState {
    ContainerState::Exited {
        exit_code,
        oom_killed: false,
        finished_at: None,
    }
}

fn sub((number, kernel): (u32, &KernelId)) -> SubSighting {
    SubSighting {
        kernel: *kernel,
        hostname: Clean::new(&format!("sub{number}")),
        container_id: Clean::new(&format!("s{number}")),
        state: ContainerState::Created,
    }
}
