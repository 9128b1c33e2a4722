//! The whole path on the cluster, as a person goes it in the built program.

use crate::{
    hand::{Named, launch, launch_to_run, machine, open, row},
    support::{Bench, cores_of_the_node, name},
    terminal::{PATIENCE, Terminal},
};

const LEADER: &str = "\x1d";

const ONLY_THE_CLUSTER: &str = r#"
[contexts.local]
kind = "docker"
enabled = false
"#;

fn answers(person: &Terminal, line: &str) {
    person.wait_until(&format!("the shell answers '{line}'"), |screen| {
        screen.lines().any(|shown| shown.trim() == line)
    });
}

/// A second window, by our key; the session's own keys lead back, and its shell's end closes it. The kernel names
/// no window: the first one has no name.
fn windows(person: &mut Terminal) {
    let heads = |person: &Terminal, shown: &'static str, hidden: &'static str| {
        person.wait_until(&format!("the pane's head has '{shown}'"), |screen| {
            let head = screen.lines().next().unwrap_or_default();
            head.contains(shown) && !head.contains(hidden)
        });
    };
    heads(person, " 0 * ", " 1 ");
    person.type_(LEADER);
    person.type_("c");
    heads(person, " 1 bash* ", " 0 * ");
    person.type_("echo second-$((20+1))\r");
    answers(person, "second-21");
    person.type_("\x02p");
    heads(person, " 0 * ", " 1 bash* ");
    answers(person, "한글 세션");
    person.type_("\x02n");
    heads(person, " 1 bash* ", " 0 * ");
    person.type_("exit\r");
    heads(person, " 0 * ", " 1 ");
}

#[tokio::test]
async fn launch_wait_work_return_read_rename_end() {
    let bench = Bench::new().await;
    let all = cores_of_the_node(&bench).await.millis() / 1000;
    let prefix = name();
    let _ended = Named(prefix.clone());
    let machine = machine(ONLY_THE_CLUSTER);
    let mut person = open(&machine);

    // One session runs; the next requests all of the node, and its reason to wait is reported.
    let runs = launch_to_run(&mut person, &prefix);
    let waits = format!("{prefix}-w");
    launch(&mut person, &waits, u32::try_from(all).unwrap());
    person.wait_until("it is PENDING", |screen| {
        row(screen, &waits).is_some_and(|row| row.contains("PENDING"))
    });
    person.type_("\r");
    person.wait_for("waiting: ");
    let message = bench.history_message();
    person.wait_for(message);
    person.type_("\x1b");
    person.wait_gone(message);

    // It is taken out of the queue.
    person.type_("x");
    person.wait_for("Terminate");
    person.type_("y");
    person.wait_until("it has left the tab", |screen| {
        row(screen, &waits).is_none()
    });
    person.type_("2");
    person.wait_until("it is cancelled", |screen| {
        row(screen, &waits).is_some_and(|row| row.contains("cancelled"))
    });
    person.type_("1");

    // Nothing has to be made from here on: all of it comes in seconds.
    person.be_patient(PATIENCE);

    // Only ours, whoever else has sessions here.
    person.type_("/");
    person.type_(&prefix);
    person.type_("\r");
    person.wait_until("the running one is there", |screen| {
        row(screen, &runs).is_some()
    });

    // Its shell answers, and is the same for the next face.
    person.type_("s");
    person.wait_for("work@");
    person.type_("echo $((6*7)); VALUE=still-here\r");
    answers(&person, "42");
    person.type_("echo 한글 세션\r");
    answers(&person, "한글 세션");
    windows(&mut person);
    person.type_(LEADER);
    person.type_("d");
    person.wait_for("RUNNING");
    person.type_("q");
    assert_eq!(person.wait_end(), 0);
    let mut person = open(&machine);
    person.be_patient(PATIENCE);
    person.type_("/");
    person.type_(&prefix);
    person.type_("\r");
    person.wait_until("it runs", |screen| {
        row(screen, &runs).is_some_and(|row| row.contains("RUNNING"))
    });
    person.type_("s");
    person.wait_for("work@");
    person.type_("echo [$VALUE]\r");
    answers(&person, "[still-here]");
    person.type_(LEADER);
    person.type_("d");

    // Its detail has idle checks and the scheduling history; its log the kernel's first lines.
    person.wait_for("RUNNING");
    person.type_("\r");
    person.wait_for("Idle checks");
    person.wait_for("grace period");
    person.type_("h");
    person.wait_for("Scheduling history of");
    person.wait_for(bench.history_message());
    person.type_until("\x1b", |screen| !screen.contains("Scheduling history of"));
    // The first one takes the filter off.
    person.type_until("\x1b", |screen| !screen.contains("Idle checks"));
    person.type_("l");
    // Its first line stands above what has come since.
    person.type_until("g", |screen| screen.contains("Kernel started at"));
    person.type_("q");

    // Another name, then the end.
    person.wait_for("RUNNING");
    let renamed = format!("{prefix}-r");
    person.type_("r");
    person.wait_for("Rename");
    person.type_("\x15");
    person.type_(&renamed);
    person.type_("\r");
    person.wait_until("it has its new name", |screen| {
        row(screen, &renamed).is_some_and(|row| row.contains("RUNNING"))
    });
    person.type_("x");
    person.wait_for("Terminate");
    person.type_("y");
    person.wait_until("it has left the tab", |screen| {
        row(screen, &renamed).is_none()
    });
    person.type_("2");
    person.wait_until("it is terminated", |screen| {
        row(screen, &renamed).is_some_and(|row| row.contains("terminated"))
    });
    person.type_("q");
    assert_eq!(person.wait_end(), 0);
}
