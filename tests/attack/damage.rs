//! A damaged state database: the daemon starts with each of them, and running sessions come back.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{
    attack::ground::Ground,
    attack::report,
    machine::{Machine, launch},
};

const SESSIONS: [&str; 3] = ["first", "second", "third"];

/// A small generator with a fixed start, so that a finding can be repeated.
struct FixedRandom(u64);

impl FixedRandom {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// The database without what was not yet moved into it, damaged in one of several ways.
fn damage(whole: &[u8], random: &mut FixedRandom) -> (String, Vec<u8>) {
    let mut bytes = whole.to_vec();
    let what = match random.below(4) {
        // One byte of the schema, which is in the first page.
        0 => {
            let at = random.below(bytes.len().min(4096));
            bytes[at] ^= 1 << random.below(8);
            format!("one bit at {at}")
        }
        1 => {
            let at = random.below(bytes.len());
            bytes[at] = 0xff;
            format!("byte {at} set to 255")
        }
        2 => {
            let at = random.below(bytes.len());
            bytes.truncate(at);
            format!("cut at {at}")
        }
        _ => {
            let page = random.below(bytes.len() / 4096) * 4096;
            for byte in &mut bytes[page..page + 4096] {
                *byte = u8::try_from(random.below(256)).unwrap();
            }
            format!("the page at {page} overwritten")
        }
    };
    (what, bytes)
}

fn put(database: &Path, bytes: &[u8]) {
    for suffix in ["-wal", "-shm", ".broken"] {
        let mut name = database.as_os_str().to_owned();
        name.push(suffix);
        let _ = fs::remove_file(PathBuf::from(name));
    }
    fs::write(database, bytes).unwrap();
}

/// Starts the daemon by the first command, which must list every running session or end with a failure.
fn attack(machine: &Machine, what: &str) {
    let first = machine.workbay(&["ls", "--json"]);
    if first.status.success() {
        assert_lists_all(what, &first.stdout);
    }
    let list = machine.ok(&["ls", "--json"]);
    assert_lists_all(what, list.as_bytes());
    machine.ok(&["daemon", "stop"]);
}

#[track_caller]
fn assert_lists_all(what: &str, json: &[u8]) {
    let list: serde_json::Value = serde_json::from_slice(json).expect("JSON");
    let names: Vec<&str> = list
        .as_array()
        .expect("a list")
        .iter()
        .filter(|session| session["status"] == "RUNNING")
        .filter_map(|session| session["name"].as_str())
        .collect();
    for session in SESSIONS {
        assert!(
            names.contains(&session),
            "{what}: {session} is not in {names:?}"
        );
    }
}

#[test]
fn with_a_damaged_database_the_daemon_starts_and_lists_what_runs() {
    let Ground { machine, .. } = &Ground::new();
    for name in SESSIONS {
        machine.ok(&launch(name, &["--wait"]));
    }
    machine.ok(&["daemon", "stop"]);
    let database = machine.state().join("workbay.db");
    let whole = fs::read(&database).unwrap();
    let mut random = FixedRandom(20_260_101);
    let times = report::times(6, 150);
    for number in 0..times {
        let (what, bytes) = damage(&whole, &mut random);
        put(&database, &bytes);
        attack(machine, &format!("variant {number}, {what}"));
    }
    put(&database, &whole);
    report::held(
        "damaged state database: bits, bytes, cuts, pages",
        times,
        "the daemon starts each time; every running session is listed, or the command fails",
    );
}
