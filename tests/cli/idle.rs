//! Idle checks on real containers, by rules of seconds: each ends a session, and not before its time.

use std::process::{Child, Command, Stdio};

use jiff::Timestamp;
use serde_json::Value;

use crate::{
    cli::sessions::until,
    machine::{BINARY, LARGE, Machine, launch},
    terminal::{Terminal, now},
};

fn with_rules(rules: &str) -> Machine {
    let machine = Machine::new();
    let file = machine.path("config/resources.toml");
    std::fs::write(file, format!("{LARGE}{rules}")).unwrap();
    machine
}

fn begin(machine: &Machine, name: &str, more: &[&str]) {
    machine.ok(&launch(
        name,
        &[more, &["--wait", "--wait-timeout", "2m"]].concat(),
    ));
}

fn show(machine: &Machine, name: &str) -> Value {
    machine.json(&["show", name, "--json"])
}

fn runs(machine: &Machine, name: &str) -> bool {
    show(machine, name)["status"] == "RUNNING"
}

/// Waits for the end; the reason's word, its sentence, and the seconds since it began to run.
fn end(machine: &Machine, name: &str) -> (String, String, i64) {
    let over = || show(machine, name)["status"] == "TERMINATED";
    until(&format!("{name} is ended"), over);
    let session = show(machine, name);
    let text = |key: &str| session[key].as_str().unwrap().to_owned();
    let time = |key: &str| text(key).parse::<Timestamp>().unwrap();
    let lived = time("terminated_at").duration_since(time("started_at"));
    (text("status_info"), text("status_message"), lived.as_secs())
}

/// A command of workbay that keeps running on its own.
fn aside(machine: &Machine, words: &[&str]) -> Child {
    let mut command = Command::new(BINARY);
    command.args(words).envs(machine.env());
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.spawn().expect("workbay starts")
}

#[test]
fn a_session_that_is_not_used_is_ended_and_a_command_keeps_a_session() {
    let machine = with_rules("[idle]\nnetwork-timeout = \"8s\"\n");
    begin(&machine, "idle-used", &[]);
    let mut command = aside(&machine, &["exec", "idle-used", "--", "sleep", "16"]);
    begin(&machine, "idle-left", &[]);
    // Watching does not count as use.
    let mut log = aside(&machine, &["logs", "-f", "idle-left"]);
    let list = machine.ok(&["ls"]);
    assert!(list.contains("RECLAIM IN"), "{list}");
    let (info, why, lived) = end(&machine, "idle-left");
    assert_eq!(info, "idle-timeout", "{why}");
    assert!(lived >= 8, "it lived {lived} s");
    assert!(runs(&machine, "idle-used"));
    log.wait().unwrap();
    command.wait().unwrap();
    let (info, why, lived) = end(&machine, "idle-used");
    assert_eq!(info, "idle-timeout");
    assert!(why.contains("last used: a command"), "{why}");
    assert!(lived >= 16 + 8, "it lived {lived} s");
}

#[test]
fn a_session_that_lives_too_long_is_ended_whatever_it_does() {
    let machine = with_rules("[idle]\nsession-lifetime = \"6s\"\n");
    let busy = ["--batch", "--command", "while :; do :; done"];
    begin(&machine, "idle-old", &busy);
    let (info, _, lived) = end(&machine, "idle-old");
    assert_eq!(info, "idle-session-lifetime");
    assert!(lived >= 6, "it lived {lived} s");
}

#[test]
fn a_session_that_uses_too_little_is_ended_and_a_busy_loop_lives() {
    let machine =
        with_rules("[idle.utilization]\ntime-window = \"10s\"\nthresholds = { cpu_util = 20 }\n");
    let busy = ["--batch", "--command", "while :; do :; done"];
    begin(&machine, "idle-busy", &busy);
    begin(&machine, "idle-lazy", &[]);
    let (info, why, lived) = end(&machine, "idle-lazy");
    assert_eq!(info, "idle-utilization", "{why}");
    assert!(why.contains("cpu_util"), "{why}");
    assert!(lived >= 10, "it lived {lived} s");
    assert!(runs(&machine, "idle-busy"));
    let checks = show(&machine, "idle-busy")["idle_checks"].clone();
    assert_eq!(checks[0]["state"], "not_counting", "{checks}");
    assert!(
        checks[0]["resources"][0]["average"].as_i64() > Some(2_000),
        "{checks}"
    );
}

#[test]
fn an_end_is_put_off_as_often_as_the_rules_allow_and_the_exempted_live() {
    let machine = with_rules(
        "[idle]\nnetwork-timeout = \"20s\"\nextensions = 1\nextend-by = \"1h\"\nexempt = true\n",
    );
    begin(&machine, "idle-kept", &[]);
    begin(&machine, "idle-spared", &[]);
    begin(&machine, "idle-ended", &[]);
    let put_off = machine.ok(&["extend", "idle-kept"]);
    assert!(
        put_off.contains("no idle check will reclaim it before"),
        "{put_off}"
    );
    let (code, _, again) = crate::cli::run(&machine, &["extend", "idle-kept"]);
    assert_eq!(code, 1, "{again}");
    assert!(again.contains("already extended once"), "{again}");
    let spared = machine.ok(&["extend", "idle-spared", "--exempt"]);
    assert_eq!(spared, "idle-spared: no idle check will reclaim it\n");
    let (info, _, _) = end(&machine, "idle-ended");
    assert_eq!(info, "idle-timeout");
    assert!(runs(&machine, "idle-kept") && runs(&machine, "idle-spared"));
    let counted = machine.ok(&["extend", "idle-spared", "--include"]);
    assert_eq!(counted, "idle-spared: idle checks apply again\n");
    assert_eq!(end(&machine, "idle-spared").0, "idle-timeout");
}

#[test]
fn typing_in_a_terminal_keeps_a_session_and_an_open_one_does_not() {
    let machine = with_rules("[idle]\nnetwork-timeout = \"8s\"\n");
    let shell = |name: &str| Terminal::start(&[BINARY, "shell", name], &machine.env(), 80, 24);
    begin(&machine, "idle-open", &[]);
    let open = shell("idle-open");
    open.wait_for("work@idle-open");
    begin(&machine, "idle-typed", &[]);
    let begun = now();
    let mut typed = shell("idle-typed");
    typed.wait_for("work@idle-typed");
    // A user types in the one, the other is only open.
    until("idle-open is ended", || {
        typed.type_("x");
        !runs(&machine, "idle-open")
    });
    assert_eq!(end(&machine, "idle-open").0, "idle-timeout");
    // Twice the limit after its start the other one still runs.
    until("twice the limit is over", || {
        typed.type_("x");
        assert!(runs(&machine, "idle-typed"));
        now().duration_since(begun).as_secs() >= 8 + 8
    });
    let (_, why, lived) = end(&machine, "idle-typed");
    assert!(why.contains("last used: typing in a terminal"), "{why}");
    assert!(lived >= 8 + 8, "it lived {lived} s");
}

#[test]
fn the_warning_names_the_files_that_are_lost_and_those_that_are_kept() {
    let machine = with_rules("[idle]\nsession-lifetime = \"16s\"\n");
    let report = machine.path("report");
    let hook = format!(
        "[launch]\ncpu = 0.2\n[hooks]\ncommand = [\"/bin/sh\", \"-c\", \"cat >> {}\"]\n\
         events = [\"idle-warning\"]\n",
        report.display()
    );
    std::fs::write(machine.path("config/config.toml"), hook).unwrap();
    let write = "mkdir -p /tmp/model; echo note > notes; echo small > /tmp/model/log; \
                 head -c 3000000 /dev/zero > /tmp/model/weights.bin";
    begin(&machine, "idle-lost", &["--bootstrap", write]);
    let warned = || std::fs::read_to_string(&report).is_ok_and(|text| text.contains("idle-lost"));
    until("the warning is there", warned);
    let text = std::fs::read_to_string(&report).unwrap();
    let notice: Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    let words = notice["text"].as_str().unwrap();
    for part in [
        "Will be deleted: 2 files, 2.9 MiB",
        "Kept: 1 file",
        "Largest: /tmp/model/weights.bin (2.9 MiB)",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    assert_eq!(end(&machine, "idle-lost").0, "idle-session-lifetime");
}
