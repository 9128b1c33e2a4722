//! The built program over a bad connection to the manager: 300 ms more for each round trip, 5 % of the packets lost, and
//! connections that a proxy ends.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use crate::{
    built::{self, LEADER, row},
    machine::{BINARY, Machine},
    script::as_root,
    support::{Bench, manager, small, too_large},
    terminal::Terminal,
    typed::{content, end_typing, open_terminal, shows, type_lines},
};

/// A network namespace behind a bad connection. It ends with this.
pub struct BadConnection {
    program: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    namespace: String,
    endpoint: String,
}

impl BadConnection {
    pub fn new(delay: u32, loss: u32) -> Self {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/cluster/bad-connection");
        let script = script.display().to_string();
        let (delay, loss) = (delay.to_string(), loss.to_string());
        let to = manager().trim_start_matches("http://").to_owned();
        let mut words = as_root();
        words.extend([
            script.as_str(),
            "--delay",
            &delay,
            "--loss",
            &loss,
            "--to",
            &to,
        ]);
        let mut program = Command::new(words[0])
            .args(&words[1..])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut this = Self {
            commands: program.stdin.take(),
            answers: BufReader::new(program.stdout.take().unwrap()),
            program,
            namespace: String::new(),
            endpoint: String::new(),
        };
        let ready = this.answer();
        let words: Vec<&str> = ready.split_whitespace().collect();
        let ["ready", namespace, endpoint] = words[..] else {
            panic!("the bad connection is not made: '{ready}'");
        };
        (this.namespace, this.endpoint) = (namespace.to_owned(), endpoint.to_owned());
        this
    }

    fn answer(&mut self) -> String {
        let mut line = String::new();
        self.answers.read_line(&mut line).unwrap();
        line
    }

    fn command(&mut self, command: &str) {
        let commands = self.commands.as_mut().unwrap();
        writeln!(commands, "{command}").unwrap();
        assert_eq!(self.answer(), "done\n", "{command}");
    }

    /// Ends all connections, as a proxy does after its time limit.
    pub fn cut(&mut self) {
        self.command("cut");
    }

    pub fn machine(&self) -> Machine {
        built::machine_at(&self.endpoint)
    }

    /// The program in the namespace.
    pub fn open(&self, machine: &Machine) -> Terminal {
        let mut words = as_root();
        if !words.is_empty() {
            // The variables of the machine.
            words.push("-E");
        }
        words.extend(["ip", "netns", "exec", &self.namespace, BINARY]);
        let mut terminal = Terminal::start(&words, &machine.env(), 140, 40);
        terminal.be_patient(Duration::from_secs(300));
        terminal.wait_for("Backend.AI 2");
        terminal
    }
}

impl Drop for BadConnection {
    fn drop(&mut self) {
        drop(self.commands.take());
        let _ = self.program.wait();
    }
}

#[tokio::test]
async fn the_list_and_a_terminal_survive_delay_loss_and_cuts() {
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
    let mut typed = type_lines(&mut terminal, 0..6);
    for round in 1..4 {
        connection.cut();
        terminal.wait_for("retrying, Enter retries now");
        // Keys that are typed meanwhile go nowhere, and the pane says so.
        terminal.type_("lost");
        terminal.wait_gone("retrying, Enter retries now");
        let before = typed.lines().last().unwrap().to_owned();
        terminal.wait_until("the same screen comes back", |screen| {
            shows(screen, &before)
        });
        typed += &type_lines(&mut terminal, round * 6..(round + 1) * 6);
    }
    end_typing(&mut terminal, &mut typed);
    assert_eq!(content(&bench, ours.id(), "typed").await, typed);

    // The list: nothing gets through, which it shows. Then what happened meanwhile.
    terminal.type_(LEADER);
    terminal.type_("d");
    terminal.wait_for("RUNNING");
    terminal.type_("\x1b");
    connection.command("loss 100");
    connection.cut();
    let waits = bench.enqueue(too_large()).await;
    let waiting = bench.session(waits.id()).await.name.to_string();
    terminal.wait_for("disconnected");
    connection.command("loss 5");
    terminal.wait_gone("disconnected");
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
