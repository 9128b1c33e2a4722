//! The built program while managers stop and start: HAProxy in front of two of them, as large installations have it.

use std::time::Duration;

use crate::{
    built::{self, LEADER, row},
    script::run,
    support::{Bench, small, too_large},
    terminal::Terminal,
    typed::{content, end_typing, open_terminal, type_lines},
};

/// Two managers behind HAProxy. At the end, the one of the other tests runs alone again.
struct Balancer;

#[allow(clippy::unused_self, reason = "without one, none of this works")]
impl Balancer {
    fn new() -> Self {
        run("balancer", &["start"]);
        Self
    }

    fn endpoint(&self) -> String {
        std::env::var("WORKBAY_CLUSTER_BALANCER").unwrap_or("http://127.0.0.1:8093".to_owned())
    }

    fn command(&self, what: &str, manager: &str) {
        run("balancer", &[what, manager]);
    }
}

impl Drop for Balancer {
    fn drop(&mut self) {
        run("balancer", &["stop"]);
    }
}

/// Waits until the terminal is connected, maybe again: what is typed is echoed. The line is erased afterwards.
fn is_connected(terminal: &mut Terminal) {
    terminal.type_until("?", |screen| {
        screen.lines().any(|line| line.starts_with('?'))
    });
    terminal.type_until("\x15", |screen| {
        !screen.lines().any(|line| line.starts_with('?'))
    });
}

/// Ends the line that is typed. Afterwards no key is on its way.
fn end_line(terminal: &mut Terminal, typed: &mut String) {
    terminal.type_("\r");
    typed.push('\n');
    is_connected(terminal);
}

#[tokio::test]
async fn the_list_and_a_terminal_survive_the_end_of_each_manager() {
    let bench = Bench::new().await;
    let (ours, asked) = bench.running(small()).await;
    let runs = asked.name.unwrap();
    let balancer = Balancer::new();
    let machine = built::machine_at(&balancer.endpoint());
    let mut terminal = built::open(&machine);
    terminal.be_patient(Duration::from_secs(300));
    open_terminal(&mut terminal, &runs);
    let mut typed = type_lines(&mut terminal, 0..4);
    end_line(&mut terminal, &mut typed);

    // One of them is always there. Whichever the terminal was connected through ends once.
    for (round, (what, manager)) in [("kill-manager", "1"), ("stop-manager", "2")]
        .iter()
        .enumerate()
    {
        balancer.command(what, manager);
        is_connected(&mut terminal);
        let from = 4 * (round as u32 + 1);
        typed += &type_lines(&mut terminal, from..from + 4);
        end_line(&mut terminal, &mut typed);
        balancer.command("start-manager", manager);
    }

    // A manager that restarts, while no other is there.
    balancer.command("stop-manager", "2");
    balancer.command("kill-manager", "1");
    terminal.wait_for("retrying, Enter retries now");
    balancer.command("start-manager", "1");
    is_connected(&mut terminal);
    typed += &type_lines(&mut terminal, 12..16);
    end_typing(&mut terminal, &mut typed);
    assert_eq!(content(&bench, ours.id(), "typed").await, typed);

    // The list shows what happened after all of it.
    terminal.type_(LEADER);
    terminal.type_("d");
    terminal.wait_for("RUNNING");
    terminal.type_("\x1b");
    let waits = bench.enqueue(too_large()).await;
    let waiting = bench.session(waits.id()).await.name.to_string();
    terminal.wait_until("the new session is listed", |screen| {
        row(screen, &waiting).is_some_and(|row| row.contains("PENDING"))
    });
    drop(waits);
    terminal.wait_until("it has left the tab", |screen| {
        row(screen, &waiting).is_none()
    });
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
}
