//! The built program beside the cluster, on a pseudo-terminal or from the command line.

use std::time::Duration;

use workbay::model::status::Tab;

use crate::{
    machine::{BINARY, Machine},
    support::{ACCESS_KEY, SECRET_KEY, by_keys, end, engine, manager, page},
    terminal::Terminal,
};

/// The leader key of the TUI.
pub const LEADER: &str = "\x1d";

/// A machine that knows the cluster as context `cluster` and whatever `more` of contexts.toml says.
pub fn machine(more: &str) -> Machine {
    let mut machine = Machine::new();
    machine.set("WBT_SECRET_KEY", SECRET_KEY);
    let config = machine.path("config");
    std::fs::create_dir_all(&config).unwrap();
    let endpoint = manager();
    let contexts = format!(
        r#"default = "cluster"

[contexts.cluster]
kind = "backendai"
endpoint = "{endpoint}"
access-key = "{ACCESS_KEY}"
secret-key = {{ env = "WBT_SECRET_KEY" }}
{more}"#
    );
    std::fs::write(config.join("contexts.toml"), contexts).unwrap();
    machine
}

/// A machine that knows only the cluster, at another address than the manager's own, which isn't encrypted.
pub fn machine_at(endpoint: &str) -> Machine {
    let machine = machine("\n[contexts.local]\nkind = \"docker\"\nenabled = false\n");
    let contexts = machine.path("config").join("contexts.toml");
    let text = std::fs::read_to_string(&contexts).unwrap();
    let text = text.replace(
        &format!("{}\"", manager()),
        &format!("{endpoint}\"\ninsecure = true"),
    );
    std::fs::write(contexts, text).unwrap();
    machine
}

/// Opens it and waits until the cluster has answered.
pub fn open(machine: &Machine) -> Terminal {
    let mut terminal = Terminal::start(&[BINARY], &machine.env(), 140, 40);
    terminal.be_patient(Duration::from_secs(300));
    terminal.wait_for("Backend.AI 2");
    terminal
}

/// Sessions of the cluster whose names begin so, ended at the end of the test whatever happens.
pub struct Named(pub String);

impl Drop for Named {
    fn drop(&mut self) {
        let prefix = self.0.clone();
        let ended = std::thread::spawn(move || {
            tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap()
                .block_on(end_all(&prefix));
        });
        if ended.join().is_err() {
            eprintln!("sessions {}… may be left on the cluster", self.0);
        }
    }
}

async fn end_all(prefix: &str) {
    let engine = engine(by_keys());
    engine.probe().await.unwrap();
    for tab in [Tab::Running, Tab::Others] {
        for session in page(&engine, tab, Some(prefix)).await {
            end(&engine, session.id).await;
        }
    }
}

/// Launches with the launcher: this name, this much, everything else as it comes.
pub fn launch(terminal: &mut Terminal, name: &str, cpu: u32) {
    terminal.type_("n");
    terminal.wait_for("Launch a session");
    // The environments are reported when the launcher opens.
    terminal.wait_for("python");
    go_to(terminal, "Name");
    terminal.type_(name);
    terminal.wait_for(name);
    // The second step; there the amount is typed over.
    terminal.type_("\x1b2");
    terminal.wait_for("CPU");
    go_to(terminal, "CPU");
    terminal.type_("\x15");
    terminal.type_(&cpu.to_string());
    // Launched from the current page; once more: without a folder.
    terminal.type_("\x1b\r");
    terminal.wait_for("Press Enter to launch without a folder");
    terminal.type_("\r");
    terminal.wait_gone("Launch a session");
    terminal.wait_until("it is in the list", |screen| row(screen, name).is_some());
}

/// From field to field, down to this one.
fn go_to(terminal: &mut Terminal, field: &str) {
    let there = format!("▎ {field}");
    if !terminal.screen().contains(&there) {
        terminal.type_until("\t", |screen| screen.contains(&there));
    }
}

/// Launches until it runs; rarely a node loses a container in the making.
pub fn launch_to_run(terminal: &mut Terminal, prefix: &str) -> String {
    for attempt in ["a", "b"] {
        let name = format!("{prefix}-{attempt}");
        launch(terminal, &name, 1);
        terminal.wait_until("it runs or has ended", |screen| {
            row(screen, &name).is_none_or(|row| row.contains("RUNNING"))
        });
        if row(&terminal.screen(), &name).is_some() {
            return name;
        }
    }
    panic!("no session starts on this cluster");
}

/// The line of the list that begins with this session.
pub fn row(screen: &str, name: &str) -> Option<String> {
    let mut lines = screen.lines().skip(4);
    let row = lines.find(|line| {
        let mut words = line.trim_start_matches(['▎', ' ']).split_whitespace();
        words.next() == Some(name)
    });
    row.map(str::to_owned)
}
