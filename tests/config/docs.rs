//! The documentation: its links lead somewhere, its commands parse, and its configuration files have no fault.

use std::{collections::BTreeSet, process::Command};

use super::*;
use crate::wording::{files, joined, literals, without_tests};

/// One page: where it is below the top level, and its text.
struct DocPage {
    path: PathBuf,
    text: String,
}

fn top() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files and directories in a directory.
fn below(dir: &'static str) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(top().join(dir)).unwrap();
    entries.map(move |entry| Path::new(dir).join(entry.unwrap().file_name()))
}

fn pages() -> Vec<DocPage> {
    let docs = ["docs", "docs/reference", "docs/reference/commands"]
        .into_iter()
        .flat_map(below);
    let docs = docs.filter(|path| path.extension().is_some_and(|end| end == "md"));
    let others = ["README.md", "CONTRIBUTING.md"].map(PathBuf::from);
    let mut paths: Vec<PathBuf> = others.into_iter().chain(docs).collect();
    paths.sort();
    assert!(paths.len() > 15, "the documentation was not found");
    let page = |path: PathBuf| DocPage {
        text: fs::read_to_string(top().join(&path)).unwrap(),
        path,
    };
    paths.into_iter().map(page).collect()
}

/// The anchor of each heading, as GitHub and mdBook make it.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = outside_blocks(text).filter_map(|(_, line)| line.strip_prefix('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The lines that are in no fenced block, with their numbers.
fn outside_blocks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_inside = false;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_inside ^= is_fence;
        !is_inside && !is_fence
    })
}

/// The fenced blocks of a language, with the number of their first line.
fn blocks(text: &str, language: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        if is_inside && line.starts_with("```") {
            is_inside = false;
        } else if is_inside {
            let (_, block) = found.last_mut().unwrap();
            block.push_str(line);
            block.push('\n');
        } else if line == format!("```{language}") {
            is_inside = true;
            found.push((at + 2, String::new()));
        }
    }
    found
}

/// The targets of the links of a line: `](TARGET)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let after = line.split("](").skip(1);
    after.filter_map(|rest| rest.split(')').next())
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let pages = pages();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in &pages {
        for (number, line) in outside_blocks(&page.text) {
            for target in targets(line).filter(|target| !target.contains("://")) {
                seen += 1;
                let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
                let path = match file {
                    "" => top().join(&page.path),
                    file => top().join(page.path.parent().unwrap()).join(file),
                };
                let is_found = path.exists()
                    && (anchor.is_empty()
                        || anchors(&fs::read_to_string(&path).unwrap()).contains(anchor));
                if !is_found {
                    wrong.push(format!("{}:{number}: {target}", page.path.display()));
                }
            }
        }
    }
    assert!(seen > 50, "only {seen} links were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_in_the_summary() {
    let summary = fs::read_to_string(top().join("docs/SUMMARY.md")).unwrap();
    let listed: BTreeSet<&str> = summary.lines().flat_map(targets).collect();
    for page in pages() {
        let Ok(name) = page.path.strip_prefix("docs") else {
            continue;
        };
        let name = name.to_str().unwrap();
        assert!(
            name == "SUMMARY.md" || listed.contains(name),
            "docs/SUMMARY.md doesn't list {name}"
        );
    }
}

/// The commands of a page: what follows `workbay` in indented and fenced blocks without a language.
fn commands(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut found = Vec::new();
    let mut language = None;
    for (at, line) in text.lines().enumerate() {
        if let Some(fence) = line.trim_start().strip_prefix("```") {
            language = language.is_none().then_some(fence);
            continue;
        }
        let is_block = line.starts_with("    ") || matches!(language, Some("" | "sh" | "console"));
        let command = line.trim_start().trim_start_matches("$ ");
        if let (true, Some(rest)) = (is_block, command.strip_prefix("workbay ")) {
            // What a shell does with it isn't ours, nor is a description beside it.
            let rest = rest.split(['|', '>', ';', '&']).next().unwrap();
            let rest = rest.split("  ").next().unwrap();
            let mut lexer = shlex::Shlex::new(rest);
            let words: Vec<String> = lexer.by_ref().collect();
            found.push((at + 1, words));
        }
    }
    found
}

/// A line is a synopsis, not a command, where it has brackets, dots or names in capitals.
fn is_synopsis(words: &[String]) -> bool {
    words.iter().any(|word| {
        let is_name = word.len() < 12
            && word.chars().any(|c| c.is_ascii_uppercase())
            && word
                .chars()
                .all(|c| c.is_ascii_uppercase() || "-_.…".contains(c));
        is_name || word.contains(['[', '…', '<']) || word.ends_with("...")
    })
}

#[test]
fn every_command_is_accepted() {
    let mut seen = 0;
    let mut wrong = Vec::new();
    for page in pages() {
        for (number, words) in commands(&page.text) {
            if is_synopsis(&words) {
                continue;
            }
            seen += 1;
            // `--help` after the command of a session would be passed to that command, which would run.
            let runs = words.iter().any(|word| word == "run" || word == "exec");
            if runs && words[0] != "daemon" && !words.iter().any(|word| word == "--") {
                let page = page.path.display();
                wrong.push(format!("{page}:{number}: write `--` before the command"));
                continue;
            }
            // Arguments are checked up to `--help`, and nothing is done.
            let own = words.iter().take_while(|word| *word != "--");
            let output = Command::new(env!("CARGO_BIN_EXE_workbay"))
                .args(own)
                .arg("--help")
                .output()
                .unwrap();
            if !output.status.success() {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                let command = words.join(" ");
                wrong.push(format!(
                    "{}:{number}: {command}: {why}",
                    page.path.display()
                ));
            }
        }
    }
    assert!(seen > 30, "only {seen} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Which file a block is of, as the names of the files beside it begin.
fn kind(block: &str) -> &'static str {
    let has = |section: &str| block.lines().any(|line| line.starts_with(section));
    if has("[contexts.") {
        "contexts"
    } else if has("[environment.") || has("[[environment.") {
        "environments"
    } else if has("[group.") || has("[preset.") || has("[network]") || has("[idle]") {
        "resources"
    } else if has("[palette]") {
        "theme"
    } else if has("name = ") && !has("[[command]]") {
        "recipe"
    } else {
        "settings"
    }
}

#[test]
fn every_configuration_block_is_valid() {
    let mut seen = 0;
    for page in pages() {
        for (number, block) in blocks(&page.text, "toml") {
            seen += 1;
            let dir = tempfile::tempdir().unwrap();
            let file = dir.path().join(format!("{}-docs.toml", kind(&block)));
            fs::write(&file, &block).unwrap();
            let found = problems(&file);
            let place = format!("{}:{number}", page.path.display());
            assert_eq!(shown(&file, &found), "", "{place}:\n{block}");
        }
    }
    assert!(seen > 8, "only {seen} blocks were found");
}

/// The messages of the tables that list messages: the code at the beginning of each row.
fn messages(text: &str) -> Vec<(usize, String)> {
    let mut is_list = false;
    let mut found = Vec::new();
    for (at, line) in text.lines().enumerate() {
        is_list = line.starts_with("| message |") || (is_list && line.starts_with('|'));
        let Some(rest) = line.strip_prefix("| `").filter(|_| is_list) else {
            continue;
        };
        let (end, rest) = match rest.strip_prefix("` ") {
            Some(rest) => (" ``", rest),
            None => ("`", rest),
        };
        let message = rest.split(end).next().unwrap();
        found.push((at + 1, message.replace("\\|", "|")));
    }
    found
}

/// A literal as a reader sees it: each value is `…`.
fn with_ellipses(literal: &str) -> String {
    let mut shown = String::new();
    let mut depth = 0;
    for c in joined(literal).chars() {
        match c {
            '{' => {
                shown.extend((depth == 0).then_some('…'));
                depth += 1;
            }
            '}' => depth -= 1,
            c if depth == 0 => shown.push(c),
            _ => {}
        }
    }
    shown
}

#[test]
fn every_message_of_the_troubleshooting_page_is_one_of_the_program() {
    let text = fs::read_to_string(top().join("docs/troubleshooting.md")).unwrap();
    let mut known = Vec::new();
    for file in files(&top().join("src")) {
        let source = fs::read_to_string(&file).unwrap();
        let found = literals(without_tests(&source));
        known.extend(found.iter().map(|(_, literal)| with_ellipses(literal)));
    }
    let messages = messages(&text);
    assert!(messages.len() > 70, "only {} messages", messages.len());
    let is_known = |part: &str| known.iter().any(|literal| literal.contains(part));
    let mut wrong = Vec::new();
    for (at, message) in &messages {
        // A message may be put together: a subject, a colon and a reason.
        let parts = message.split('…').flat_map(|part| part.split(": "));
        let mut parts = parts
            .map(|part| part.trim_matches([' ', '.', ':', ',', '(', ')', '\'']))
            .filter(|part| part.len() > 3);
        if !parts.all(is_known) {
            wrong.push(format!("docs/troubleshooting.md:{at}: {message}"));
        }
    }
    assert!(wrong.is_empty(), "no such message:\n{}", wrong.join("\n"));
}

#[test]
fn the_releases_that_are_tested_are_the_columns_of_their_page() {
    let read = |path: &str| fs::read_to_string(top().join(path)).unwrap();
    let script = read("scripts/cluster/lib.sh");
    let releases = script.lines().find_map(|it| it.strip_prefix("releases=("));
    let releases = releases.unwrap().split(')').next().unwrap();
    let columns: Vec<&str> = releases.split_whitespace().collect();
    assert!(columns.len() > 2, "{releases}");
    let head = format!("| topic | {} |", columns.join(" | "));
    let page = read("docs/backendai-matrix.md");
    assert!(page.contains(&head), "run `scripts/test-matrix`");
    let page = read("docs/backendai.md");
    for release in columns {
        assert!(page.contains(&format!("**{release}**")), "{release}");
    }
}
