//! The texts of the program use the words of docs/style.md: a phrase of its replacement list in a string literal fails
//! with the place and the better word.

use std::path::{Path, PathBuf};

/// What is checked: every text of the program.
const PLACES: &[&str] = &[
    "src/action",
    "src/app",
    "src/archive",
    "src/cli",
    "src/client",
    "src/config",
    "src/daemon",
    "src/engine",
    "src/files",
    "src/gateway",
    "src/key.rs",
    "src/keymap",
    "src/locale",
    "src/main.rs",
    "src/model",
    "src/observer",
    "src/plain",
    "src/protocol",
    "src/rules",
    "src/run",
    "src/runner",
    "src/scheduler",
    "src/space.rs",
    "src/ssh_server",
    "src/state_machine",
    "src/store",
    "src/terminal",
    "src/theme",
    "src/transfer",
    "src/tree",
    "src/view",
];

/// A phrase and what to say instead. Each is looked for in ` text ` in lowercase, so a space means the edge of a word.
const REPLACEMENTS: &[(&str, &str)] = &[
    (" is no ", "isn't a valid …, must be …"),
    (" told ", "shown, printed, reported"),
    (" tells ", "shows, prints, lists, reports"),
    (" by itself", "automatically, on its own"),
    (" by themselves", "automatically"),
    (" anew", "again, restarts, is recreated"),
    (" stands in", "is in"),
    (" stands still", "paused"),
    (" lies ", "is in, is stored in"),
    (" be had", "is available"),
    (" so long", "for this time"),
    (" so many ", "N copies"),
    (" nothing is said", "by default"),
    (" goes over", "overrides"),
    (" go over it", "override it"),
    (" no word", "not responding"),
    (" without a word", "without a message"),
    (" goes on", "keeps running, continues"),
    (" go on;", "keep running, continue"),
    (" hears ", "recognizes, receives"),
    (" mend ", "fix"),
    (" mends ", "fixes"),
    (" is not there", "doesn't exist, not found"),
    (" is there already", "already exists"),
    (" put off ", "extended"),
    (" whoever ", "user, administrator"),
    (" somebody", "user"),
    (" person", "user, you"),
    (" after a question", "asks for confirmation"),
    (" launch again ", "relaunch"),
    (" of before", "recent, earlier"),
    (" news ", "notifications"),
    (" leave it ", "cancel"),
    (" take it ", "accept"),
    (" do it ", "the verb of the action"),
    (" in line ", "in queue"),
    (" catalogue of ", "catalog"),
    (" at most ", "max"),
];

#[test]
fn texts_use_the_words_of_the_style_guide() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut texts = 0;
    let mut wrong = Vec::new();
    for place in PLACES {
        assert!(root.join(place).exists(), "{place} doesn't exist");
    }
    for file in PLACES.iter().flat_map(|place| files(&root.join(place))) {
        let source = std::fs::read_to_string(&file).unwrap();
        let shown = file.strip_prefix(root).unwrap().display();
        for (line, text) in literals(without_tests(&source)) {
            texts += 1;
            wrong.extend(faults(&text).map(|(phrase, better)| {
                format!("{shown}:{line}: '{text}' has '{phrase}'. Use: {better}")
            }));
        }
    }
    assert!(texts > 1000, "only {texts} texts found");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn phrases_are_found_in_literals_and_nowhere_else() {
    let source = "// it is no word\nlet a = '\"'; let b = \"It is no \\\"name\\\"\";\n\
                  let c = r#\"goes \"on\" here\"#; let d = \"it goes \\\n        on\";\n";
    let found: Vec<_> = literals(source)
        .into_iter()
        .flat_map(|(line, text)| {
            let faults: Vec<_> = faults(&text).collect();
            faults.into_iter().map(move |(phrase, _)| (line, phrase))
        })
        .collect();
    assert_eq!(found, [(2, " is no "), (3, " goes on")]);
}

fn faults(text: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let padded = format!(" {} ", text.to_lowercase());
    let is_sql = ["CREATE TABLE", "ALTER TABLE"]
        .iter()
        .any(|it| text.contains(it));
    let is_text = text.contains(' ') && !is_sql;
    REPLACEMENTS
        .iter()
        .copied()
        .filter(move |(phrase, _)| is_text && padded.contains(phrase))
}

/// The Rust files of the program below a path, without its tests.
pub fn files(path: &Path) -> Vec<PathBuf> {
    let name = path.file_name().unwrap().to_str().unwrap();
    if path.is_dir() {
        let entries = std::fs::read_dir(path).unwrap();
        let mut found: Vec<PathBuf> = entries
            .flat_map(|entry| files(&entry.unwrap().path()))
            .collect();
        found.retain(|_| name != "tests");
        found.sort();
        return found;
    }
    let is_test = matches!(name, "tests.rs" | "testing.rs");
    let is_source = path.extension().is_some_and(|end| end == "rs") && !is_test;
    is_source.then(|| path.to_owned()).into_iter().collect()
}

/// A file up to the module with its tests.
pub fn without_tests(source: &str) -> &str {
    let tests = source.match_indices("#[cfg(test)]\n").find(|(at, mark)| {
        let after = source[at + mark.len()..].trim_start();
        after.starts_with("mod tests {")
    });
    tests.map_or(source, |(at, _)| &source[..at])
}

/// The string literals of a source with their lines. Comments and characters are skipped.
pub fn literals(source: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    let line_of = |rest: &str| 1 + source[..source.len() - rest.len()].matches('\n').count();
    while let Some(at) = rest.find(['"', '\'', '/', 'r']) {
        let here = &rest[at..];
        let hashes = here[1..].chars().take_while(|c| *c == '#').count();
        let is_raw = here.starts_with('r') && here[1 + hashes..].starts_with('"');
        let length = if here.starts_with("//") {
            here.find('\n').unwrap_or(here.len())
        } else if is_raw {
            let end = format!("\"{}", "#".repeat(hashes));
            let body = &here[2 + hashes..];
            let stop = body.find(&end).unwrap();
            found.push((line_of(here), body[..stop].to_owned()));
            2 + hashes + stop + end.len()
        } else if let Some(body) = here.strip_prefix('"') {
            let stop = closing(body);
            found.push((line_of(here), joined(&body[..stop])));
            stop + 2
        } else if here.starts_with('\'') {
            character(here)
        } else {
            1
        };
        rest = &here[length..];
    }
    found
}

/// Where the quotation mark is that closes a literal.
pub fn closing(body: &str) -> usize {
    let mut escaped = false;
    let stop = body.char_indices().find(|(_, c)| {
        let is_end = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        is_end
    });
    stop.expect("each literal is closed").0
}

/// A literal of several source lines as one.
pub fn joined(literal: &str) -> String {
    let mut parts = literal.split("\\\n");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.trim_start())
}

/// The length of a character literal, or 1 for the mark of a lifetime.
fn character(here: &str) -> usize {
    let mut chars = here.char_indices().skip(1);
    match (chars.next(), chars.next()) {
        (Some((_, '\\')), Some((at, c))) => {
            let after = at + c.len_utf8();
            here[after..].find('\'').map_or(1, |end| after + end + 1)
        }
        (Some(_), Some((at, '\''))) => at + 1,
        _ => 1,
    }
}
