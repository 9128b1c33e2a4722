//! Errors have the form of docs/style.md: what happened, why, and what to do.

use std::path::Path;

use crate::wording::{closing, files, joined, without_tests};

/// What precedes the text of an error, a refusal or a fix.
const MARKS: [&str; 13] = [
    "#[error(",
    ".help(",
    ".hint(",
    "Fail::usage(",
    "Failure::denied(",
    "Failure::engine_refused(",
    "Failure::internal(",
    "Failure::lost(",
    "Failure::not_found(",
    "Failure::refused(",
    "Failure::reported(",
    "Failure::unsupported(",
    "Failure::usage(",
];

/// Errors without a field for the fix: their text has it.
const WITH_FIX: [&str; 6] = [
    "src/client/mod.rs",
    "src/daemon/process/lock.rs",
    "src/daemon/connection/socket.rs",
    "src/model/name.rs",
    "src/model/selector.rs",
    "src/store/error.rs",
];

/// Errors whose fix follows from the cause that they quote, or that need none, and texts that are a fix.
const WITHOUT_FIX: [&str; 12] = [
    "a daemon is already running (pid {pid}, at {socket})",
    "a daemon is already running",
    "check its owner, or set WORKBAY_STATE_DIR to another directory",
    "free some space on its file system",
    "make its file system writable, or set WORKBAY_STATE_DIR to a directory on another file system",
    "the daemon can't be started as {program}: {why}",
    "the daemon didn't start: {why}",
    "the daemon refused: {why}",
    "the state database is closed, because the daemon is stopping",
    "{0}",
    "{}",
    "{path} can't be used: {why}",
];

/// How the sentence of a fix begins.
const FIXES: [&str; 16] = [
    "Begin ",
    "Check ",
    "Close ",
    "Did you mean ",
    "End ",
    "Free ",
    "Make ",
    "Move ",
    "Report ",
    "Run ",
    "Set ",
    "Stop ",
    "To fix it, ",
    "Type ",
    "Update ",
    "Use ",
];

#[test]
fn errors_and_fixes_begin_in_lowercase_and_end_without_a_period() {
    let mut texts = 0;
    let mut wrong = Vec::new();
    for (file, text) in marked("src", &MARKS) {
        texts += 1;
        let mut letters = text.chars();
        let is_sentence = letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase);
        if is_sentence || text.ends_with('.') {
            wrong.push(format!("{file}: '{text}'"));
        }
    }
    assert!(texts > 250, "only {texts} texts found");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn errors_without_a_field_for_the_fix_name_it() {
    let mut wrong = Vec::new();
    for file in WITH_FIX {
        let found = marked(file, &["#[error(", "tr!(", "tr_sent!("]);
        assert!(!found.is_empty(), "no error in {file}");
        wrong.extend(found.into_iter().filter(|(_, text)| !has_fix(text)));
    }
    assert!(wrong.is_empty(), "no fix in: {wrong:#?}");
}

fn has_fix(text: &str) -> bool {
    let is_fix = |sentence: &str| FIXES.iter().any(|begin| sentence.starts_with(begin));
    WITHOUT_FIX.contains(&text)
        || text.contains("`workbay ")
        || text.split(". ").skip(1).any(is_fix)
}

/// The literals that follow one of the marks, with their files.
fn marked(place: &str, marks: &[&str]) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    for file in files(&root.join(place)) {
        let source = std::fs::read_to_string(&file).unwrap();
        let shown = file.strip_prefix(root).unwrap().display().to_string();
        let source = without_tests(&source);
        for mark in marks {
            let texts = source
                .match_indices(mark)
                .filter_map(|(at, mark)| literal(&source[at + mark.len()..]));
            found.extend(texts.map(|text| (shown.clone(), text)));
        }
    }
    found
}

/// The macros that make a text of a literal.
const MACROS: [&str; 4] = ["format!(", "tr!(", "tr_later!(", "tr_sent!("];

/// The literal with which an argument begins, alone or in a macro.
fn literal(rest: &str) -> Option<String> {
    let rest = rest.trim_start();
    let within = MACROS.iter().find_map(|name| rest.strip_prefix(name));
    let rest = within.unwrap_or(rest).trim_start();
    let body = rest.strip_prefix('"')?;
    Some(joined(&body[..closing(body)]))
}
