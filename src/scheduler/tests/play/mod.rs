//! A simulated engine and a database that accepts every write, to run the scheduler without a
//! daemon.

mod engine;
mod rest;

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::{
    engine::api::Sighting,
    model::{
        capability::{Capability, EngineInfo},
        change::Change,
        failure::{Failure, FailureKind},
        folder::Folder,
        history::HistoryEntry,
        id::{ContextName, KernelId, SessionId},
        notice::Notice,
        pull::Pull,
        record::{SessionRecord, Write},
        request::SessionRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        settings::{
            EngineSettings, HistorySettings, HookSettings, LaunchSettings, NotificationSettings,
            Settings, TerminalSettings,
        },
        spec::LaunchRequest,
        statistics::Statistics,
        status::Status,
        text::Clean,
    },
    scheduler::{
        Scheduler,
        fact::{Fact, Launch, SchedulerRequest},
        order::Order,
        turn::Turn,
    },
    state_machine::Answer,
};

pub fn settings() -> Settings {
    Settings {
        launch: LaunchSettings {
            environment: "host".into(),
            cpu: Cpu::from_millis(1000),
            mem: Bytes::mib(64),
            shmem: Bytes::mib(16),
            pids: 100,
            env: BTreeMap::new(),
            secrets: crate::model::secret_rules::SecretRules::default(),
        },
        engine: EngineSettings {
            endpoint: None,
            stop_grace_seconds: 5,
        },
        notifications: NotificationSettings::default(),
        hooks: HookSettings::default(),
        history: HistorySettings {
            keep_days: 7,
            keep_space: Bytes(0),
        },
        terminal: TerminalSettings::default(),
        ..Settings::blank()
    }
}

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub fn fault(kind: FailureKind) -> Failure {
    Failure::new(kind, "no")
}

/// A simulated engine that carries out orders when the test says so, and a database that accepts
/// every write.
pub struct Play {
    pub scheduler: Scheduler,
    pub settings: Settings,
    pub now: i64,
    /// Orders that aren't carried out yet.
    pub orders: Vec<Order>,
    pub there: BTreeMap<SessionId, Sighting>,
    pub stored: BTreeMap<SessionId, SessionRecord>,
    pub answered: BTreeMap<u64, Result<Answer, Failure>>,
    pub history: Vec<HistoryEntry>,
    /// Sessions that were reported as changed, in order.
    pub changed: Vec<SessionId>,
    /// Notifications, in order.
    pub notices: Vec<Notice>,
    /// Sessions whose stop hook began, once for each time.
    pub stop_hooks: Vec<SessionId>,
    /// What the sessions use, as reported.
    pub statistics: Option<Box<Statistics>>,
    /// How many writes there were in total.
    pub written: usize,
    pub others: ResourceSlots,
    pub lacks: Vec<(Capability, Clean)>,
    pub folders: Vec<Folder>,
    /// The images on the engine.
    pub images: BTreeSet<String>,
    /// The reported progress of each image's pull, in order.
    pub pulls: Vec<Pull>,
    pub info: EngineInfo,
    pub asked: u64,
    pub launched: Vec<SessionId>,
    pub connected: bool,
    pub connection: u32,
}

impl Play {
    pub fn new() -> Self {
        Self::with(settings())
    }

    pub fn with(settings: Settings) -> Self {
        let mut play = Self::on(settings, info());
        play.begin();
        play
    }

    /// A scheduler that hasn't connected to its engine yet.
    pub fn on(settings: Settings, info: EngineInfo) -> Self {
        let none = Vec::new();
        Self {
            scheduler: Scheduler::new(ContextName::local(), settings.clone(), "me".into(), none),
            settings,
            now: 0,
            orders: Vec::new(),
            there: BTreeMap::new(),
            stored: BTreeMap::new(),
            answered: BTreeMap::new(),
            history: Vec::new(),
            changed: Vec::new(),
            notices: Vec::new(),
            stop_hooks: Vec::new(),
            statistics: None,
            written: 0,
            others: ResourceSlots::default(),
            lacks: Vec::new(),
            folders: Vec::new(),
            images: BTreeSet::new(),
            pulls: Vec::new(),
            info,
            asked: 0,
            launched: Vec::new(),
            connected: true,
            connection: 0,
        }
    }

    pub fn begin(&mut self) {
        self.handle(Fact::Tick);
        self.work_off();
    }

    pub fn handle(&mut self, fact: Fact) {
        self.now += 1;
        let turn = self.scheduler.handle(at(self.now), fact);
        self.take(turn);
    }

    pub fn take(&mut self, turn: Turn) {
        self.written += turn.writes.len();
        for write in turn.writes {
            self.store(write);
        }
        for change in &turn.changes {
            match change {
                Change::Session { session } => self.changed.push(session.id),
                Change::Pull { pull, .. } => self.pulls.push((**pull).clone()),
                Change::Notice { notice } => self.notices.push((**notice).clone()),
                Change::Statistics { statistics, .. } => {
                    assert_ne!(
                        self.statistics, *statistics,
                        "reported though nothing changed"
                    );
                    self.statistics.clone_from(statistics);
                }
                _ => {}
            }
        }
        let known = self.scheduler.statistics().cloned().map(Box::new);
        assert_eq!(self.statistics, known);
        assert_eq!(known, self.scheduler.count().map(Box::new));
        for (ticket, answer) in turn.answers {
            if let Ok(Answer::Launched(session)) = &answer {
                self.launched.push(session.id);
            }
            let twice = self.answered.insert(ticket, answer);
            assert_eq!(twice, None, "ticket {ticket} was answered twice");
        }
        self.orders.extend(turn.orders);
        for fact in turn.follow {
            self.handle(fact);
        }
    }

    fn store(&mut self, write: Write) {
        match write {
            Write::Session(record) => drop(self.stored.insert(record.session.id, *record)),
            Write::History(entry) => {
                if let Some(from) = &entry.from {
                    let allowed = from == &entry.to || from.may_become(&entry.to);
                    assert!(allowed, "{from} became {} by {}", entry.to, entry.phase);
                }
                self.history.push(entry);
            }
            Write::HistoryAgain(entry) => {
                let same =
                    |old: &HistoryEntry| old.session == entry.session && old.phase == entry.phase;
                let place = self.history.iter().rposition(same);
                self.history[place.expect("an entry to be replaced")] = entry;
            }
            Write::DeleteSession { session } => {
                let stored = self.stored.remove(&session.id);
                assert!(stored.is_some(), "deleted and not stored");
            }
            // The other writes don't come from a scheduler, or aren't about a session.
            _ => {}
        }
    }

    pub fn ask(&mut self, ask: SchedulerRequest) -> u64 {
        self.asked += 1;
        let ticket = self.asked;
        self.handle(Fact::Asked { ticket, ask });
        ticket
    }

    pub fn launch(&mut self) -> u64 {
        self.launch_with(LaunchRequest::default())
    }

    pub fn launch_with(&mut self, request: LaunchRequest) -> u64 {
        let number = u128::from(self.asked + 1);
        let subs = 1..u128::from(request.containers());
        self.ask(SchedulerRequest::Launch(Box::new(Launch {
            repeatable: false,
            session: SessionId::from_u128(number << 96),
            kernel: KernelId::from_u128(number),
            subs: subs
                .map(|sub| KernelId::from_u128(number << 32 | sub))
                .collect(),
            request,
        })))
    }

    /// Launches a session and carries everything out. Returns the session.
    pub fn comes(&mut self, request: LaunchRequest) -> SessionId {
        let ticket = self.launch_with(request);
        self.work_off();
        match &self.answered[&ticket] {
            Ok(Answer::Launched(session)) => session.id,
            other => panic!("it was not launched: {other:?}"),
        }
    }

    /// Returns the failure of a launch.
    pub fn refused(&mut self, request: LaunchRequest) -> Failure {
        let ticket = self.launch_with(request);
        self.work_off();
        match &self.answered[&ticket] {
            Err(failure) => failure.clone(),
            other => panic!("it was not refused: {other:?}"),
        }
    }

    pub fn terminate(&mut self, session: SessionId) {
        let force = false;
        self.ask(SchedulerRequest::session(
            session,
            SessionRequest::Terminate { force },
        ));
        self.work_off();
    }

    /// Carries out all orders and lets deadlines pass, until only waiting sessions are left.
    pub fn work_off(&mut self) {
        self.connected = true;
        let mut rounds = 0;
        for _ in 0..100_000 {
            if !self.orders.is_empty() {
                self.carry_out(0, None);
                continue;
            }
            let soon = at(self.now)
                .checked_add(SignedDuration::from_secs(300))
                .unwrap();
            let due = self.scheduler.next_deadline().filter(|due| *due <= soon);
            // Surveys for room repeat forever while a session waits.
            let looking = due.is_some() && self.scheduler.queue.look_at == due;
            rounds += u32::from(looking);
            match due {
                Some(due) if rounds < 3 || self.scheduler.queue.report_again_at.is_some() => {
                    self.now = self.now.max(due.as_second() - at(0).as_second());
                    self.handle(Fact::Tick);
                }
                _ => return,
            }
        }
        panic!("it never comes to rest: {:?}", self.orders);
    }

    /// A killed daemon: only the state database is left.
    pub fn restart(&mut self) {
        let records = self.stored.values().cloned().collect();
        let settings = self.settings.clone();
        self.scheduler = Scheduler::new(ContextName::local(), settings, "me".into(), records);
        self.statistics = None;
        self.orders.clear();
        for ticket in 1..=self.asked {
            let gone = Err(Failure::refused("the daemon was killed"));
            self.answered.entry(ticket).or_insert(gone);
        }
        self.handle(Fact::Tick);
    }

    /// Lets time pass.
    pub fn wait(&mut self, seconds: i64) {
        self.now += seconds;
        self.handle(Fact::Tick);
        self.work_off();
    }

    pub fn session(&self, id: SessionId) -> &crate::model::session::Session {
        self.scheduler.session(id).unwrap()
    }

    /// The status message of a session.
    pub fn why(&self, id: SessionId) -> String {
        let why = self.session(id).status_message.as_ref();
        why.map(ToString::to_string).unwrap_or_default()
    }

    pub fn status(&self, id: SessionId) -> Status {
        self.scheduler.session(id).unwrap().status.clone()
    }
}

pub fn info() -> EngineInfo {
    EngineInfo {
        cpus: Cpu::from_millis(4000),
        memory: Bytes(Bytes::GIB),
        ..EngineInfo::new("Play".into(), "play:".into())
    }
}
