//! Two hundred sessions: how soon a hundred of them run, what they and the daemon weigh, and what
//! showing them costs the engine, beside other programs that show the same.

use std::{fs, path::PathBuf, process::Command, time::Duration};

use crate::{
    drain::Drain,
    machine::{BINARY, Machine, docker},
    measure::{COLUMNS, ROWS, cpu_millis, launch_many, millis, own_kib, resident_kib, settle},
    peers::docker_run_like,
    samples::Samples,
    terminal::now,
};

const STORM: usize = 100;
const SIZE: usize = 200;
const WINDOW: Duration = Duration::from_secs(30);

/// Whether a figure of that name is made here.
pub fn is_of_here(name: &str) -> bool {
    name.starts_with("crowd-")
}

pub fn alone(samples: &mut Samples) {
    let machine = Machine::new();
    storm(samples, &machine);
    launch_many(&machine, "second", SIZE - STORM);
    weight(samples, &machine);
    rest(samples, &machine);
    cold(samples, &machine);
}

/// Until a hundred run, against `docker run -d` of the same in a loop.
fn storm(samples: &mut Samples, machine: &Machine) {
    launch_many(machine, "pattern", 1);
    let container = machine.containers().pop().expect("the pattern's container");
    let run = docker_run_like(&container);
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let begun = now();
    let made: Vec<String> = (0..STORM).map(|_| docker(&run).trim().to_owned()).collect();
    samples.add("crowd-storm/docker-run", millis(now() - begun));
    let made: Vec<&str> = made.iter().map(String::as_str).collect();
    docker(&[&["rm", "-f"], made.as_slice()].concat());
    machine.ok(&["terminate", "pattern", "--force", "--yes"]);
    settle();
    let begun = now();
    launch_many(machine, "first", STORM);
    samples.add("crowd-storm/workbay", millis(now() - begun));
}

/// What the daemon uses, and what each session's runner adds.
fn weight(samples: &mut Samples, machine: &Machine) {
    settle();
    let daemon = machine.daemon_pid().expect("a daemon") as u32;
    samples.add("crowd-rss/daemon/200", resident_kib(daemon));
    let containers = machine.containers();
    for pid in processes() {
        let of_ours = fs::read_to_string(proc(pid, "cgroup"))
            .is_ok_and(|text| containers.iter().any(|id| text.contains(id.as_str())));
        let words = fs::read(proc(pid, "cmdline")).unwrap_or_default();
        let is_runner = words.split(|byte| *byte == 0).any(|word| word == b"runner");
        if let Some(own) = own_kib(pid).filter(|_| of_ours && is_runner) {
            samples.add("crowd-runner/own", own);
        }
    }
}

fn proc(pid: u32, file: &str) -> PathBuf {
    PathBuf::from(format!("/proc/{pid}/{file}"))
}

fn processes() -> Vec<u32> {
    let all = fs::read_dir("/proc").expect("/proc");
    let names = all.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter_map(|name| name.parse().ok()).collect()
}

/// The engine: dockerd and its containerd, not those of others.
fn engine() -> Vec<u32> {
    let pid = fs::read_to_string("/var/run/docker.pid").expect("the engine's process");
    let dockerd: u32 = pid.trim().parse().expect("a process id");
    let is_its = |pid: &u32| {
        let name = fs::read_to_string(proc(*pid, "comm")).unwrap_or_default();
        let parent = fs::read_to_string(proc(*pid, "stat")).unwrap_or_default();
        let parent = parent.rsplit(')').next().unwrap_or_default().to_owned();
        let parent = parent
            .split_whitespace()
            .nth(1)
            .unwrap_or_default()
            .to_owned();
        name.trim() == "containerd" && (parent == "1" || parent == dockerd.to_string())
    };
    let mut all: Vec<u32> = processes().into_iter().filter(is_its).collect();
    all.push(dockerd);
    all
}

/// What each program costs itself and the engine, one after the other.
fn rest(samples: &mut Samples, machine: &Machine) {
    let env = machine.env();
    let daemon = machine.daemon_pid().expect("a daemon") as u32;
    look(samples, "nobody", &[], &env, Some(daemon));
    look(samples, "workbay", &[BINARY], &env, Some(daemon));
    look(samples, "oxker", &["oxker"], &[], None);
    look(samples, "lazydocker", &["lazydocker"], &[], None);
    look(samples, "docker-stats", &["docker", "stats"], &[], None);
}

fn look(
    samples: &mut Samples,
    name: &str,
    argv: &[&str],
    env: &[(String, String)],
    daemon: Option<u32>,
) {
    let is_there = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if argv.first().is_some_and(|program| !is_there(program)) {
        return;
    }
    let program = argv.first().map(|_| Drain::start(argv, env, COLUMNS, ROWS));
    settle();
    settle();
    let ours: Vec<u32> = program.iter().map(Drain::pid).chain(daemon).collect();
    let theirs = engine();
    let spent = |pids: &[u32]| pids.iter().map(|pid| cpu_millis(*pid)).sum::<f64>();
    let before = (spent(&ours), spent(&theirs));
    std::thread::sleep(WINDOW);
    let percent = |before: f64, after: f64| (after - before) / (WINDOW.as_secs_f64() * 10.0);
    samples.add(
        &format!("crowd-rest/{name}"),
        percent(before.0, spent(&ours)),
    );
    samples.add(
        &format!("crowd-engine/{name}"),
        percent(before.1, spent(&theirs)),
    );
    if let Some(program) = &program {
        samples.add(
            &format!("crowd-rss/{name}/200"),
            resident_kib(program.pid()),
        );
    }
}

/// A daemon that finds all of them again.
fn cold(samples: &mut Samples, machine: &Machine) {
    for _ in 0..3 {
        machine.ok(&["daemon", "stop"]);
        let begun = now();
        let listed = machine.json(&["ls", "--json"]);
        samples.add("crowd-cold/workbay/200", millis(now() - begun));
        let running = listed.as_array().expect("a list").iter();
        let running = running.filter(|one| one["status"] == "RUNNING").count();
        assert_eq!(running, SIZE, "every session was found again");
    }
}
