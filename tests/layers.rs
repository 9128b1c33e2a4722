//! Checks which module may import which, from the tokens of the sources: comments, strings and code for tests don't
//! count, and grouped imports are read like single ones.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that can't continue fails"
)]

#[path = "layers/paths.rs"]
mod paths;
#[path = "layers/sources.rs"]
mod sources;

use std::collections::BTreeMap;

use self::sources::{SourceFile, sources};

/// A module, and the modules that it may import.
const ROWS: &[(&str, &[&str])] = &[
    ("locale", &[]),
    ("model", &[]),
    ("rules", &["model"]),
    ("action", &[]),
    ("key", &[]),
    ("config", &["model", "rules"]),
    ("protocol", &["model", "rules"]),
    ("tree", &["model"]),
    ("space", &["model"]),
    ("log_filter", &[]),
    ("files", &["model", "tree", "space"]),
    ("archive", &["model", "space"]),
    (
        "engine",
        &["model", "rules", "tree", "files", "archive", "space"],
    ),
    ("state_machine", &["model", "rules"]),
    ("scheduler", &["model", "rules", "engine", "state_machine"]),
    ("observer", &["model", "rules", "engine", "state_machine"]),
    ("ssh_server", &["model", "engine"]),
    ("store", &["model", "space"]),
    ("gateway", &["model"]),
    ("terminal", &["key", "model"]),
    ("keymap", &["action", "key", "config", "model"]),
    ("theme", &["config", "model"]),
    ("runner", &["model", "tree", "archive", "files"]),
    ("client", &["model", "rules", "protocol", "config"]),
    ("transfer", &["model", "protocol", "client", "files"]),
    (
        "daemon",
        &[
            "model",
            "rules",
            "engine",
            "protocol",
            "state_machine",
            "scheduler",
            "observer",
            "store",
            "config",
            "gateway",
            "ssh_server",
            "space",
            "log_filter",
        ],
    ),
    (
        "app",
        &[
            "model", "rules", "protocol", "action", "key", "keymap", "terminal",
        ],
    ),
    (
        "view",
        &[
            "model", "rules", "app", "action", "key", "theme", "keymap", "terminal",
        ],
    ),
    (
        "run",
        &[
            "model",
            "protocol",
            "app",
            "view",
            "client",
            "terminal",
            "action",
            "key",
            "keymap",
            "theme",
            "config",
            "space",
            "log_filter",
            "files",
            "transfer",
        ],
    ),
    (
        "plain",
        &[
            "model", "rules", "protocol", "client", "config", "terminal", "cli",
        ],
    ),
    (
        "cli",
        &[
            "model", "rules", "protocol", "client", "config", "action", "keymap", "theme",
            "terminal", "archive", "files", "space", "transfer",
        ],
    ),
    // The two roots: they only list modules and dispatch.
    ("lib", &[]),
    (
        "main",
        &[
            "cli", "config", "daemon", "engine", "model", "plain", "run", "runner", "store",
        ],
    ),
];

/// Modules that every other one may import: texts are everywhere.
const EVERYWHERE: &[&str] = &["locale"];

/// A library, and the only files or directories that may name it.
const OWNERS: &[(&str, &[&str])] = &[
    ("vt100", &["terminal/emulator"]),
    ("bollard", &["engine/docker"]),
    ("nvml_wrapper", &["engine/docker/accelerator/nvidia.rs"]),
    ("reqwest", &["engine/backendai"]),
    (
        "rustls",
        &["engine/backendai", "engine/docker/connect/transport/tls.rs"],
    ),
    (
        "ring",
        &[
            "engine/backendai",
            "engine/docker/connect/transport/tls.rs",
            "model/digest.rs",
            "gateway/token.rs",
        ],
    ),
    ("hyper", &["gateway"]),
    ("hyper_util", &["gateway"]),
    ("http_body_util", &["gateway"]),
    ("tokio_tungstenite", &["engine/backendai/stream"]),
    ("russh", &["engine/backendai/stream/ssh", "ssh_server"]),
    ("russh_sftp", &["runner/sftp"]),
    ("rusqlite", &["store"]),
    ("qrcode", &["view/qr.rs"]),
    ("crossterm", &["run"]),
    ("portable_pty", &["terminal/pty.rs"]),
];

/// Modules that use no runtime, no clock and no environment variable.
const PURE: &[&str] = &[
    "locale",
    "model",
    "rules",
    "state_machine",
    "scheduler",
    "observer",
    "app",
    "view",
    "key",
    "action",
    "keymap",
    "theme",
];

/// What a pure module must not name, as consecutive segments of a path.
const IMPURE: &[&[&str]] = &[
    &["tokio"],
    &["Instant", "now"],
    &["SystemTime", "now"],
    &["Timestamp", "now"],
    &["std", "env"],
    &["env", "var"],
];

/// The parts of `terminal` that `app` may import: they do no I/O.
const PURE_TERMINAL: &[&str] = &[
    "attributes",
    "clipboard",
    "control",
    "defaults",
    "emulator",
    "encode",
    "tmux",
];

/// Fails with all findings.
fn assert_none(findings: &[String]) {
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}

/// `what` for each path of the sources that `is_wrong`, with its file.
fn findings(is_wrong: impl Fn(&SourceFile, &[String]) -> bool, what: &str) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources() {
        let wrong = source.paths.iter().filter(|path| is_wrong(source, path));
        found.extend(wrong.map(|path| {
            let file = source.file.display();
            format!("{file}: {what}: {}", path.join("::"))
        }));
    }
    found
}

#[test]
fn each_module_imports_only_what_its_row_allows() {
    let rows: BTreeMap<_, _> = ROWS.iter().copied().collect();
    let without_row = sources().iter().filter_map(|source| {
        let is_known = rows.contains_key(source.module.as_str());
        (!is_known).then(|| format!("{} has no row", source.file.display()))
    });
    assert_none(&without_row.collect::<Vec<_>>());
    let is_forbidden = |source: &SourceFile, path: &[String]| {
        let Some(named) = sources::module_of_path(path) else {
            return false;
        };
        named != source.module
            && !EVERYWHERE.contains(&named)
            && rows.contains_key(named)
            && !rows[source.module.as_str()].contains(&named)
    };
    assert_none(&findings(is_forbidden, "this import isn't in the table"));
}

#[test]
fn each_library_is_named_in_one_place() {
    let is_elsewhere = |source: &SourceFile, path: &[String]| {
        // `ratatui::crossterm` is the same library by another name.
        let library = match path {
            [first, second, ..] if first == "ratatui" => second,
            [first, ..] => first,
            [] => return false,
        };
        let mut owners = OWNERS.iter().filter(|(name, _)| name == library);
        owners.any(|(_, homes)| !homes.iter().any(|home| source.file.starts_with(home)))
    };
    assert_none(&findings(is_elsewhere, "another module owns this library"));
}

#[test]
fn pure_modules_use_no_runtime_no_clock_and_no_environment() {
    let is_impure = |source: &SourceFile, path: &[String]| {
        PURE.contains(&source.module.as_str())
            && IMPURE
                .iter()
                .any(|words| path.windows(words.len()).any(|window| window == *words))
    };
    assert_none(&findings(is_impure, "a pure module must not use this"));
}

#[test]
fn the_app_imports_only_the_pure_parts_of_the_terminal() {
    let is_impure = |source: &SourceFile, path: &[String]| {
        source.module == "app"
            && matches!(path, [root, module, part, ..]
                if root == "crate" && module == "terminal" && !PURE_TERMINAL.contains(&part.as_str()))
    };
    assert_none(&findings(is_impure, "this part of terminal isn't pure"));
}

#[test]
fn no_panel_names_the_app_itself() {
    let names_app = |source: &SourceFile, path: &[String]| {
        let is_routing = source.file.starts_with("app/app");
        let is_root = source.file.ends_with("app/mod.rs");
        source.module == "app"
            && !is_routing
            && !is_root
            && path
                .windows(2)
                .any(|pair| (pair[0] == "app" || pair[0] == "super") && pair[1] == "app")
    };
    assert_none(&findings(names_app, "a panel must not know the app"));
}

#[test]
fn a_module_with_files_of_its_own_is_a_mod_rs() {
    let beside = sources().iter().filter(|source| {
        let directory = source.file.with_extension("");
        sources()
            .iter()
            .any(|it| it.file.parent() == Some(directory.as_path()))
    });
    let wrong = beside.map(|source| format!("{}: move it to mod.rs", source.file.display()));
    assert_none(&wrong.collect::<Vec<_>>());
}
