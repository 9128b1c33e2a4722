//! How sessions ended, as `ls` tells it and as the engine does.

use serde_json::Value;

use crate::{
    machine::{Machine, docker, launch},
    sessions::until,
};

fn batch(machine: &Machine, name: &str, mem: &str, command: &str) {
    let more = ["--batch", "--command", command];
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

/// The exit code in the engine's own record of the end: the container itself may be gone.
fn code_by_engine(session: &Value) -> i64 {
    let id = session["kernels"][0]["container_id"].as_str().unwrap();
    let of = format!("container={id}");
    let told = docker(&[
        "events",
        "--since",
        "1h",
        "--until",
        "0s",
        "--filter",
        "event=die",
        "--filter",
        &of,
        "--format",
        "{{.Actor.Attributes.exitCode}}",
    ]);
    told.lines()
        .next()
        .expect("it died")
        .trim()
        .parse()
        .unwrap()
}

#[test]
fn each_end_is_what_the_engine_says() {
    let machine = Machine::new();
    batch(&machine, "good", "64m", "true");
    batch(&machine, "three", "64m", "sleep 1; exit 3");
    let eats = "a=$(head -c 400000000 /dev/zero | tr '\\0' x); echo $a | wc";
    batch(&machine, "greedy", "32m", eats);
    until("all have ended", || listed(&machine, &[]).len() == 3);
    let sessions = listed(&machine, &["--sort", "result"]);
    assert_eq!(names(&sessions), ["three", "greedy", "good"]);
    for session in &sessions {
        let code = code_by_engine(session);
        assert_eq!(session["kernels"][0]["exit_code"], code, "{session}");
        let outcome = &session["outcome"];
        match session["name"].as_str().unwrap() {
            "greedy" => {
                assert_eq!(outcome["kind"], "out-of-memory", "{session}");
                assert_eq!(code, 137);
            }
            _ => {
                assert_eq!(outcome["exit_code"], code, "{session}");
                assert_eq!(outcome["text"], format!("exit {code}"));
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
        said.contains("2 sessions are named 학습-작업; this is the newest"),
        "{said}"
    );
}
