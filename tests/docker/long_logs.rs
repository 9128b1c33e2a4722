//! Logs that are too long for memory, read in parts, and kept when the container goes.

use futures_util::StreamExt as _;
use workbay::{
    engine::api::{Containers as _, CreatePlan, Streams as _},
    model::{
        id::SessionId,
        log::{LogOptions, split_time},
        session::SessionType,
        spec::LaunchSpec,
    },
};

use crate::support::{Bench, host_spec, plan};

const LINES: usize = 120_000;

fn batch(command: &str) -> CreatePlan {
    let spec = LaunchSpec {
        session_type: SessionType::Batch,
        startup_command: Some(command.to_owned()),
        ..host_spec()
    };
    plan("writer", spec)
}

async fn read(bench: &Bench, session: SessionId, options: LogOptions) -> String {
    let chunks = bench.engine.logs(session, options).await.unwrap();
    let pieces: Vec<_> = chunks.map(|chunk| chunk.unwrap().bytes).collect().await;
    String::from_utf8(pieces.concat()).unwrap()
}

/// The end of the log and what comes before it are the log.
async fn is_read_in_parts(bench: &Bench, session: SessionId) -> String {
    let timed = LogOptions {
        timestamps: true,
        ..LogOptions::default()
    };
    let whole = read(bench, session, timed).await;
    let tail = LogOptions {
        tail: Some(1_000),
        ..timed
    };
    let end = read(bench, session, tail).await;
    assert_eq!(end.lines().count(), 1_000);
    let (first, _) = split_time(end.as_bytes()).unwrap();
    let before = LogOptions {
        before: Some(first),
        ..timed
    };
    let beginning = read(bench, session, before).await;
    assert!(beginning + &end == whole, "the parts are not the whole");
    let untimed = LogOptions {
        timestamps: false,
        ..before
    };
    let plain = read(bench, session, untimed).await;
    assert_eq!(plain.lines().count(), whole.lines().count() - 1_000);
    assert!(!plain.contains(&whole[..20]), "no times");
    whole
}

#[tokio::test]
async fn a_long_log_is_read_in_parts_and_kept_whole() {
    let bench = Bench::new();
    let plan = batch(&format!(
        "seq -f 'line %.0f of a log with more than four megabytes' {LINES}"
    ));
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    let log = is_read_in_parts(&bench, plan.session).await;
    let numbers = log
        .lines()
        .filter(|line| line.contains(" of a log with more"));
    assert_eq!(numbers.count(), LINES + 1, "each line and the command");
    assert!(log.contains("Z line 1 of") && log.contains(&format!("Z line {LINES} of")));

    bench.engine.remove(plan.session).await.unwrap();
    let kept = is_read_in_parts(&bench, plan.session).await;
    assert!(kept == log, "the saved log differs");
}

#[tokio::test]
async fn of_a_progress_bar_without_an_end_the_last_state_is_kept() {
    let bench = Bench::new();
    let plan = batch("printf 'loading  10%%\\r'; sleep 1; printf 'loading  70%%\\r'");
    bench.launch(&plan).await;
    assert_eq!(bench.ended(plan.session).await, 0);
    bench.engine.remove(plan.session).await.unwrap();
    let kept = bench.log(plan.session, None).await;
    assert!(
        kept.contains("loading  10%\rloading  70%\r\nworkbay: ended"),
        "{kept}"
    );
}
