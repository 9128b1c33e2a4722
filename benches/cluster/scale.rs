//! A cluster with many sessions, as `scripts/cluster/crowd add` fills it: pages, filters and the end of the list beside a bare
//! request, and what watching it costs while events come.

use std::time::Duration;

use workbay::{
    engine::{backendai::BackendAiConfig, manager::PageQuery},
    model::status::Tab,
};

use crate::{
    built,
    list::compare,
    memory,
    rest::ticks,
    samples::Samples,
    script,
    support::{by_admin, by_keys, engine},
};

const ROUNDS: usize = 9;
const ROWS: u32 = 100;
/// How long is watched.
const SPAN: Duration = Duration::from_secs(120);
/// Events of sessions per second. The manager can't start so many sessions here, so they are broadcast in its name.
const RATE: &str = "20";

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
    watched(samples);
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

/// An open list of the user, while events of its sessions come.
fn watched(samples: &mut Samples) {
    let machine = built::machine("");
    let mut terminal = built::open(&machine);
    terminal.wait_for("RUNNING");
    let daemon = machine.daemon_pid().expect("a daemon").unsigned_abs();
    let tui = terminal.pid();
    let (before, memory) = ((ticks(daemon), ticks(tui)), memory::private(daemon));
    let printed = script::output("events", &[RATE, &SPAN.as_secs().to_string()]);
    let count = printed
        .split_whitespace()
        .next()
        .and_then(|word| word.parse().ok());
    let events: f64 = count.unwrap_or_else(|| panic!("no number of events: {printed}"));
    let share = |now: u64, then: u64| (now - then) as f64 / 100.0 / SPAN.as_secs_f64() * 100.0;
    samples.add("scale/events", events / SPAN.as_secs_f64());
    samples.add("scale/daemon", share(ticks(daemon), before.0));
    samples.add("scale/tui", share(ticks(tui), before.1));
    samples.add("scale/memory", memory::private(daemon));
    samples.add("scale/growth", memory::private(daemon) - memory);
    terminal.type_("q");
    terminal.wait_end();
    machine.ok(&["daemon", "stop"]);
}
