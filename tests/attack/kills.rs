//! The daemon is killed (SIGKILL) again and again while sessions are launched and ended: none is lost, none
//! exists twice, no container is left over.

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

use workbay::protocol::lock_record::{self, Holder};

use crate::{
    attack::ground::Ground,
    attack::report,
    machine::{Machine, launch},
    terminal::now,
    wait,
};

/// Users at work at once, and how many sessions each launches when no time is set.
const USERS: usize = 3;
const LAUNCHES: usize = 8;
const LOOK: Duration = Duration::from_millis(2);

/// What the users saw succeed.
#[derive(Default)]
struct Answers {
    /// Sessions that were launched: name and id.
    launched: Mutex<BTreeMap<String, String>>,
    /// Names of those that were asked to end.
    ended: Mutex<BTreeSet<String>>,
    /// Users who are done.
    done: AtomicUsize,
}

impl Answers {
    fn is_over(&self) -> bool {
        self.done.load(Ordering::SeqCst) == USERS
    }
}

/// When the attack ends, if it has a duration.
fn deadline() -> Option<Instant> {
    report::duration().map(|duration| now() + duration)
}

/// Launches sessions and ends every other one. Commands fail when their daemon is killed; what they
/// reported counts.
fn work(machine: &Machine, user: usize, answers: &Answers, deadline: Option<Instant>) {
    for number in 0.. {
        let is_over = match deadline {
            Some(deadline) => now() >= deadline,
            None => number == LAUNCHES,
        };
        if is_over {
            break;
        }
        let name = format!("storm-{user}-{number}");
        let output = machine.workbay(&launch(&name, &[]));
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if let Some((_, id)) = said
            .trim()
            .split_once(' ')
            .filter(|_| output.status.success())
        {
            let mut launched = answers.launched.lock().unwrap();
            launched.insert(name.clone(), id.to_owned());
        }
        // For long, only a few may stay.
        if number % 2 == 0 || deadline.is_some() {
            let output = machine.workbay(&["terminate", &name, "--force", "--yes"]);
            if output.status.success() {
                answers.ended.lock().unwrap().insert(name);
            }
        }
    }
    answers.done.fetch_add(1, Ordering::SeqCst);
}

/// Kills each daemon once it has written its store a few times; how many.
fn kill_daemons(machine: &Machine, answers: &Answers) -> usize {
    let state = machine.state();
    let (lock, log) = (state.join("daemon.lock"), state.join("workbay.db-wal"));
    let mut killed = 0;
    let mut last = None;
    loop {
        let next = wait::poll(LOOK, || match lock_record::holder(&lock) {
            _ if answers.is_over() => Some(None),
            Ok(Holder::Daemon(Some(daemon))) if last != Some(daemon.started_at) => {
                Some(Some(daemon))
            }
            _ => None,
        });
        let Some(daemon) = next.expect("the users start another daemon") else {
            return killed;
        };
        until_written(&log, killed % 7, answers);
        let pid = rustix::process::Pid::from_raw(daemon.pid.cast_signed());
        let signal = rustix::process::Signal::KILL;
        let done = rustix::process::kill_process(pid.expect("a pid"), signal);
        killed += usize::from(done.is_ok());
        last = Some(daemon.started_at);
    }
}

/// Waits until the file has changed so often, or nothing changes it any more.
fn until_written(file: &Path, times: usize, answers: &Answers) {
    let look = || -> Option<(u64, SystemTime)> {
        let facts = file.metadata().ok()?;
        Some((facts.len(), facts.modified().ok()?))
    };
    for _ in 0..times {
        let before = look();
        wait::poll(LOOK, || {
            (look() != before || answers.is_over()).then_some(())
        });
    }
}

#[test]
fn killed_again_and_again_nothing_is_lost_doubled_or_left() {
    let Ground { machine, .. } = &Ground::new();
    machine.ok(&["ls"]);
    let (answers, deadline) = (Answers::default(), deadline());
    let killed = thread::scope(|scope| {
        for user in 0..USERS {
            let answers = &answers;
            scope.spawn(move || work(machine, user, answers, deadline));
        }
        let killer = scope.spawn(|| kill_daemons(machine, &answers));
        killer.join().expect("the killer ends")
    });
    assert!(killed > 3, "only {killed} daemons were killed");
    check(machine, &answers);
    machine.ok(&["terminate", "--all", "--force", "--yes"]);
    wait::while_it_continues(
        "no container is left",
        || machine.containers(),
        Vec::is_empty,
    );
    let launched = answers.launched.lock().unwrap().len();
    report::held(
        "daemon killed (SIGKILL) during launches and terminations",
        format!("{killed} kills, {launched} launches"),
        "no session lost, doubled or left over",
    );
}

fn check(machine: &Machine, answers: &Answers) {
    // A session's ending may have been recorded and not carried out: all comes to rest on its own.
    let (sessions, _) = wait::while_it_continues(
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
    for (name, id) in &*answers.launched.lock().unwrap() {
        let found = list.iter().filter(|it| it["id"] == **id);
        assert_eq!(found.count(), 1, "{name} {id} was launched and is lost");
    }
    for name in &*answers.ended.lock().unwrap() {
        let (_, status) = sessions
            .iter()
            .find(|(it, _)| it == name)
            .expect("it is known");
        assert_ne!(status, "RUNNING", "{name} was to end");
    }
    let failed: Vec<_> = sessions.iter().filter(|(_, it)| it == "ERROR").collect();
    assert!(failed.is_empty(), "{failed:?}");
}
