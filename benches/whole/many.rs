//! A hundred thousand ended sessions in the store, beside fifty: how long a key takes, what they weigh.

use std::time::Duration;

use rusqlite::Connection;

use crate::{
    machine::Machine,
    measure::{millis, quiet, resident_kib, settle, tui},
    samples::Samples,
    terminal::{Terminal, now},
};

const SIZES: [usize; 2] = [50, 100_000];
const STEPS: usize = 200;
const ROUNDS: usize = 10;
const COLD_STARTS: usize = 5;
/// Typed into the filter, letter by letter; a seventh of the names contain it.
const WORD: &str = "resnet-1";
/// The names of the ended sessions begin with one of these.
const NAMES: &str =
    r#"["train-resnet","notebook","eval-bert","preprocess","jupyter","sweep-lr","export-onnx"]"#;
/// Opening a store of that size, and reporting all of it.
const PATIENCE: Duration = Duration::from_secs(300);

/// Whether a figure of that name is made here.
pub fn is_of_here(name: &str) -> bool {
    name.starts_with("many-")
}

pub fn alone(samples: &mut Samples) {
    let machine = Machine::new();
    machine.ok(&[
        "launch", "--env", "host", "--name", "pattern", "--mem", "64m", "--wait",
    ]);
    machine.ok(&["terminate", "pattern", "--force", "--yes"]);
    let ended = || machine.containers().is_empty();
    while !ended() {
        std::thread::sleep(Duration::from_millis(50));
    }
    for size in SIZES {
        machine.ok(&["daemon", "stop"]);
        fill(&machine, size);
        for _ in 1..COLD_STARTS {
            drop(listed(samples, &machine, size));
            machine.ok(&["daemon", "stop"]);
        }
        let mut terminal = listed(samples, &machine, size);
        keys(samples, &mut terminal, size);
        settle();
        let name = format!("many-rss/workbay/{size}");
        samples.add(&name, resident_kib(terminal.pid()));
        if let Some(daemon) = machine.daemon_pid() {
            let name = format!("many-rss/daemon/{size}");
            samples.add(&name, resident_kib(daemon as u32));
        }
    }
}

/// From exec until all are listed, while no daemon runs.
fn listed(samples: &mut Samples, machine: &Machine, size: usize) -> Terminal {
    let begun = now();
    let mut terminal = tui(machine);
    terminal.be_patient(PATIENCE);
    // Thousands are separated.
    let shown = match size / 1000 {
        0 => size.to_string(),
        thousands => format!("{thousands},{:03}", size % 1000),
    };
    let all = format!("Finished {shown}");
    let at = terminal.wait_timed("all are listed", |screen| screen.contains(&all));
    samples.add(&format!("many-listed/workbay/{size}"), millis(at - begun));
    terminal
}

/// Makes as many copies of the one session that ended, itself among them.
fn fill(machine: &Machine, size: usize) {
    let state = machine.path("state");
    let folders = std::fs::read_dir(&state).expect("a state directory");
    let files = folders.map(|folder| folder.expect("a folder").path().join("workbay.db"));
    let file = files
        .chain([state.join("workbay.db")])
        .find(|file| file.exists())
        .expect("a store");
    let store = Connection::open(file).expect("the store opens");
    let copies = format!(
        "WITH RECURSIVE copy(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n + 1 < {size}),
             named AS (SELECT n,
                 printf('%08x-0000-4000-8000-%012x', (n * 2654435761) % 4294967296, n) AS id,
                 json_extract('{NAMES}', '$[' || (n % 7) || ']') || '-' || n AS name FROM copy)
         INSERT OR IGNORE INTO sessions (id, name, status, created_at, terminated_at, body)
         SELECT named.id, named.name, status, created_at, terminated_at,
             json_set(body, '$.session.id', named.id, '$.session.name', named.name,
                 '$.step', 'settled', '$.forgotten', json('true'))
         FROM named, sessions WHERE sessions.name = 'pattern'"
    );
    store.execute(&copies, ()).expect("the store takes copies");
}

/// Scrolls and filters among the ended ones.
fn keys(samples: &mut Samples, terminal: &mut Terminal, size: usize) {
    terminal.type_("2");
    terminal.wait_until("names are seen", |screen| screen.contains("notebook-"));
    settle();
    for step in 0..STEPS {
        // A page down and one up: each shows something else.
        let key = if step % 2 == 0 { "\x1b[6~" } else { "\x1b[5~" };
        time(
            samples,
            terminal,
            &format!("many-scroll/workbay/{size}"),
            key,
        );
    }
    for _ in 0..ROUNDS {
        terminal.type_("/");
        for letter in WORD.chars() {
            let name = format!("many-filter/workbay/{size}");
            time(samples, terminal, &name, &letter.to_string());
        }
        quiet(terminal);
        terminal.type_("\x1b");
    }
}

fn time(samples: &mut Samples, terminal: &mut Terminal, name: &str, key: &str) {
    quiet(terminal);
    let (before, start) = (terminal.raw_len(), now());
    terminal.type_(key);
    samples.add(name, millis(terminal.wait_bytes(before) - start));
}
