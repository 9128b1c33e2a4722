//! What a pane lives through: its engine restarted, its container paused, a flood beside it.

use crate::{
    machine::{BINARY, Machine, docker},
    private_engine::PrivateEngine,
    relay::{Manner, Relay},
    terminal::Terminal,
};

const LEADER: &str = "\x1d";

fn launch(machine: &Machine, name: &str) {
    machine.ok(&[
        "launch", "--env", "host", "--name", name, "--mem", "64m", "--wait",
    ]);
}

/// In a shell of the only session.
fn in_its_shell(machine: &Machine, name: &str, columns: u16, rows: u16) -> Terminal {
    let mut person = Terminal::start(&[BINARY], &machine.env(), columns, rows);
    person.wait_for(name);
    person.type_("s");
    person.wait_for(&format!("work@{name}"));
    person
}

fn has_line(line: &str) -> impl Fn(&str) -> bool {
    let line = line.to_owned();
    move |screen| screen.lines().any(|one| one.trim() == line)
}

#[test]
fn an_engine_restarted_under_its_containers_gives_the_same_shell_back() {
    let Some(mut engine) = PrivateEngine::start() else {
        assert!(
            !rustix::process::geteuid().is_root(),
            "as root there must be a dockerd to start"
        );
        return;
    };
    let machine = Machine::new();
    let config = machine.path("config").join("config.toml");
    let text = format!(
        "[launch]\ncpu = 0.2\n[engine]\nendpoint = \"{}\"\n",
        engine.endpoint()
    );
    std::fs::write(config, text).expect("a file");
    launch(&machine, "restored");
    let mut person = in_its_shell(&machine, "restored", 100, 24);
    person.type_("VALUE=still-here\r");
    engine.stop();
    person.wait_for("the engine at unix://");
    engine.begin();
    person.wait_gone("the engine at unix://");
    person.type_until("echo [$VALUE]\r", |screen| screen.contains("[still-here]"));
    person.type_(LEADER);
    person.type_("d");
    person.wait_for("RUNNING");
}

#[test]
fn an_engine_that_hangs_blocks_no_key_and_comes_back_automatically() {
    let machine = Machine::new();
    let relay = Relay::start(&machine.path("relay.sock"), "/var/run/docker.sock".as_ref());
    let config = machine.path("config").join("config.toml");
    let endpoint = relay.endpoint();
    let text = format!("[launch]\ncpu = 0.2\n[engine]\nendpoint = \"{endpoint}\"\n");
    std::fs::write(config, text).expect("a file");
    launch(&machine, "held");
    let mut person = Terminal::start(&[BINARY], &machine.env(), 120, 30);
    person.wait_for("RUNNING");
    relay.set(Manner::Silent);
    // The list is requested again, which nobody answers; meanwhile every key does its work.
    person.type_("R");
    person.type_("?");
    person.wait_for("─ Keys ─");
    person.type_("\x1b");
    person.wait_gone("─ Keys ─");
    person.wait_for("it accepts requests");
    assert!(person.screen().contains("held"), "{}", person.screen());
    let listed = machine.ok(&["ls"]);
    assert!(listed.contains("held"), "{listed}");
    person.type_("/hel");
    person.wait_for("hel");
    person.type_("\x1b");
    relay.set(Manner::Through);
    person.wait_gone("it accepts requests");
    person.type_("s");
    person.wait_for("work@held");
    person.type_until("echo $((6*7))\r", has_line("42"));
}

#[test]
fn a_paused_container_is_reported_and_its_shell_continues() {
    let machine = Machine::new();
    launch(&machine, "frozen");
    let mut person = in_its_shell(&machine, "frozen", 100, 24);
    // The line for its windows is open: an engine that pauses a container while something begins in it
    // holds that frozen half way, and answers nobody about this container any more (Docker 20.10).
    person.wait_for(" 1 bash* ");
    let containers = machine.containers();
    docker(&["pause", &containers[0]]);
    person.wait_for("the container is paused");
    person.type_("echo $((40+2))\r");
    docker(&["unpause", &containers[0]]);
    person.wait_gone("the container is paused");
    person.wait_until("what was typed is answered", has_line("42"));
}

#[test]
fn a_flood_in_one_pane_blocks_no_key_in_the_other() {
    let machine = Machine::new();
    launch(&machine, "flooded");
    let mut person = in_its_shell(&machine, "flooded", 120, 30);
    person.type_("yes flood\r");
    person.wait_for("flood");
    person.type_(LEADER);
    person.type_("|");
    // The shell of its own beside it.
    person.wait_until("a second prompt", |screen| {
        screen.matches("work@flooded").count() >= 1
    });
    person.type_("echo $((6*7))\r");
    person.wait_until("the other pane answers", |screen| {
        screen.lines().any(|line| line.trim_end().ends_with("│42"))
    });
    assert!(person.screen().contains("flood"), "{}", person.screen());
    // Back to the flood, to end it.
    person.type_(LEADER);
    person.type_("h");
    person.type_("\x03");
    person.type_("clear; echo calm\r");
    person.wait_until("the flood is over", |screen| {
        screen.lines().any(|line| line.starts_with("calm"))
    });
}
