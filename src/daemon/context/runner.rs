//! A context in the daemon: its state machine, what carries out its commands, and its engine.
//! No context waits for another one.

use jiff::SignedDuration;
use tokio::sync::mpsc;

use super::{
    driver::{Drive, Driver, reports},
    executor::Executor,
    lazy_engine::{AnyEngine, LazyEngine},
    manager_executor::ManagerExecutor,
};
use crate::{
    daemon::{
        options::{ContextSetup, EngineFactory, EngineSetup},
        sampling::{
            recorded::Recorded,
            recorder::Recorder,
            sampler::{Sampler, Samples},
        },
        storage::unloaded::UnloadedSessions,
        upgrade::Kept,
    },
    model::{
        capability::{Capability, EngineState},
        context::Context,
        failure::Failure,
        id::{SessionId, SessionKey},
        record::SessionRecord,
        request::{ContextRequest, SessionRequest},
        secret::Secret,
        secret_rules::SecretRules,
        spec::FolderMount,
        status::Tab,
        text::Clean,
    },
    observer::{
        Observer,
        fact::{Fact as Observed, ObserverRequest},
    },
    scheduler::{
        Scheduler,
        fact::{Fact, SchedulerRequest},
    },
    state_machine::{MachineState, Ticket},
};

/// The index of a context in the order of the configuration.
pub(in crate::daemon) type Number = usize;

/// The state machine of a context with what carries out its commands, for either kind of engine.
pub(in crate::daemon) enum ContextMachine {
    Scheduler(Box<Driver<Scheduler, Executor>>),
    Observer(Box<Driver<Observer, ManagerExecutor>>),
}

impl ContextMachine {
    pub fn known(&self) -> &dyn MachineState {
        self.driver().known()
    }

    /// Queues a request about a session for the state machine.
    pub fn ask_about_session(
        &mut self,
        ticket: Ticket,
        session: SessionId,
        request: SessionRequest,
    ) {
        match self {
            Self::Scheduler(driver) => driver.push(Fact::Asked {
                ticket,
                ask: SchedulerRequest::session(session, request),
            }),
            Self::Observer(driver) => driver.push(Observed::Asked {
                ticket,
                ask: ObserverRequest::session(session, request),
            }),
        }
    }

    /// Queues a request about the context for the state machine.
    pub fn ask_about_context(&mut self, ticket: Ticket, request: ContextRequest) {
        match self {
            Self::Scheduler(driver) => driver.push(Fact::Asked {
                ticket,
                ask: SchedulerRequest::Context(request),
            }),
            Self::Observer(driver) => driver.push(Observed::Asked {
                ticket,
                ask: ObserverRequest::Context(request),
            }),
        }
    }

    fn driver(&self) -> &dyn Drive {
        match self {
            Self::Scheduler(driver) => &**driver,
            Self::Observer(driver) => &**driver,
        }
    }
}

pub(in crate::daemon) struct ContextRunner {
    pub context: Context,
    pub machine: ContextMachine,
    pub lazy_engine: AnyEngine,
    pub sampler: Sampler,
    pub recorder: Recorder,
    /// Sessions whose use is recorded while no client watches.
    pub recorded: Recorded,
    pub unloaded: UnloadedSessions,
    /// Whether all sessions are known: the state database wasn't lost, or the engine was read since then.
    pub listed: bool,
    /// Which variables of a launch are secret.
    pub secrets: SecretRules,
}

impl ContextRunner {
    /// # Errors
    ///
    /// The context is read-only.
    pub fn require_changes(&self) -> Result<(), Failure> {
        if !self.context.read_only {
            return Ok(());
        }
        let text = tr_sent!("context '{name}' is read-only", name = self.context.name);
        Err(Failure::refused(text).hint(
            tr_sent!("to allow changes, remove `read-only` of the context in contexts.toml, then run `workbay daemon stop`"),
        ))
    }

    /// The only place that distinguishes the two kinds of engines.
    pub fn new(
        setup: ContextSetup,
        number: Number,
        engine: EngineSetup,
        owner: &Clean,
        records: Vec<SessionRecord>,
        samples: mpsc::Sender<Samples>,
    ) -> Self {
        let name = setup.context.name;
        let secrets = engine.settings.launch.secrets.clone();
        let (machine, lazy_engine) = match setup.engine {
            EngineFactory::Containers(make) => {
                let settings = engine.settings.clone();
                let lazy_engine = LazyEngine::new(make, engine);
                let scheduler = Scheduler::new(name, settings, owner.clone(), records);
                let (reporter, reports) = reports();
                let executor = Executor::new(lazy_engine.clone(), reporter);
                let driver = Driver::new(scheduler, executor, reports);
                (
                    ContextMachine::Scheduler(Box::new(driver)),
                    AnyEngine::Containers(lazy_engine),
                )
            }
            EngineFactory::Manager(make) => {
                let lazy_engine = LazyEngine::new(make, engine);
                let refresh =
                    SignedDuration::try_from(setup.refresh).unwrap_or(SignedDuration::MAX);
                let (reporter, reports) = reports();
                let runner = ManagerExecutor::new(lazy_engine.clone(), reporter);
                let driver = Driver::new(Observer::new(name, refresh), runner, reports);
                (
                    ContextMachine::Observer(Box::new(driver)),
                    AnyEngine::Manager(lazy_engine),
                )
            }
        };
        let mut runner = Self {
            context: setup.context,
            machine,
            recorded: Recorded::default(),
            sampler: Sampler::new(lazy_engine.clone(), number, samples),
            recorder: Recorder::default(),
            unloaded: UnloadedSessions::default(),
            listed: true,
            lazy_engine,
            secrets,
        };
        runner.recorded = Recorded::of(runner.known().sessions());
        runner
    }

    /// What the state machine knows.
    pub fn known(&self) -> &dyn MachineState {
        self.machine.known()
    }

    pub fn known_mut(&mut self) -> &mut dyn MachineState {
        self.driver_mut().known_mut()
    }

    pub fn driver(&self) -> &dyn Drive {
        self.machine.driver()
    }

    /// Whether home directories of its sessions are on this machine, as far as known.
    pub fn uses_this_disk(&self) -> bool {
        if self.known().is_observing() {
            return false;
        }
        match self.known().engine() {
            EngineState::Connected { info } => {
                info.capabilities.has(Capability::HostEnvironment)
                    || info.capabilities.has(Capability::Folders)
            }
            _ => true,
        }
    }

    pub fn driver_mut(&mut self) -> &mut dyn Drive {
        match &mut self.machine {
            ContextMachine::Scheduler(driver) => &mut **driver,
            ContextMachine::Observer(driver) => &mut **driver,
        }
    }

    /// Secrets of queued sessions: they are only in memory.
    pub fn queued_secrets(&self) -> Vec<Kept> {
        let ContextMachine::Scheduler(driver) = &self.machine else {
            return Vec::new();
        };
        let kept = driver.machine.secrets().map(|(id, values)| Kept {
            session: SessionKey::new(self.context.name, id),
            values: values
                .iter()
                .map(|(name, value)| (name.clone(), value.expose().to_owned()))
                .collect(),
        });
        kept.collect()
    }

    /// Restores secrets that the process kept across an upgrade.
    pub fn restore_secrets(&mut self, kept: Kept) {
        if let ContextMachine::Scheduler(driver) = &mut self.machine {
            let values = kept.values.into_iter();
            let values = values.map(|(name, value)| (name, Secret::new(value)));
            let values = values.collect();
            driver.machine.restore_secrets(kept.session.id, values);
        }
    }

    /// Sets the boot id of this machine.
    pub fn set_boot(&mut self, boot: Option<&Clean>) {
        if let ContextMachine::Scheduler(driver) = &mut self.machine {
            driver.machine.set_boot(boot.cloned());
        }
    }

    /// Sets where folders are mounted in sessions that this instance launched.
    pub fn add_mounts(&mut self, mounts: Vec<(SessionId, Vec<FolderMount>)>) {
        if let ContextMachine::Observer(driver) = &mut self.machine {
            driver.machine.add_mounts(mounts);
        }
    }

    /// Reports whether clients are watching. Without one, observers send fewer requests, and other engines aren't
    /// checked for being unresponsive.
    pub fn set_watched(&mut self, watched: bool) {
        match &mut self.machine {
            ContextMachine::Scheduler(driver) => driver.executor.set_watched(watched),
            ContextMachine::Observer(driver) => driver.push(Observed::Watched(watched)),
        }
    }

    /// The sessions per tab, if not all of them are in memory.
    pub fn totals(&self) -> Option<[u64; 3]> {
        if self.unloaded.left() == 0 {
            return self.known().totals();
        }
        let mut totals = [0; 3];
        for session in self.known().sessions() {
            totals[session.tab() as usize] += 1;
        }
        totals[Tab::Finished as usize] += self.unloaded.left();
        Some(totals)
    }
}
