//! The walls of the house: who may import whom.
//!
//! A single crate has none of its own, and circles grow wherever no wall stands. A room without a
//! row here fails; so does an import that the row does not allow.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what cannot go on here stops"
)]

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// room -> the rooms it may name.
const ROWS: &[(&str, &[&str])] = &[
    ("model", &[]),
    ("action", &[]),
    ("fuzz", &[]),
    ("key", &[]),
    ("config", &["model"]),
    ("protocol", &["model"]),
    ("tree", &[]),
    ("engine", &["model", "tree"]),
    ("controller", &["model", "engine"]),
    ("store", &["model"]),
    ("terminal", &["key", "model"]),
    ("keymap", &["action", "key", "config", "model"]),
    ("theme", &["config", "model"]),
    ("runner", &["model", "tree"]),
    ("client", &["model", "protocol", "config"]),
    (
        "daemon",
        &[
            "model",
            "engine",
            "protocol",
            "controller",
            "store",
            "config",
        ],
    ),
    (
        "app",
        &["model", "protocol", "action", "key", "keymap", "terminal"],
    ),
    (
        "view",
        &[
            "model", "app", "action", "key", "theme", "keymap", "terminal",
        ],
    ),
    (
        "run",
        &[
            "model", "protocol", "app", "view", "client", "terminal", "action", "key", "keymap",
            "theme", "config",
        ],
    ),
    (
        "cli",
        &[
            "model", "protocol", "client", "config", "action", "keymap", "theme", "terminal",
        ],
    ),
    // The two roots: they only list and dispatch.
    ("lib", &[]),
    (
        "main",
        &[
            "cli", "config", "daemon", "engine", "model", "run", "runner", "store",
        ],
    ),
];

/// Compiled for tests only, so that the tests of every room may name them.
const FOR_TESTS: &[&str] = &["fuzz"];

/// (what must not be named, the only files or folders that may).
const OWNERS: &[(&str, &[&str])] = &[
    ("vt100::", &["terminal/emulator.rs", "terminal/emulator"]),
    ("bollard::", &["engine/docker"]),
    ("nvml_wrapper::", &["engine/docker/accelerator/nvidia.rs"]),
    ("reqwest::", &["engine/backendai"]),
    (
        "rustls::",
        &["engine/backendai", "engine/docker/connect/transport/tls.rs"],
    ),
    (
        "ring::",
        &[
            "engine/backendai",
            "engine/docker/connect/transport/tls.rs",
            "model/digest.rs",
        ],
    ),
    ("tokio_tungstenite::", &["engine/backendai/stream"]),
    ("russh::", &["engine/backendai/stream/ssh"]),
    ("rusqlite::", &["store"]),
    ("crossterm::", &["run"]),
    ("portable_pty::", &["terminal/pty.rs"]),
];

/// Rooms that know neither runtime nor clock nor environment.
const PURE: &[&str] = &[
    "model",
    "controller",
    "app",
    "view",
    "key",
    "action",
    "keymap",
    "theme",
];
const IMPURE_WORDS: &[&str] = &[
    "tokio::",
    "bollard::",
    "vt100::",
    "rusqlite::",
    "Instant::now",
    "SystemTime::now",
    "Timestamp::now",
    "std::env::",
    "env::var",
];

fn sources() -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("src is readable") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let text = fs::read_to_string(&path).expect("a source is readable");
                found.push((
                    path.strip_prefix(&root).expect("below src").to_owned(),
                    code_of(&text),
                ));
            }
        }
    }
    assert!(found.len() > 20, "the sources were not found");
    found.sort();
    found
}

/// The text without comments and without its unit tests.
fn code_of(text: &str) -> String {
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn room_of(path: &Path) -> String {
    let first = path
        .components()
        .next()
        .expect("a path")
        .as_os_str()
        .to_string_lossy()
        .into_owned();
    first.trim_end_matches(".rs").to_owned()
}

/// Rooms named as `crate::room` or `workbay::room`, also inside `use crate::{a, b::c}`.
fn named_rooms(code: &str) -> Vec<String> {
    let mut rooms = Vec::new();
    for (prefix, _) in code
        .match_indices("crate::")
        .chain(code.match_indices("workbay::"))
    {
        let rest = &code[prefix..];
        let rest = rest.split_once("::").map_or("", |(_, rest)| rest);
        if let Some(group) = rest.strip_prefix('{') {
            rooms.extend(top_names(group));
        } else {
            rooms.push(
                rest.chars()
                    .take_while(|c| c.is_alphanumeric() || *c == '_')
                    .collect(),
            );
        }
    }
    rooms.retain(|room: &String| !room.is_empty());
    rooms
}

/// The first path segments of a `{a::b, c::{d, e}}` group, given without its opening brace.
fn top_names(group: &str) -> Vec<String> {
    let (mut depth, mut names, mut name) = (0, Vec::new(), String::new());
    let mut in_head = true;
    for c in group.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                names.push(std::mem::take(&mut name));
                in_head = true;
            }
            ':' => in_head = in_head && depth > 0,
            c if depth == 0 && in_head && (c.is_alphanumeric() || c == '_') => name.push(c),
            _ => {}
        }
    }
    names.push(name);
    names
}

#[test]
fn every_room_imports_only_what_its_row_allows() {
    let rows: BTreeMap<_, _> = ROWS.iter().copied().collect();
    let mut faults = Vec::new();
    for (path, code) in sources() {
        let room = room_of(&path);
        let Some(allowed) = rows.get(room.as_str()) else {
            faults.push(format!("{}: the room '{room}' has no row", path.display()));
            continue;
        };
        for named in named_rooms(&code) {
            if named != room
                && !FOR_TESTS.contains(&named.as_str())
                && rows.contains_key(named.as_str())
                && !allowed.contains(&named.as_str())
            {
                faults.push(format!(
                    "{}: '{room}' must not name '{named}'",
                    path.display()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

/// Whether the code names this library: `ring::`, not `String::`.
fn names(code: &str, library: &str) -> bool {
    code.match_indices(library).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        before.is_none_or(|c| !c.is_alphanumeric() && c != '_')
    })
}

#[test]
fn each_library_has_its_one_home() {
    let mut faults = Vec::new();
    for (path, code) in sources() {
        for (library, homes) in OWNERS {
            let at_home = homes.iter().any(|home| path.starts_with(home));
            // `ratatui::crossterm` is the same library by another name.
            if !at_home && names(&code, library) {
                faults.push(format!(
                    "{}: only {homes:?} may name {library}",
                    path.display()
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn pure_rooms_know_no_runtime_no_clock_no_environment() {
    let mut faults = Vec::new();
    for (path, code) in sources() {
        if !PURE.contains(&room_of(&path).as_str()) {
            continue;
        }
        for word in IMPURE_WORDS.iter().filter(|word| code.contains(**word)) {
            faults.push(format!(
                "{}: a pure room must not name {word}",
                path.display()
            ));
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn of_the_terminal_the_app_names_only_its_pure_parts() {
    let mut faults = Vec::new();
    for (path, code) in sources()
        .into_iter()
        .filter(|(path, _)| path.starts_with("app"))
    {
        for (at, _) in code.match_indices("terminal::") {
            let rest = &code[at + "terminal::".len()..];
            if ![
                "clipboard",
                "control",
                "defaults",
                "emulator",
                "encode",
                "look",
                "tmux",
                "{",
            ]
            .iter()
            .any(|part| rest.starts_with(part))
            {
                faults.push(format!(
                    "{}: {}",
                    path.display(),
                    &rest[..rest.len().min(40)]
                ));
            }
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn no_panel_names_the_app_itself() {
    let mut faults = Vec::new();
    for (path, code) in sources()
        .into_iter()
        .filter(|(path, _)| path.starts_with("app"))
    {
        let name = path.file_name().expect("a file").to_string_lossy();
        if name != "app.rs"
            && name != "mod.rs"
            && (code.contains("app::app") || code.contains("super::app"))
        {
            faults.push(path.display().to_string());
        }
    }
    assert!(faults.is_empty(), "\n{}", faults.join("\n"));
}

#[test]
fn the_wall_itself_sees_what_it_should() {
    assert_eq!(
        named_rooms("use crate::{model::{a, b}, store::x};"),
        ["model", "store"]
    );
    assert_eq!(named_rooms("crate::daemon::run()"), ["daemon"]);
    assert!(names("use ring::hmac;", "ring::"));
    assert!(!names("String::new()", "ring::"));
    assert_eq!(
        named_rooms("use crate::{\n  action::Action,\n  key::{Key, KeyCode},\n};"),
        ["action", "key", ""]
            .map(str::to_owned)
            .into_iter()
            .filter(|s| !s.is_empty())
            .collect::<Vec<_>>()
    );
}
