//! How sessions ended, as `ls` and the engine report it.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Lines},
    process::{Child, ChildStdout, Command, Stdio},
};

use serde_json::Value;

use crate::{
    cli::run,
    cli::sessions::until,
    machine::{Machine, launch},
};

fn batch(machine: &Machine, name: &str, mem: &str, command: &str) {
    let more = ["--cpu", "0.2", "--batch", "--command", command];
    let mut arguments = launch(name, &more);
    let at = arguments.iter().position(|it| *it == "--mem");
    if let Some(at) = at {
        arguments[at + 1] = mem;
    } else {
        arguments.extend(["--mem", mem]);
    }
    machine.ok(&arguments);
}

fn listed(machine: &Machine, more: &[&str]) -> Vec<Value> {
    let arguments = [&["ls", "--tab", "finished", "--json"], more].concat();
    machine.json(&arguments).as_array().unwrap().clone()
}

fn names(sessions: &[Value]) -> Vec<&str> {
    let names = sessions.iter().map(|it| it["name"].as_str().unwrap());
    names.collect()
}

/// What the engine reports of containers that end, until this is dropped. The containers may be removed soon.
struct Ends {
    child: Child,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Ends {
    fn follow() -> Self {
        let mut command = Command::new("timeout");
        command.args(["240", "docker", "events", "--filter", "event=die"]);
        command.args(["--format", "{{.ID}} {{.Actor.Attributes.exitCode}}"]);
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        Self { child, lines }
    }

    /// The exit code of each of these containers. Waits for the last of them.
    fn of(&mut self, containers: &[&str]) -> HashMap<String, i64> {
        let mut codes = HashMap::new();
        while codes.len() < containers.len() {
            let line = self
                .lines
                .next()
                .expect("the engine keeps reporting")
                .unwrap();
            let (id, code) = line.split_once(' ').unwrap();
            if containers.contains(&id) {
                codes.insert(id.to_owned(), code.trim().parse().unwrap());
            }
        }
        codes
    }
}

impl Drop for Ends {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn container(session: &Value) -> &str {
    session["kernels"][0]["container_id"].as_str().unwrap()
}

#[test]
fn each_end_is_what_the_engine_says() {
    let machine = Machine::new();
    let mut ends = Ends::follow();
    batch(&machine, "good", "64m", "true");
    batch(&machine, "three", "64m", "sleep 1; exit 3");
    let eats = "a=$(head -c 400000000 /dev/zero | tr '\\0' x); echo $a | wc";
    batch(&machine, "greedy", "32m", eats);
    until("all have ended", || listed(&machine, &[]).len() == 3);
    let sessions = listed(&machine, &["--sort", "result"]);
    assert_eq!(names(&sessions), ["three", "greedy", "good"]);
    let containers: Vec<&str> = sessions.iter().map(container).collect();
    let codes = ends.of(&containers);
    for session in &sessions {
        let code = codes[container(session)];
        assert_eq!(session["kernels"][0]["exit_code"], code, "{session}");
        match session["name"].as_str().unwrap() {
            "greedy" => {
                assert_eq!(session["end_reason"], "out-of-memory", "{session}");
                assert!(session["exit_code"].is_null(), "{session}");
                assert_eq!(code, 137);
            }
            _ => {
                assert_eq!(session["end_reason"], "exited", "{session}");
                assert_eq!(session["exit_code"], code, "{session}");
            }
        }
        assert!(session["run_seconds"].is_i64(), "{session}");
    }
    let reverse = listed(&machine, &["--sort", "result", "--reverse"]);
    assert_eq!(names(&reverse), ["good", "greedy", "three"]);
    let three = listed(&machine, &["--filter", "exit 3"]);
    assert_eq!(names(&three), ["three"]);
    assert_eq!(
        names(&listed(&machine, &["--filter", "out of memory"])),
        ["greedy"]
    );
    let failed = ["ls", "--tab", "finished", "--filter", "result!=exited"];
    assert_eq!(machine.ok(&[&failed[..], &["-q"]].concat()), "greedy\n");
    // The session that ran out of memory has no exit code of its command.
    let failed = listed(&machine, &["--filter", "exit-code!=0"]);
    assert_eq!(names(&failed), ["three"]);
    let columns = ["--columns", "exit-code,name", "--sort", "name:desc"];
    let table = machine.ok(&[&["ls", "--tab", "all"][..], &columns].concat());
    assert_eq!(
        table,
        "EXIT CODE  NAME\n3          three\n-          greedy\n0          good\n"
    );
    let wide = machine.ok(&["ls", "--tab", "all", "-o", "wide"]);
    assert!(wide.contains(sessions[0]["id"].as_str().unwrap()), "{wide}");
    for (wrong, says) in [
        (
            ["ls", "--columns", "name,size"],
            "possible values: name, id, context",
        ),
        (
            ["ls", "--filter", "size=3"],
            "unknown key 'size'. Keys: name, id",
        ),
    ] {
        let (code, _, err) = run(&machine, &wrong);
        assert!(code == 2 && err.contains(says), "{code} {err}");
    }
    let table = machine.ok(&["ls", "--tab", "finished"]);
    let head = table.lines().next().unwrap();
    assert!(head.contains("RESULT") && head.contains("RUN TIME") && head.contains("ENDED"));
    assert!(
        table.contains("exit 3") && table.contains("out of memory"),
        "{table}"
    );
    assert!(machine.ok(&["show", "three"]).contains("exit 3"));
}

#[test]
fn a_name_means_the_newest_and_korean_is_one() {
    let machine = Machine::new();
    for text in ["first", "second"] {
        batch(&machine, "학습-작업", "64m", &format!("echo {text}"));
        until("it has ended", || {
            let ended = listed(&machine, &[]);
            ended.len() == if text == "first" { 1 } else { 2 }
        });
    }
    let out = machine.workbay(&["logs", "학습-작업"]);
    let (log, said) = (
        String::from_utf8(out.stdout).unwrap(),
        String::from_utf8(out.stderr).unwrap(),
    );
    assert!(log.contains("second") && !log.contains("first"), "{log}");
    assert!(
        said.contains("2 sessions are named 학습-작업. This is the newest"),
        "{said}"
    );
}
