//! What watching costs: an open list on the cluster with a running session, events and usage coming.

use std::{fs, time::Duration};

use crate::{
    built,
    samples::Samples,
    support::{Bench, small},
};

/// How long is looked.
const SPAN: Duration = Duration::from_secs(120);

pub async fn measure(samples: &mut Samples) {
    let bench = Bench::new().await;
    let (session, asked) = bench.running(small()).await;
    let machine = built::machine("");
    let mut terminal = built::open(&machine);
    terminal.wait_for(asked.name.as_deref().expect("it has one"));
    terminal.wait_for("RUNNING");
    let daemon = machine.daemon_pid().expect("a daemon").unsigned_abs();
    let tui = terminal.pid();
    let before = (ticks(daemon), ticks(tui));
    tokio::time::sleep(SPAN).await;
    let share = |now: u64, then: u64| (now - then) as f64 / 100.0 / SPAN.as_secs_f64() * 100.0;
    samples.add("rest/daemon", share(ticks(daemon), before.0));
    samples.add("rest/tui", share(ticks(tui), before.1));
    terminal.type_("q");
    terminal.wait_end();
    machine.ok(&["daemon", "stop"]);
    drop(session);
}

/// Processor time of a process, in hundredths of a second.
pub fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("a process");
    let fields: Vec<&str> = stat
        .rsplit(')')
        .next()
        .expect("fields")
        .split(' ')
        .collect();
    let field = |at: usize| fields[at].parse::<u64>().expect("a number");
    field(12) + field(13)
}
