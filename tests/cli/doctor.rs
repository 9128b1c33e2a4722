//! Problems of this machine, and what a report about it contains.

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::PathBuf,
    time::Duration,
};

use serde_json::Value;

use crate::{
    cli::run,
    machine::{Machine, launch},
    relay::{Manner, Relay},
};

/// Findings about a topic.
fn about(machine: &Machine, topic: &str) -> Vec<Value> {
    let (_, out, err) = run(machine, &["doctor", "--json"]);
    let report: Value =
        serde_json::from_str(&out).unwrap_or_else(|why| panic!("{why}: {out}{err}"));
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .filter(|finding| finding["topic"] == topic)
        .cloned()
        .collect()
}

fn text<'a>(finding: &'a Value, field: &str) -> &'a str {
    finding[field].as_str().unwrap_or_default()
}

fn place(machine: &Machine, what: &str) -> PathBuf {
    let info = machine.json(&["info", "--json"]);
    let mut paths = info["paths"].as_array().unwrap().iter();
    let found = paths.find(|path| path["what"] == what).unwrap();
    PathBuf::from(text(found, "path"))
}

#[test]
fn an_engine_that_hangs_and_a_slow_one_are_distinguished() {
    let mut machine = Machine::new();
    let relay = Relay::start(&machine.path("relay.sock"), "/var/run/docker.sock".as_ref());
    machine.set("DOCKER_HOST", &relay.endpoint());
    relay.set(Manner::Slow(Duration::from_secs(2)));
    let checks = about(&machine, "engine");
    assert_eq!(checks[0]["level"], "ok", "{checks:?}");
    let slow = checks
        .iter()
        .find(|finding| text(finding, "message").contains("s to answer"));
    assert_eq!(slow.expect("it is reported as slow")["level"], "warn");

    relay.set(Manner::Silent);
    let (code, out, _) = run(&machine, &["doctor"]);
    assert_eq!(code, 1, "{out}");
    assert!(
        out.contains("didn't answer for") && out.contains(&relay.endpoint()),
        "{out}"
    );
    assert!(
        out.contains("\n      -> `sudo journalctl -u docker"),
        "{out}"
    );
}

#[test]
fn a_daemon_whose_engine_hangs_is_asked_and_does_not_hang() {
    let mut machine = Machine::new();
    let relay = Relay::start(&machine.path("relay.sock"), "/var/run/docker.sock".as_ref());
    machine.set("DOCKER_HOST", &relay.endpoint());
    machine.ok(&["env", "ls"]);
    relay.set(Manner::Silent);
    let checks = about(&machine, "engine");
    assert_eq!(checks[0]["level"], "bad", "{checks:?}");
    assert!(
        text(&checks[0], "message").contains("didn't answer for"),
        "{checks:?}"
    );
    relay.set(Manner::Through);
}

#[test]
fn a_broken_store_is_reported_and_so_is_what_was_kept_of_it() {
    let machine = Machine::new();
    machine.ok(&["ls"]);
    machine.ok(&["daemon", "stop"]);
    let database = place(&machine, "database");
    let sound = about(&machine, "state database");
    assert_eq!(sound[0]["level"], "ok", "{sound:?}");
    assert!(
        text(&sound[0], "message").contains("0 sessions"),
        "{sound:?}"
    );

    fs::write(&database, "no database".repeat(1000)).unwrap();
    let broken = about(&machine, "state database");
    assert_eq!(broken[0]["level"], "bad", "{broken:?}");
    assert!(
        text(&broken[0], "hint").contains("sets the damaged file aside"),
        "{broken:?}"
    );
    assert!(
        fs::read_to_string(&database)
            .unwrap()
            .starts_with("no database")
    );

    machine.ok(&["ls"]);
    let fixed = about(&machine, "state database");
    assert_eq!(fixed[0]["level"], "ok", "{fixed:?}");
    assert!(text(&fixed[1], "hint").contains("rm "), "{fixed:?}");
}

/// What no report may contain, wherever it was.
const SECRETS: [&str; 9] = [
    "of-the-environment-s3cret",
    "of-the-settings-s3cret",
    "of-a-file-s3cret",
    "of-a-context-s3cret",
    "of-a-session-s3cret",
    "of-an-address-s3cret",
    "of-the-log-s3cret",
    "of-a-plain-mistake-s3cret",
    "of-a-hook-s3cret",
];

fn fill_with_secrets(machine: &mut Machine) {
    let config = machine.path("config");
    let key = config.join("key");
    fs::write(&key, "of-a-file-s3cret\n").unwrap();
    fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(
        config.join("config.toml"),
        "[launch]\ncpu = 0.2\nenv = { API_TOKEN = \"of-the-settings-s3cret\", MODE = \"fast\" }\n\
         [hooks]\ncommand = [\"true\", \"--key=of-a-hook-s3cret\"]\n",
    )
    .unwrap();
    let manager = |name: &str, secret: &str| {
        format!(
            "[contexts.{name}]\nkind = \"backendai\"\nendpoint = \"http://127.0.0.1:9\"\n\
             access-key = \"AKIAEXAMPLE\"\nsecret-key = {secret}\n"
        )
    };
    let contexts = [
        "[contexts.local]\nkind = \"docker\"\n".to_owned(),
        manager("byfile", &format!("{{ file = \"{}\" }}", key.display())),
        manager("byenv", "{ env = \"MY_KEY\" }"),
    ];
    fs::write(config.join("contexts.toml"), contexts.concat()).unwrap();
    machine.set("MY_KEY", "of-a-context-s3cret");
    machine.set("SOME_PASSWORD", "of-the-environment-s3cret");
    machine.set("MY_SECRET", "of-a-session-s3cret");
}

#[test]
fn a_report_has_much_and_no_secret() {
    let mut machine = Machine::new();
    fill_with_secrets(&mut machine);
    let set = [
        "--set",
        "MY_SECRET",
        "--set",
        "URL=http://kim:of-an-address-s3cret@host/",
        "--wait",
    ];
    machine.ok(&[
        &["--context", "local"],
        launch("secretive", &set).as_slice(),
    ]
    .concat());
    let log = place(&machine, "daemon's log");
    let mut text = fs::read_to_string(&log).unwrap();
    text.push_str("asked with Authorization: Bearer of-the-log-s3cret and token=of-the-log-s3cret\nlast line\n");
    fs::write(&log, text).unwrap();

    let file = machine.path("report.txt");
    let path = file.to_str().unwrap();
    let (code, out, err) = run(&machine, &["doctor", "--report", path]);
    assert_eq!((code, out.trim()), (0, path), "{err}");
    assert!(err.contains("Read the report before you send it"), "{err}");
    let report = fs::read_to_string(&file).unwrap();
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
    for part in [
        "== Versions ==",
        "== Doctor ==",
        "== Paths, settings, contexts ==",
        "== Store ==",
        "== Environment ==",
        "== End of the daemon's log ==",
        env!("CARGO_PKG_VERSION"),
        "sessions  1",
        "API_TOKEN, MODE",
        "byfile",
        "WORKBAY_STATE_DIR=",
        "last line",
    ] {
        assert!(report.contains(part), "no {part} in {report}");
    }
    for secret in SECRETS {
        let at = report.find(secret);
        assert!(
            at.is_none(),
            "{secret} is in the report: {}",
            report.lines().find(|line| line.contains(secret)).unwrap()
        );
    }
    for name in ["SOME_PASSWORD", "MY_SECRET"] {
        assert!(!report.contains(name), "{name} is reported");
    }

    // A file with a fault is left out completely, and reported.
    let contexts = machine.path("config").join("contexts.toml");
    let text = fs::read_to_string(&contexts).unwrap();
    let text = text.replace("{ env = \"MY_KEY\" }", "\"of-a-plain-mistake-s3cret\"");
    fs::write(&contexts, text).unwrap();
    let (code, out, _) = run(&machine, &["doctor", "--report", "-"]);
    assert!(code == 0 && out.contains("contexts.toml:"), "{out}");
    let leak = out.lines().find(|line| line.contains("s3cret"));
    assert_eq!(leak, None, "of what was written where it should not be");

    // An existing file isn't overwritten.
    let (code, _, err) = run(&machine, &["doctor", "--report", path]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("File exists"), "{err}");
}
