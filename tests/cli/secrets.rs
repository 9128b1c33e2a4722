//! Secrets go to the engine they are for and nowhere else.

use std::{
    fs,
    io::{Read, Write},
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    thread,
};

use crate::{
    cli::{configure, run, sessions::until},
    machine::Machine,
};

/// What no output may contain.
const SECRETS: [&str; 4] = [
    "env-s3cret",
    "file-s3cret",
    "told-s3cret",
    "official-s3cret",
];

const WHO_I_AM: &str = r#"{"version":"v9.20250722","manager":"26.9.6"}"#;
const NOBODY: &str = r#"{"type":"https://api.backend.ai/probs/auth-failed","title":"Credential/signature mismatch."}"#;

/// A manager that accepts nobody.
fn manager() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for line in listener.incoming() {
            let Ok(mut line) = line else { return };
            thread::spawn(move || {
                let mut asked = [0; 16 * 1024];
                while let Ok(1..) = line.read(&mut asked) {
                    let anonymous = asked.starts_with(b"GET / ");
                    let (status, body) = if anonymous {
                        ("200 OK", WHO_I_AM)
                    } else {
                        ("401 Unauthorized", NOBODY)
                    };
                    let answer = format!(
                        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    if line.write_all(answer.as_bytes()).is_err() {
                        return;
                    }
                }
            });
        }
    });
    endpoint
}

fn key_file(machine: &Machine, mode: u32) -> PathBuf {
    fs::create_dir_all(machine.path("config")).unwrap();
    let file = machine.path("config").join("key");
    fs::write(&file, "file-s3cret\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    file
}

fn context(name: &str, endpoint: &str, secret: &str) -> String {
    format!(
        "[contexts.{name}]\nkind = \"backendai\"\nendpoint = \"{endpoint}\"\n\
         access-key = \"AKIA\"\nsecret-key = {secret}\n"
    )
}

#[test]
fn no_secret_is_printed_or_logged() {
    let mut machine = Machine::new();
    let endpoint = manager();
    let file = key_file(&machine, 0o600);
    machine.set("PROD_KEY", "env-s3cret");
    machine.set("BACKEND_ENDPOINT", &manager());
    machine.set("BACKEND_ACCESS_KEY", "AKIA");
    machine.set("BACKEND_SECRET_KEY", "official-s3cret");
    let file = format!("{{ file = \"{}\" }}", file.display());
    let source = "{ command = [\"echo\", \"told-s3cret\"] }";
    configure(
        &machine,
        &[
            context("env", &endpoint, "{ env = \"PROD_KEY\" }"),
            context("file", &endpoint, &file),
            context("command", &endpoint, source),
        ]
        .concat(),
    );
    let names = ["env", "file", "command", "backendai"];
    let mut said = String::new();
    let mut say = |arguments: &[&str]| {
        let (code, out, err) = run(&machine, arguments);
        said.push_str(&out);
        said.push_str(&err);
        (code, err)
    };
    // Once without a daemon, then by the daemon, which has all of them.
    say(&["doctor"]);
    for name in names {
        let (code, err) = say(&["launch", "--context", name, "--name", "cli-denied"]);
        assert_eq!(code, 4, "{name}: {err}");
        assert!(
            err.contains("Credential/signature mismatch"),
            "{name}: {err}"
        );
        assert_eq!(say(&["ls", "--context", name]).0, 4, "{name}");
        say(&["context", "show", name]);
        say(&["context", "show", name, "--json"]);
    }
    for arguments in [
        &["info"][..],
        &["info", "--json"],
        &["doctor"],
        &["doctor", "--json"],
        &["context", "ls"],
        &["context", "ls", "--json"],
        &["daemon", "status", "--json"],
        &["ls", "--all-contexts"],
    ] {
        say(arguments);
    }
    let paths = machine.json(&["info", "--json"])["paths"].clone();
    let log = paths.as_array().unwrap().iter();
    let log = log
        .clone()
        .find(|place| place["what"] == "daemon's log")
        .unwrap();
    let log = fs::read_to_string(log["path"].as_str().unwrap()).unwrap();
    assert!(log.contains("no connection to the engine"), "{log}");
    said.push_str(&log);
    for secret in SECRETS {
        assert!(!said.contains(secret), "{secret} is reported in:\n{said}");
    }
    assert!(said.contains("from the variable PROD_KEY"));
    assert!(said.contains("from the command echo"));
}

#[test]
fn a_secret_that_cannot_be_had_is_reported_with_a_fix() {
    let machine = Machine::new();
    let endpoint = manager();
    let file = key_file(&machine, 0o644);
    let shown = file.display().to_string();
    let file = format!("{{ file = \"{shown}\" }}");
    configure(
        &machine,
        &[
            context("env", &endpoint, "{ env = \"NOT_SET_ANYWHERE\" }"),
            context("file", &endpoint, &file),
            context("command", &endpoint, "{ command = [\"false\"] }"),
        ]
        .concat(),
    );
    let launch = |name| run(&machine, &["launch", "--context", name]);
    let (code, _, err) = launch("env");
    assert_eq!(code, 4, "{err}");
    assert!(
        err.contains("the environment variable NOT_SET_ANYWHERE isn't set"),
        "{err}"
    );
    assert!(err.contains("then `workbay daemon stop`"), "{err}");
    let (code, _, err) = launch("command");
    assert_eq!(code, 4, "{err}");
    assert!(
        err.contains("the command false, which prints the secret, ended with exit code 1"),
        "{err}"
    );
    let (code, _, err) = launch("file");
    assert_eq!(code, 4, "{err}");
    assert!(
        err.contains("is readable by other users (mode 644)"),
        "{err}"
    );
    let (code, out, _) = run(&machine, &["doctor", "--json"]);
    assert_eq!(code, 1);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let key = findings.iter().find(|f| f["topic"] == "key").unwrap();
    assert_eq!(
        (&key["context"], &key["level"]),
        (&"file".into(), &"bad".into()),
        "{key}"
    );
    assert_eq!(key["hint"], format!("chmod 600 {shown}"));

    // Fixed, it is taken without a restart: now the manager answers. (After a
    // refusal the daemon asks again only some seconds later.)
    fs::set_permissions(&shown, fs::Permissions::from_mode(0o600)).unwrap();
    until("the fixed key is taken", || {
        let (code, _, err) = run(&machine, &["ls", "--context", "file"]);
        assert_eq!(code, 4, "{err}");
        err.contains("Credential/signature mismatch")
    });
    // A context that is denied leaves the others alone.
    let (code, out, _) = run(&machine, &["ls", "--json"]);
    assert_eq!((code, out.trim()), (0, "[]"));
}
