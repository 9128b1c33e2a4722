//! Measurements against a real cluster (`scripts/cluster/up`): the list beside a bare request of the
//! same page, a terminal's echo beside a bare WebSocket client's, the cost of watching. Interleaved
//! in one run. Raw samples go to `docs/benchmarks/cluster.json`, the table to
//! `docs/benchmarks-cluster.md`.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

#[path = "../../tests/cluster/built.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod built;
#[path = "../../tests/support/machine.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod machine;
#[path = "../../tests/support/memory.rs"]
mod memory;
#[path = "../../tests/support/poll.rs"]
#[allow(dead_code, reason = "shared with tests of engines")]
mod poll;
#[path = "../whole/samples.rs"]
mod samples;
#[path = "../../tests/support/schemas.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod schemas;
#[path = "../../tests/cluster/script.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod script;
#[path = "../../tests/cluster/support.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod support;
#[path = "../../tests/support/terminal.rs"]
#[allow(dead_code, reason = "shared with the tests")]
mod terminal;

mod bare;
mod echo;
mod list;
mod relay;
mod report;
mod rest;
mod scale;
mod transfer;

use samples::Samples;

fn main() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("docs/benchmarks/cluster.json");
    let earlier = || {
        let text = std::fs::read_to_string(&file).expect("samples of an earlier run");
        serde_json::from_str(&text).expect("samples read")
    };
    let asked = |word: &str| std::env::args().any(|arg| arg == word);
    let samples = if asked("report") {
        earlier()
    } else {
        let samples = if asked("scale") {
            measure_scale(earlier())
        } else {
            measure()
        };
        let text = serde_json::to_string_pretty(&samples).expect("samples print");
        std::fs::write(&file, text).expect("samples are kept");
        samples
    };
    let table = root.join("docs/benchmarks-cluster.md");
    std::fs::write(table, report::markdown(&samples)).expect("the report is written");
    println!("docs/benchmarks-cluster.md is written");
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime")
}

fn measure() -> Samples {
    let runtime = runtime();
    let mut samples = Samples::default();
    runtime.block_on(async {
        list::measure(&mut samples).await;
        echo::measure(&mut samples).await;
        rest::measure(&mut samples).await;
    });
    transfer::measure(&mut samples);
    samples
}

/// Into the samples of the last run.
fn measure_scale(mut samples: Samples) -> Samples {
    let runtime = runtime();
    runtime.block_on(scale::measure(&mut samples));
    samples
}

fn millis(duration: std::time::Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
