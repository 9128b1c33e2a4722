//! What sampling costs: one sample of 200 sessions beside `docker stats`, and a daemon at rest.

use std::{path::PathBuf, time::Duration};

use workbay::{
    engine::{
        api::{Engine as _, UsageAsk},
        docker::{DockerConfig, DockerEngine},
    },
    model::{id::SessionId, settings::SaveLimits},
};

use crate::{
    machine::{BINARY, Machine, docker},
    measure::{cpu_millis, launch_many, millis, settle, tui},
    samples::Samples,
    terminal::now,
};

const SIZE: usize = 200;
const ROUNDS: usize = 5;
/// Looks in one round: a look is short.
const SAMPLES: usize = 40;
const WINDOW: Duration = Duration::from_secs(30);
const FIRST_MINUTE: Duration = Duration::from_secs(60);

/// Figures of a build that was not made for speed have names of their own.
pub const BUILD: &str = if cfg!(debug_assertions) { "-debug" } else { "" };

/// Whether a figure of that name is made here.
pub fn is_of_here(name: &str) -> bool {
    name.starts_with("sweep") || name.starts_with("rest-cpu")
}

/// This alone, on sessions of its own.
pub fn alone(samples: &mut Samples) {
    let machine = Machine::new();
    for half in ["bench-a", "bench-b"] {
        launch_many(&machine, half, SIZE / 2);
    }
    everything(samples, &machine);
}

/// On a machine with that many sessions.
pub fn everything(samples: &mut Samples, machine: &Machine) {
    rest(samples, machine);
    sweeps(samples, machine);
}

/// The daemon while no client watches, and while one shows as many as fit.
fn rest(samples: &mut Samples, machine: &Machine) {
    let daemon = machine.daemon_pid().expect("a daemon") as u32;
    let mut measure = |name: &str| {
        settle();
        settle();
        let before = cpu_millis(daemon);
        std::thread::sleep(WINDOW);
        let percent = (cpu_millis(daemon) - before) / (WINDOW.as_secs_f64() * 10.0);
        samples.add(&format!("rest-cpu/{name}{BUILD}/{SIZE}"), percent);
    };
    // In its first minute a session is sampled every second.
    std::thread::sleep(FIRST_MINUTE);
    measure("daemon-unwatched");
    let tui = tui(machine);
    tui.wait_until("the list is complete", |screen| {
        screen
            .lines()
            .filter(|line| line.contains("bench-"))
            .count()
            >= 40
    });
    measure("daemon-watched");
}

/// One sample of all of them: ours with files that are open already, and the engine's own client.
fn sweeps(samples: &mut Samples, machine: &Machine) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let containers = machine.containers();
    let sessions = sessions(machine);
    let engine = engine(machine, &containers[0]);
    let mut look = |name: &str, ask: fn(SessionId) -> UsageAsk, times: usize| {
        let asked: Vec<UsageAsk> = sessions.iter().copied().map(ask).collect();
        for _ in 0..times {
            let begun = now();
            let found = runtime.block_on(engine.usage(&asked, jiff::Timestamp::UNIX_EPOCH));
            let took = millis(now() - begun);
            assert_eq!(found.len(), SIZE, "every session is sampled");
            samples.add(&format!("{name}{BUILD}/{SIZE}"), took);
        }
    };
    look("sweep-first/workbay", UsageAsk::all, 1);
    let stats: Vec<&str> = ["stats", "--no-stream"]
        .into_iter()
        .chain(containers.iter().map(String::as_str))
        .collect();
    let mut theirs = Vec::new();
    for _ in 0..ROUNDS {
        // The first one of each kind opens or closes what the other kind does without.
        look("sweep-opening/workbay", UsageAsk::all, 1);
        look("sweep/workbay", UsageAsk::all, SAMPLES);
        look("sweep-recorded/workbay", UsageAsk::recorded, SAMPLES);
        look("sweep-closing/workbay", UsageAsk::idle_checked, 1);
        look("sweep-judged/workbay", UsageAsk::idle_checked, SAMPLES);
        let begun = now();
        docker(&stats);
        theirs.push(millis(now() - begun));
    }
    for took in theirs {
        samples.add(&format!("sweep/docker-stats/{SIZE}"), took);
    }
}

fn sessions(machine: &Machine) -> Vec<SessionId> {
    let listed = machine.json(&["ls", "--json"]);
    let ids = listed.as_array().expect("a list").iter();
    ids.map(|one| one["id"].as_str().expect("an id").parse().expect("an id"))
        .collect()
}

/// An engine that takes the machine's sessions for its own.
fn engine(machine: &Machine, container: &str) -> DockerEngine {
    let label = "{{index .Config.Labels \"workbay.instance\"}}";
    let instance = docker(&["inspect", "--format", label, container]);
    DockerEngine::new(DockerConfig {
        host_paths: Vec::new(),
        instance: instance.trim().parse().expect("an instance"),
        state_dir: machine.path("elsewhere"),
        toolbox_dir: machine.path("elsewhere"),
        folders_dir: machine.path("elsewhere"),
        saved_dir: machine.path("elsewhere"),
        save_limits: SaveLimits::default(),
        dotfiles_dir: machine.path("elsewhere"),
        runtime_dir: machine.path("elsewhere"),
        network: workbay::model::network::NetworkRules::default(),
        accelerators: std::collections::BTreeMap::new(),
        endpoint: None,
        shell: None,
        binary: PathBuf::from(BINARY),
    })
}
