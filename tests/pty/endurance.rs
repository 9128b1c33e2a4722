//! What a pane lives through: its engine restarted, its container paused, a flood beside it.

use super::LEADER;
use crate::{
    machine::{BINARY, Machine, docker, launch},
    private_engine::PrivateEngine,
    relay::{Manner, Relay},
    terminal::Terminal,
};

/// In a shell of the only session.
fn in_its_shell(machine: &Machine, name: &str, columns: u16, rows: u16) -> Terminal {
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), columns, rows);
    terminal.wait_for(name);
    terminal.type_("s");
    terminal.wait_for(&format!("work@{name}"));
    terminal
}

fn has_line(line: &str) -> impl Fn(&str) -> bool {
    let line = line.to_owned();
    move |screen| screen.lines().any(|one| one.trim() == line)
}

#[test]
fn an_engine_restarted_under_its_containers_gives_the_same_shell_back() {
    let Some(mut engine) = PrivateEngine::start() else {
        return;
    };
    let machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    let text = format!(
        "[launch]\ncpu = 0.2\n[engine]\nendpoint = \"{}\"\n",
        engine.endpoint()
    );
    std::fs::write(config, text).expect("a file");
    machine.ok(&launch("restored", &["--wait"]));
    let mut terminal = in_its_shell(&machine, "restored", 100, 24);
    terminal.type_("VALUE=still-here\r");
    engine.stop();
    terminal.wait_for("the engine at unix://");
    engine.begin();
    terminal.wait_gone("the engine at unix://");
    terminal.type_until("echo [$VALUE]\r", |screen| screen.contains("[still-here]"));
    terminal.type_(LEADER);
    terminal.type_("d");
    terminal.wait_for("RUNNING");
}

#[test]
fn an_engine_that_hangs_blocks_no_key_and_comes_back_automatically() {
    let machine = Machine::new();
    let relay = Relay::start(&machine.path("relay.sock"), "/var/run/docker.sock".as_ref());
    let config = machine.path("config").join("config.toml");
    let endpoint = relay.endpoint();
    let text = format!("[launch]\ncpu = 0.2\n[engine]\nendpoint = \"{endpoint}\"\n");
    std::fs::write(config, text).expect("a file");
    machine.ok(&launch("held", &["--wait"]));
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    terminal.wait_for("RUNNING");
    relay.set(Manner::Silent);
    // The list is requested again, which nobody answers; meanwhile every key does its work.
    terminal.type_("R");
    terminal.type_("?");
    terminal.wait_for("─ Keys ─");
    terminal.type_("\x1b");
    terminal.wait_gone("─ Keys ─");
    terminal.wait_for("it accepts requests");
    assert!(terminal.screen().contains("held"), "{}", terminal.screen());
    let listed = machine.ok(&["ls"]);
    assert!(listed.contains("held"), "{listed}");
    terminal.type_("/hel");
    terminal.wait_for("hel");
    terminal.type_("\x1b");
    relay.set(Manner::Through);
    terminal.wait_gone("it accepts requests");
    terminal.type_("s");
    terminal.wait_for("work@held");
    terminal.type_until("echo $((6*7))\r", has_line("42"));
}

#[test]
fn a_paused_container_is_reported_and_its_shell_continues() {
    let machine = Machine::new();
    machine.ok(&launch("frozen", &["--wait"]));
    let mut terminal = in_its_shell(&machine, "frozen", 100, 24);
    // The connection for its windows is open: an engine that pauses a container while something begins in it
    // holds that frozen half way, and answers nobody about this container any more (Docker 20.10).
    terminal.wait_for(" 1 bash* ");
    let containers = machine.containers();
    docker(&["pause", &containers[0]]);
    terminal.wait_for("the container is paused");
    terminal.type_("echo $((40+2))\r");
    docker(&["unpause", &containers[0]]);
    terminal.wait_gone("the container is paused");
    terminal.wait_until("what was typed is answered", has_line("42"));
}

#[test]
fn a_flood_in_one_pane_blocks_no_key_in_the_other() {
    let machine = Machine::new();
    machine.ok(&launch("flooded", &["--wait"]));
    let mut terminal = in_its_shell(&machine, "flooded", 120, 30);
    terminal.type_("yes flood\r");
    terminal.wait_for("flood");
    terminal.type_(LEADER);
    terminal.type_("|");
    // The shell of its own beside it.
    terminal.wait_until("a second prompt", |screen| {
        screen.matches("work@flooded").count() >= 1
    });
    terminal.type_("echo $((6*7))\r");
    terminal.wait_until("the other pane answers", |screen| {
        screen.lines().any(|line| line.trim_end().ends_with("│42"))
    });
    assert!(terminal.screen().contains("flood"), "{}", terminal.screen());
    // Back to the flood, to end it.
    terminal.type_(LEADER);
    terminal.type_("h");
    terminal.type_("\x03");
    terminal.type_("clear; echo calm\r");
    terminal.wait_until("the flood is over", |screen| {
        screen.lines().any(|line| line.starts_with("calm"))
    });
}
