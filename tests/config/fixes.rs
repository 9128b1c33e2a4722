//! Errors say how to fix them: each one in the sources has a hint, names the fix in its text, or is in the list below with
//! the reason why it has none.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::wording::{closing, files, joined, without_tests};

/// What creates an error, before its arguments.
const MARKS: [&str; 15] = [
    "Fail::new(",
    "Fail::usage(",
    "Failure::denied(",
    "Failure::engine_refused(",
    "Failure::internal(",
    "Failure::lost(",
    "Failure::new(",
    "Failure::not_found(",
    "Failure::refused(",
    "Failure::registry_broken(",
    "Failure::registry_unreachable(",
    "Failure::reported(",
    "Failure::unsupported(",
    "Failure::usage(",
    "FieldProblem::new(",
];

/// Words that begin the sentence of a fix.
const FIXES: [&str; 37] = [
    "Add ",
    "Attach ",
    "Begin ",
    "Change ",
    "Check ",
    "Choose ",
    "Close ",
    "Connect ",
    "Correct ",
    "Create ",
    "Did you mean ",
    "End ",
    "For a ",
    "Free ",
    "Give ",
    "Install ",
    "Keep ",
    "Launch ",
    "Leave ",
    "Make ",
    "Move ",
    "Name ",
    "Press ",
    "Remove ",
    "Report ",
    "Request ",
    "Run ",
    "See ",
    "Set ",
    "Stop ",
    "Store ",
    "Terminate ",
    "To ",
    "Try ",
    "Type ",
    "Use ",
    "Wait ",
];

/// Why an error needs no fix.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// The text says which value is allowed or what is missing, so that the fix is to do that.
    SaysWhatIsAllowed,
    /// What was asked for is already so, or can't be any more.
    NothingToDo,
    /// The engine can't do it, whatever the request.
    NotSupported,
    /// The place that shows it adds the hint.
    HintIsAdded,
    /// It is retried automatically.
    IsRetried,
    /// The cause is quoted from another program, which names the fix if there is one.
    QuotesTheCause,
    /// It isn't shown to users as it is.
    IsInternal,
}
use Reason::{
    HintIsAdded, IsInternal, IsRetried, NotSupported, NothingToDo, QuotesTheCause,
    SaysWhatIsAllowed,
};

/// The errors without a fix, by reason.
const WITHOUT_FIX: &[(Reason, &[&str])] = &[
    (
        SaysWhatIsAllowed,
        &[
            "--interval must be at least 1s",
            "a login without an id (header X-BackendAI-SessionID). The web server is too old",
            "app '{}' has no log, because workbay hasn't started it",
            "cluster size {} is above the limit of a launch",
            "context {context} doesn't keep home directories, so --same-home isn't available",
            "no app was named",
            "no command was given",
            "no paths to save",
            "session {} is a batch session: images are created from interactive sessions only",
            "session {} is {}: a forward needs a running session",
            "session {} is {}: images are created from running sessions only",
            "session {} is {}: only running sessions can be renamed",
            "session {} is {}: only running sessions have idle checks",
            "session {} is {}: {what} needs a running session",
            "the arguments and variables of the app are too long",
            "the manager at {} has version {}. workbay needs 24.09 or later",
            "the session is paused",
            "the session isn't running (it is {})",
            "the session isn't running",
            "the value of variable {variable} contains a zero byte",
            "{MOST} ports are forwarded, which are the most",
            "{port} isn't a valid port",
            "{url} has no valid host for TLS: {error}",
            "{} is {}: only the priority of a waiting session can be changed",
        ],
    ),
    (
        NothingToDo,
        &[
            "an image of {} is already being created",
            "app '{name}' was stopped before it answered",
            "app '{}' doesn't run",
            "cancelled: nothing of the image is kept",
            "ended sessions of a Backend.AI context can't be deleted: the manager keeps them",
            "it creates the image, but without a task ID to follow",
            "no session was launched",
            "nothing was opened",
            "session {name} has already ended ({status})",
            "session {name}: {how}",
            "session {old} ended before it was renamed",
            "session {old} is already being renamed to {other}",
            "session {} doesn't exist any more: the engine doesn't report it",
            "session {} has already ended ({status})",
            "session {} is being renamed to {other} already",
            "the command ended, but the engine didn't report its exit code",
            "the log of {} was deleted: logs of ended sessions are kept for [history] keep-days",
            "the manager of this context pulls images automatically when a session starts",
            "the priority of {} is already being changed",
            "the session doesn't exist any more",
            "the session was deleted while workbay waited for it",
            "the session was not found",
            "{name} can't be extended: no idle check will reclaim it",
            "{what} hasn't finished after {seconds}s and continues",
        ],
    ),
    (
        NotSupported,
        &[
            "managers can't copy files, so the daemon copies them",
            "the engine can't copy between a running session and another place",
            "the manager doesn't report whether the apps of a session run",
            "this engine can't open a connection to a port in a session",
            "this engine can't open files",
            "this engine can't run workbay's helpers in a session",
            "this engine can't save files of a session",
            "this engine doesn't list other users",
            "this engine doesn't support the request",
            "this engine has no apps",
            "this engine has no control connection to a session's tmux",
            "this engine has no folders",
            "this engine pulls images automatically",
            "this manager doesn't support the request: {said}",
            "this session has no place for the files of apps",
            "{label} isn't available on this engine: {why}",
            "{what} isn't available in context {}: {why}",
        ],
    ),
    (
        HintIsAdded,
        &[
            "can't listen for a forward",
            "the connection to the session's output broke: {why}",
            "the daemon sent an unexpected answer ('{word}')",
        ],
    ),
    (
        IsRetried,
        &[
            "it doesn't answer",
            "the connection to {registry} broke ({said})",
            "the daemon is stopping",
            "the engine didn't answer within {seconds}s",
            "the engine didn't answer within {}s",
            "workbay's daemon isn't responding. workbay retries automatically",
        ],
    ),
    (
        QuotesTheCause,
        &[
            "--filter: {why}",
            "TLS can't be set up: {error}",
            "a key can't be made",
            "a key can't be written",
            "app '{name}' can't be locked: {error}",
            "app '{name}' can't be started",
            "app '{name}' can't be stopped: {error}",
            "app '{name}' didn't answer on port {} within {} seconds",
            "app '{name}' doesn't end, not even when it is killed",
            "ca-file {shown}: {why}",
            "connecting to port {port} of the session took too long",
            "files for the session can't be read: {error}",
            "in the session: {why}",
            "invalid JSON: {}",
            "it failed: {words}",
            "listening in the session took too long",
            "no port of this session is free for app '{}'",
            "not found in the session",
            "nothing was saved: {problems}",
            "port {port} of the session can't be forwarded",
            "registry logins can't be read from {path}: {why}",
            "the command can't start: {error}",
            "the copy failed: {why}",
            "{}: {}",
            "the engine can't be set up: {error}",
            "the home directory of the earlier session can't be moved to {}: {error}",
            "the image can't prepare its service '{name}'",
            "the image of the host environment can't be created: {error}",
            "the key file {} can't be read",
            "the key file {} can't be used",
            "the key file {} can't be written",
            "the private key can't be read",
            "the request for apps failed inside the session",
            "the saved log {} can't be read: {error}",
            "the session didn't answer within {} seconds",
            "this command can't be run: {error}",
            "{image} can't be pulled: {said}",
            "{old} couldn't be renamed to {name}: {}",
            "{option}: {why}",
            "{path} can't be read: {error}",
            "{said_by} has the invalid engine address '{url}': {why}",
            "{shown} can't be written: {error}",
            "{unit} ({slot}): {why}",
            "{} can't be added to the bundled tools: {why}",
            "{} can't be created: {error}",
            "{} can't be written: {error}",
            "{}: {error}",
            "{}: {words}",
        ],
    ),
    (
        IsInternal,
        &[
            "",
            "a program was started without a connection to it",
            "a request for apps can't be written: {error}",
            "agent",
            "context {context} not found",
            "context {name} is of kind {}",
            "more than 64 MiB at once",
            "no HTTP client: {error}",
            "the SSH client didn't log in within a minute",
            "the SSH client doesn't answer",
            "the SSH connection ended",
            "the engine didn't start the program",
            "the answer is too long ({bytes} bytes)",
            "the connection to the session broke",
            "{} can't be read: {error}",
            "the engine doesn't report how the helper container {name} ended",
            "the files of app '{name}' have disappeared",
            "the helper in the session ended",
            "the helper printed '{}'",
            "the launch can't be stored in a label: {error}",
            "the machine has no random numbers",
            "the session's answer about its apps can't be read",
            "a report can't be sent: {error}",
            "cancelled: {left}",
            "creating the image was cancelled",
            "it ended the work without a result",
            "work on files broke: {error}",
            "workbay's path is unknown: {error}",
            "workbay: ",
            "{why:#}",
        ],
    ),
];

#[test]
fn each_error_has_a_fix_or_a_reason_for_having_none() {
    let known: BTreeMap<String, &str> = WITHOUT_FIX
        .iter()
        .flat_map(|(_, texts)| texts.iter().map(|text| (without_names(text), *text)))
        .collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut count, mut met, mut wrong) = (0, BTreeSet::new(), Vec::new());
    for file in files(&root.join("src")) {
        let source = std::fs::read_to_string(&file).unwrap();
        for error in errors(without_tests(&source)) {
            count += 1;
            if error.has_hint || names_a_fix(&error.text) {
                continue;
            }
            match known.get(&without_names(&error.text)) {
                Some(known) => {
                    met.insert(*known);
                }
                None => {
                    let file = file.strip_prefix(root).unwrap().display();
                    wrong.push(format!("{file}: '{}'", error.text));
                }
            }
        }
    }
    assert!(count > 150, "only {count} errors found");
    assert!(
        wrong.is_empty(),
        "no hint and no reason:\n{}",
        wrong.join("\n")
    );
    let gone: Vec<_> = known.values().filter(|text| !met.contains(*text)).collect();
    assert!(gone.is_empty(), "no longer needed in the list: {gone:#?}");
}

/// A text whose placeholders have no names: `{} is {}` for `{name} is {status}`.
fn without_names(text: &str) -> String {
    let mut parts = text.split('{');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, part| {
        let words = part.split_once('}').map_or("", |(_, words)| words);
        format!("{before}{{}}{words}")
    })
}

/// An error with its text in the sources.
struct WrittenError {
    text: String,
    has_hint: bool,
}

/// The errors of a source whose text is a literal, directly or in a variable. The text of others is made elsewhere.
fn errors(source: &str) -> Vec<WrittenError> {
    let mut found = Vec::new();
    for mark in MARKS {
        for (at, _) in source.match_indices(mark) {
            let is_part = source[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
            let open = at + mark.len() - 1;
            let end = open + closed(&source[open..]);
            let text = text_of(&source[..at], &source[open + 1..end]);
            if let Some(text) = text.filter(|_| !is_part) {
                found.push(WrittenError {
                    text,
                    has_hint: has_hint(&source[end + 1..])
                        || is_completed(&source[..at], &source[end + 1..]),
                });
            }
        }
    }
    found
}

/// The first literal in the arguments, or that of the variable which they end with.
fn text_of(before: &str, arguments: &str) -> Option<String> {
    if let Some(text) = literal(arguments) {
        return Some(text);
    }
    let variable = arguments
        .trim()
        .trim_end_matches(',')
        .rsplit([',', ' '])
        .next()?;
    let definition = before.rfind(&format!("let {variable} = "))?;
    let function = before.rfind("fn ").unwrap_or(0);
    let value = &before[definition..];
    let end = value.find(";\n").unwrap_or(value.len());
    literal(&value[..end]).filter(|_| definition > function)
}

fn literal(code: &str) -> Option<String> {
    let start = code.find('"')? + 1;
    let body = &code[start..];
    Some(joined(&body[..closing(body)]))
}

/// Whether one of the calls that follow adds a hint: `.because(…).hint(…)`.
fn has_hint(mut after: &str) -> bool {
    while let Some(call) = after.trim_start().strip_prefix('.') {
        let Some(open) = call.find('(') else {
            return false;
        };
        if matches!(&call[..open], "hint" | "maybe_hint") {
            return true;
        }
        after = &call[open + closed(&call[open..]) + 1..];
    }
    false
}

/// Whether the error is in a variable that gets its hint before the end of the function.
fn is_completed(before: &str, after: &str) -> bool {
    let statement = before
        .rsplit(['\n', '{', ';'])
        .find(|it| !it.trim().is_empty());
    let variable = statement.and_then(|it| it.trim().strip_prefix("let ")?.strip_suffix(" ="));
    let function = &after[..after.find("\n}\n").unwrap_or(after.len())];
    variable.is_some_and(|name| {
        let hint = |method| function.contains(&format!("{name}.{method}("));
        hint("hint") || hint("maybe_hint")
    })
}

/// The position of the bracket that closes the first one.
fn closed(code: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while let Some(c) = code[at..].chars().next() {
        match c {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '"' => at += 1 + closing(&code[at + 1..]),
            _ => {}
        }
        if depth == 0 {
            break;
        }
        at += c.len_utf8();
    }
    at
}

fn names_a_fix(text: &str) -> bool {
    let is_fix = |sentence: &str| FIXES.iter().any(|begin| sentence.starts_with(begin));
    text.contains("`workbay ") || text.contains("`docker ") || text.split(". ").skip(1).any(is_fix)
}
