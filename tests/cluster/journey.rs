//! The whole path on the cluster, as a user takes it in the built program.

use crate::{
    built::{LEADER, Named, launch, launch_to_run, machine, open, row},
    support::{Bench, cores_of_the_node, name},
    terminal::{PATIENCE, Terminal},
};

const ONLY_THE_CLUSTER: &str = r#"
[contexts.local]
kind = "docker"
enabled = false
"#;

fn answers(terminal: &Terminal, line: &str) {
    terminal.wait_until(&format!("the shell answers '{line}'"), |screen| {
        screen.lines().any(|shown| shown.trim() == line)
    });
}

/// A second window, by our key; the session's own keys lead back, and its shell's end closes it. The kernel names
/// no window: the first one has no name.
fn windows(terminal: &mut Terminal) {
    let heads = |terminal: &Terminal, shown: &'static str, hidden: &'static str| {
        terminal.wait_until(&format!("the pane's head has '{shown}'"), |screen| {
            let head = screen.lines().next().unwrap_or_default();
            head.contains(shown) && !head.contains(hidden)
        });
    };
    heads(terminal, " 0 * ", " 1 ");
    terminal.type_(LEADER);
    terminal.type_("c");
    heads(terminal, " 1 bash* ", " 0 * ");
    terminal.type_("echo second-$((20+1))\r");
    answers(terminal, "second-21");
    terminal.type_("\x02p");
    heads(terminal, " 0 * ", " 1 bash* ");
    answers(terminal, "한글 세션");
    terminal.type_("\x02n");
    heads(terminal, " 1 bash* ", " 0 * ");
    terminal.type_("exit\r");
    heads(terminal, " 0 * ", " 1 ");
}

#[tokio::test]
async fn launch_wait_work_return_read_rename_end() {
    let bench = Bench::new().await;
    let all = cores_of_the_node(&bench).await.millis() / 1000;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine(ONLY_THE_CLUSTER);
    let mut terminal = open(&machine);

    // One session runs; the next requests all of the node, and its reason to wait is reported.
    let runs = launch_to_run(&mut terminal, &prefix);
    let waits = format!("{prefix}-w");
    launch(&mut terminal, &waits, u32::try_from(all).unwrap());
    terminal.wait_until("it is PENDING", |screen| {
        row(screen, &waits).is_some_and(|row| row.contains("PENDING"))
    });
    terminal.type_("\r");
    terminal.wait_for("waiting: ");
    let message = bench.history_message();
    terminal.wait_for(message);
    terminal.type_("\x1b");
    terminal.wait_gone(message);

    // It is taken out of the queue.
    terminal.type_("x");
    terminal.wait_for("Terminate");
    terminal.type_("y");
    terminal.wait_until("it has left the tab", |screen| {
        row(screen, &waits).is_none()
    });
    terminal.type_("2");
    terminal.wait_until("it is cancelled", |screen| {
        row(screen, &waits).is_some_and(|row| row.contains("cancelled"))
    });
    terminal.type_("1");

    // Nothing has to be made from here on: all of it comes in seconds.
    terminal.be_patient(PATIENCE);

    // Only ours, even if other users have sessions here.
    terminal.type_("/");
    terminal.type_(&prefix);
    terminal.type_("\r");
    terminal.wait_until("the running one is there", |screen| {
        row(screen, &runs).is_some()
    });

    // Its shell answers, and is the same for the next TUI.
    terminal.type_("s");
    terminal.wait_for("work@");
    terminal.type_("echo $((6*7)); VALUE=still-here\r");
    answers(&terminal, "42");
    terminal.type_("echo 한글 세션\r");
    answers(&terminal, "한글 세션");
    windows(&mut terminal);
    terminal.type_(LEADER);
    terminal.type_("d");
    terminal.wait_for("RUNNING");
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
    let mut terminal = open(&machine);
    terminal.be_patient(PATIENCE);
    terminal.type_("/");
    terminal.type_(&prefix);
    terminal.type_("\r");
    terminal.wait_until("it runs", |screen| {
        row(screen, &runs).is_some_and(|row| row.contains("RUNNING"))
    });
    terminal.type_("s");
    terminal.wait_for("work@");
    terminal.type_("echo [$VALUE]\r");
    answers(&terminal, "[still-here]");
    terminal.type_(LEADER);
    terminal.type_("d");

    // Its detail has idle checks and the scheduling history; its log the kernel's first lines.
    terminal.wait_for("RUNNING");
    terminal.type_("\r");
    terminal.wait_for("Idle checks");
    terminal.wait_for("grace period");
    terminal.type_("h");
    terminal.wait_for("Scheduling history of");
    terminal.wait_for(bench.history_message());
    terminal.type_until("\x1b", |screen| !screen.contains("Scheduling history of"));
    // The first one takes the filter off.
    terminal.type_until("\x1b", |screen| !screen.contains("Idle checks"));
    terminal.type_("l");
    // Its first line is above what has come since.
    terminal.type_until("g", |screen| screen.contains("Kernel started at"));
    terminal.type_("q");

    // Another name, then the end.
    terminal.wait_for("RUNNING");
    let renamed = format!("{prefix}-r");
    terminal.type_("r");
    terminal.wait_for("Rename");
    terminal.type_("\x15");
    terminal.type_(&renamed);
    terminal.type_("\r");
    terminal.wait_until("it has its new name", |screen| {
        row(screen, &renamed).is_some_and(|row| row.contains("RUNNING"))
    });
    terminal.type_("x");
    terminal.wait_for("Terminate");
    terminal.type_("y");
    terminal.wait_until("it has left the tab", |screen| {
        row(screen, &renamed).is_none()
    });
    terminal.type_("2");
    terminal.wait_until("it is terminated", |screen| {
        row(screen, &renamed).is_some_and(|row| row.contains("terminated"))
    });
    terminal.type_("q");
    assert_eq!(terminal.wait_end(), 0);
}
