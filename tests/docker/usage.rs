//! How much a session uses.

use jiff::{SignedDuration, Timestamp};
use workbay::{
    engine::api::{Containers as _, Engine as _},
    model::{id::SessionId, resources::Bytes},
};

use crate::support::{Bench, until};

#[tokio::test]
async fn a_busy_session_is_seen_and_an_idle_one_is_not() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let start = std::time::SystemTime::UNIX_EPOCH;
    let begun = tokio::time::Instant::now();
    // The engine measures against the time it is told.
    let now = || {
        let passed = SignedDuration::try_from(begun.elapsed()).unwrap();
        Timestamp::try_from(start).unwrap() + passed
    };
    let first = bench.engine.usage(&[session], now()).await;
    assert_eq!(first.len(), 1);
    assert_eq!(first[0].1.cpu, None, "nothing to compare with yet");
    assert!(
        first[0].1.mem > Bytes(0) && first[0].1.mem < Bytes::mib(256),
        "{:?}",
        first[0].1
    );
    let mut pane = bench.terminal(session, "one", 80, 24).await;
    pane.wait_for("work@bench").await;
    pane.type_text("while :; do :; done\r").await;
    until(async || {
        let sample = bench.engine.usage(&[session], now()).await;
        sample[0].1.cpu.filter(|cpu| cpu.millis() > 200)
    })
    .await;
    pane.type_text("\u{3}").await;
    until(async || {
        let sample = bench.engine.usage(&[session], now()).await;
        sample[0].1.cpu.filter(|cpu| cpu.millis() < 50)
    })
    .await;
}

#[tokio::test]
async fn sessions_that_cannot_be_sampled_are_left_out() {
    let bench = Bench::new();
    let session = bench.host_session().await;
    let at = |second| Timestamp::from_second(second).unwrap();
    let both = [SessionId::random(), session];
    let sample = bench.engine.usage(&both, at(1)).await;
    assert_eq!(
        sample.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        [session]
    );
    bench.engine.stop(session, 0).await.unwrap();
    until(async || {
        bench
            .engine
            .usage(&both, at(2))
            .await
            .is_empty()
            .then_some(())
    })
    .await;
}
