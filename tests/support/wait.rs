//! Waiting for what the command line shows.

use std::time::Duration;

use crate::{machine::Machine, poll, terminal::PATIENCE};

/// Asks until `condition` holds. Shows the last answer if it never does.
#[track_caller]
pub fn until<T: std::fmt::Debug>(
    what: &str,
    mut ask: impl FnMut() -> T,
    condition: impl Fn(&T) -> bool,
) -> T {
    let mut last = None;
    let came = poll(Duration::from_millis(20), || {
        let answer = ask();
        if condition(&answer) {
            return Some(answer);
        }
        last = Some(answer);
        None
    });
    match came {
        Some(answer) => answer,
        None => panic!("it never came that {what}; the last answer: {last:?}"),
    }
}

/// Checks until there is something, with a `pause` between two checks. `None` if nothing came for a long time.
pub fn poll<T>(pause: Duration, check: impl FnMut() -> Option<T>) -> Option<T> {
    poll::blocking(pause, PATIENCE, check)
}

/// The same for much at once: it is given up only when nothing has changed for this long.
#[track_caller]
pub fn while_it_continues<T: std::fmt::Debug + PartialEq>(
    what: &str,
    mut ask: impl FnMut() -> T,
    condition: impl Fn(&T) -> bool,
) -> T {
    let mut seen = ask();
    while !condition(&seen) {
        let next = poll(Duration::from_millis(20), || {
            Some(ask()).filter(|answer| *answer != seen)
        });
        match next {
            Some(answer) => seen = answer,
            None => panic!("it never came that {what}; the last answer: {seen:?}"),
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
