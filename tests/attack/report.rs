//! What an attack found, as one row of the table in `docs/security.md`.

use std::{fmt::Display, fs::OpenOptions, io::Write, time::Duration};

/// Adds a row to the file that `WORKBAY_ATTACK_REPORT` names, if it does: the attack, how often it was tried, and
/// what held. An attack that finds a fault fails its test and adds none.
pub fn held(attack: &str, attempts: impl Display, outcome: &str) {
    eprintln!("{attack}: {attempts} attempts, {outcome}");
    let Ok(path) = std::env::var("WORKBAY_ATTACK_REPORT") else {
        return;
    };
    let mut file = OpenOptions::new()
        .append(true)
        .create(true)
        .open(path)
        .expect("the report can be written");
    writeln!(file, "| {attack} | {attempts} | {outcome} |").expect("the report can be written");
}

/// How long each attack that can continue runs. `None`: its short form.
pub fn duration() -> Option<Duration> {
    let seconds = std::env::var("WORKBAY_ATTACK_SECONDS").ok()?;
    let seconds = seconds
        .parse()
        .expect("WORKBAY_ATTACK_SECONDS is a number of seconds");
    Some(Duration::from_secs(seconds))
}

/// `long` in the long form, else `short`.
pub fn times(short: usize, long: usize) -> usize {
    if duration().is_some() { long } else { short }
}
