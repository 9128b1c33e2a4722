//! Waiting for what the command line shows.

use std::time::Duration;

use crate::{
    machine::Machine,
    terminal::{PATIENCE, now},
};

/// Asks again and again until `condition`; shows the last answer when it never does.
#[track_caller]
pub fn until<T: std::fmt::Debug>(
    what: &str,
    mut ask: impl FnMut() -> T,
    condition: impl Fn(&T) -> bool,
) -> T {
    let deadline = now() + PATIENCE;
    loop {
        let answer = ask();
        if condition(&answer) {
            return answer;
        }
        assert!(
            now() < deadline,
            "it never came that {what}; the last answer: {answer:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The same for much at once: it is given up only when nothing has changed for so long.
#[track_caller]
pub fn while_it_goes_on<T: std::fmt::Debug + PartialEq>(
    what: &str,
    mut ask: impl FnMut() -> T,
    condition: impl Fn(&T) -> bool,
) -> T {
    let mut seen = ask();
    let mut deadline = now() + PATIENCE;
    while !condition(&seen) {
        assert!(
            now() < deadline,
            "it never came that {what}; the last answer: {seen:?}"
        );
        std::thread::sleep(Duration::from_millis(20));
        let answer = ask();
        if answer != seen {
            deadline = now() + PATIENCE;
            seen = answer;
        }
    }
    seen
}

/// (name, status word) of every session, by name.
pub fn sessions(machine: &Machine) -> Vec<(String, String)> {
    let list = machine.json(&["ls", "--tab", "all", "--json"]);
    let mut sessions: Vec<(String, String)> = list
        .as_array()
        .expect("ls --json prints a list")
        .iter()
        .map(|session| {
            let field = |name: &str| session[name].as_str().unwrap_or_default().to_owned();
            (field("name"), field("status"))
        })
        .collect();
    sessions.sort();
    sessions
}

/// The status word of the session of that name.
pub fn status(machine: &Machine, name: &str) -> Option<String> {
    sessions(machine)
        .into_iter()
        .find(|(n, _)| n == name)
        .map(|(_, status)| status)
}

/// Whether nothing moves any more: every session runs or has ended.
pub fn settled(sessions: &[(String, String)]) -> bool {
    sessions.iter().all(|(_, status)| {
        ["RUNNING", "TERMINATED", "CANCELLED", "ERROR"].contains(&status.as_str())
    })
}
