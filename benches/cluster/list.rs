//! A page of a hundred sessions: ours, a bare request, and what a user sees.

use std::{
    process::{Command, Stdio},
    sync::Arc,
};

use workbay::{
    engine::{
        backendai::BackendAiConfig,
        manager::{Manager, PageQuery},
    },
    model::status::Tab,
};

use crate::{
    built,
    machine::BINARY,
    millis,
    relay::{RecordingRelay, split},
    samples::Samples,
    support::{Bench, by_keys, engine, manager, too_large},
    terminal::{Terminal, now},
};

const ROUNDS: usize = 25;
const ROWS: u32 = 100;

pub async fn measure(samples: &mut Samples) {
    let bench = Bench::new().await;
    fill(&bench).await;
    compare(samples, "list", by_keys(), &query(), ROUNDS).await;
    seen(samples);
}

/// A page by the engine (`NAME/engine`), and by a bare request of the same bytes (`NAME/curl`).
pub async fn compare(
    samples: &mut Samples,
    name: &str,
    config: BackendAiConfig,
    query: &PageQuery,
    rounds: usize,
) {
    let engine = engine(config.clone());
    engine.probe().await.expect("the manager");
    let (head, body) = bare_request(config, query).await;
    for _ in 0..rounds {
        let start = now();
        let page = engine.page(query).await.expect("a page");
        samples.add(&format!("{name}/engine"), millis(now() - start));
        assert!(!page.sessions.is_empty(), "{name}: an empty page");
        let start = now();
        curl(&head, &body);
        samples.add(&format!("{name}/curl"), millis(now() - start));
    }
}

fn query() -> PageQuery {
    PageQuery {
        tab: Tab::Finished,
        text: None,
        offset: 0,
        limit: ROWS,
    }
}

/// A hundred ended sessions: those taken out of the queue cost the cluster nothing.
async fn fill(bench: &Bench) {
    let there = bench.engine.totals().await.expect("totals")[Tab::Finished as usize];
    for _ in there..u64::from(ROWS) {
        drop(bench.enqueue(too_large()).await);
    }
}

/// The request that the engine makes for the page, byte by byte.
async fn bare_request(config: BackendAiConfig, query: &PageQuery) -> (String, Vec<u8>) {
    let relay = RecordingRelay::to(manager().trim_start_matches("http://"));
    let config = BackendAiConfig {
        endpoint: relay.endpoint.clone(),
        ..config
    };
    let engine: Arc<dyn Manager> = engine(config);
    engine.probe().await.expect("the manager");
    engine.page(query).await.expect("a page");
    let mark = match query.tab {
        Tab::Finished => "TERMINATED",
        _ => "RUNNING",
    };
    split(&relay.request(mark))
}

/// One process, one connection, one request; its answer goes nowhere.
fn curl(head: &str, body: &[u8]) {
    let path = head.split(' ').nth(1).expect("a target");
    let mut command = Command::new("curl");
    command.args(["-sf", "-o", "/dev/null"]);
    for header in head.lines().skip(1).filter(|line| line.contains(':')) {
        if !header.to_ascii_lowercase().starts_with("content-length") {
            command.args(["-H", header]);
        }
    }
    let text = String::from_utf8_lossy(body);
    let done = command
        .args(["--data-binary", &*text])
        .arg(format!("{}{path}", manager()))
        .stdin(Stdio::null())
        .status()
        .expect("curl");
    assert!(done.success(), "the bare request is refused");
}

/// From exec to the page on the screen: with a daemon that knows the cluster, and from nothing.
fn seen(samples: &mut Samples) {
    for _ in 0..9 {
        let machine = built::machine("");
        samples.add("screen/cold", open(&machine));
        samples.add("screen/warm", open(&machine));
        machine.ok(&["daemon", "stop"]);
    }
}

fn open(machine: &crate::machine::Machine) -> f64 {
    let start = now();
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 200, 50);
    terminal.wait_for("Finished");
    terminal.type_("2");
    let at = terminal.wait_timed("the page is shown", |screen| {
        let rows = screen
            .lines()
            .filter(|line| line.contains("CANCELLED") || line.contains("TERMINATED"));
        rows.count() >= 40
    });
    terminal.type_("q");
    terminal.wait_end();
    millis(at - start)
}
