//! A cluster with many sessions, as `scripts/cluster/crowd add` fills it: pages, filters and the end of the list beside a bare
//! request, and what watching it costs while events come.

use std::{fs, time::Duration};

use tokio::time::MissedTickBehavior;
use workbay::{
    engine::{backendai::BackendAiConfig, manager::PageQuery},
    model::{request::SessionChange, spec::LaunchRequest, status::Tab},
};

use crate::{
    hand,
    list::compare,
    rest::ticks,
    samples::Samples,
    support::{Bench, by_admin, by_keys, engine, too_large},
};

const ROUNDS: usize = 9;
const ROWS: u32 = 100;
/// How long is watched.
const SPAN: Duration = Duration::from_secs(120);
/// A session that is put into the queue and taken out makes two events or more.
const EVERY: Duration = Duration::from_millis(100);

pub async fn measure(samples: &mut Samples) {
    samples
        .figures
        .retain(|name, _| !name.starts_with("scale/"));
    pages(samples, "scale/user", by_keys()).await;
    let everyone = BackendAiConfig {
        all_users: true,
        ..by_admin()
    };
    pages(samples, "scale/admin", everyone).await;
    watched(samples).await;
}

async fn pages(samples: &mut Samples, name: &str, config: BackendAiConfig) {
    let ours = engine(config.clone());
    ours.probe().await.expect("the manager");
    let count = ours.totals().await.expect("totals")[Tab::Finished as usize];
    assert!(
        count > 10_000,
        "{count} ended sessions: run scripts/cluster/crowd add"
    );
    samples.add(&format!("{name}/count"), count as f64);
    let last = u32::try_from(count).expect("a number of sessions") - ROWS;
    for (page, text, offset) in [
        ("first", None, 0),
        ("filter", Some("train-1234"), 0),
        ("last", None, last),
    ] {
        let query = PageQuery {
            tab: Tab::Finished,
            text: text.map(str::to_owned),
            offset,
            limit: ROWS,
        };
        compare(
            samples,
            &format!("{name}/{page}"),
            config.clone(),
            &query,
            ROUNDS,
        )
        .await;
    }
}

/// An open list of the user, while other sessions come and go.
async fn watched(samples: &mut Samples) {
    let bench = Bench::new().await;
    let machine = hand::machine("");
    let mut person = hand::open(&machine);
    person.wait_for("RUNNING");
    let daemon = machine.daemon_pid().expect("a daemon").unsigned_abs();
    let tui = person.pid();
    let (before, memory) = ((ticks(daemon), ticks(tui)), private(daemon));
    let end = tokio::time::Instant::now() + SPAN;
    let mut turn = tokio::time::interval(EVERY);
    turn.set_missed_tick_behavior(MissedTickBehavior::Skip);
    let mut events = 0_u32;
    while tokio::time::Instant::now() < end {
        turn.tick().await;
        let request = LaunchRequest {
            resource_group: Some("default".to_owned()),
            ..too_large()
        };
        let ours = bench.enqueue(request).await;
        let kill = SessionChange::Terminate { force: true };
        drop(bench.engine.change(ours.id(), &kill).await);
        std::mem::forget(ours);
        events += 2;
    }
    let share = |now: u64, then: u64| (now - then) as f64 / 100.0 / SPAN.as_secs_f64() * 100.0;
    samples.add("scale/events", f64::from(events) / SPAN.as_secs_f64());
    samples.add("scale/daemon", share(ticks(daemon), before.0));
    samples.add("scale/tui", share(ticks(tui), before.1));
    samples.add("scale/memory", private(daemon));
    samples.add("scale/growth", private(daemon) - memory);
    person.type_("q");
    person.wait_end();
    machine.ok(&["daemon", "stop"]);
}

/// The memory that belongs to this process alone, in MiB.
fn private(pid: u32) -> f64 {
    let rollup = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).expect("a process");
    let kib = |line: &str| line.split_whitespace().nth(1)?.parse::<f64>().ok();
    let lines = rollup.lines().filter(|line| line.starts_with("Private_"));
    lines.filter_map(kib).sum::<f64>() / 1024.0
}
