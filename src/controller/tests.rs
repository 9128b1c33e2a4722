//! The controller played through without a daemon: any order of facts must keep its promises.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;

use super::{
    Controller,
    fact::{
        Ask, Fact, Fault, FaultKind, Happening, Launch, Sight, SightRecord, SightState, Survey,
    },
    order::{Order, OrderKind},
    turn::{Answer, Turn},
};
use crate::model::{
    capability::{Capabilities, EngineInfo, EngineState},
    environment::{Environment, EnvironmentSource, ImageFacts},
    id::{ContextName, KernelId, SessionId},
    policy::ResourceRules,
    record::{SessionRecord, Write},
    resources::{Bytes, Cpu, ResourceSlots},
    settings::{EngineSettings, HistorySettings, LaunchSettings, Settings, UiSettings},
    spec::LaunchRequest,
    status::Status,
    text::Clean,
};

fn settings() -> Settings {
    Settings {
        ui: UiSettings {
            theme: "auto".into(),
            keymap: "default".into(),
            mouse: true,
            unicode: None,
            read_only: false,
        },
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
        resources: ResourceRules::default(),
    }
}

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + second).unwrap()
}

fn fault(kind: FaultKind) -> Fault {
    Fault {
        kind,
        text: "no".into(),
        mend: None,
    }
}

/// An engine that carries orders out (or not) when the test says so, and a store that takes all.
struct Play {
    controller: Controller,
    now: i64,
    /// Orders given and not carried out.
    orders: Vec<Order>,
    there: BTreeMap<SessionId, Sight>,
    stored: BTreeMap<SessionId, SessionRecord>,
    answered: BTreeMap<u64, bool>,
    asked: u64,
    launched: Vec<SessionId>,
    connected: bool,
    line: u32,
}

impl Play {
    fn new() -> Self {
        let mut play = Self {
            controller: Controller::new(ContextName::local(), settings(), "me".into(), Vec::new()),
            now: 0,
            orders: Vec::new(),
            there: BTreeMap::new(),
            stored: BTreeMap::new(),
            answered: BTreeMap::new(),
            asked: 0,
            launched: Vec::new(),
            connected: true,
            line: 0,
        };
        play.tell(Fact::Tick);
        play.work_off();
        play
    }

    fn tell(&mut self, fact: Fact) {
        self.now += 1;
        let turn = self.controller.handle(at(self.now), fact);
        self.take(turn);
    }

    fn take(&mut self, turn: Turn) {
        for write in turn.writes {
            match write {
                Write::Session(record) => drop(self.stored.insert(record.session.id, *record)),
                Write::History(entry) => {
                    if let Some(from) = &entry.from {
                        let allowed = from.may_become(&entry.to);
                        assert!(allowed, "{from} became {} by {}", entry.to, entry.phase);
                    }
                }
                Write::HistoryAgain(_) | Write::Recent { .. } => {}
                Write::Audit(_) => {}
            }
        }
        for (ticket, answer) in turn.answers {
            if let Ok(Answer::Launched(session)) = &answer {
                self.launched.push(session.id);
            }
            let twice = self.answered.insert(ticket, answer.is_ok());
            assert_eq!(twice, None, "ticket {ticket} was answered twice");
        }
        self.orders.extend(turn.orders);
        for fact in turn.follow {
            self.tell(fact);
        }
    }

    fn ask(&mut self, ask: Ask) -> u64 {
        self.asked += 1;
        let ticket = self.asked;
        self.tell(Fact::Asked { ticket, ask });
        ticket
    }

    fn launch(&mut self) -> u64 {
        let number = u128::from(self.asked + 1);
        self.ask(Ask::Launch(Box::new(Launch {
            request: LaunchRequest::default(),
            session: SessionId::from_u128(number << 96),
            kernel: KernelId::from_u128(number),
            subs: Vec::new(),
        })))
    }

    fn survey(&self) -> Survey {
        Survey {
            seen: self.there.values().cloned().collect(),
            others: ResourceSlots::default(),
            environments: Some(vec![Environment {
                name: "host".into(),
                version: "1".into(),
                source: EnvironmentSource::Host,
                size: None,
                unavailable: None,
                facts: ImageFacts::default(),
            }]),
            folders: None,
        }
    }

    /// Carries one order out, or lets it fail.
    fn carry_out(&mut self, index: usize, failure: Option<FaultKind>) {
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
                info: info(),
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

    fn act(&mut self, order: &Order) -> Option<Sight> {
        match order {
            Order::Create { plan, .. } => {
                let sight = Sight {
                    session: plan.session,
                    kernel: plan.kernel,
                    container_id: "c".into(),
                    state: SightState::Created,
                    subs: Vec::new(),
                    scratch: None,
                    recorded: Some(Box::new(SightRecord {
                        name: Clean::new(&plan.name),
                        created_at: plan.created_at,
                        owner: "me".into(),
                        spec: plan.spec.clone(),
                    })),
                };
                let there = self.there.entry(plan.session).or_insert(sight);
                return Some(there.clone());
            }
            Order::Start { session, .. } => {
                if let Some(sight) = self.there.get_mut(session) {
                    sight.state = SightState::Running { started_at: None };
                }
            }
            Order::Stop { session, .. } => self.die(*session, 143),
            Order::Remove { session, .. } => drop(self.there.remove(session)),
            Order::Inspect { session, .. } => return self.there.get(session).cloned(),
            _ => {}
        }
        None
    }

    fn die(&mut self, session: SessionId, exit_code: i64) {
        if let Some(sight) = self.there.get_mut(&session) {
            sight.state = SightState::Exited {
                exit_code,
                oom_killed: false,
                finished_at: None,
            };
        }
    }

    /// Carries everything out, lets deadlines come, until nothing moves.
    fn work_off(&mut self) {
        self.connected = true;
        for _ in 0..10_000 {
            if !self.orders.is_empty() {
                self.carry_out(0, None);
                continue;
            }
            let soon = at(self.now)
                .checked_add(SignedDuration::from_secs(300))
                .unwrap();
            match self.controller.next_deadline().filter(|due| *due <= soon) {
                Some(due) => {
                    self.now = self.now.max(due.as_second() - at(0).as_second());
                    self.tell(Fact::Tick);
                }
                None => return,
            }
        }
        panic!("it never comes to rest: {:?}", self.orders);
    }

    /// A killed daemon: what is in the store is all that is left.
    fn restart(&mut self) {
        let records = self.stored.values().cloned().collect();
        self.controller = Controller::new(ContextName::local(), settings(), "me".into(), records);
        self.orders.clear();
        for ticket in 1..=self.asked {
            self.answered.entry(ticket).or_insert(false);
        }
        self.tell(Fact::Tick);
    }

    fn status(&self, id: SessionId) -> Status {
        self.controller.session(id).unwrap().status.clone()
    }

    /// What must be true whenever nothing moves.
    fn check_rest(&self) {
        let running: BTreeSet<SessionId> = self
            .controller
            .sessions()
            .filter(|session| session.status == Status::Running)
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
            let rests = matches!(
                session.status,
                Status::Running | Status::Terminated | Status::Cancelled | Status::Error
            );
            assert!(rests, "{} hangs in {}", session.name, session.status);
            assert_eq!(session.pending_request, None);
            let stored = &self.stored[&session.id].session;
            assert_eq!(stored, session, "the store knows another session");
        }
        for id in &self.launched {
            assert!(self.stored.contains_key(id), "a session was lost");
        }
        for ticket in 1..=self.asked {
            assert!(self.answered.contains_key(&ticket), "ticket {ticket} waits");
        }
    }
}

fn info() -> EngineInfo {
    EngineInfo {
        kind: "Play".into(),
        version: "1".into(),
        api_version: "1".into(),
        endpoint: "play:".into(),
        cpus: Cpu::from_millis(4000),
        memory: Bytes(Bytes::GIB),
        accelerators: BTreeMap::new(),
        user: None,
        capabilities: Capabilities::default(),
    }
}

/// One thing that a person, the engine or fate does.
#[derive(Clone, Debug)]
enum Deed {
    Launch,
    Terminate(usize, bool),
    Rename(usize),
    CarryOut(usize),
    Fail(usize, bool),
    Die(usize),
    Vanish(usize),
    Cut,
    Return,
    Refresh,
    Restart,
    Wait,
}

fn deed() -> impl Strategy<Value = Deed> {
    let which = 0..100_usize;
    prop_oneof![
        3 => Just(Deed::Launch),
        3 => (which.clone(), any::<bool>()).prop_map(|(n, force)| Deed::Terminate(n, force)),
        1 => which.clone().prop_map(Deed::Rename),
        10 => which.clone().prop_map(Deed::CarryOut),
        2 => (which.clone(), any::<bool>()).prop_map(|(n, lost)| Deed::Fail(n, lost)),
        2 => which.clone().prop_map(Deed::Die),
        1 => which.prop_map(Deed::Vanish),
        1 => Just(Deed::Cut),
        2 => Just(Deed::Return),
        1 => Just(Deed::Refresh),
        1 => Just(Deed::Restart),
        2 => Just(Deed::Wait),
    ]
}

impl Play {
    fn one_of(&self, number: usize) -> Option<SessionId> {
        let ids: Vec<SessionId> = self.controller.sessions().map(|s| s.id).collect();
        (!ids.is_empty()).then(|| ids[number % ids.len()])
    }

    fn do_deed(&mut self, deed: Deed) {
        match deed {
            Deed::Launch => drop(self.launch()),
            Deed::Terminate(number, force) => {
                if let Some(session) = self.one_of(number) {
                    self.ask(Ask::Terminate { session, force });
                }
            }
            Deed::Rename(number) => {
                if let Some(session) = self.one_of(number) {
                    let name = format!("name-{}", self.asked);
                    self.ask(Ask::Rename { session, name });
                }
            }
            Deed::CarryOut(number) if !self.orders.is_empty() => {
                self.carry_out(number % self.orders.len(), None);
            }
            Deed::Fail(number, lost) if !self.orders.is_empty() => {
                let kind = if lost {
                    FaultKind::Lost
                } else {
                    FaultKind::Failed
                };
                self.carry_out(number % self.orders.len(), Some(kind));
            }
            Deed::Die(number) => {
                if let Some(id) = self.one_of(number) {
                    self.die(id, 1);
                    self.happens(id, Happening::Died { exit_code: 1 });
                }
            }
            Deed::Vanish(number) => {
                if let Some(id) = self.one_of(number) {
                    self.there.remove(&id);
                    self.happens(id, Happening::Other);
                }
            }
            Deed::Cut => {
                self.connected = false;
                self.tell(Fact::EngineDown {
                    line: self.line,
                    fault: fault(FaultKind::Lost),
                });
            }
            Deed::Return => self.connected = true,
            Deed::Refresh => drop(self.ask(Ask::Refresh)),
            Deed::Restart => self.restart(),
            Deed::Wait => {
                self.now += 40;
                self.tell(Fact::Tick);
            }
            Deed::CarryOut(_) | Deed::Fail(..) => {}
        }
    }

    fn happens(&mut self, session: SessionId, event: Happening) {
        if self.connected {
            self.tell(Fact::Happened { session, event });
        }
    }
}

proptest! {
    /// Whatever happens in whatever order: every step is allowed, every request is answered once, and
    /// when all is quiet again each running session has its container and nothing else is there.
    #[test]
    fn any_order_of_events_ends_well(deeds in proptest::collection::vec(deed(), 1..60)) {
        let mut play = Play::new();
        for deed in deeds {
            play.do_deed(deed);
        }
        play.work_off();
        play.ask(Ask::Refresh);
        play.work_off();
        play.check_rest();
    }
}

#[test]
fn a_stale_answer_changes_nothing() {
    let mut play = Play::new();
    play.launch();
    play.work_off();
    let id = play.launched[0];
    play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    let gentle = play.orders.remove(0);
    play.ask(Ask::Terminate {
        session: id,
        force: true,
    });
    let (session, epoch) = gentle.about().unwrap();
    play.tell(Fact::Done {
        session,
        epoch,
        order: OrderKind::Stop,
        result: Ok(None),
    });
    assert_eq!(play.orders.len(), 1, "only the forced stop is under way");
    play.work_off();
    play.check_rest();
    assert_eq!(play.status(id), Status::Terminated);
}

#[test]
fn the_pauses_between_attempts_grow_to_half_a_minute() {
    let mut play = Play::new();
    play.tell(Fact::EngineDown {
        line: 1,
        fault: fault(FaultKind::Lost),
    });
    let mut pauses = Vec::new();
    for _ in 0..7 {
        let due = play.controller.next_deadline().unwrap();
        pauses.push(due.as_second() - at(play.now).as_second());
        play.now = due.as_second() - at(0).as_second();
        play.tell(Fact::Tick);
        play.carry_out(0, Some(FaultKind::Lost));
    }
    assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
    let EngineState::Lost { attempt, .. } = play.controller.engine() else {
        panic!("it is not lost");
    };
    assert_eq!(*attempt, 8);
}

#[test]
fn a_turn_that_cannot_be_written_is_taken_back() {
    let mut play = Play::new();
    play.launch();
    play.work_off();
    let id = play.launched[0];
    let ask = Ask::Terminate {
        session: id,
        force: false,
    };
    let mut turn = play
        .controller
        .handle(at(900), Fact::Asked { ticket: 90, ask });
    assert!(turn.refusable && !turn.orders.is_empty());
    play.controller.take_back(&mut turn);
    assert_eq!(play.status(id), Status::Running);
    play.work_off();
    play.check_rest();
}

#[test]
fn what_cannot_be_ended_is_told_after_some_tries_and_can_be_tried_again() {
    let mut play = Play::new();
    play.launch();
    play.work_off();
    let id = play.launched[0];
    play.ask(Ask::Terminate {
        session: id,
        force: false,
    });
    for _ in 0..4 {
        play.carry_out(0, Some(FaultKind::Failed));
        play.now += 60;
        play.tell(Fact::Tick);
    }
    assert_eq!(play.status(id), Status::Error);
    assert_eq!(play.there.len(), 1);
    play.ask(Ask::Terminate {
        session: id,
        force: true,
    });
    play.work_off();
    assert_eq!(play.status(id), Status::Terminated);
    assert!(play.there.is_empty());
}
