//! Checks what `--json` prints against the schemas of docs/reference/json/.

use std::{fs, path::PathBuf};

use boon::{Compiler, Schemas};
use serde_json::Value;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("docs/reference/json")
}

/// The schema of a command line: `env ls` has `env-ls`. Commands that launch have one in common.
pub fn name_of(args: &[&str]) -> Option<String> {
    let mut words = args.iter().take_while(|word| **word != "--");
    let found = words.by_ref().find_map(|word| match *word {
        "launch" | "relaunch" | "run" => Some("launch".to_owned()),
        "ls" | "wait" | "show" | "top" | "history" | "resources" | "events" | "doctor" | "info"
        | "keys" | "cp" | "rescue" => Some((*word).to_owned()),
        "themes" => Some(
            match args.iter().find(|word| ["show", "check"].contains(*word)) {
                Some(what) => format!("themes-{what}"),
                None => "themes".to_owned(),
            },
        ),
        "recent" | "env" | "image" | "folder" | "context" | "daemon" | "app" | "port" => {
            Some(format!("{word}-"))
        }
        _ => None,
    })?;
    if !found.ends_with('-') {
        return Some(found);
    }
    let mut words = words.filter(|word| !word.starts_with('-'));
    let second = words.next()?;
    if (found.as_str(), *second) == ("folder-", "ls") && words.next().is_some() {
        return Some("folder-files".to_owned());
    }
    match (found.as_str(), *second) {
        ("recent-", "launch") => Some("launch".to_owned()),
        (first, second) => Some(format!("{first}{second}")),
    }
}

/// Panics if the value doesn't follow the schema, with the place and the reason.
#[track_caller]
pub fn check(name: &str, value: &Value) {
    let file = directory().join(format!("{name}.json"));
    let text = fs::read_to_string(&file).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
    let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
    compiler
        .add_resource(name, serde_json::from_str(&text).unwrap())
        .unwrap();
    let schema = compiler.compile(name, &mut schemas).unwrap();
    if let Err(why) = schemas.validate(value, schema) {
        panic!("docs/reference/json/{name}.json doesn't describe {value}: {why:#}");
    }
}

/// Checks the output of a command that was asked for JSON: one document, or one for each line.
#[track_caller]
pub fn check_output(args: &[&str], output: &[u8]) {
    let is_json = args.contains(&"--json") && !args.contains(&"--");
    let Some(name) = name_of(args).filter(|_| is_json) else {
        return;
    };
    let documents = serde_json::Deserializer::from_slice(output).into_iter::<Value>();
    for document in documents {
        check(
            &name,
            &document.expect("commands with --json print JSON only"),
        );
    }
}
