//! One round of the queue while 10,000 sessions wait: what the daemon's loop is held up by.
//! `cargo bench --profile dist --bench queue` prints the middle and the longest of many rounds of each kind.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what cannot go on here stops"
)]

mod crowd;

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use crowd::Crowd;
use workbay::scheduler::fact::Fact;

const WAITING: u32 = 10_000;
const ROUNDS: usize = 200;

fn main() {
    println!("one round with {WAITING} sessions waiting, of {ROUNDS} rounds:");
    for (skip, what) in [(0, "strict"), (1, "all tried, as heads are passed over")] {
        measure(what, "nothing has changed", || {
            let mut crowd = Crowd::waiting(WAITING, skip);
            (0..ROUNDS).map(|_| crowd.timed(Fact::Round)).collect()
        });
        measure(what, "one has ended, the next begins", || {
            let mut crowd = Crowd::waiting(WAITING, skip);
            (0..ROUNDS)
                .map(|_| {
                    crowd.end_the_running();
                    crowd.timed(Fact::Round)
                })
                .collect()
        });
    }
}

fn measure(what: &str, case: &str, rounds: impl FnOnce() -> Vec<Duration>) {
    let mut times = black_box(rounds());
    times.sort_unstable();
    let shown = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0);
    println!(
        "  {what}; {case}: {} in the middle, {} at most",
        shown(times[times.len() / 2]),
        shown(times[times.len() - 1])
    );
}

/// How long a piece of work takes.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begun = Instant::now();
    let done = work();
    (done, begun.elapsed())
}
