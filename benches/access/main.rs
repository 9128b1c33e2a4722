//! The ways into a session against the same without workbay, in one run whose rounds alternate: SSH and SFTP against
//! OpenSSH's server in the same directory, and the start of Jupyter against its own. `cargo bench --profile dist --bench
//! access` prints the medians and the goals. Needs Docker, OpenSSH's server and Jupyter.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what cannot go on here stops"
)]

mod jupyter;
mod machine;
mod ssh;

use std::time::{Duration, Instant};

use machine::Machine;

const ROUNDS: usize = 7;

fn main() {
    let machine = Machine::new();
    ssh::measure(&machine);
    jupyter::measure(&machine);
}

/// How long something takes.
fn timed(work: impl FnOnce()) -> Duration {
    let begin = Instant::now();
    work();
    begin.elapsed()
}

/// Prints and returns the medians of two alternating measurements, in seconds: workbay's, then the other one's.
fn compare(
    what: &str,
    mut ours: impl FnMut() -> Duration,
    other: &str,
    mut theirs: impl FnMut() -> Duration,
) -> [f64; 2] {
    let mut samples = [Vec::new(), Vec::new()];
    for round in 0..=ROUNDS {
        let pair = [ours(), theirs()];
        // The first round warms up.
        if round > 0 {
            for (samples, sample) in samples.iter_mut().zip(pair) {
                samples.push(sample.as_secs_f64());
            }
        }
    }
    println!("{what}, in seconds:");
    let mut names = ["workbay", other].into_iter();
    samples.map(|mut samples| {
        samples.sort_unstable_by(f64::total_cmp);
        let (median, most) = (samples[ROUNDS / 2], samples[ROUNDS - 1]);
        let name = names.next().unwrap_or_default();
        println!("  {name}: {median:.3} ({:.3} to {most:.3})", samples[0]);
        println!("    samples: {samples:.3?}");
        median
    })
}
