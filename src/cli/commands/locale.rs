//! `workbay locale`: checks files of translations, and prints all texts for translators.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use clap::Subcommand;

use crate::{
    cli::{
        Start,
        commands::RunCommand,
        fail::{Fail, Outcome, code},
        invocation::Invocation,
        output,
    },
    config::{Problem, languages},
    locale::{Catalog, embedded, texts_of},
};

#[derive(Debug, Subcommand)]
pub enum LocaleCommand {
    /// List mistakes and missing texts of translations (exit code 1 if there are any)
    Check {
        /// File of translations, LANG.po (default: all in your locales directory)
        #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// List every missing text, not only their number
        #[arg(long)]
        missing: bool,
    },
    /// Print all texts as a .pot file, the beginning of a translation
    Template,
}

impl RunCommand for LocaleCommand {
    fn run(self, invocation: &Invocation<'_>) -> Outcome {
        match self {
            Self::Template => {
                output::print(embedded::TEMPLATE)?;
                Ok(0)
            }
            Self::Check { file, missing } => check(&invocation.load_silently()?, file, missing),
        }
    }
}

fn check(start: &Start, file: Option<PathBuf>, missing: bool) -> Outcome {
    let dir = start.paths.locales_dir();
    let files = match file {
        Some(file) => vec![file],
        None => own(&dir),
    };
    if files.is_empty() {
        let text = tr!("no translations in {dir}", dir = dir.display());
        let fail = Fail::usage(text);
        return Err(fail.hint(tr!("`workbay locale template > LANG.po` begins one")));
    }
    let mut exit = 0;
    for file in files {
        let findings = findings(&file, missing);
        if findings.is_empty() {
            output::line(&tr!("{file}: no problems found", file = file.display()))?;
        } else {
            exit = code::FAILED;
        }
        for finding in findings {
            output::line(&finding)?;
        }
    }
    Ok(exit)
}

/// The user's files.
fn own(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|file| file.extension().is_some_and(|it| it == "po"));
    files.sort();
    files
}

/// The lines about a file.
fn findings(file: &Path, missing: bool) -> Vec<String> {
    let text = match fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => {
            return vec![languages::unreadable(file.to_path_buf(), &error).to_string()];
        }
    };
    let language = file.file_stem().unwrap_or_default().to_string_lossy();
    let mut catalog = Catalog::new(&language);
    let mut problems = languages::add(&mut catalog, file, &text);
    let wanted = texts_of(embedded::TEMPLATE);
    let written = texts_of(&text);
    problems.extend(unknown(file, &wanted, &written));
    problems.sort_by_key(|it| it.line);
    let mut lines: Vec<String> = problems.iter().map(ToString::to_string).collect();
    // A file that overrides an embedded language may have few texts.
    let embedded = embedded::catalog(&language);
    let known: BTreeSet<&str> = embedded
        .iter()
        .flat_map(Catalog::keys)
        .chain(catalog.keys())
        .collect();
    let absent = wanted.keys().filter(|key| !known.contains(key.as_str()));
    let absent: Vec<String> = absent.map(|key| shown(key)).collect();
    if missing {
        let absent = absent.iter();
        lines.extend(absent.map(|key| tr!("{file}: missing: {key}", file = file.display(), key)));
    } else if !absent.is_empty() {
        lines.push(tr!(
            "{file}: {absent} of {wanted} texts missing (list them with --missing)",
            file = file.display(),
            absent = absent.len(),
            wanted = wanted.len()
        ));
    }
    lines
}

/// Texts that the program doesn't have.
fn unknown(
    file: &Path,
    wanted: &BTreeMap<String, usize>,
    written: &BTreeMap<String, usize>,
) -> Vec<Problem> {
    let unknown = written.iter().filter(|(key, _)| !wanted.contains_key(*key));
    let problems = unknown.map(|(key, line)| Problem {
        file: file.to_path_buf(),
        line: *line,
        column: 1,
        message: tr!("workbay has no text {key}", key = shown(key)),
        help: Some(tr!("remove it, or compare it with `workbay locale template`").to_owned()),
    });
    problems.collect()
}

/// A text in quotes, with its context.
fn shown(key: &str) -> String {
    let text = key.replace('\n', "\\n");
    match text.split_once('\u{4}') {
        Some((context, text)) => format!("'{text}' ({context})"),
        None => format!("'{text}'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_compared_with_all_texts() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("fr.po");
        fs::write(
            &file,
            "msgid \"help\"\nmsgstr \"aide\"\n\nmsgid \"no such text\"\nmsgstr \"x\"\n\nmsgid quit\n",
        )
        .unwrap();
        let found = findings(&file, false);
        let [unknown, syntax, absent] = &found[..] else {
            panic!("{found:?}");
        };
        assert!(
            unknown.contains("fr.po:4:1: workbay has no text 'no such text'"),
            "{unknown}"
        );
        assert!(syntax.contains("fr.po:7:1: a text must be in"), "{syntax}");
        assert!(absent.contains(" texts missing"), "{absent}");
        assert!(
            !findings(&file, true)
                .iter()
                .any(|it| it.ends_with("missing: 'help'"))
        );
    }

    #[test]
    fn a_file_of_an_embedded_language_needs_no_other_text() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("ko.po");
        fs::write(&file, "msgid \"help\"\nmsgstr \"도움\"\n").unwrap();
        assert_eq!(findings(&file, false), [""; 0]);
    }
}
