//! An engine that is played, and a store that takes all: the controller without a daemon.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};

use crate::{
    controller::{
        Controller,
        fact::{
            Ask, Fact, Fault, FaultKind, Launch, Sight, SightRecord, SightState, SubSight, Survey,
        },
        order::Order,
        turn::{Answer, Refusal, Turn},
    },
    model::{
        capability::EngineInfo,
        catalogue::Folder,
        change::Change,
        environment::{Environment, EnvironmentSource, ImageFacts},
        history::HistoryEntry,
        id::{ContextName, KernelId, SessionId},
        notice::Notice,
        record::{SessionRecord, Write},
        resources::{Bytes, Cpu, ResourceSlots},
        settings::{EngineSettings, HistorySettings, LaunchSettings, Settings},
        spec::LaunchRequest,
        status::Status,
        text::Clean,
    },
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
        },
        engine: EngineSettings {
            endpoint: None,
            stop_grace_seconds: 5,
        },
        history: HistorySettings { keep_days: 7 },
        ..Settings::blank()
    }
}

pub fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

pub fn fault(kind: FaultKind) -> Fault {
    Fault {
        kind,
        text: "no".into(),
        mend: None,
    }
}

/// An engine that carries orders out (or not) when the test says so, and a store that takes all.
pub struct Play {
    pub controller: Controller,
    pub settings: Settings,
    pub now: i64,
    /// Orders given and not carried out.
    pub orders: Vec<Order>,
    pub there: BTreeMap<SessionId, Sight>,
    pub stored: BTreeMap<SessionId, SessionRecord>,
    pub answered: BTreeMap<u64, Result<Answer, Refusal>>,
    pub history: Vec<HistoryEntry>,
    /// Sessions told as changed, in their order.
    pub told: Vec<SessionId>,
    /// What people were told, in its order.
    pub notices: Vec<Notice>,
    /// How much was written in all.
    pub written: usize,
    pub others: ResourceSlots,
    pub folders: Vec<Folder>,
    pub info: EngineInfo,
    pub asked: u64,
    pub launched: Vec<SessionId>,
    pub connected: bool,
    pub line: u32,
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

    /// Before its first word with the engine.
    pub fn on(settings: Settings, info: EngineInfo) -> Self {
        let none = Vec::new();
        Self {
            controller: Controller::new(ContextName::local(), settings.clone(), "me".into(), none),
            settings,
            now: 0,
            orders: Vec::new(),
            there: BTreeMap::new(),
            stored: BTreeMap::new(),
            answered: BTreeMap::new(),
            history: Vec::new(),
            told: Vec::new(),
            notices: Vec::new(),
            written: 0,
            others: ResourceSlots::default(),
            folders: Vec::new(),
            info,
            asked: 0,
            launched: Vec::new(),
            connected: true,
            line: 0,
        }
    }

    pub fn begin(&mut self) {
        self.tell(Fact::Tick);
        self.work_off();
    }

    pub fn tell(&mut self, fact: Fact) {
        self.now += 1;
        let turn = self.controller.handle(at(self.now), fact);
        self.take(turn);
    }

    pub fn take(&mut self, turn: Turn) {
        self.written += turn.writes.len();
        for write in turn.writes {
            self.store(write);
        }
        for change in &turn.changes {
            match change {
                Change::Session { session } => self.told.push(session.id),
                Change::Notice { notice } => self.notices.push((**notice).clone()),
                _ => {}
            }
        }
        for (ticket, answer) in turn.answers {
            if let Ok(Answer::Launched(session)) = &answer {
                self.launched.push(session.id);
            }
            let twice = self.answered.insert(ticket, answer);
            assert_eq!(twice, None, "ticket {ticket} was answered twice");
        }
        self.orders.extend(turn.orders);
        for fact in turn.follow {
            self.tell(fact);
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
            Write::Figures { .. } | Write::Recent { .. } | Write::Audit(_) => {}
        }
    }

    pub fn ask(&mut self, ask: Ask) -> u64 {
        self.asked += 1;
        let ticket = self.asked;
        self.tell(Fact::Asked { ticket, ask });
        ticket
    }

    pub fn launch(&mut self) -> u64 {
        self.launch_with(LaunchRequest::default())
    }

    pub fn launch_with(&mut self, request: LaunchRequest) -> u64 {
        let number = u128::from(self.asked + 1);
        let subs = 1..u128::from(request.containers());
        self.ask(Ask::Launch(Box::new(Launch {
            session: SessionId::from_u128(number << 96),
            kernel: KernelId::from_u128(number),
            subs: subs
                .map(|sub| KernelId::from_u128(number << 32 | sub))
                .collect(),
            request,
        })))
    }

    /// Launches and lets everything come to rest; the session it became.
    pub fn comes(&mut self, request: LaunchRequest) -> SessionId {
        let ticket = self.launch_with(request);
        self.work_off();
        match &self.answered[&ticket] {
            Ok(Answer::Launched(session)) => session.id,
            other => panic!("it was not launched: {other:?}"),
        }
    }

    /// The refusal of a launch.
    pub fn refused(&mut self, request: LaunchRequest) -> Refusal {
        let ticket = self.launch_with(request);
        self.work_off();
        match &self.answered[&ticket] {
            Err(refusal) => refusal.clone(),
            other => panic!("it was not refused: {other:?}"),
        }
    }

    pub fn terminate(&mut self, session: SessionId) {
        let force = false;
        self.ask(Ask::Terminate { session, force });
        self.work_off();
    }

    pub fn survey(&self) -> Survey {
        Survey {
            seen: self.there.values().cloned().collect(),
            others: self.others.clone(),
            environments: Some(vec![Environment {
                name: "host".into(),
                version: "1".into(),
                source: EnvironmentSource::Host,
                size: None,
                unavailable: None,
                facts: ImageFacts::default(),
            }]),
            folders: Some(self.folders.clone()),
        }
    }

    /// Carries one order out, or lets it fail.
    pub fn carry_out(&mut self, index: usize, failure: Option<FaultKind>) {
        let order = self.orders.remove(index);
        if let Order::Connect { line } = order {
            self.line = line;
        }
        let failure = if self.connected {
            failure
        } else {
            Some(FaultKind::Lost)
        };
        let fact = match (&order, failure) {
            (Order::Connect { line }, None) => Fact::EngineUp {
                line: *line,
                info: self.info.clone(),
                survey: self.survey(),
            },
            (Order::Connect { line }, Some(kind)) => Fact::EngineDown {
                line: *line,
                fault: fault(kind),
            },
            (Order::Survey { survey, .. }, failure) => Fact::Surveyed {
                survey: *survey,
                result: failure.map_or_else(|| Ok(self.survey()), |kind| Err(fault(kind))),
            },
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
        self.tell(fact);
    }

    pub fn act(&mut self, order: &Order) -> Option<Sight> {
        match order {
            Order::Create { plan, .. } => {
                let sight = Sight {
                    session: plan.session,
                    kernel: plan.kernel,
                    container_id: "c".into(),
                    state: SightState::Created,
                    subs: (1..).zip(&plan.subs).map(sub).collect(),
                    scratch: None,
                    recorded: Some(Box::new(SightRecord {
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
                    sight.state = SightState::Running { started_at: None };
                    for sub in &mut sight.subs {
                        sub.state = SightState::Running { started_at: None };
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

    /// One of a cluster's other containers ends; the first is 1.
    pub fn die_sub(&mut self, session: SessionId, number: usize, exit_code: i64) {
        let sight = self.there.get_mut(&session);
        if let Some(sub) = sight.and_then(|sight| sight.subs.get_mut(number - 1)) {
            sub.state = exited(exit_code);
        }
    }

    /// Never more than the machine has, or is taken to have.
    fn check_capacity(&self) {
        let specs = self
            .there
            .values()
            .filter_map(|sight| sight.recorded.as_ref());
        let held = specs.fold(self.others.clone(), |sum, it| {
            sum.plus(&it.spec.total_slots())
        });
        let host = &self.settings.resources.host;
        let all = ResourceSlots::new(
            host.cpu.unwrap_or(self.info.cpus),
            host.mem.unwrap_or(self.info.memory),
        );
        let plain = ResourceSlots::new(held.cpu, held.mem);
        assert!(plain.fits(&all), "{held:?} are more than {all:?}");
    }

    /// Carries everything out, lets deadlines come, until nothing moves but who waits.
    pub fn work_off(&mut self) {
        self.connected = true;
        let mut looks = 0;
        for _ in 0..100_000 {
            if !self.orders.is_empty() {
                self.carry_out(0, None);
                continue;
            }
            let soon = at(self.now)
                .checked_add(SignedDuration::from_secs(300))
                .unwrap();
            let due = self.controller.next_deadline().filter(|due| *due <= soon);
            // Whoever waits for room looks for it for ever.
            let looking = due.is_some() && self.controller.queue.look_at == due;
            looks += u32::from(looking);
            match due {
                Some(due) if looks < 3 || self.controller.queue.retell_at.is_some() => {
                    self.now = self.now.max(due.as_second() - at(0).as_second());
                    self.tell(Fact::Tick);
                }
                _ => return,
            }
        }
        panic!("it never comes to rest: {:?}", self.orders);
    }

    /// A killed daemon: what is in the store is all that is left.
    pub fn restart(&mut self) {
        let records = self.stored.values().cloned().collect();
        let settings = self.settings.clone();
        self.controller = Controller::new(ContextName::local(), settings, "me".into(), records);
        self.orders.clear();
        for ticket in 1..=self.asked {
            let gone = Err(Refusal::refused("the daemon was killed"));
            self.answered.entry(ticket).or_insert(gone);
        }
        self.tell(Fact::Tick);
    }

    /// Time passes.
    pub fn wait(&mut self, seconds: i64) {
        self.now += seconds;
        self.tell(Fact::Tick);
        self.work_off();
    }

    pub fn session(&self, id: SessionId) -> &crate::model::session::Session {
        self.controller.session(id).unwrap()
    }

    /// What is said of a session.
    pub fn why(&self, id: SessionId) -> String {
        let why = self.session(id).status_message.as_ref();
        why.map(ToString::to_string).unwrap_or_default()
    }

    pub fn status(&self, id: SessionId) -> Status {
        self.controller.session(id).unwrap().status.clone()
    }

    /// What must be true whenever nothing moves.
    pub fn check_rest(&self) {
        let running: BTreeSet<SessionId> = self
            .controller
            .sessions()
            .filter(|session| session.status.is_live())
            .map(|session| session.id)
            .collect();
        let there: BTreeSet<SessionId> = self.there.keys().copied().collect();
        let kept: BTreeSet<SessionId> = self
            .controller
            .sessions()
            .filter(|session| {
                let info = session.status_info.as_ref();
                info.is_some_and(|info| *info == "failed-to-terminate")
            })
            .map(|session| session.id)
            .collect();
        let strays: Vec<_> = there.difference(&running).collect();
        assert!(
            strays.iter().all(|id| kept.contains(id)),
            "strays: {strays:?}"
        );
        assert!(running.is_subset(&there), "running without a container");
        for session in self.controller.sessions() {
            let waits = session.status == Status::Pending;
            let rests = matches!(
                session.status,
                Status::Running
                    | Status::RunningDegraded
                    | Status::Terminated
                    | Status::Cancelled
                    | Status::Error
            );
            let rests = rests || waits && session.placement.queue_position.is_some();
            assert!(rests, "{} hangs in {}", session.name, session.status);
            assert_eq!(session.pending_request, None);
            let mut stored = self.stored[&session.id].session.clone();
            if waits {
                // Places are told, not stored.
                stored.placement.queue_position = session.placement.queue_position;
                stored.status_message.clone_from(&session.status_message);
            }
            assert_eq!(stored, *session, "the store knows another session");
        }
        for id in &self.launched {
            assert!(self.stored.contains_key(id), "a session was lost");
        }
        for ticket in 1..=self.asked {
            assert!(self.answered.contains_key(&ticket), "ticket {ticket} waits");
        }
    }
}

pub fn exited(exit_code: i64) -> SightState {
    SightState::Exited {
        exit_code,
        oom_killed: false,
        finished_at: None,
    }
}

fn sub((number, kernel): (u32, &KernelId)) -> SubSight {
    SubSight {
        kernel: *kernel,
        hostname: Clean::new(&format!("sub{number}")),
        container_id: Clean::new(&format!("s{number}")),
        state: SightState::Created,
    }
}

pub fn info() -> EngineInfo {
    EngineInfo {
        cpus: Cpu::from_millis(4000),
        memory: Bytes(Bytes::GIB),
        ..EngineInfo::new("Play".into(), "play:".into())
    }
}
