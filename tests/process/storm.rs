//! The daemon is killed (SIGKILL) again and again while sessions are launched and ended: none is lost, none
//! is there twice, no container is left over.
//!
//! `WORKBAY_STORM=300` goes on for so many seconds; else it is over after some launches.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant, SystemTime},
};

use workbay::protocol::presence::{self, Holder};

use crate::{
    machine::{Machine, launch},
    terminal::now,
    wait,
};

/// Persons at work at once, and what each launches when no time is set.
const PERSONS: usize = 3;
const LAUNCHES: usize = 8;
const LOOK: Duration = Duration::from_millis(2);

/// What people were told.
#[derive(Default)]
struct Told {
    /// Sessions that were launched: name and id.
    launched: Mutex<BTreeMap<String, String>>,
    /// Names of those that were asked to end.
    ended: Mutex<BTreeSet<String>>,
    /// Persons who have gone home.
    gone: AtomicUsize,
}

impl Told {
    fn is_over(&self) -> bool {
        self.gone.load(Ordering::SeqCst) == PERSONS
    }
}

/// Until when it goes on, where that is set.
fn deadline() -> Option<Instant> {
    let seconds = std::env::var("WORKBAY_STORM").ok()?;
    let seconds = seconds
        .parse()
        .expect("WORKBAY_STORM is a number of seconds");
    Some(now() + Duration::from_secs(seconds))
}

/// Launches sessions and ends every other one. Commands fail when their daemon is killed; what they
/// reported counts.
fn work(machine: &Machine, person: usize, told: &Told, deadline: Option<Instant>) {
    for number in 0.. {
        let is_over = match deadline {
            Some(deadline) => now() >= deadline,
            None => number == LAUNCHES,
        };
        if is_over {
            break;
        }
        let name = format!("storm-{person}-{number}");
        let output = machine.workbay(&launch(&name, &[]));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some((_, id)) = said
            .trim()
            .split_once(' ')
            .filter(|_| output.status.success())
        {
            let mut launched = told.launched.lock().unwrap();
            launched.insert(name.clone(), id.to_owned());
        }
        // For long, only a few may stay.
        if number % 2 == 0 || deadline.is_some() {
            let output = machine.workbay(&["terminate", &name, "--force", "--yes"]);
            if output.status.success() {
                told.ended.lock().unwrap().insert(name);
            }
        }
    }
    told.gone.fetch_add(1, Ordering::SeqCst);
}

/// Kills each daemon once it has written its store a few times; how many.
fn kill_daemons(machine: &Machine, told: &Told) -> usize {
    let state = machine.state();
    let (lock, log) = (state.join("daemon.lock"), state.join("workbay.db-wal"));
    let mut killed = 0;
    let mut last = None;
    while !told.is_over() {
        match presence::holder(&lock) {
            Ok(Holder::Daemon(Some(daemon))) if last != Some(daemon.started_at) => {
                until_written(&log, killed % 7, told);
                let pid = rustix::process::Pid::from_raw(daemon.pid.cast_signed());
                let signal = rustix::process::Signal::KILL;
                let done = rustix::process::kill_process(pid.expect("a pid"), signal);
                killed += usize::from(done.is_ok());
                last = Some(daemon.started_at);
            }
            _ => thread::sleep(LOOK),
        }
    }
    killed
}

/// Waits until the file has changed so often.
fn until_written(file: &Path, times: usize, told: &Told) {
    let look = || -> Option<(u64, SystemTime)> {
        let facts = file.metadata().ok()?;
        Some((facts.len(), facts.modified().ok()?))
    };
    for _ in 0..times {
        let before = look();
        while look() == before && !told.is_over() {
            thread::sleep(LOOK);
        }
    }
}

#[test]
fn killed_again_and_again_nothing_is_lost_doubled_or_left() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    let (told, deadline) = (Told::default(), deadline());
    let killed = thread::scope(|scope| {
        for person in 0..PERSONS {
            let (machine, told) = (&machine, &told);
            scope.spawn(move || work(machine, person, told, deadline));
        }
        let killer = scope.spawn(|| kill_daemons(&machine, &told));
        killer.join().expect("the killer ends")
    });
    eprintln!("{killed} daemons were killed");
    assert!(killed > 3, "it was no storm: {killed} were killed");
    check(&machine, &told);
    machine.ok(&["terminate", "--all", "--force", "--yes"]);
    wait::while_it_goes_on(
        "no container is left",
        || machine.containers(),
        Vec::is_empty,
    );
}

fn check(machine: &Machine, told: &Told) {
    // A session's ending may have been recorded and not carried out: all comes to rest by itself.
    let (sessions, _) = wait::while_it_goes_on(
        "all is settled",
        || (wait::sessions(machine), machine.containers().len()),
        |(sessions, containers)| {
            let running = sessions.iter().filter(|(_, status)| status == "RUNNING");
            wait::settled(sessions) && running.count() == *containers
        },
    );
    let names: BTreeSet<&str> = sessions.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names.len(),
        sessions.len(),
        "one is there twice: {sessions:?}"
    );
    let list = machine.json(&["ls", "--tab", "all", "--json"]);
    let list = list.as_array().expect("a list");
    for (name, id) in &*told.launched.lock().unwrap() {
        let found = list.iter().filter(|it| it["id"] == **id);
        assert_eq!(found.count(), 1, "{name} {id} was launched and is lost");
    }
    for name in &*told.ended.lock().unwrap() {
        let (_, status) = sessions
            .iter()
            .find(|(it, _)| it == name)
            .expect("it is known");
        assert_ne!(status, "RUNNING", "{name} was to end");
    }
    let failed: Vec<_> = sessions.iter().filter(|(_, it)| it == "ERROR").collect();
    assert!(failed.is_empty(), "{failed:?}");
}
