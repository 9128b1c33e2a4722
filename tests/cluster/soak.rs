//! Half an hour of work over a bad connection. Run by `make soak`, not with the other tests.
#![allow(clippy::disallowed_methods, reason = "it ends by the clock")]

use std::time::{Duration, Instant};

use crate::{
    bad_connection::BadConnection,
    built::row,
    memory,
    support::{Bench, small},
    terminal::Terminal,
    typed::{content, end_typing, open_terminal, shows, type_lines},
};

const MINUTES: u64 = 30;
/// What the memory of a program may grow by after its first minutes, in MiB.
const GROWTH: f64 = 4.0;
/// How many lines are typed between two looks at the clock.
const LINES: u32 = 4;

fn span() -> Duration {
    let minutes = std::env::var("WORKBAY_SOAK_MINUTES");
    let minutes = minutes.map_or(MINUTES, |text| text.parse().expect("a number of minutes"));
    Duration::from_secs(60 * minutes)
}

/// A proxy ends the connection. What is typed afterwards begins when the terminal is back.
fn cut(connection: &mut BadConnection, terminal: &mut Terminal, last: &str) {
    connection.cut();
    terminal.wait_for("retrying, Enter retries now");
    terminal.wait_gone("retrying, Enter retries now");
    terminal.wait_until("the same screen comes back", |screen| shows(screen, last));
}

#[tokio::test]
#[ignore = "takes half an hour: make soak"]
async fn no_key_is_lost_or_doubled_and_the_memory_stays() {
    let bench = Bench::new().await;
    let (ours, asked) = bench.running(small()).await;
    let runs = asked.name.unwrap();
    let mut connection = BadConnection::new(300, 5);
    let machine = connection.machine();
    let mut terminal = connection.open(&machine);
    terminal.wait_until("the session is listed", |screen| {
        row(screen, &runs).is_some()
    });
    open_terminal(&mut terminal, &runs);

    let (mut typed, mut number, mut cuts) = (String::new(), 0, 0);
    let mut memory: Vec<[f64; 2]> = Vec::new();
    let (start, mut minute) = (Instant::now(), Instant::now());
    while start.elapsed() < span() {
        typed += &type_lines(&mut terminal, number..number + LINES);
        number += LINES;
        if minute.elapsed() >= Duration::from_secs(60) {
            minute = Instant::now();
            let daemon = machine.daemon_pid().unwrap().unsigned_abs();
            memory.push([memory::private(terminal.pid()), memory::private(daemon)]);
            let last = typed.lines().last().unwrap().to_owned();
            cut(&mut connection, &mut terminal, &last);
            cuts += 1;
            println!(
                "{cuts} min: {number} lines, TUI and daemon {:.1?} MiB",
                memory.last().unwrap()
            );
        }
    }
    end_typing(&mut terminal, &mut typed);
    let arrived = content(&bench, ours.id(), "typed").await;
    for (arrived, typed) in arrived.lines().zip(typed.lines()) {
        assert_eq!(arrived, typed);
    }
    assert_eq!(arrived.len(), typed.len());
    println!("{} keys, {cuts} cuts, none lost or doubled", typed.len());
    let early = memory
        .get(2)
        .or(memory.first())
        .copied()
        .unwrap_or_default();
    for (index, name) in ["TUI", "daemon"].iter().enumerate() {
        let last = memory.last().copied().unwrap_or_default()[index];
        assert!(
            last - early[index] < GROWTH,
            "the {name} grew from {:.1} to {last:.1} MiB: {memory:.1?}",
            early[index]
        );
    }
}
