//! A scheduler in front of which many sessions wait for the only core, and the engine it speaks to.

use std::{collections::BTreeMap, time::Duration};

use jiff::Timestamp;
use workbay::{
    model::{
        capability::EngineInfo,
        environment::{EnvironmentRef, EnvironmentSource},
        id::{ContextName, KernelId, SessionId, SessionKey},
        kernel::Kernel,
        policy::ResourceRules,
        record::{SessionRecord, Step},
        resources::{Bytes, Cpu},
        session::Session,
        settings::{
            EngineSettings, HistorySettings, HookSettings, LaunchSettings, NotificationSettings,
            Settings,
        },
        spec::LaunchSpec,
        status::Status,
    },
    scheduler::{
        Scheduler,
        fact::{Fact, Survey},
        order::{Order, OrderKind},
        turn::Turn,
    },
};

pub struct Crowd {
    scheduler: Scheduler,
    now: i64,
    running: Option<(SessionId, u32)>,
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

impl Crowd {
    pub fn waiting(count: u32, skip: u32) -> Self {
        let records = (0..count).map(record).collect();
        let scheduler = Scheduler::new(ContextName::local(), settings(skip), "me".into(), records);
        let mut crowd = Self {
            scheduler,
            now: 0,
            running: None,
        };
        crowd.handle(Fact::Tick);
        crowd.handle(Fact::EngineUp {
            connection: 1,
            info: info(),
            survey: Survey::default(),
        });
        // Every session gets its first position.
        for _ in 0..40 {
            crowd.handle(Fact::Tick);
        }
        crowd
    }

    /// One fact alone, without what follows from it.
    pub fn timed(&mut self, fact: Fact) -> Duration {
        self.now += 1;
        let now = at(self.now);
        let (turn, time) = super::timed(|| self.scheduler.handle(now, fact));
        self.take(turn);
        time
    }

    /// The one that has the core is gone; the round that follows is not carried out.
    pub fn end_the_running(&mut self) {
        let (session, epoch) = self.running.take().expect("one has the core");
        let ended = Fact::Done {
            session,
            epoch,
            order: OrderKind::Create,
            result: Err(workbay::model::failure::Failure::reported("no")),
        };
        self.now += 1;
        let turn = self.scheduler.handle(at(self.now), ended);
        let removal = turn.orders.iter().find_map(Order::about).expect("removed");
        self.now += 1;
        let removed = Fact::Done {
            session: removal.0,
            epoch: removal.1,
            order: OrderKind::Remove,
            result: Ok(None),
        };
        self.scheduler.handle(at(self.now), removed);
    }

    fn handle(&mut self, fact: Fact) {
        self.now += 1;
        let turn = self.scheduler.handle(at(self.now), fact);
        let follow = self.take(turn);
        for fact in follow {
            self.handle(fact);
        }
    }

    fn take(&mut self, turn: Turn) -> Vec<Fact> {
        for order in &turn.orders {
            if let Order::Create { epoch, plan } = order {
                self.running = Some((plan.session, *epoch));
            }
        }
        turn.follow
    }
}

fn record(number: u32) -> SessionRecord {
    let id = SessionId::from_u128(u128::from(number + 1) << 64);
    let source = EnvironmentSource::Host;
    let environment = EnvironmentRef {
        name: "host".into(),
        version: "1".into(),
        source: source.clone(),
    };
    let key = SessionKey::new(ContextName::local(), id);
    let name = format!("waits-{number}");
    let mut session = Session::new(
        key,
        name.as_str().into(),
        environment,
        at(i64::from(number)),
    );
    session.status = Status::Pending;
    let kernel = KernelId::from_u128(u128::from(number));
    session.kernels = vec![Kernel::new(kernel, "main1".into(), Status::Pending)];
    let mem = Bytes::mib(64);
    let spec = LaunchSpec {
        env: BTreeMap::from([("STAGE".to_owned(), "bench".to_owned())]),
        ..LaunchSpec::new(source, "host:1".into(), Cpu::from_millis(1000), mem, mem)
    };
    SessionRecord::new(session, spec, Step::Wait)
}

fn info() -> EngineInfo {
    EngineInfo {
        cpus: Cpu::from_millis(1000),
        memory: Bytes(Bytes::GIB),
        ..EngineInfo::new("Docker".into(), "none:".into())
    }
}

fn settings(skip: u32) -> Settings {
    let mut resources = ResourceRules::default();
    for group in resources.groups.values_mut() {
        group.num_retries_to_skip = skip;
    }
    Settings {
        launch: LaunchSettings {
            environment: "host".into(),
            cpu: Cpu::from_millis(1000),
            mem: Bytes::mib(64),
            shmem: Bytes::mib(16),
            pids: 100,
            env: BTreeMap::new(),
            secrets: workbay::model::secret_rules::SecretRules::default(),
        },
        engine: EngineSettings {
            endpoint: None,
            stop_grace_seconds: 5,
        },
        notifications: NotificationSettings::default(),
        hooks: HookSettings::default(),
        history: HistorySettings {
            keep_days: 7,
            ..workbay::model::settings::Settings::blank().history
        },
        resources,
        ..Settings::blank()
    }
}
