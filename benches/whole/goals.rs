//! What is done and timed of one program: its list, its keys, its terminals, its launches. Every pair is
//! interleaved: ours, theirs, ours, theirs.

use std::{fs, time::Duration};

use crate::{
    crowd,
    machine::{Machine, docker},
    many,
    measure::{COLUMNS, CPU, ROWS, cpu_millis, millis, own_kib, quiet, resident_kib, settle, tui},
    panes,
    peers::{docker_attach_command, docker_run_like, oxker},
    samples::Samples,
    terminal::{Terminal, now},
    usage,
};

const SIZES: [usize; 3] = [1, 20, 200];
const ROUNDS: usize = 9;

pub fn everything() -> Samples {
    let mut samples = Samples {
        machine: describe_machine(),
        ..Samples::default()
    };
    list(&mut samples);
    panes::alone(&mut samples);
    many::alone(&mut samples);
    crowd::alone(&mut samples);
    samples
}

/// What a launch, the list and what it shows cost.
pub fn list(samples: &mut Samples) {
    let machine = Machine::new();
    launch_against_docker_run(samples, &machine);
    let mut made = 0;
    for size in SIZES {
        while made < size {
            launch(&machine, &name(made));
            made += 1;
        }
        first_list(samples, &machine, size);
        memory(samples, &machine, size);
        if size == 1 {
            attach(samples, &machine);
        }
    }
    key_to_frame(samples, &machine, "200");
    at_rest(samples, &machine);
    usage::everything(samples, &machine);
    // The last one, because the programs run until the sessions end.
    busy(&machine);
    key_to_frame(samples, &machine, "200-busy");
}

/// The samples that [`list`] takes.
pub fn is_of_list(name: &str) -> bool {
    const PREFIXES: [&str; 7] = [
        "launch/",
        "first-list/",
        "rss/",
        "own-memory/",
        "attach/",
        "key-to-frame/",
        "at-rest-",
    ];
    usage::is_of_here(name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

fn name(index: usize) -> String {
    format!("bench-{index:03}")
}

fn launch(machine: &Machine, name: &str) {
    machine.ok(&[
        "launch", "--env", "host", "--name", name, "--cpu", CPU, "--mem", "64m", "--wait",
    ]);
}

/// How many of the bench's sessions are on the screen.
fn shown(screen: &str, prefix: &str) -> usize {
    screen.lines().filter(|line| line.contains(prefix)).count()
}

/// Goal 1: from exec to the first complete list.
fn first_list(samples: &mut Samples, machine: &Machine, size: usize) {
    let ours = size.min(40);
    // oxker gives its list about six rows on this screen.
    let theirs = size.min(6);
    for _ in 0..ROUNDS {
        let start = now();
        let terminal = tui(machine);
        let at = terminal.wait_timed("the list is complete", |screen| {
            shown(screen, "bench-") >= ours
        });
        samples.add(&format!("first-list/workbay/{size}"), millis(at - start));
        drop(terminal);
        let start = now();
        if let Some(terminal) = oxker() {
            let at = terminal.wait_timed("oxker lists", |screen| shown(screen, "bench-") >= theirs);
            samples.add(&format!("first-list/oxker/{size}"), millis(at - start));
        }
        let start = now();
        docker(&["ps", "-a", "--format", "{{.ID}}"]);
        samples.add(
            &format!("first-list/docker-ps/{size}"),
            millis(now() - start),
        );
    }
    for _ in 0..3 {
        machine.ok(&["daemon", "stop"]);
        let start = now();
        let terminal = tui(machine);
        let at = terminal.wait_timed("the list is complete", |screen| {
            shown(screen, "bench-") >= ours
        });
        samples.add(
            &format!("first-list/workbay-cold/{size}"),
            millis(at - start),
        );
    }
}

/// Goal 12: memory of the TUI.
fn memory(samples: &mut Samples, machine: &Machine, size: usize) {
    let ours = tui(machine);
    ours.wait_until("the list is complete", |screen| {
        shown(screen, "bench-") >= size.min(40)
    });
    samples.add(&format!("rss/workbay/{size}"), resident_kib(ours.pid()));
    let own = own_kib(ours.pid()).expect("its memory");
    samples.add(&format!("own-memory/workbay/{size}"), own);
    if let Some(daemon) = machine.daemon_pid() {
        samples.add(&format!("rss/daemon/{size}"), resident_kib(daemon as u32));
    }
    if let Some(theirs) = oxker() {
        theirs.wait_until("oxker lists", |screen| {
            shown(screen, "bench-") >= size.min(6)
        });
        settle();
        samples.add(&format!("rss/oxker/{size}"), resident_kib(theirs.pid()));
    }
}

/// Makes every session work a little each second, so that its usage changes. All together use less than the two
/// processors.
fn busy(machine: &Machine) {
    const WORK: &str = "while :; do i=0; while [ $i -lt 2000 ]; do i=$((i+1)); done; sleep 1; done";
    for container in machine.containers() {
        docker(&["exec", "-d", &container, "sh", "-c", WORK]);
    }
    settle();
}

/// Goal 2: a key in the list of 200 with usage on, to the first byte of its frame. In turns, but never both at
/// once: what one does beside its frames would be in the other's figures.
fn key_to_frame(samples: &mut Samples, machine: &Machine, sessions: &str) {
    for _ in 0..5 {
        let mut ours = tui(machine);
        ours.wait_until("the list is complete", |screen| {
            shown(screen, "bench-") >= 40
        });
        settle();
        for round in 0..40 {
            let key = if round < 20 { "j" } else { "k" };
            let name = format!("key-to-frame/workbay/{sessions}");
            samples.add(&name, time_key(&mut ours, key));
        }
        drop(ours);
        let Some(mut theirs) = oxker() else {
            continue;
        };
        theirs.wait_until("oxker lists", |screen| shown(screen, "bench-") >= 6);
        settle();
        for key in ["j", "j", "k", "j", "k"] {
            let name = format!("key-to-frame/oxker/{sessions}");
            samples.add(&name, time_key(&mut theirs, key));
        }
    }
}

fn time_key(terminal: &mut Terminal, key: &str) -> f64 {
    quiet(terminal);
    let before = terminal.raw_len();
    let start = now();
    terminal.type_(key);
    millis(terminal.wait_bytes(before) - start)
}

/// Goal 15: bytes written to the terminal while nothing happens, usage on.
fn at_rest(samples: &mut Samples, machine: &Machine) {
    const WINDOW: Duration = Duration::from_secs(30);
    let ours = tui(machine);
    ours.wait_until("the list is complete", |screen| {
        shown(screen, "bench-") >= 40
    });
    let theirs = oxker();
    settle();
    settle();
    let before = (ours.raw_len(), theirs.as_ref().map(Terminal::raw_len));
    let ticks = (
        cpu_millis(ours.pid()),
        theirs.as_ref().map(|t| cpu_millis(t.pid())),
    );
    std::thread::sleep(WINDOW);
    let seconds = WINDOW.as_secs_f64();
    samples.add(
        "at-rest-bytes/workbay/200",
        (ours.raw_len() - before.0) as f64 / seconds,
    );
    samples.add(
        "at-rest-cpu/workbay/200",
        (cpu_millis(ours.pid()) - ticks.0) / (seconds * 10.0),
    );
    if let (Some(theirs), Some(bytes), Some(ticks)) = (theirs, before.1, ticks.1) {
        samples.add(
            "at-rest-bytes/oxker/200",
            (theirs.raw_len() - bytes) as f64 / seconds,
        );
        samples.add(
            "at-rest-cpu/oxker/200",
            (cpu_millis(theirs.pid()) - ticks) / (seconds * 10.0),
        );
    }
}

/// Goal 16: from the key to the shell's prompt, against `docker exec -it` of the same tmux client.
fn attach(samples: &mut Samples, machine: &Machine) {
    let session = name(0);
    let container = machine.containers().pop().expect("the bench's container");
    for round in 0..ROUNDS {
        let mut ours = tui(machine);
        ours.wait_for(&session);
        quiet(&ours);
        let start = now();
        ours.type_("s");
        let at = ours.wait_timed("the prompt is there", |screen| screen.contains("work@"));
        samples.add("attach/workbay", millis(at - start));
        drop(ours);

        let command = docker_attach_command(&container, &format!("bench-{round}"));
        let argv: Vec<&str> = command.iter().map(String::as_str).collect();
        let start = now();
        let theirs = Terminal::start(&argv, &[], COLUMNS, ROWS);
        let at = theirs.wait_timed("the prompt is there", |screen| screen.contains("work@"));
        samples.add("attach/docker-exec", millis(at - start));
    }
}

/// From the command line's start to a shell that answers, against `docker run -d` plus one exec with the
/// same image, mounts and limits.
fn launch_against_docker_run(samples: &mut Samples, machine: &Machine) {
    launch(machine, "warm-up-session");
    let container = machine.containers().pop().expect("the warm-up's container");
    let run = docker_run_like(&container);
    for round in 0..ROUNDS {
        let name = format!("start-{round:03}");
        let start = now();
        launch(machine, &name);
        machine.ok(&["exec", &name, "--", "/bin/sh", "-c", "echo ready"]);
        samples.add("launch/workbay", millis(now() - start));

        let start = now();
        let id = docker(&run.iter().map(String::as_str).collect::<Vec<_>>());
        let answer = docker(&["exec", id.trim(), "/bin/sh", "-c", "echo ready"]);
        samples.add("launch/docker-run", millis(now() - start));
        assert_eq!(answer.trim(), "ready");
        docker(&["rm", "-f", id.trim()]);
        machine.ok(&["terminate", &name, "--force", "--yes"]);
    }
    machine.ok(&["terminate", "warm-up-session", "--force", "--yes"]);
    let deadline = now() + crate::terminal::PATIENCE;
    while !machine.containers().is_empty() {
        assert!(now() < deadline, "the launched sessions never ended");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn describe_machine() -> String {
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib: f64 = memory
        .lines()
        .next()
        .and_then(|line| line.split_whitespace().nth(1))
        .and_then(|n| n.parse().ok())
        .unwrap_or(0.0);
    format!("{cores} cores, {:.0} GiB of memory", kib / 1024.0 / 1024.0)
}
