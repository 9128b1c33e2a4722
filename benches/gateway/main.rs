//! The gateway against direct access and against nginx as a reverse proxy, in one run whose rounds alternate:
//! throughput of large bodies, delay of small requests, memory. `cargo bench --profile dist --bench gateway` prints
//! the medians and the goals. Origin, gateway and nginx are processes of their own on loopback.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "what cannot go on here stops"
)]

mod load;
mod memory;
mod servers;

use std::time::Duration;

use servers::{Process, Target};

const ROUNDS: usize = 5;
const LARGE: u64 = 512 << 20;
const HUGE: u64 = 2 << 30;
const IDLE: usize = 1000;

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    match args.first().map(String::as_str) {
        Some("origin") => runtime.block_on(servers::origin()),
        Some("gateway") => runtime.block_on(servers::gateway(args[1].parse().expect("a port"))),
        _ => runtime.block_on(measure()),
    }
}

async fn measure() {
    let (_origin, direct) = Process::this_program(&["origin"]);
    let origin = direct.port.to_string();
    let (gateway, through) = Process::this_program(&["gateway", &origin]);
    let nginx = servers::nginx(direct.port);
    let mut targets = vec![("direct", direct), ("gateway", through.clone())];
    match &nginx {
        Some((_, target)) => targets.push(("nginx", target.clone())),
        None => println!("nginx isn't installed, so its rows are missing"),
    }
    let throughput = rounds(&targets, load::throughput, "MB/s of a body of 512 MiB").await;
    let delay = rounds(
        &targets,
        load::delay,
        "ms, p99 of small requests, 64 connections",
    )
    .await;
    if let [_, gateway, nginx] = throughput[..] {
        println!(
            "goal: {:.2}x of nginx's throughput (min 0.8)",
            gateway / nginx
        );
    }
    println!("goal: {:.3} ms added to p99 (max 1)", delay[1] - delay[0]);
    let pid = gateway.pid();
    memory::idle(pid, &through, IDLE).await;
    memory::body(pid, &through, HUGE).await;
}

/// The medians of alternating rounds, in the order of the targets.
async fn rounds<F>(targets: &[(&str, Target)], once: F, unit: &str) -> Vec<f64>
where
    F: AsyncFn(&Target) -> f64,
{
    let mut samples = vec![Vec::new(); targets.len()];
    for round in 0..=ROUNDS {
        for (at, (_, target)) in targets.iter().enumerate() {
            let sample = once(target).await;
            // The first round warms up.
            if round > 0 {
                samples[at].push(sample);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }
    println!("{unit}:");
    let medians = samples.iter_mut().zip(targets).map(|(samples, (name, _))| {
        samples.sort_unstable_by(f64::total_cmp);
        let median = samples[ROUNDS / 2];
        let (least, most) = (samples[0], samples[ROUNDS - 1]);
        println!("  {name}: {median:.3} ({least:.3} to {most:.3})");
        median
    });
    medians.collect()
}
