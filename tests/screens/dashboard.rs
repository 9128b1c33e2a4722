//! The dashboard: engines or agents, resource groups, owners, reclaims, failures.

use std::collections::BTreeMap;

use jiff::SignedDuration;
use workbay::{
    app::{
        effect::Effect,
        machine::{CpuTicks, MachineDisk, MachineMemory, MachineReading},
        msg::Msg,
        panels::dashboard::Dashboard,
    },
    model::{
        capability::{AcceleratorDevice, Capability, EngineState},
        catalogue::{Agent, Catalogue, ResourceGroup},
        change::Change,
        failure::{Failure, FailureKind},
        idle::{IdleCheck, IdleChecker, IdleState},
        request::ContextRequest,
        resources::{Bytes, Cpu, ResourceSlots},
        statistics::Statistics,
        status::{Status, Tab},
        usage::AcceleratorUsage,
    },
    protocol::message::{Reply, Request, Snapshot},
};

use crate::{
    cluster::{self, three, two},
    screen::{Screen, noon},
    world::{busy, day, key, lost, session, snapshot},
};

fn slots(cores: u64, gib: u64) -> ResourceSlots {
    ResourceSlots::new(Cpu::from_millis(cores * 1000), Bytes(gib * Bytes::GIB))
}

/// A working day on this machine, with one resource group, a reclaim in 42 minutes and three owners.
fn here() -> Snapshot {
    let mut all = snapshot(day());
    let group = ResourceGroup {
        name: "default".into(),
        using: slots(6, 17),
        remaining: slots(2, 10),
        waiting: Some(3),
        capacity: Some(slots(8, 31)),
        free: Some(slots(2, 10)),
        free_by_agent: None,
    };
    all.contexts[0].statistics = Some(Box::new(Statistics {
        groups: vec![group],
        sessions: Some(5),
        max_sessions: Some(20),
        ..Statistics::default()
    }));
    for (at, session) in all.sessions.iter_mut().enumerate() {
        session.owner = ["ada", "진", "bob"][at % 3].into();
    }
    let until = noon() + SignedDuration::from_mins(42);
    all.sessions[0].idle_checks = vec![IdleCheck::new(
        IdleChecker::NetworkTimeout,
        IdleState::Counting { until },
    )];
    all
}

fn reading(all: u64, idle: u64) -> Msg {
    let gib = |n: u64| Bytes(n * Bytes::GIB);
    Msg::Machine(MachineReading {
        cpu: CpuTicks { all, idle },
        memory: Some(MachineMemory {
            total: gib(31),
            available: gib(12),
        }),
        disks: vec![MachineDisk {
            what: "home directories",
            path: "/home".into(),
            total: gib(200),
            free: gib(50),
        }],
    })
}

fn open(columns: u16, rows: u16) -> Screen {
    Screen::new(columns, rows)
        .daemon(here())
        .press("M")
        .notice(Change::Usage { samples: busy() })
        .send(reading(1000, 500))
        .send(reading(2000, 1250))
}

#[test]
fn a_working_day_80x24() {
    insta::assert_snapshot!(open(80, 24).text());
}

#[test]
fn a_working_day_140x40() {
    insta::assert_snapshot!(open(140, 40).text());
}

#[test]
fn a_working_day_60x16() {
    insta::assert_snapshot!(open(60, 16).text());
}

#[test]
fn the_sums_are_those_of_the_sessions() {
    let screen = open(140, 40);
    let text = screen.text();
    let row = |label: &str| {
        let line = text.lines().find(|line| line.contains(label));
        line.unwrap_or_else(|| panic!("{label}: {text}")).to_owned()
    };
    // Of the day, six hold resources: 4 + 1 + 0.5 + 1 + 1 cores, and 1 in ERROR whose end isn't known.
    assert!(row("Requested").contains("8.50/8"), "{text}");
    assert!(row("Requested").contains("by 6 sessions"), "{text}");
    // Three run, and use 2.65 + 0.012 + 0.47.
    assert!(row("In use").contains("3.13/8"), "{text}");
    // A quarter of the time was busy between the two readings.
    assert!(row("Machine").contains("2.00/8"), "{text}");
    assert!(row("Machine").contains("19G/31G"), "{text}");
    assert!(row("Disk").contains("150G/200G"), "{text}");
    assert!(row("3 in queue").contains("6.00/8"), "{text}");
}

#[test]
fn what_is_not_sampled_of_all_has_no_sum() {
    let screen = Screen::new(140, 40).daemon(here()).press("M");
    let text = screen.text();
    let line = text.lines().find(|line| line.contains("In use")).unwrap();
    assert!(line.contains("?/8"), "{text}");
    // All running sessions are sampled while the dashboard is open, not only the visible ones.
    let watched = screen.questions().filter_map(|(_, it)| match it {
        Request::Watch { sessions } => Some(sessions.clone()),
        _ => None,
    });
    let watched = watched.last();
    assert_eq!(watched, Some(vec![key(1), key(2), key(3)]));
}

#[test]
fn this_machine_is_read_every_two_seconds_while_it_is_open() {
    let reads = |screen: &Screen| {
        let effects = screen.effects().iter();
        effects
            .filter(|it| matches!(it, Effect::ReadMachine { .. }))
            .count()
    };
    let screen = Screen::new(80, 24).daemon(here());
    assert_eq!(reads(&screen), 0);
    let screen = screen.press("M");
    assert_eq!(reads(&screen), 1);
    let screen = screen.wait(3);
    assert_eq!(reads(&screen), 2);
    let screen = screen.press("esc").wait(10);
    assert_eq!(reads(&screen), 2);
}

#[test]
fn enter_leads_to_the_list_filtered_by_the_row() {
    let screen = open(120, 40).press("g enter");
    assert!(!screen.is_open::<Dashboard>());
    let query = screen.app.sessions.filter.query().to_string();
    assert!(query.starts_with("owner="), "{query}");
    assert_eq!(screen.app.sessions.tab(), Tab::Running);
    assert!(!screen.app.sessions.is_empty());
    // The last row is a failure, and leads to its session.
    let screen = open(120, 40).press("G enter");
    let selected = screen.app.sessions.selected().unwrap();
    let session = screen.app.mirror.session(selected).unwrap();
    assert_eq!(session.name.as_str(), "broken-image");
}

#[test]
fn nothing_runs_and_nothing_failed() {
    let screen = Screen::new(100, 30).daemon(snapshot(Vec::new())).press("M");
    for text in [
        "No session holds resources.",
        "No session will be reclaimed.",
        "None of the loaded sessions has failed.",
    ] {
        assert!(screen.sees(text), "{}", screen.text());
    }
    insta::assert_snapshot!(screen.text());
}

fn agent(id: &str, used: u64, schedulable: bool) -> Agent {
    let gpus = |n: u64| BTreeMap::from([("cuda.device".to_owned(), n * 1000)]);
    Agent {
        id: id.into(),
        status: "ALIVE".into(),
        resource_group: "gpu-a100".into(),
        schedulable,
        available: ResourceSlots {
            accelerators: gpus(8),
            ..slots(64, 512)
        },
        occupied: ResourceSlots {
            accelerators: gpus(used / 8),
            ..slots(used, used * 8)
        },
        architecture: "x86_64".into(),
    }
}

fn asks_for_agents(request: &Request) -> bool {
    matches!(
        request,
        Request::Context {
            request: ContextRequest::Catalogue { .. },
            ..
        }
    )
}

fn with_agents(agents: Vec<Agent>) -> Screen {
    let screen = Screen::new(120, 40)
        .starting_in("seoul")
        .daemon(two())
        .press("M");
    assert!(screen.sees("Loading the agents"), "{}", screen.text());
    let catalogue = Box::new(Catalogue {
        agents,
        ..Catalogue::default()
    });
    screen.answer(asks_for_agents, Ok(Reply::Catalogue { catalogue }))
}

#[test]
fn the_agents_of_a_cluster_120x40() {
    let agents = vec![
        agent("i-gpu-node-01", 48, true),
        agent("i-gpu-node-02", 0, false),
    ];
    let screen = with_agents(agents);
    insta::assert_snapshot!(screen.text());
    let screen = screen.press("g enter");
    let query = screen.app.sessions.filter.query().to_string();
    assert_eq!(query, "agent=i-gpu-node-01");
}

#[test]
fn a_manager_that_hides_its_agents_says_so() {
    let screen = with_agents(Vec::new());
    assert!(
        screen.sees("The manager doesn't show its agents to your account."),
        "{}",
        screen.text()
    );
    assert!(screen.sees("only your sessions"));
}

#[test]
fn agents_that_cannot_be_read_leave_the_rest() {
    let screen = Screen::new(120, 40).starting_in("seoul").daemon(two());
    let why = Failure::new(FailureKind::Unreachable, "the manager is busy");
    let screen = screen.press("M").answer(asks_for_agents, Err(why));
    assert!(
        screen.sees("Agents unknown: the manager is busy"),
        "{}",
        screen.text()
    );
    assert!(screen.sees("Who uses what"));
}

#[test]
fn a_disconnected_engine_or_daemon_is_reported() {
    let mut all = here();
    all.contexts[0].engine = lost();
    let screen = Screen::new(120, 30).daemon(all).press("M");
    insta::assert_snapshot!(screen.text());
    let screen = open(120, 30).daemon_lost("the daemon ended");
    assert!(screen.sees("Daemon disconnected."), "{}", screen.text());
    let screen = Screen::new(120, 30).press("M");
    assert!(screen.sees("Connecting to the daemon"), "{}", screen.text());
}

#[test]
fn several_contexts_have_sections_of_their_own() {
    let mut all = three();
    all.sessions.extend(cluster::cluster());
    let screen = Screen::new(140, 50).daemon(all);
    let screen = screen.press(":").typed("ctx all").press("enter M");
    for text in ["Engine local", "Agents of seoul", "Engine edge"] {
        assert!(screen.sees(text), "{text}: {}", screen.text());
    }
    let can = screen
        .app
        .mirror
        .can(cluster::name("seoul"), Capability::AgentChoice);
    let state = screen.app.mirror.engine(cluster::name("edge"));
    assert!(can && matches!(state, Some(EngineState::Lost { .. })));
}

#[test]
fn the_busy_share_is_measured_between_two_readings() {
    let screen = Screen::new(80, 24).daemon(here()).press("M");
    let first = screen.send(reading(1000, 500));
    let machine = |screen: &Screen| {
        let text = screen.text();
        let line = text.lines().find(|line| line.contains("Machine"));
        line.unwrap_or_else(|| panic!("{text}")).to_owned()
    };
    assert!(machine(&first).contains("measuring"), "{}", first.text());
    // The second reading doesn't wait for the usual time.
    let orders = |screen: &Screen| {
        let read = |effect: &&Effect| matches!(effect, Effect::ReadMachine { .. });
        screen.effects().iter().filter(read).count()
    };
    let before = orders(&first);
    let later = first.wait(1);
    assert!(orders(&later) > before, "{}", later.text());
    let second = later.send(reading(2000, 1250));
    assert!(machine(&second).contains("2.00/8"), "{}", second.text());
}

/// The day on a machine with three GPUs.
fn with_gpus() -> Snapshot {
    let mut all = here();
    if let EngineState::Connected { info } = &mut all.contexts[0].engine {
        info.accelerators = BTreeMap::from([("cuda.device".to_owned(), 3000)]);
        let devices = (0..3).map(|index| AcceleratorDevice {
            name: format!("GPU {index}").as_str().into(),
            mem: Bytes(80 * Bytes::GIB),
        });
        info.devices = devices.collect();
    }
    let slots = &mut all.sessions[0].requested_slots;
    slots.accelerators = BTreeMap::from([("cuda.device".to_owned(), 1000)]);
    all
}

#[test]
fn devices_without_a_session_are_listed_too() {
    let mut samples = busy();
    samples[0].1.accelerators = vec![AcceleratorUsage {
        name: "GPU 1".into(),
        utilization: Some(7300),
        mem: Some(Bytes(12 * Bytes::GIB)),
        mem_total: Some(Bytes(80 * Bytes::GIB)),
    }];
    let screen = Screen::new(140, 40).daemon(with_gpus()).press("M");
    // Without samples nobody knows who uses them.
    assert!(screen.sees("GPU 2") && !screen.sees("by no session"));
    let screen = screen.notice(Change::Usage { samples });
    let text = screen.text();
    let row = |label: &str| text.lines().find(|line| line.contains(label)).unwrap();
    assert!(row("GPU 0").contains("by no session"), "{text}");
    assert!(row("GPU 0").contains("-/80G"), "{text}");
    assert!(row("GPU 1").contains("12G/80G"), "{text}");
    assert!(row("GPU 2").contains("by no session"), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn failures_use_the_room_of_a_tall_screen() {
    let dash = |rows| {
        let failed = (0..60).map(|n| {
            let name = format!("failed-{n:02}");
            let mut session = session(100 + n, &name, Status::Error, 0);
            session.created_at -= SignedDuration::from_mins(i64::try_from(n).unwrap());
            session
        });
        let mut all = here();
        all.sessions.extend(failed);
        Screen::new(100, rows).daemon(all).press("M")
    };
    let low = dash(24);
    assert!(!low.press("G").sees("failed-08"));
    let tall = dash(50);
    let text = tall.text();
    assert!(tall.sees("failed-00") && tall.sees("failed-12"), "{text}");
    // The last visible row is the last one, so nothing has to be scrolled.
    let named = text.lines().filter(|line| line.contains("failed-")).count();
    let title = text.lines().find(|line| line.contains("Recent failures"));
    assert!(title.unwrap().contains("the last"), "{text}");
    assert!(named > 8, "{text}");
    assert_eq!(tall.press("G").text().matches("failed-").count(), named);
}

#[test]
fn devices_show_their_own_use_and_memory() {
    let device = |name: &str, percent: Option<u32>| AcceleratorUsage {
        name: name.into(),
        utilization: percent.map(|it| it * 100),
        mem: Some(Bytes(12 * Bytes::GIB)),
        mem_total: Some(Bytes(80 * Bytes::GIB)),
    };
    let mut samples = busy();
    samples[0].1.accelerators = vec![device("GPU 0", Some(73)), device("GPU 1", None)];
    samples[1].1.accelerators = vec![device("GPU 1", None)];
    let screen = Screen::new(140, 40)
        .daemon(here())
        .press("M")
        .notice(Change::Usage { samples });
    insta::assert_snapshot!(screen.text());
}
